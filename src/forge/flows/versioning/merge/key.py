"""The key by which a table is merged, and whether a side dropped a column of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.flows.versioning.file_sides import FileSides
from forge.flows.versioning.key_check import remembered_key
from forge.model.names import TableName
from forge.versioning.commit import TableVersion
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice

if TYPE_CHECKING:
    from forge.flows.versioning.ports import Operation, VersionPorts

LOCATION = "the key of the table"
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableSides:
    """One table on the three sides, and the resolutions of its conflicts so far."""

    table: TableName
    base: TableVersion | None
    ours: TableVersion | None
    theirs: TableVersion | None
    answers: Answers
    key: Key | None = None  # declared for this call


def choose_key(work: Operation, sides: TableSides, files: FileSides) -> Key | Conflict:
    """The key of the call, declared, or recorded with the table on any side; () is a multiset of rows. A conflict
    where both sides recorded different keys."""
    declared = sides.key or work.ports.keys.get(sides.table)
    if declared:
        return tuple(declared)
    base = remembered_key(sides.base, files.base)
    ours, theirs = remembered_key(sides.ours, files.ours), remembered_key(sides.theirs, files.theirs)
    key = _pick(base, ours, theirs)
    if key is None:
        return _ask(sides, base, ours, theirs)
    of_ours, of_theirs = ({field.name for field in side.fields} for side in (files.ours, files.theirs))
    before = {field.id: field.name for field in files.base.fields} if files.base else {}
    renamed = {before[f.id] for side in (files.ours, files.theirs) for f in side.fields if f.id in before}
    return key if all(name in of_ours | of_theirs | renamed for name in key) else ()


def _pick(base: Key, ours: Key, theirs: Key) -> Key | None:
    """The last one that was recorded; a side without one does not override it."""
    if not ours or not theirs:
        return ours or theirs or base
    if theirs in (ours, base):
        return ours
    return theirs if ours == base else None


def _ask(sides: TableSides, base: Key, ours: Key, theirs: Key) -> Key | Conflict:
    keys = [", ".join(key) or None for key in (base, ours, theirs)]
    conflict = Conflict(
        kind=ConflictKind.SCHEMA_CHANGE,
        base=keys[0],
        ours=keys[1],
        theirs=keys[2],
        table=str(sides.table),
        location=LOCATION,
    )
    answer = sides.answers.find(conflict)
    match answer.take if answer else None:
        case ResolutionChoice.OURS:
            return ours
        case ResolutionChoice.THEIRS:
            return theirs
    return conflict


def is_known_unique(version: TableVersion, key: Sequence[str]) -> bool:
    return version.is_unique and set(version.key) == set(key)


def lacks_key(
    ports: VersionPorts,
    table: TableName,
    before: TableVersion | None,
    after: TableVersion | None,
    declared: Sequence[str] | None = None,
) -> bool:
    """Whether a later version lacks a key column of an earlier one, by name and from metadata alone. It may have
    been renamed: the schema merge decides."""
    if before is None or after is None or before.schema_id == after.schema_id or "view" in (before.kind, after.kind):
        return False
    old = ports.lake.snapshot(before.catalog, before.snapshot_id)
    new = ports.lake.snapshot(after.catalog, after.snapshot_id)
    if old is None or new is None:
        return False
    key = declared or ports.keys.get(table) or before.key or old.identifier
    return any(name in old.schema.names and name not in new.schema.names for name in key)
