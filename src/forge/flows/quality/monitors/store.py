"""Monitors: the port of their store, and create, change and remove. History outlives a monitor."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from forge.flows.runs.records import AuditRecord, DatasetTally, VerdictTally
from forge.flows.versioning.record_ports import CommitHistory
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, TableName
from forge.model.retry import attempts
from forge.model.time import Clock
from forge.quality.monitors.monitor import CheckResult, Monitor, MonitorRun, MonitorRunStatus, Trigger, new_monitor_id
from forge.quality.monitors.schedule import FieldFault
from forge.quality.monitors.spec import find_check_faults, read_monitor
from forge.quality.verdict import Outcome
from forge.versioning.commit import TableVersion

_TRIES = 5
_OTHERWISE = "Use a check of type query, or write the monitor in quality/*.yaml."
_SUBQUERY = re.compile(r"\bselect\b|/\*|\((?:\s|--[^\n]*\n)*(?:table|from|with|values)\b", re.IGNORECASE)
_log = logging.getLogger("forge.quality")


class MonitorStore(Protocol):
    """Every method is one transaction."""

    # monitors
    def monitors(
        self, *, table: TableName | None = None, enabled: bool | None = None, removed: bool = False
    ) -> tuple[Monitor, ...]:
        """By name. Removed ones only on request."""

    def monitor(self, monitor_id: str) -> Monitor | None:
        """Removed or not."""

    def add(self, monitor: Monitor, audit: AuditRecord) -> bool:
        """False, and nothing written, where the id exists."""

    def change(self, monitor: Monitor, expected: datetime | None, audit: AuditRecord) -> bool:
        """Compare-and-set: False, and nothing written, where its `updated_at` is no longer `expected`."""

    # runs
    def claim(self, run: MonitorRun) -> bool:
        """False, and nothing written, where the monitor has a run of that claim already."""

    def save(self, run: MonitorRun) -> None: ...
    def finish(self, run: MonitorRun, check_results: Sequence[CheckResult], audit: AuditRecord | None) -> bool:
        """Stores the finished run with its results. False, and nothing written, where it has finished already; a run
        recorded as interrupted may still finish."""

    def remark(self, run_id: str, notes: Sequence[str]) -> None:
        """Appends to the notes of a run, finished or not."""

    def beat(self, run_ids: Sequence[str], at: datetime) -> None:
        """Heartbeat of runs."""

    def silent(self, before: datetime) -> tuple[MonitorRun, ...]:
        """Unfinished runs without a heartbeat since then."""

    def run(self, run_id: str) -> MonitorRun | None: ...
    def runs(
        self,
        *,
        monitor_id: str | None = None,
        table: TableName | None = None,
        statuses: Iterable[MonitorRunStatus] = (),
        triggers: Iterable[Trigger] = (),
        since: datetime | None = None,
        limit: int = 100,
    ) -> tuple[MonitorRun, ...]:
        """Newest first, by queue time."""

    def newest(
        self,
        monitor_ids: Iterable[str],
        triggers: Iterable[Trigger] = (),
        statuses: Iterable[MonitorRunStatus] = (),
    ) -> Mapping[str, MonitorRun]:
        """The newest run of each, filtered by trigger and status."""

    def tallies(self, since: datetime, until: datetime, branch: BranchName | None = None) -> tuple[VerdictTally, ...]:
        """Of runs started from `since` on and before `until`, oldest first."""

    def dataset_tallies(
        self, since: datetime, until: datetime, branch: BranchName | None = None
    ) -> tuple[DatasetTally, ...]:
        """The same, by table."""

    # results
    def results(
        self,
        *,
        monitor_id: str | None = None,
        run_ids: Iterable[str] | None = None,
        table: TableName | None = None,
        check_id: str | None = None,
        verdict: Outcome | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> tuple[CheckResult, ...]:
        """Newest first."""

    def result(self, result_id: str) -> CheckResult | None: ...
    def standing(self, versions: Mapping[TableName, TableVersion]) -> tuple[CheckResult, ...]:
        """The latest result of each check on these versions, without removed monitors. Views have no snapshot: their
        latest result counts, whatever the commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPorts:
    store: MonitorStore
    metadata: CommitHistory
    clock: Clock
    actor: str
    default_branch: BranchName
    channels: Callable[[], Sequence[str]] = tuple  # names in forge.yaml
    retired: Callable[[str], None] = lambda monitor_id: None  # called for a removed or disabled monitor
    tables: Callable[[BranchName], Collection[TableName]] | None = None
    """Those of a branch, and those that the project makes; None: any may be watched."""


def find_monitor(store: MonitorStore, monitor_id: str) -> Monitor:
    found = store.monitor(monitor_id)
    if found is None or found.removed_at is not None:
        others = store.monitors()
        named = next((one for one in others if one.name == monitor_id), None)
        if named is not None:
            return named
        near = did_you_mean(monitor_id, (one.id for one in others))
        gone = "It was removed; its results are kept." if found is not None else None
        raise ForgeError(
            "E721",
            f"There is no monitor '{monitor_id}'",
            why=gone or near,
            fix="`forge quality monitor list` lists them.",
        )
    return found


def refuse_faults(faults: Sequence[FieldFault], where: str | None = None) -> None:
    raise_errors(ForgeError("E720", f"{one.path} {one.message}", where=where, fix=one.fix) for one in faults)


def find_world_faults(monitor: Monitor, ports: MonitorPorts) -> tuple[FieldFault, ...]:
    """Errors that depend on the project: whether branch and channels exist. The table may be created later."""
    return _world_faults(monitor.dataset, monitor.channels, ports)


def _world_faults(dataset: object, channels: object, ports: MonitorPorts) -> tuple[FieldFault, ...]:
    """For values of any type: other errors are reported elsewhere."""
    faults: list[FieldFault] = []
    branch = dataset.partition("@")[2].strip() if isinstance(dataset, str) else ""
    if branch:
        try:
            find_branch(ports.metadata, BranchName(branch))
        except ForgeError as error:
            faults.append(
                FieldFault("dataset", f"is on a branch that is not there: {error.what}", error.why or error.fix)
            )
    known = tuple(ports.channels())
    for number, name in enumerate(channels if isinstance(channels, list | tuple) else ()):
        if isinstance(name, str) and name not in known:
            near = did_you_mean(name, known)
            listed = f"Known are {', '.join(known)}." if known else "Name it in forge.yaml, alerts.channels."
            faults.append(FieldFault(f"channels[{number}]", f"'{name}' is no channel of forge.yaml", near or listed))
    return tuple(faults)


def draft_monitor(
    fields: Mapping[str, object], ports: MonitorPorts, before: Monitor | None = None
) -> tuple[Monitor | None, tuple[FieldFault, ...]]:
    """A monitor and all its errors. Nothing is written."""
    monitor, faults = read_monitor(fields, before=before)
    more = _world_faults(fields.get("dataset"), fields.get("channels"), ports)
    missing = _missing_table(monitor, ports) if monitor is not None and not more and "dataset" in fields else ()
    return monitor, (*faults, *more, *missing, *_code_faults(fields.get("checks")))


def _missing_table(monitor: Monitor, ports: MonitorPorts) -> tuple[FieldFault, ...]:
    """A project file may precede its table; over HTTP and the CLI the table must exist."""
    if ports.tables is None:
        return ()
    branch = monitor.branch or ports.default_branch
    head = ports.metadata.branch(branch)
    if head is not None and monitor.table in ports.metadata.tree(head.head):
        return ()  # the usual case, without reading the files of the project
    known = ports.tables(branch)
    if monitor.table in known:
        return ()
    near = did_you_mean(str(monitor.table), map(str, known))
    message = f"names a table that is not there: {monitor.table}"
    return (FieldFault("dataset", message, near or "Publish it first, or write the monitor in quality/*.yaml."),)


def check_faults(checks: Sequence[object]) -> tuple[FieldFault, ...]:
    """All errors for which a monitor with these checks is rejected."""
    return (*find_check_faults(checks), *_code_faults(checks))


def _code_faults(checks: object) -> tuple[FieldFault, ...]:
    """Code is executed only from the project's files. A condition is limited to the row: a subquery could read whatever
    Spark can reach, including files of the server."""
    faults: list[FieldFault] = []
    for number, check in enumerate(checks if isinstance(checks, list | tuple) else ()):
        given = check if isinstance(check, Mapping) else {}
        if "function" in given:
            message = "calls a function of the project, which only a file of the project may ask for"
            faults.append(FieldFault(f"checks[{number}]", message, "Write the monitor in quality/*.yaml."))
        for key, value in given.items():
            if key in ("where", "sql") and isinstance(value, str) and _SUBQUERY.search(value):
                message = "holds a query or a comment, which only a file of the project may have in a condition"
                faults.append(FieldFault(f"checks[{number}].{key}", message, _OTHERWISE))
    return tuple(faults)


def create_monitor(fields: Mapping[str, object], ports: MonitorPorts) -> Monitor:
    """E720 with all errors; then nothing is written."""
    monitor, faults = draft_monitor(fields, ports)
    refuse_faults(faults)
    assert monitor is not None
    now = ports.clock()
    for _ in attempts(_TRIES):
        made = replace(
            monitor,
            id=new_monitor_id(monitor.name),
            created_at=now,
            updated_at=now,
            scheduled_from=now,
            created_by=ports.actor,
        )
        if ports.store.add(made, _note(ports, "monitor.create", made)):
            return made
    raise _busy(monitor.name)


def change_monitor(monitor_id: str, fields: Mapping[str, object], ports: MonitorPorts) -> Monitor:
    """Omitted `fields` stay. Concurrent changes are applied one after the other."""
    for _ in attempts(_TRIES):
        before = find_monitor(ports.store, monitor_id)
        _refuse_file(before)
        monitor, faults = draft_monitor(fields, ports, before)
        refuse_faults(faults)
        assert monitor is not None
        changed = _moved(monitor, before, ports.clock())
        if changed == replace(before, updated_at=changed.updated_at):
            return before
        if ports.store.change(changed, before.updated_at, _note(ports, "monitor.change", changed)):
            if before.enabled and not changed.enabled:
                retire(changed.id, ports)
            return changed
    raise _busy(monitor_id)


def remove_monitor(monitor_id: str, ports: MonitorPorts) -> Monitor:
    """It is no longer scheduled or listed; its history stays."""
    for _ in attempts(_TRIES):
        before = find_monitor(ports.store, monitor_id)
        _refuse_file(before)
        now = ports.clock()
        gone = replace(before, enabled=False, updated_at=now, removed_at=now)
        if ports.store.change(gone, before.updated_at, _note(ports, "monitor.remove", gone)):
            retire(gone.id, ports)
            return gone
    raise _busy(monitor_id)


def retire(monitor_id: str, ports: MonitorPorts) -> None:
    """Ends its alerts. The monitor is removed even if that fails."""
    try:
        ports.retired(monitor_id)
    except ForgeError as error:
        _log.warning("the alerts of monitor %s stay open: %s", monitor_id, error)


def _moved(monitor: Monitor, before: Monitor, now: datetime) -> Monitor:
    """A new or resumed schedule counts from now on."""
    restarted = monitor.schedule != before.schedule or (monitor.enabled and not before.enabled)
    return replace(monitor, updated_at=now, scheduled_from=now if restarted else before.scheduled_from)


def _refuse_file(monitor: Monitor) -> None:
    if monitor.file is not None:
        raise ForgeError(
            "E722",
            f"Monitor '{monitor.id}' is written in a file of the project",
            where=monitor.file,
            why="Only the file changes it, so that file and server never disagree.",
            fix=f"Change it there: {monitor.file}. The server takes it in by itself.",
        )


def _note(ports: MonitorPorts, action: str, monitor: Monitor) -> AuditRecord:
    return AuditRecord(ports.clock(), ports.actor, action, monitor.id, {"dataset": monitor.dataset})


def _busy(name: str) -> ForgeError:
    return ForgeError("E723", f"Monitor '{name}' is being changed by someone else", fix="Try again.")
