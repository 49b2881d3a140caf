"""Syncs the monitors of quality/*.yaml into the store: when a server starts, before each monitor command, and when a
file changes. A monitor that leaves the files is removed; its history stays."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forge.flows.quality.monitors.store import MonitorPorts, find_world_faults, retire
from forge.flows.runs.records import AuditRecord
from forge.model.errors import ForgeError, errors_of
from forge.quality.monitors.file import find_doubles, load_monitors
from forge.quality.monitors.monitor import Monitor

FOLDER = "quality"
_log = logging.getLogger("forge.quality")
Signature = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class MonitorSync:
    """Ids that changed, and all errors in the files. Monitors of an unreadable file are unchanged."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    errors: tuple[ForgeError, ...] = ()


def quality_files(root: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in (root / FOLDER).glob("*.y*ml") if path.suffix in (".yaml", ".yml")))


def signature_of(root: Path) -> Signature:
    """Changes when a file is added, removed or written."""
    found = []
    for path in quality_files(root):
        try:
            state = path.stat()
        except FileNotFoundError:
            continue
        found.append((path.name, state.st_mtime_ns, state.st_size))
    return tuple(found)


def sync_monitors(root: Path, ports: MonitorPorts) -> MonitorSync:
    wanted: dict[str, Monitor] = {}
    errors: list[ForgeError] = []
    spoilt: set[str] = set()
    for path in quality_files(root):
        name = path.relative_to(root).as_posix()
        monitors, wrong = _read(path, name)
        errors += wrong
        spoilt |= {name} if wrong else set()
        doubles = find_doubles((*wanted.values(), *monitors))
        errors += doubles
        wanted = {**{monitor.id: monitor for monitor in monitors}, **wanted}
    for monitor in tuple(wanted.values()):
        faults = find_world_faults(monitor, ports)
        errors += [
            ForgeError("E720", f"{fault.path} {fault.message}", where=monitor.file, fix=fault.fix) for fault in faults
        ]
        if faults:
            del wanted[monitor.id]
            spoilt.add(_file_of(monitor))
    done = _bring_in(wanted, spoilt, ports)
    return replace(done, errors=(*errors, *done.errors))


def _read(path: Path, name: str) -> tuple[Sequence[Monitor], Sequence[ForgeError]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return (), (ForgeError("E103", "A file of quality cannot be read", where=name, why=reason),)
    read = load_monitors(text, name)
    return read.monitors, read.errors


def _file_of(monitor: Monitor) -> str:
    return (monitor.file or "").rpartition(":")[0]


def _bring_in(wanted: Mapping[str, Monitor], spoilt: set[str], ports: MonitorPorts) -> MonitorSync:
    known = {one.id: one for one in ports.store.monitors(removed=True)}
    added: list[str] = []
    changed: list[str] = []
    removed: list[str] = []
    errors: list[ForgeError] = []
    for monitor in wanted.values():
        before = known.get(monitor.id)
        if before is None:
            if ports.store.add(_new(monitor, ports), _note(ports, "create", monitor)):
                added.append(monitor.id)
        elif before.file is None and before.removed_at is None:
            errors.append(_id_conflict(monitor))
        elif (after := _after(monitor, before, ports)) is not None and _put(before, after, "change", ports):
            changed.append(monitor.id)
    for before in known.values():
        gone = before.file is not None and before.removed_at is None and before.id not in wanted
        if gone and _file_of(before) not in spoilt:
            now = ports.clock()
            after = replace(before, enabled=False, updated_at=now, removed_at=now)
            if _put(before, after, "remove", ports):
                removed.append(before.id)
    return MonitorSync(tuple(added), tuple(changed), tuple(removed), tuple(errors))


def _put(before: Monitor, after: Monitor, action: str, ports: MonitorPorts) -> bool:
    """False: another server was first."""
    if not ports.store.change(after, before.updated_at, _note(ports, action, after)):
        return False
    if before.enabled and not after.enabled:
        retire(after.id, ports)
    return True


def _new(monitor: Monitor, ports: MonitorPorts) -> Monitor:
    now = ports.clock()
    return replace(monitor, created_at=now, updated_at=now, scheduled_from=now, created_by=_file_of(monitor))


def _after(monitor: Monitor, before: Monitor, ports: MonitorPorts) -> Monitor | None:
    """None where nothing changed. A new or resumed schedule counts from now on."""
    now = ports.clock()
    same = replace(
        monitor,
        created_at=before.created_at,
        updated_at=before.updated_at,
        created_by=_file_of(monitor) if before.removed_at else before.created_by,
        scheduled_from=before.scheduled_from,
    )
    if same == before:
        return None
    restarted = same.schedule != before.schedule or (same.enabled and not before.enabled) or before.removed_at
    return replace(same, updated_at=now, scheduled_from=now if restarted else before.scheduled_from)


def _id_conflict(monitor: Monitor) -> ForgeError:
    return ForgeError(
        "E720",
        f"The id '{monitor.id}' belongs to a monitor that is in no file",
        where=monitor.file,
        fix=f"Give this one another id, or delete the other: forge quality monitor delete {monitor.id}.",
    )


def _note(ports: MonitorPorts, action: str, monitor: Monitor) -> AuditRecord:
    detail = {"dataset": monitor.dataset, "file": monitor.file}
    return AuditRecord(ports.clock(), ports.actor, f"monitor.{action}", monitor.id, detail)


@dataclass(slots=True)
class FileWatch:
    """Syncs files that changed since the last look, and reports each error once."""

    root: Path
    ports: MonitorPorts
    errors: tuple[ForgeError, ...] = field(default=(), init=False)
    _seen: Signature | None = field(default=None, init=False)

    def look(self) -> MonitorSync | None:
        now = signature_of(self.root)
        if now == self._seen:
            return None
        synced = sync_monitors(self.root, self.ports)
        self._seen, self.errors = now, synced.errors
        for error in synced.errors:
            for one in errors_of(error):
                _log.warning("%s", one)
        if synced.added or synced.changed or synced.removed:
            _log.info(
                "monitors of files: %d new, %d changed, %d removed",
                len(synced.added),
                len(synced.changed),
                len(synced.removed),
            )
        return synced
