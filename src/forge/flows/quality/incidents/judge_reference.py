"""Who judged what: a run, a monitor or a person; shared by results and incidents."""

from __future__ import annotations

from dataclasses import dataclass

from forge.flows.quality.incidents.listed_incident import ListedIncident
from forge.flows.quality.monitors.store import MonitorStore
from forge.quality.alerts.alert import AlertOrigin
from forge.quality.monitors.monitor import CheckResult


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReference:
    """A run, a monitor, or a person. `commit_id` None: what was judged was not published."""

    origin: AlertOrigin
    branch: str
    commit_id: str | None = None
    run_id: str | None = None  # of a run that makes tables
    monitor_id: str | None = None
    monitor_name: str | None = None
    monitor_run_id: str | None = None  # of a monitor, or of a person

    @property
    def words(self) -> str:
        return f"{self.who} on {self.branch}"

    @property
    def who(self) -> str:
        match self.origin:
            case AlertOrigin.MONITOR:
                return f"monitor {self.monitor_name or self.monitor_id}"
            case AlertOrigin.HAND:
                return "by hand"
            case _:
                return f"run {self.run_id}"

    def to_dict(self) -> dict[str, object]:
        return {
            "origin": str(self.origin),
            "branch": self.branch,
            "commit": self.commit_id,
            "run_id": self.run_id,
            "monitor_id": self.monitor_id,
            "monitor_name": self.monitor_name,
            "monitor_run_id": self.monitor_run_id,
            "words": self.words,
        }


def origin_of(result: CheckResult) -> AlertOrigin:
    if result.monitor_id is not None:
        return AlertOrigin.MONITOR
    return AlertOrigin.RUN if result.run_id is not None and result.monitor_run_id is None else AlertOrigin.HAND


def judge_of_result(result: CheckResult, store: MonitorStore) -> JudgeReference:
    return JudgeReference(
        origin=origin_of(result),
        branch=result.branch or "",
        commit_id=result.commit_id,
        run_id=result.run_id,
        monitor_id=result.monitor_id,
        monitor_name=_name_of(store, result.monitor_id),
        monitor_run_id=result.monitor_run_id,
    )


def judge_of_incident(one: ListedIncident, store: MonitorStore) -> JudgeReference:
    """Of its newest failure. A blocked publication was judged before it had a commit."""
    if one.opened is not None:
        run = one.opened.run
        return JudgeReference(origin=AlertOrigin.RUN, branch=run.branch, run_id=run.id)
    record = one.record
    assert record is not None
    return JudgeReference(
        origin=record.scope.origin,
        branch=record.branch,
        commit_id=record.commit_id,
        run_id=record.run_id,
        monitor_id=record.scope.monitor_id,
        monitor_name=_name_of(store, record.scope.monitor_id) or record.monitor_name,
        monitor_run_id=record.monitor_run_id,
    )


def _name_of(store: MonitorStore, monitor_id: str | None) -> str | None:
    monitor = store.monitor(monitor_id) if monitor_id else None
    return monitor.name if monitor else None
