"""Scans of tables for personal data. Values are looked at in this process and forgotten; findings are kept.

A table is scanned again only after its data changed, or the rules that look at it."""

from __future__ import annotations

import hashlib
import logging
import uuid
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from forge.catalog.pii import RULES, PiiType, find_pii
from forge.catalog.pii.review import (
    THRESHOLD,
    PiiRecord,
    ScannedTable,
    apply_lineage,
    apply_scan,
    close_finding,
)
from forge.flows.catalog.pii.lineage import derive_findings
from forge.flows.catalog.pii.ports import PiiFindings, TableSample, ValueSampler
from forge.flows.ports import Lake, Metadata
from forge.flows.quality.incidents.impact import edges_at
from forge.flows.runs.input_pins import pin_branch
from forge.flows.runs.pin import Pin
from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.read import RevisionReader
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.names import BranchName, TableName
from forge.model.retry import attempts
from forge.model.time import Clock

if TYPE_CHECKING:
    from forge.flows.catalog.pii.ports import OnChange

ROWS = 10_000
"""That are looked at, spread over a table."""
_TRIES = 5
_log = logging.getLogger("forge.catalog")
ScanOutcome = Literal["scanned", "unchanged", "vanished", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPorts:
    """`small` reads without an engine, `large` starts one where the table needs it."""

    findings: PiiFindings
    metadata: Metadata
    lake: Lake
    small: ValueSampler
    large: Callable[[], ValueSampler]
    clock: Clock
    actor: str
    default_branch: BranchName
    threshold: float = THRESHOLD
    rows: int = ROWS
    types: tuple[PiiType, ...] = ()
    on_change: OnChange = lambda tables: None

    @property
    def rules(self) -> str:
        """What looks at a table: others look again."""
        own = f" {hashlib.sha256(repr(self.types).encode()).hexdigest()[:16]}" if self.types else ""
        return f"{RULES} {self.rows}{own}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableScan:
    """What came of one table: `found` findings of personal data are open or confirmed, `rows` were looked at."""

    table: str
    outcome: ScanOutcome
    rows: int = 0
    complete: bool = True
    found: int = 0
    changed: int = 0
    error: str | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            "table": self.table,
            "outcome": self.outcome,
            "rows": self.rows,
            "complete": self.complete,
            "found": self.found,
            "changed": self.changed,
            "error": self.error,
        }


def scan_tables(
    names: Iterable[TableName],
    ports: ScanPorts,
    *,
    force: bool = False,
    report: Callable[[TableScan], None] = lambda scan: None,
) -> tuple[TableScan, ...]:
    """Scans each and carries the findings along lineage. A table that cannot be read is told, and holds up no other.
    `force`: also where nothing changed."""
    scans = []
    for name in dict.fromkeys(names):
        try:
            scans.append(scan_table(name, ports, force=force))
        except ForgeError as error:
            closed = _close_vanished(name, ports) if isinstance(error, UnknownNameError) else 0
            if closed:
                scans.append(TableScan(table=str(name), outcome="vanished", changed=closed))
            else:
                _log.warning("%s was not scanned for personal data: %s", name, error.line)
                scans.append(TableScan(table=str(name), outcome="failed", error=error.line))
        report(scans[-1])
    if any(scan.changed for scan in scans) or force:
        follow_lineage(ports)
    return tuple(scans)


def find_scannable(table: TableName, ports: ScanPorts) -> str:
    """Which version of a table a scan would look at now. E108 where there is no such table."""
    return version_of(_pin(table, ports))


def _pin(table: TableName, ports: ScanPorts) -> Pin:
    reader = RevisionReader(ports.metadata, ports.lake, ports.default_branch, ports.default_branch)
    return reader.pin(table, None)


def scan_table(table: TableName, ports: ScanPorts, *, force: bool = False) -> TableScan:
    """E108 where there is no such table."""
    pin = _pin(table, ports)
    version, key, settings = version_of(pin), _key(ports, pin), ports.rules
    last = ports.findings.scan(str(table))
    if not force and last is not None and (last.version, last.table_key, last.settings) == (version, key, settings):
        found = _standing(ports.findings.findings(tables=[str(table)]), ports)
        return TableScan(table=str(table), outcome="unchanged", rows=last.rows, complete=last.complete, found=found)
    sample = _sample(pin, ports)
    found_now = find_pii(sample.values, ports.types)
    columns = {part for name in sample.values for part in (name, name.partition(".")[0])}
    scan = ScannedTable(
        table=str(table),
        table_key=key,
        version=version,
        snapshot_id=pin.snapshot_id,
        rows=sample.rows,
        complete=sample.complete,
        scanned_at=ports.clock(),
        settings=settings,
    )
    for _ in attempts(_TRIES):
        changed = apply_scan(_known(scan, ports), found_now, columns, scan, new_finding_id)
        detail: dict[str, object] = {"snapshot_id": pin.snapshot_id, "rows": sample.rows, "changed": len(changed)}
        audit = AuditRecord(scan.scanned_at, ports.actor, "pii.scan", str(table), detail)
        if ports.findings.save(changed, scan, audit):
            tell_change(changed, ports.on_change)
            standing = _standing(ports.findings.findings(tables=[str(table)]), ports)
            return TableScan(
                table=str(table),
                outcome="scanned",
                rows=sample.rows,
                complete=sample.complete,
                found=standing,
                changed=len(changed),
            )
    raise changed_meanwhile(str(table))


def known_to_findings(store: PiiFindings) -> frozenset[TableName]:
    """Tables with findings, also those that do not exist any more."""
    return frozenset(TableName.parse(one.table) for one in store.findings())


def _close_vanished(table: TableName, ports: ScanPorts) -> int:
    """Findings of a table that is gone are closed; how many. Under another name they are opened again."""
    for _ in attempts(_TRIES):
        known = ports.findings.findings(tables=[str(table)])
        at = ports.clock()
        closed = [close_finding(one, "the table is gone", at) for one in known]
        if not closed:
            return 0
        audit = AuditRecord(at, ports.actor, "pii.scan", str(table), {"vanished": True, "changed": len(closed)})
        if ports.findings.save(closed, None, audit):
            return len(closed)
    raise changed_meanwhile(str(table))


def follow_lineage(ports: ScanPorts) -> int:
    """Findings of columns that get personal data from others; how many changed."""
    tree = pin_branch(ports.metadata, ports.default_branch, ports.default_branch).tree
    edges = edges_at(ports.metadata, tree)
    keys = {str(table): version.uuid for table, version in tree.items()}
    for _ in attempts(_TRIES):
        known = ports.findings.findings(closed=True)
        derived = [one for one in derive_findings(known, edges, ports.threshold) if one.table in keys]
        changed = apply_lineage(known, derived, keys, ports.clock(), new_finding_id)
        if not changed:
            return 0
        audit = AuditRecord(ports.clock(), ports.actor, "pii.lineage", "findings", {"changed": len(changed)})
        if ports.findings.save(changed, None, audit):
            tell_change(changed, ports.on_change)
            return len(changed)
    raise changed_meanwhile("findings")


def tell_change(changed: Iterable[PiiRecord], on_change: OnChange) -> None:
    """The findings hold, whatever comes of it: what is read is masked by them."""
    tables = sorted({TableName.parse(record.table) for record in changed})
    try:
        if tables:
            on_change(tables)
    except ForgeError as error:
        _log.warning("stored values of %s were not taken out: %s", ", ".join(map(str, tables)), error.line)


def new_finding_id() -> str:
    return f"pii_{uuid.uuid4().hex[:16]}"


def changed_meanwhile(subject: str) -> ForgeError:
    return ForgeError(
        "E871",
        f"{subject} changed meanwhile",
        why="Somebody else decided on it, or a scan changed it.",
        fix="Read it again, then decide.",
    )


def _sample(pin: Pin, ports: ScanPorts) -> TableSample:
    sample = ports.small.sample(pin, ports.rows)
    if sample is None:
        sample = ports.large().sample(pin, ports.rows)
    if sample is None:
        raise ForgeError("E872", f"The values of {pin.table} cannot be read", where=str(pin.table), fix="forge doctor")
    return sample


def _known(scan: ScannedTable, ports: ScanPorts) -> tuple[PiiRecord, ...]:
    """Findings under its name; and those that it had under a name that it does not have any more."""
    own = ports.findings.findings(tables=[scan.table], closed=True)
    if not scan.table_key:
        return own
    here = {record.key for record in own}
    others = [one for one in ports.findings.findings(table_key=scan.table_key, closed=True) if one.table != scan.table]
    left = {name: _has_left(name, scan.table_key, ports) for name in {one.table for one in others}}
    return (*own, *(one for one in others if left[one.table] and one.key not in here))


def _has_left(name: str, key: str, ports: ScanPorts) -> bool:
    tree = pin_branch(ports.metadata, ports.default_branch, ports.default_branch).tree
    version = tree.get(TableName.parse(name))
    return version is None or version.uuid != key


def version_of(pin: Pin) -> str:
    """Two pins of the same data have the same one."""
    if pin.view_sql is None:
        return str(pin.snapshot_id)
    text = "\n".join((pin.view_sql, *sorted(f"{one.table} {version_of(one)}" for one in pin.view_inputs)))
    return hashlib.sha256(text.encode()).hexdigest()


def _key(ports: ScanPorts, pin: Pin) -> str:
    state = None if pin.view_sql is not None else ports.lake.state(pin.catalog)
    return state.uuid if state is not None else ""


def _standing(records: Collection[PiiRecord], ports: ScanPorts) -> int:
    return sum(record.is_personal(ports.threshold) for record in records)
