"""Runs as JSON: the run record, the job it was queued as, and Spark's progress, in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, get_args

from pydantic import ValidationError

from forge.api.auth import Principal
from forge.api.executor import Task
from forge.api.paging import FARTHEST, MOST, Window
from forge.api.runs.wire.runs import (
    EventView,
    OutputView,
    RunDetail,
    RunProgress,
    RunStart,
    RunView,
    StepView,
    VerdictView,
)
from forge.api.site import Site
from forge.api.views import error_view, verdict_view
from forge.api.wire import Page, RunWord
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.quality.monitors.jobs import KIND as MONITOR
from forge.flows.quality.monitors.jobs import status_as_run
from forge.flows.quality.verdict_masking import shown_result, shown_text
from forge.flows.runs.engine import JobProgress
from forge.flows.runs.jobs import JobEvent, JobQueue, JobRecord, JobStatus, last_steps
from forge.flows.runs.records import OutputRecord, RunRecord, RunStatus
from forge.flows.runs.run_jobs import no_such_run
from forge.model.errors import CancellationError, ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, RunId
from forge.quality.monitors.monitor import CheckResult, MonitorRun

WORDS: tuple[str, ...] = get_args(RunWord)
ALIVE = ("queued", "running")
MERGES = ("merge", "revert", "cherry-pick")
NOTHING = JobProgress(0, 0, 0, 0, 0)
_NOTHING_HELD = (RunStatus.SUCCEEDED, RunStatus.NOTHING_TO_DO)
TextFilter = Callable[[str], str]
JobFailure = ForgeError | Mapping[str, str | None] | None


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """All records of a run. A run that never began has no record of its own, a run of the terminal has no job. The
    work of a request is a `task` while the server remembers it."""

    run: RunRecord | None
    job: JobRecord | None
    task: Task | None = None
    judged: MonitorRun | None = None  # of a monitor

    @property
    def id(self) -> str:
        found = self.run or self.job
        assert found is not None
        return found.id

    @property
    def status(self) -> str:
        if self.run is not None:
            return str(self.run.status)
        assert self.job is not None
        if self.judged is not None and self.job.status is JobStatus.DONE:
            return str(status_as_run(self.judged))
        if self.job.status is JobStatus.DONE:  # a request that left no record of its own, like a fast-forward
            return "succeeded" if self.task is not None and self.task.failure is None else "failed"
        return str(self.job.status)

    @property
    def kind(self) -> str:
        found = self.run or self.job
        assert found is not None
        return found.kind

    @property
    def at(self) -> datetime:
        if self.run is not None:
            return self.run.started_at
        assert self.job is not None
        return self.job.created_at

    @property
    def branch(self) -> str:
        return self.run.branch if self.run is not None else str(self._request.get("branch"))

    @property
    def tables(self) -> tuple[str, ...]:
        made = tuple(str(output.table) for output in self.run.outputs) if self.run else ()
        return made or (self.job.tables if self.job else ())

    @property
    def _request(self) -> Mapping[str, object]:
        return self.job.request if self.job else {}


def find_one(site: Site, run_id: str) -> RecordedRun:
    task = site.executor.task(run_id)
    job = task.job if task is not None else site.jobs.store.job(run_id)
    judged = site.wiring.quality.monitors.run(run_id) if job is not None and job.kind == MONITOR else None
    known = RecordedRun(site.wiring.metadata.run(RunId(run_id)), job, task, judged)
    if known.run is None and known.job is None:
        raise no_such_run(site.wiring.metadata, run_id)
    return known


def list_views(
    site: Site,
    caller: Principal,
    window: Window,
    *,
    branch: str | None = None,
    status: str | None = None,
    table: str | None = None,
) -> Page[RunView]:
    """Newest first. A run that never began is sorted by when it was queued."""
    word = _word(status)
    metadata, store = site.wiring.metadata, site.jobs.store
    most = window.needed if table is None else FARTHEST + MOST + 1
    named = BranchName(branch) if branch is not None else None
    runs = metadata.runs(limit=most, branch=named, status=word) if word != "queued" else ()
    recorded = {run.id for run in runs}
    starting = [job for job in store.jobs(ids=site.jobs.running) if metadata.run(RunId(job.id)) is None]
    waiting = [*store.jobs(never_began=True, limit=FARTHEST), *starting]
    found = [RecordedRun(run, None) for run in runs]
    found += [
        known
        for known in {job.id: RecordedRun(None, job) for job in waiting if job.id not in recorded}.values()
        if (branch is None or known.branch == branch) and (word is None or known.status == word)
    ]
    if branch is None:
        reads = (RecordedRun(None, task.job, task) for task in site.executor.known_reads())
        found += [known for known in reads if word in (None, known.status)]
    found = [known for known in found if table is None or table in known.tables]
    found.sort(key=lambda known: (known.at, known.id), reverse=True)
    shown = [known.id for known in found[window.offset : window.offset + window.limit]]
    jobs = {job.id: job for job in store.jobs(ids=shown, limit=len(shown))}
    personal = cache(site.wiring.catalog.hidden_at)
    return window.page(
        found, lambda known: run_view(site, caller, replace(known, job=known.job or jobs.get(known.id)), personal)
    )


def _word(status: str | None) -> str | None:
    if status is None:
        return None
    word = status.strip().lower().replace("-", " ")
    if word not in WORDS:
        fix = did_you_mean(word, WORDS) or f"Known are {', '.join(WORDS)}."
        raise UnknownNameError(f"There is no status '{status}'", fix=fix)
    return word


def run_view(
    site: Site, caller: Principal | None, known: RecordedRun, personal: Callable[[], PersonalColumns] | None = None
) -> RunView:
    clean = _text_filter(site, known.run, personal or site.wiring.catalog.hidden_at)
    return RunView.model_validate(_facts(site, caller, known, clean))


def run_detail(site: Site, caller: Principal, run_id: str) -> RunDetail:
    known = find_one(site, run_id)
    run = known.run
    recorded = site.wiring.metadata.verdicts(run_id=run.id, limit=10_000) if run else ()
    personal = site.wiring.catalog.hidden_at()
    verdicts = [verdict_view(verdict, run, personal) for _, verdict in recorded if run]
    if known.judged is not None:
        results = site.wiring.quality.monitors.results(run_ids=[run_id], limit=10_000)
        verdicts = [_verdict_of_monitor(shown_result(result, personal)) for result in results]
    clean = _text_filter(site, run, lambda: personal)
    facts = {
        **_facts(site, caller, known, clean),
        "progress": _progress(site.jobs, known, clean),
        "verdicts": verdicts,
        "merge_id": _merge_of(site, known),
    }
    return RunDetail.model_validate(facts)


def _verdict_of_monitor(result: CheckResult) -> VerdictView:
    facts = {name: value for name, value in result.to_dict().items() if name in VerdictView.model_fields}
    return VerdictView.model_validate({**facts, "run_id": result.monitor_run_id or ""})


def _merge_of(site: Site, known: RecordedRun) -> str | None:
    if known.run is None or str(known.run.status) not in ("conflict", "blocked") or known.kind not in MERGES:
        return None
    kept = site.wiring.metadata.merges(branch=known.run.branch, limit=1000)
    return next((merge.id for merge in kept if merge.run_id == known.id), None)


def _facts(site: Site, caller: Principal | None, known: RecordedRun, clean: TextFilter) -> dict[str, Any]:
    job, run, queue, executor = known.job, known.run, site.jobs, site.executor
    ended = known.status not in ALIVE
    request = _request_of(known)
    stopping = (queue.stopping(known.id) or executor.stopping(known.id)) and not ended
    facts = _of_run(run, clean) if run is not None else _of_job(known, caller, site.wiring.author.email)
    working = known.id in queue.running or executor.can_cancel(known.id)
    facts |= {
        "run_id": known.id,
        "status": known.status,
        "branch": known.branch,
        "kind": known.kind,
        "queued_at": job.created_at if job else None,
        "request": request,
        "can_cancel": known.id in queue.queued or (working and not ended and not stopping),
        "can_rerun": ended and request is not None,
    }
    return {**facts, "step": "cancelling"} if stopping else facts


def _text_filter(site: Site, run: RunRecord | None, find: Callable[[], PersonalColumns]) -> TextFilter:
    """A filter for texts of a run: removes messages of checks about columns that are personal by now."""
    if run is None or run.status in _NOTHING_HELD:
        return str
    personal = find()
    if not any(personal.of(str(one.table)) or personal.closes(one.table) for one in run.outputs):
        return str
    verdicts = [verdict for _, verdict in site.wiring.metadata.verdicts(run_id=run.id, limit=10_000)]
    return lambda text: shown_text(text, verdicts, personal)


def _of_run(run: RunRecord, clean: TextFilter) -> dict[str, Any]:
    """Start and end of its time range are in `request`."""
    return {
        **{name: value for name, value in run.to_dict().items() if name not in ("start", "end")},
        "params": {key: str(value) for key, value in run.params.items()},
        "error": error_view({key: text and clean(text) for key, text in run.error.items()} if run.error else None),
        "outputs": [output_view(output, clean) for output in run.outputs],
    }


def _of_job(known: RecordedRun, caller: Principal | None, user: str) -> dict[str, Any]:
    job, request, task = known.job, _request_of(known), known.task
    assert job is not None
    return {
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "user": task.user if task else user,
        "text": str(job.request.get("text") or "") if task is None or task.shows_text(caller) else "",
        "seconds": (job.finished_at - job.started_at).total_seconds() if job.finished_at and job.started_at else None,
        "host": job.server.host,
        "pid": job.server.pid,
        "step": known.status,
        "selection": request.selection if request else [],
        "params": request.params if request else {},
        "error": error_view(_failure(known, job, caller)),
    }


def _failure(known: RecordedRun, job: JobRecord, caller: Principal | None) -> JobFailure:
    task = known.task
    if task is not None:
        if task.failure is None or task.shows_failure(caller):
            return task.failure
        return ForgeError(task.failure.code, f"The {job.kind} failed", fix="Who asked sees why.")
    return (known.judged.error if known.judged else None) or _never_began(job)


def _never_began(job: JobRecord) -> ForgeError | None:
    match job.status:
        case JobStatus.CANCELLED:
            return CancellationError("The run was cancelled while it waited", fix="Start it again when you like.")
        case JobStatus.INTERRUPTED:
            return CancellationError("The server was stopped before the run began", fix="Start it again.")
        case _:
            return None


def output_view(output: OutputRecord, clean: TextFilter) -> OutputView:
    facts = {**output.to_dict(), "reason": clean(output.reason), "error": error_view(output.error)}
    return OutputView.model_validate(facts)


def _request_of(known: RecordedRun) -> RunStart | None:
    """The request that would start it again; None where that cannot be known."""
    if known.kind != "run":
        return None
    try:
        if known.job is not None:
            return RunStart.model_validate(dict(known.job.request))
        assert known.run is not None
        params = {key: str(value) for key, value in known.run.params.items()}
        named = {key: params.pop(key, None) for key in ("start", "end")}
        times = {"start": known.run.start or named["start"], "end": known.run.end or named["end"]}
        given = {"selection": known.run.selection, "branch": known.run.branch, "params": params, **times}
        return RunStart.model_validate(given)
    except ValidationError:
        return None


def _progress(queue: JobQueue, known: RecordedRun, clean: TextFilter) -> RunProgress:
    outputs = {str(output.table): output for output in known.run.outputs} if known.run else {}
    job = known.job
    ended = known.status not in ALIVE
    numbers = queue.progress(known.id)
    steps = last_steps(job) if job else dict.fromkeys(outputs)
    return RunProgress(
        tables=[
            _step(table, event, outputs.get(table), numbers.get(table, NOTHING), clean, ended=ended)
            for table, event in steps.items()
        ],
        events=[EventView.model_validate(replace(one, detail=clean(one.detail))) for one in job.events] if job else [],
        queue_position=queue.position(known.id),
    )


def _step(
    table: str,
    event: JobEvent | None,
    output: OutputRecord | None,
    numbers: JobProgress,
    clean: TextFilter,
    *,
    ended: bool,
) -> StepView:
    """From the run record or, until it ends, from the newest event."""
    if output is not None:
        step, detail = str(output.status), output.reason
    elif event is not None:
        step, detail = event.step, event.detail
    else:
        step, detail = ("skipped", "the run ended before it") if ended else ("waiting", "")
    return StepView.of(numbers, table=table, step=step, detail=clean(detail), at=event.at if event else None)


def is_over(detail: RunDetail) -> bool:
    return detail.status not in ALIVE
