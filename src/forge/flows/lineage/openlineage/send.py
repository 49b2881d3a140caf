"""Emits OpenLineage events of a recorded run. Never fails or blocks the run: what cannot be sent is queued."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from forge.flows.catalog.ports import Assets
from forge.flows.quality.ports import RunHistory
from forge.flows.runs.events import RunEnded
from forge.flows.runs.project import Project
from forge.flows.runs.records import OutputRecord, OutputStatus, RunRecord, RunStatus, TableLineage
from forge.lineage.openlineage_events import CheckAssertion, End, EventColumn, Json, RunSummary, TableSummary, events_of
from forge.model.names import RunId, TableName
from forge.quality.verdict import Outcome, Verdict
from forge.transforms.transform import SqlQuery, Transform

_log = logging.getLogger("forge.lineage")
_ENDS: dict[OutputStatus, End] = {
    OutputStatus.PUBLISHED: "COMPLETE",
    OutputStatus.PASSED: "ABORT",
    OutputStatus.BLOCKED: "FAIL",
    OutputStatus.FAILED: "FAIL",
}
_RUN_ENDS: dict[RunStatus, End] = {
    RunStatus.SUCCEEDED: "COMPLETE",
    RunStatus.NOTHING_TO_DO: "COMPLETE",
    RunStatus.CANCELLED: "ABORT",
    RunStatus.INTERRUPTED: "ABORT",
}


class _Records(RunHistory, Assets, Protocol): ...


class EventSink(Protocol):
    def send(self, name: str, events: Sequence[Json]) -> None:
        """`name` identifies the run. Failures to send are logged."""


@dataclass(frozen=True, slots=True)
class EventEmitter:
    metadata: _Records
    sink: EventSink
    project: str
    namespace: str
    version: str

    def __call__(self, run: RunEnded) -> None:
        try:
            summary = run_summary(self.metadata, run.project, run.run_id, self.project)
            if summary is not None:
                self.sink.send(run.run_id, events_of(summary, self.namespace, self.version))
        except Exception as error:  # a failed emission does not fail the run
            _log.warning("The run %s was not told of by OpenLineage: %s", run.run_id, error, exc_info=error)


def run_summary(metadata: _Records, project: Project, run_id: RunId, name: str) -> RunSummary | None:
    """What the records say of a run that has ended; None where it has not."""
    run = metadata.run(run_id)
    if run is None or run.finished_at is None:
        return None
    lineage = {one.table: one for _, one in metadata.lineage([run_id])}
    verdicts = [verdict for _, verdict in metadata.verdicts(run_id=run_id)]
    assets = {asset.table: asset for asset in metadata.assets()}
    columns = {
        str(table): tuple(
            EventColumn(str(one["name"]), str(one.get("type") or ""), str(one.get("description") or ""))
            for one in asset.columns
        )
        for table, asset in assets.items()
    }
    tables = tuple(_tables(run, project, lineage, verdicts, columns))
    error = str((run.error or {}).get("what") or "")
    return RunSummary(
        id=run_id,
        project=name,
        started_at=run.started_at,
        finished_at=run.finished_at,
        end=_RUN_ENDS.get(run.status, "FAIL"),
        error=error,
        tables=tables,
        columns=columns,
    )


def _tables(
    run: RunRecord,
    project: Project,
    lineage: dict[TableName, TableLineage],
    verdicts: Sequence[Verdict],
    columns: dict[str, tuple[EventColumn, ...]],
) -> Iterable[TableSummary]:
    """Those on which the run worked; what was up to date or skipped was not made."""
    for output in run.outputs:
        end = _ENDS.get(output.status)
        transform = project.transforms.get(output.table)
        if end is not None:
            seen = lineage.get(output.table, TableLineage(output.table))
            checks = tuple(_assertion(one) for one in verdicts if one.table == str(output.table))
            yield _table(output, end, transform, seen, checks, columns.get(str(output.table), ()))


def _table(
    output: OutputRecord,
    end: End,
    transform: Transform | None,
    seen: TableLineage,
    checks: tuple[CheckAssertion, ...],
    columns: tuple[EventColumn, ...],
) -> TableSummary:
    error = str((output.error or {}).get("what") or output.reason) if end != "COMPLETE" else ""
    body = transform.body if transform else None
    return TableSummary(
        name=str(output.table),
        end=end,
        edges=seen.edges,
        indirect=seen.indirect,
        table_edges=seen.table_edges,
        inputs=tuple(output.inputs),
        columns=columns,
        rows=output.rows,
        sql=body.text if isinstance(body, SqlQuery) else "",
        file=transform.file if transform else "",
        description=transform.description if transform else "",
        error=error,
        assertions=checks,
    )


def _assertion(verdict: Verdict) -> CheckAssertion:
    column = verdict.columns[0] if len(verdict.columns) == 1 else ""
    success = verdict.outcome is Outcome.PASSED
    return CheckAssertion(
        verdict.check_id, verdict.check_type, success, column, str(verdict.severity), "" if success else verdict.message
    )
