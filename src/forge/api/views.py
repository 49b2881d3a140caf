"""JSON models shared by routes: errors, verdicts, the server itself."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from forge.api.runs.wire.runs import VerdictView
from forge.api.site import Site
from forge.api.upkeep.wire.system import ReadsView, SparkView, SystemView
from forge.api.wire import ErrorView
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.quality.verdict_masking import shown_verdict
from forge.flows.runs.records import RunRecord, published_by
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.verdict import Verdict


def error_view(error: ForgeError | Mapping[str, str | None] | None) -> ErrorView | None:
    if error is None:
        return None
    facts = error.to_dict() if isinstance(error, ForgeError) else error
    return ErrorView(
        code=facts.get("code") or "FORGE-E000",
        what=facts.get("what") or "",
        where=facts.get("where"),
        why=facts.get("why"),
        fix=facts.get("fix"),
    )


def verdict_view(verdict: Verdict, run: RunRecord, personal: PersonalColumns) -> VerdictView:
    return VerdictView.model_validate(
        {
            **shown_verdict(verdict, personal).to_dict(),
            "run_id": run.id,
            "executed_at": run.finished_at or run.started_at,
            "commit": run.commit_id if TableName.parse(verdict.table) in published_by(run) else None,
        }
    )


def _reads_view(site: Site) -> ReadsView:
    reads, limits = site.executor.reads(), site.executor.limits
    running = sum(task.job.started_at is not None for task in reads)
    return ReadsView.of(
        limits,
        running=running,
        waiting=len(reads) - running,
        tokens=len({task.owner for task in reads}),
        waiting_limit=limits.waiting,
    )


def system_view(site: Site) -> SystemView:
    wiring = site.wiring
    spark = wiring.session.state
    return SystemView(
        version=version("forge"),
        project=wiring.settings.project,
        started_at=site.started_at,
        spark=SparkView(
            state=spark.state, master=wiring.session.settings.master, since=spark.since, error=error_view(spark.error)
        ),
        jobs_running=len(site.jobs.running),
        jobs_queued=len(site.jobs.queued),
        jobs_limit=site.jobs.limit,
        reads=_reads_view(site),
        database="sqlite" if wiring.database.dialect.name == "sqlite" else "postgresql",
        publish=wiring.lake.promise,
        interrupted=list(site.jobs.interrupted),
    )
