"""Monitors: the port of their store, and how one is created, changed and removed. History outlives a monitor."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from forge.flows.runs.records import AuditRecord, DatasetTally, Tally
from forge.flows.versioning.revisions import find_branch
from forge.flows.versioning.store import CommitHistory
from forge.model.errors import ForgeError, raise_errors
from forge.model.names import BranchName, TableName
from forge.model.nearest import did_you_mean
from forge.model.time import Clock
from forge.quality.monitors.monitor import CheckResult, Monitor, MonitorRun, MonitorRunStatus, Trigger, new_monitor_id
from forge.quality.monitors.schedule import Fault
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
        """By name. Those that were removed only where asked for."""
        ...

    def monitor(self, monitor_id: str) -> Monitor | None:
        """Removed or not."""
        ...

    def add(self, monitor: Monitor, audit: AuditRecord) -> bool:
        """False, and nothing written, where one has that id."""
        ...

    def change(self, monitor: Monitor, expected: datetime | None, audit: AuditRecord) -> bool:
        """False, and nothing written, where its `updated_at` is not `expected` any more."""
        ...

    # runs
    def claim(self, run: MonitorRun) -> bool:
        """False, and nothing written, where the monitor has a run of that claim: someone else makes it."""
        ...

    def save(self, run: MonitorRun) -> None: ...
    def finish(self, run: MonitorRun, said: Sequence[CheckResult], audit: AuditRecord | None) -> bool:
        """The run as it ended and what its checks said, together. A run that has ended already stays as it is: False,
        and nothing is written; one that was given up as interrupted may still end well."""
        ...

    def remark(self, run_id: str, notes: Sequence[str]) -> None:
        """Add to the notes of a run, ended or not."""
        ...

    def beat(self, run_ids: Sequence[str], at: datetime) -> None:
        """Their process lives."""
        ...

    def silent(self, before: datetime) -> tuple[MonitorRun, ...]:
        """Runs that have not ended and gave no sign since then."""
        ...

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
        """Newest first, by the time they were queued."""
        ...

    def newest(
        self,
        monitor_ids: Iterable[str],
        triggers: Iterable[Trigger] = (),
        statuses: Iterable[MonitorRunStatus] = (),
    ) -> Mapping[str, MonitorRun]:
        """The newest run of each, of those that began so and stand so."""
        ...

    def tallies(self, since: datetime, until: datetime, branch: BranchName | None = None) -> tuple[Tally, ...]:
        """Of the runs that began from `since` on and before `until`, oldest first."""
        ...

    def dataset_tallies(
        self, since: datetime, until: datetime, branch: BranchName | None = None
    ) -> tuple[DatasetTally, ...]:
        """The same, by table."""
        ...

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
        ...

    def result(self, result_id: str) -> CheckResult | None: ...
    def standing(self, versions: Mapping[TableName, TableVersion]) -> tuple[CheckResult, ...]:
        """What was said last of these versions, one for each check; not by monitors that were removed. Views have no
        snapshot: of them what was said last counts, whatever the commit."""
        ...

    def last_passed(self, table: TableName, branch: BranchName, check_id: str) -> CheckResult | None:
        """The newest time the check passed there, with a commit."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPorts:
    store: MonitorStore
    metadata: CommitHistory
    clock: Clock
    actor: str
    default_branch: BranchName
    channels: Callable[[], Sequence[str]] = tuple  # names in forge.yaml
    retired: Callable[[str], None] = lambda monitor_id: None  # told of one that was removed or switched off
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


def refuse_faults(faults: Sequence[Fault], where: str | None = None) -> None:
    raise_errors(ForgeError("E720", f"{one.path} {one.message}", where=where, fix=one.fix) for one in faults)


def find_world_faults(monitor: Monitor, ports: MonitorPorts) -> tuple[Fault, ...]:
    """What only the project can tell: whether its branch and its channels exist. The table may come later."""
    return _world_faults(monitor.dataset, monitor.channels, ports)


def _world_faults(dataset: object, channels: object, ports: MonitorPorts) -> tuple[Fault, ...]:
    """Of values that may be of any kind: what else is wrong with them is told elsewhere."""
    faults: list[Fault] = []
    branch = dataset.partition("@")[2].strip() if isinstance(dataset, str) else ""
    if branch:
        try:
            find_branch(ports.metadata, BranchName(branch))
        except ForgeError as error:
            faults.append(Fault("dataset", f"is on a branch that is not there: {error.what}", error.why or error.fix))
    known = tuple(ports.channels())
    for number, name in enumerate(channels if isinstance(channels, list | tuple) else ()):
        if isinstance(name, str) and name not in known:
            near = did_you_mean(name, known)
            listed = f"Known are {', '.join(known)}." if known else "Name it in forge.yaml, alerts.channels."
            faults.append(Fault(f"channels[{number}]", f"'{name}' is no channel of forge.yaml", near or listed))
    return tuple(faults)


def draft_monitor(
    fields: Mapping[str, object], ports: MonitorPorts, before: Monitor | None = None
) -> tuple[Monitor | None, tuple[Fault, ...]]:
    """A monitor as it would be, and all that is wrong with it. Nothing is written."""
    monitor, faults = read_monitor(fields, before=before)
    more = _world_faults(fields.get("dataset"), fields.get("channels"), ports)
    missing = _missing_table(monitor, ports) if monitor is not None and not more and "dataset" in fields else ()
    return monitor, (*faults, *more, *missing, *_code_faults(fields.get("checks")))


def _missing_table(monitor: Monitor, ports: MonitorPorts) -> tuple[Fault, ...]:
    """A file of the project may come before its table; a person means one that is there."""
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
    told = f"names a table that is not there: {monitor.table}"
    return (Fault("dataset", told, near or "Publish it first, or write the monitor in quality/*.yaml."),)


def check_faults(checks: Sequence[object]) -> tuple[Fault, ...]:
    """All for which a monitor with these checks is refused."""
    return (*find_check_faults(checks), *_code_faults(checks))


def _code_faults(checks: object) -> tuple[Fault, ...]:
    """Code is run where it stands in the project's files, and nowhere else. A condition is of the row alone: a query
    inside it would read whatever Spark can reach, files of the server included."""
    faults: list[Fault] = []
    for number, check in enumerate(checks if isinstance(checks, list | tuple) else ()):
        given = check if isinstance(check, Mapping) else {}
        if "function" in given:
            told = "calls a function of the project, which only a file of the project may ask for"
            faults.append(Fault(f"checks[{number}]", told, "Write the monitor in quality/*.yaml."))
        for key, value in given.items():
            if key in ("where", "sql") and isinstance(value, str) and _SUBQUERY.search(value):
                told = "holds a query or a comment, which only a file of the project may have in a condition"
                faults.append(Fault(f"checks[{number}].{key}", told, _OTHERWISE))
    return tuple(faults)


def create_monitor(fields: Mapping[str, object], ports: MonitorPorts) -> Monitor:
    """E720 with all that is wrong, and then nothing is written."""
    monitor, faults = draft_monitor(fields, ports)
    refuse_faults(faults)
    assert monitor is not None
    now = ports.clock()
    for _ in range(_TRIES):
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
    """What is not in `fields` stays. Of two who change it at once, the second starts from what the first left."""
    for _ in range(_TRIES):
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
    """It is scheduled no more and listed no more; what it said stays."""
    for _ in range(_TRIES):
        before = find_monitor(ports.store, monitor_id)
        _refuse_file(before)
        now = ports.clock()
        gone = replace(before, enabled=False, updated_at=now, removed_at=now)
        if ports.store.change(gone, before.updated_at, _note(ports, "monitor.remove", gone)):
            retire(gone.id, ports)
            return gone
    raise _busy(monitor_id)


def retire(monitor_id: str, ports: MonitorPorts) -> None:
    """Its alerts are over. The monitor is gone whether or not that can be told now."""
    try:
        ports.retired(monitor_id)
    except ForgeError as error:
        _log.warning("the alerts of monitor %s stay open: %s", monitor_id, error)


def _moved(monitor: Monitor, before: Monitor, now: datetime) -> Monitor:
    """A schedule that is new, or in force again, counts from now on."""
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
