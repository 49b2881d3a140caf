"""Check results from both stores: of monitors and people in the monitor store, of governed runs in the run records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.flows.quality.monitors.store import MonitorStore
from forge.flows.quality.ports import RunHistory
from forge.flows.runs.records import RunRecord, published_by
from forge.model.errors import NamedError
from forge.model.names import RunId, TableName
from forge.quality.monitors.monitor import CheckResult
from forge.quality.verdict import Outcome, Verdict

HISTORY = 30
_LOOKED_THROUGH = 3000  # verdicts of a table, for those of one check


class UnknownResultError(NamedError):
    code = "E724"


def find_results(
    metadata: RunHistory,
    store: MonitorStore,
    *,
    table: TableName | None = None,
    run_id: str | None = None,
    monitor_id: str | None = None,
    check_id: str | None = None,
    verdict: Outcome | None = None,
    limit: int = 100,
) -> tuple[CheckResult, ...]:
    """Newest first. `run_id` is of a run of either kind."""
    ids = [run_id] if run_id is not None else None
    found = store.results(
        monitor_id=monitor_id, run_ids=ids, table=table, check_id=check_id, verdict=verdict, limit=limit
    )
    if monitor_id is None:
        governed = RunId(run_id) if run_id is not None else None
        most = limit if check_id is None else max(limit, _LOOKED_THROUGH)
        verdicts = metadata.verdicts(run_id=governed, table=table, outcome=verdict, limit=most)
        verdicts = tuple((run, one) for run, one in verdicts if check_id in (None, one.check_id))
        runs = metadata.find_runs({run for run, _ in verdicts})
        found = (*found, *(result_of(one, runs[run]) for run, one in verdicts))
    return tuple(
        sorted(found, key=lambda one: one.executed_at, reverse=True)[:limit]
    )  # stable: checks keep their order


def find_result(metadata: RunHistory, store: MonitorStore, result_id: str) -> CheckResult:
    found = store.result(result_id)
    if found is not None:
        return found
    run_id, _, check_id = result_id.partition(".")
    run = metadata.run(RunId(run_id)) if check_id else None
    for _, verdict in metadata.verdicts(run_id=run.id, limit=100_000) if run else ():
        if run is not None and verdict.check_id == check_id:
            return result_of(verdict, run)
    fix = "GET /api/v1/quality/results lists them."
    raise UnknownResultError(f"There is no result '{result_id}'", fix=fix)


def find_history(
    metadata: RunHistory, store: MonitorStore, result: CheckResult, limit: int = HISTORY
) -> tuple[CheckResult, ...]:
    """Other results of the same check, newest first."""
    table = TableName.parse(result.dataset)
    found = list(store.results(table=table, check_id=result.check_id, limit=limit))
    verdicts = [
        (run_id, verdict)
        for run_id, verdict in metadata.verdicts(table=table, limit=_LOOKED_THROUGH)
        if verdict.check_id == result.check_id
    ][:limit]
    runs = metadata.find_runs({run_id for run_id, _ in verdicts})
    found += [result_of(verdict, runs[run_id]) for run_id, verdict in verdicts]
    same = (one for one in found if one.branch == result.branch)
    return tuple(sorted(same, key=lambda one: one.executed_at, reverse=True)[:limit])


def first_failure(result: CheckResult, history: Sequence[CheckResult]) -> CheckResult | None:
    """The start of the series of failures that includes the result, as far as `history` (newest first) goes back."""
    if result.verdict is not Outcome.FAILED:
        return None
    first = result
    for one in history:
        if one.executed_at > result.executed_at or one.verdict is Outcome.NOT_MEASURED:
            continue
        if one.verdict is Outcome.PASSED:
            break
        first = one
    return first


def result_of(verdict: Verdict, run: RunRecord) -> CheckResult:
    """A verdict of a governed run as a check result."""
    table = TableName.parse(verdict.table)
    execution = verdict.details.get("execution")
    cost = execution if isinstance(execution, Mapping) else {}
    ms = cost.get("ms")
    return CheckResult(
        id=f"{run.id}.{verdict.check_id}",
        check_id=verdict.check_id,
        type=verdict.check_type,
        dataset=verdict.table,
        branch=run.branch,
        commit_id=run.commit_id if table in published_by(run) else None,
        snapshot_id=next((output.snapshot_id for output in run.outputs if output.table == table), None),
        verdict=verdict.outcome,
        severity=verdict.severity,
        message=verdict.message,
        executed_at=run.finished_at or run.started_at,
        columns=verdict.columns,
        blocks=verdict.blocks,
        details=verdict.details,
        execution_ms=float(ms) if isinstance(ms, int | float) else None,
        shared=bool(cost.get("shared")),
        run_id=run.id,
    )


def verdict_of(result: CheckResult) -> Verdict:
    return Verdict(
        check_id=result.check_id,
        check_type=result.type,
        table=result.dataset,
        columns=result.columns,
        outcome=result.verdict,
        severity=result.severity,
        message=result.message,
        blocks=result.blocks,
        details=result.details,
    )
