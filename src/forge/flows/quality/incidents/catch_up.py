"""What a run of a monitor said is kept before anyone is told of it. Of a server that died in between the alerts are
moved at the next start, out of what was kept: no failure stays untold until it is judged again."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from forge.flows.quality.after_check import Observed
from forge.flows.quality.incidents.alerts import observe_alerts
from forge.flows.quality.incidents.observer import judging_of
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.judge import Judged
from forge.flows.quality.monitors.store import MonitorStore
from forge.flows.quality.results import verdict_of
from forge.flows.runs.processes import Process, is_alive
from forge.model.names import BranchName, CommitId, SnapshotId
from forge.model.schema import Schema
from forge.quality.alerts.alert import AlertState, Origin, Scope, is_bad
from forge.quality.monitors.monitor import CheckResult, Monitor, MonitorRun, MonitorRunStatus
from forge.quality.verdict import Outcome

GRACE = timedelta(minutes=2)  # a server elsewhere may be about to tell it
_ENDED = (MonitorRunStatus.PASSED, MonitorRunStatus.FAILED, MonitorRunStatus.NOT_MEASURED)
_MOST = 100_000  # checks of one monitor


def catch_up_alerts(store: MonitorStore, ports: AlertPorts) -> tuple[str, ...]:
    """The runs that were told now: of each monitor the newest, where its alerts know nothing of it. To tell one twice
    does no harm: alerts move once."""
    monitors = {one.id: one for one in store.monitors(enabled=True)}
    told: list[str] = []
    for monitor_id, run in store.newest(monitors, statuses=_ENDED).items():
        if _is_being_told(run, ports.clock()):
            continue
        results = store.results(run_ids=[run.id], limit=_MOST)
        states = ports.store.states(scope=Scope(Origin.MONITOR, monitor_id), limit=_MOST)
        if _is_untold(results, {state.check_id: state for state in states}):
            observed = _observed(monitors[monitor_id], run, results)
            observe_alerts(observed.judged, ports, judging_of(observed, ports))
            told.append(run.id)
    return tuple(told)


def _is_being_told(run: MonitorRun, now: datetime) -> bool:
    if run.host == socket.gethostname():
        return is_alive(Process(run.host, run.pid, run.process_started))
    return run.finished_at is None or now - run.finished_at < GRACE


def _is_untold(results: Iterable[CheckResult], states: Mapping[str, AlertState]) -> bool:
    return any(_is_news(result, states.get(result.check_id)) for result in results)


def _is_news(result: CheckResult, state: AlertState | None) -> bool:
    if state is not None and state.seen_at >= result.executed_at:
        return False
    if is_bad(verdict_of(result)):
        return True
    return state is not None and state.failing and result.verdict is Outcome.PASSED


def _observed(monitor: Monitor, run: MonitorRun, results: Sequence[CheckResult]) -> Observed:
    judged = Judged(
        table=monitor.table,
        branch=BranchName(run.branch or results[0].branch or ""),
        commit_id=CommitId(run.commit_id) if run.commit_id else None,
        snapshot_id=SnapshotId(run.snapshot_id) if run.snapshot_id is not None else None,
        schema=Schema(()),
        checks=(),
        verdicts=tuple(verdict_of(result) for result in results),
        readings={},
        executed_at=results[0].executed_at,
    )
    return Observed(judged, tuple(results), monitor, run.id)
