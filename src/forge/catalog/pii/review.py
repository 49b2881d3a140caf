"""Findings about columns as records that people review, and what a new scan or a review does to them.

A decision of a person outlives every scan. A finding is closed, never deleted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from forge.catalog.pii.detect import PiiFinding, rests_on_values

THRESHOLD = 0.8
"""From this score on an open finding hides its column by a name alone; values hide it at any score."""
VANISHED = "the column is gone"
NO_EVIDENCE = "its name and values no longer show it"
NO_LINEAGE = "no lineage leads to it any more"


def is_hiding(kind: str | None, score: float, evidence: Iterable[str], threshold: float = THRESHOLD) -> bool:
    """Whether what was found hides the column before anybody decides: by values, or by a name that is sure enough."""
    return kind is not None and (score >= threshold or rests_on_values(evidence))


class ReviewState(StrEnum):
    OPEN = "open"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


class FindingOrigin(StrEnum):
    SCAN = "scan"
    LINEAGE = "lineage"


@dataclass(frozen=True, slots=True, kw_only=True)
class PiiRecord:
    """A finding about one column of a table. `column` of a field inside of a struct is its path, `person.email`.

    `table_key`: the UUID of the table, by which it is known under another name. `source` and `path`: for an origin in
    lineage, the column it comes from and all columns between. `reason`: what the last scan changed, in words.
    `version` counts changes, for whoever decides next."""

    id: str
    table: str
    table_key: str
    column: str
    type: str | None
    score: float
    evidence: tuple[str, ...]
    quasi: bool = False
    state: ReviewState = ReviewState.OPEN
    origin: FindingOrigin = FindingOrigin.SCAN
    source: str | None = None
    path: tuple[str, ...] = ()
    reviewed_by: str | None = None
    reviewed_at: datetime | None = None
    note: str = ""
    reason: str = ""
    snapshot_id: int | None = None
    first_seen: datetime
    last_seen: datetime
    closed_at: datetime | None = None
    version: int = 1

    @property
    def key(self) -> str:
        """Of its column within the table."""
        return self.column.lower()

    def is_personal(self, threshold: float = THRESHOLD) -> bool:
        """Whether its column is hidden now."""
        return self.closed_at is None and self.was_personal(threshold)

    def was_personal(self, threshold: float = THRESHOLD) -> bool:
        """Whether its column was hidden before it was closed: confirmed, or found and not rejected."""
        if self.state is ReviewState.OPEN:
            return is_hiding(self.type, self.score, self.evidence, threshold)
        return self.state is ReviewState.CONFIRMED

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "table": self.table,
            "column": self.column,
            "type": self.type,
            "score": self.score,
            "evidence": list(self.evidence),
            "quasi": self.quasi,
            "state": str(self.state),
            "origin": str(self.origin),
            "source": self.source,
            "path": list(self.path),
            "reviewed_by": self.reviewed_by,
            "reviewed_at": self.reviewed_at,
            "note": self.note,
            "reason": self.reason,
            "snapshot_id": None if self.snapshot_id is None else str(self.snapshot_id),  # JSON may round it
            "first_seen": self.first_seen,
            "last_seen": self.last_seen,
            "closed_at": self.closed_at,
            "version": self.version,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedTable:
    """What a scan looked at: the version of a table, and how much of it. `settings` names the rules that looked:
    others look again."""

    table: str
    table_key: str
    version: str  # the snapshot of a table, the metadata file of a view
    snapshot_id: int | None
    rows: int
    complete: bool
    scanned_at: datetime
    settings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedFinding:
    """A column that gets personal data from another one."""

    table: str
    column: str
    type: str
    score: float
    evidence: tuple[str, ...]
    source: str
    path: tuple[str, ...]


def review(record: PiiRecord, state: ReviewState, note: str | None, by: str, at: datetime) -> PiiRecord:
    """Decided by a person; opening it again forgets who decided before."""
    decided = state is not ReviewState.OPEN
    return replace(
        record,
        state=state,
        note=record.note if note is None else note,
        reviewed_by=by if decided else None,
        reviewed_at=at if decided else None,
        reason="",
        version=record.version + 1,
    )


def close_finding(record: PiiRecord, reason: str, at: datetime) -> PiiRecord:
    return replace(record, closed_at=at, reason=reason, version=record.version + 1)


def apply_scan(
    known: Iterable[PiiRecord],
    found: Sequence[PiiFinding],
    columns: Collection[str],
    scan: ScannedTable,
    new_id: Callable[[], str],
) -> tuple[PiiRecord, ...]:
    """The records of one table that change or are new after a scan of it. `columns`: those that it has now, fields
    of structs included."""
    before = {record.key: record for record in known}
    here = {column.lower() for column in columns}
    changed: list[PiiRecord] = []
    for finding in found:
        if finding.type is None and not finding.quasi:
            continue
        record = before.pop(finding.column.lower(), None)
        changed.append(_seen_again(record, finding, scan) if record else _new(finding, scan, new_id()))
    changed += [_unseen(record, _exists(record, here), scan) for record in before.values()]
    old = {record.id: record for record in known}
    return tuple(one for one in changed if one != old.get(one.id))


def _exists(record: PiiRecord, columns: Collection[str]) -> bool:
    """A field of a struct may have no value now."""
    return record.key in columns or record.key.partition(".")[0] in columns


def _new(finding: PiiFinding, scan: ScannedTable, new_id: str) -> PiiRecord:
    return PiiRecord(
        id=new_id,
        table=scan.table,
        table_key=scan.table_key,
        column=finding.column,
        type=finding.type,
        score=finding.score,
        evidence=finding.evidence,
        quasi=finding.quasi,
        snapshot_id=scan.snapshot_id,
        first_seen=scan.scanned_at,
        last_seen=scan.scanned_at,
    )


def _seen_again(record: PiiRecord, finding: PiiFinding, scan: ScannedTable) -> PiiRecord:
    return replace(
        _retyped(record, finding.type),
        table=scan.table,
        table_key=scan.table_key,
        column=finding.column,
        score=finding.score,
        evidence=finding.evidence,
        quasi=finding.quasi,
        origin=FindingOrigin.SCAN,
        source=None,
        path=(),
        snapshot_id=scan.snapshot_id,
        last_seen=scan.scanned_at,
        closed_at=None,
        version=record.version + 1,
    )


def _retyped(record: PiiRecord, kind: str | None) -> PiiRecord:
    """A rejection was about one type: another one is a new question. A confirmation holds, and says what it was."""
    if kind is None or kind == record.type:
        return replace(record, type=kind)
    change = f"the detected type was {record.type or 'none'} and is {kind}"
    match record.state:
        case ReviewState.REJECTED:
            return replace(
                record,
                type=kind,
                state=ReviewState.OPEN,
                reviewed_by=None,
                reviewed_at=None,
                reason=f"{change}, since {record.reviewed_by or 'somebody'} rejected it",
            )
        case ReviewState.CONFIRMED:
            return replace(record, type=kind, reason=f"{change}, since it was confirmed")
        case _:
            return replace(record, type=kind, reason=change)


def _unseen(record: PiiRecord, exists: bool, scan: ScannedTable) -> PiiRecord:
    """Closed, where it is not for others to tell: lineage, or a person who knows more than a sample shows."""
    moved = replace(record, table=scan.table, table_key=scan.table_key)
    if record.closed_at is None and exists and record.state is ReviewState.CONFIRMED:
        moved = replace(moved, reason=NO_EVIDENCE)
    elif record.closed_at is None and (not exists or record.origin is FindingOrigin.SCAN):
        moved = replace(moved, closed_at=scan.scanned_at, reason=NO_EVIDENCE if exists else VANISHED)
    return moved if moved == record else replace(moved, version=record.version + 1)


def apply_lineage(
    known: Iterable[PiiRecord],
    derived: Iterable[DerivedFinding],
    keys: Mapping[str, str],
    at: datetime,
    new_id: Callable[[], str],
) -> tuple[PiiRecord, ...]:
    """The records that change or are new where lineage is known now. What a scan saw itself is not repeated. `keys`:
    the UUIDs of tables by name."""
    before = {(record.table, record.key): record for record in known}
    changed: list[PiiRecord] = []
    reached: set[tuple[str, str]] = set()
    for one in derived:
        place = one.table, one.column.lower()
        reached.add(place)
        record = before.get(place)
        if record is None:
            changed.append(_derived_record(one, keys.get(one.table, ""), at, new_id()))
        elif not _is_seen(record) and not _is_same(record, one):
            changed.append(_derived_again(record, one, at))
    for place, record in before.items():
        lost = record.origin is FindingOrigin.LINEAGE and place not in reached and record.closed_at is None
        if lost and record.state is ReviewState.OPEN:  # what a person said holds, and clears the column
            changed.append(close_finding(record, NO_LINEAGE, at))
    return tuple(changed)


def _is_seen(record: PiiRecord) -> bool:
    return record.origin is FindingOrigin.SCAN and record.type is not None and record.closed_at is None


def _is_same(record: PiiRecord, derived: DerivedFinding) -> bool:
    return record.closed_at is None and (record.type, record.score, record.source, record.path, record.origin) == (
        derived.type,
        derived.score,
        derived.source,
        derived.path,
        FindingOrigin.LINEAGE,
    )


def _derived_record(derived: DerivedFinding, key: str, at: datetime, new_id: str) -> PiiRecord:
    return PiiRecord(
        id=new_id,
        table=derived.table,
        table_key=key,
        column=derived.column,
        type=derived.type,
        score=derived.score,
        evidence=derived.evidence,
        origin=FindingOrigin.LINEAGE,
        source=derived.source,
        path=derived.path,
        first_seen=at,
        last_seen=at,
    )


def _derived_again(record: PiiRecord, derived: DerivedFinding, at: datetime) -> PiiRecord:
    return replace(
        _retyped(record, derived.type),
        score=derived.score,
        evidence=derived.evidence,
        quasi=False,
        origin=FindingOrigin.LINEAGE,
        source=derived.source,
        path=derived.path,
        last_seen=at,
        closed_at=None,
        version=record.version + 1,
    )
