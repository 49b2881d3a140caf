"""Recovery of alerts. Results of a monitor run are stored before alerts are moved; if the server dies in between, the
next start moves them from the stored results."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from forge.flows.quality.incidents.alerts import observe_alerts
from forge.flows.quality.incidents.observer import judging_of
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.monitors.store import MonitorStore
from forge.flows.quality.observers import JudgementEvent
from forge.flows.quality.results import verdict_of
from forge.flows.runs.processes import Process, is_alive
from forge.model.names import BranchName, CommitId, SnapshotId
from forge.model.schema import Schema
from forge.quality.alerts.alert import AlertOrigin, AlertScope, AlertState, is_bad
from forge.quality.monitors.monitor import CheckResult, Monitor, MonitorRun, MonitorRunStatus
from forge.quality.verdict import Outcome

GRACE = timedelta(minutes=2)  # another server may be about to do it
_ENDED = (MonitorRunStatus.PASSED, MonitorRunStatus.FAILED, MonitorRunStatus.NOT_MEASURED)
_MOST = 100_000  # checks of one monitor


def catch_up_alerts(store: MonitorStore, ports: AlertPorts) -> tuple[str, ...]:
    """The runs handled now: of each monitor the newest whose results are not in its alerts. Repetition is harmless:
    alerts move once."""
    monitors = {one.id: one for one in store.monitors(enabled=True)}
    announced: list[str] = []
    for monitor_id, run in store.newest(monitors, statuses=_ENDED).items():
        if _is_in_progress(run, ports.clock()):
            continue
        results = store.results(run_ids=[run.id], limit=_MOST)
        states = ports.store.states(scope=AlertScope(AlertOrigin.MONITOR, monitor_id), limit=_MOST)
        if _is_unannounced(results, {state.check_id: state for state in states}):
            observed = _observed(monitors[monitor_id], run, results)
            observe_alerts(observed.judged, ports, judging_of(observed, ports))
            announced.append(run.id)
    return tuple(announced)


def _is_in_progress(run: MonitorRun, now: datetime) -> bool:
    if run.host == socket.gethostname():
        return is_alive(Process(run.host, run.pid, run.process_started))
    return run.finished_at is None or now - run.finished_at < GRACE


def _is_unannounced(results: Iterable[CheckResult], states: Mapping[str, AlertState]) -> bool:
    return any(_is_news(result, states.get(result.check_id)) for result in results)


def _is_news(result: CheckResult, state: AlertState | None) -> bool:
    if state is not None and state.seen_at >= result.executed_at:
        return False
    if is_bad(verdict_of(result)):
        return True
    return state is not None and state.failing and result.verdict is Outcome.PASSED


def _observed(monitor: Monitor, run: MonitorRun, results: Sequence[CheckResult]) -> JudgementEvent:
    judged = JudgedTable(
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
    return JudgementEvent(judged, tuple(results), monitor, run.id)
