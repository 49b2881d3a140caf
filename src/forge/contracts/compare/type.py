"""How a changed column type affects readers. The physical type is more precise than the logical one."""

from __future__ import annotations

from collections.abc import Iterator

from forge.contracts.compare.change import Bump, ContractChange, ContractChangeKind, PartPair
from forge.contracts.schema.types import holds, logical_of
from forge.model.types import DataType, parse_type, same_type
from forge.model.widening import widens

_ZONED = ("timestamptz", "timestamp_tz", "timestamp with time zone")
_PLAIN = "timestamp without time zone"


def type_changes(both: PartPair) -> Iterator[ContractChange]:
    before, after = (part.text("physicalType") for part in (both.old, both.new))
    if before and after:
        yield from _physical(both, before, after)
    elif after:
        yield _declared(both, after)
    elif before and not _is_retyped(both):
        message = f"{both.subject}: the physical type {before} is no longer promised"
        yield both.change(ContractChangeKind.LOOSENED, "type", Bump.MAJOR, message, key="physicalType")
    else:
        yield from _logical(both)


def _physical(both: PartPair, before: str, after: str) -> Iterator[ContractChange]:
    arrow = f"{both.subject}: {before} → {after}"
    if _same(parse_type(before), parse_type(after)):
        yield from _same_physical(both, after)
    elif widens(before, after, "reader"):
        yield both.change(ContractChangeKind.PROMOTED, "type", Bump.MINOR, f"{arrow} (wider, safe)", key="physicalType")
        yield from _same_physical(both, after)
    else:
        message = f"{arrow} (narrower)" if widens(after, before, "reader") else arrow
        fix = f"Keep {before}, or add a column of the type {after} beside it."
        yield both.change(ContractChangeKind.TYPE, "type", Bump.MAJOR, message, key="physicalType", fix=fix)


def _same(before: DataType, after: DataType) -> bool:
    """`timestamp` against `timestamptz`: both are in SQL/Iceberg terms, and the zone was added or removed; Spark calls
    both the same."""
    words = {before.written, after.written}
    if words == {"timestamp", _PLAIN}:
        return True
    if "timestamp" in words and words.intersection(_ZONED):
        return False
    if before.fields and before.name == after.name and len(before.fields) == len(after.fields):
        others = [(field.type, after.get(field.name)) for field in before.fields]
        return all(other is not None and _same(one, other.type) for one, other in others)
    return same_type(before, after)


def _same_physical(both: PartPair, physical: str) -> Iterator[ContractChange]:
    """Where the physical type stays or widens, another logical type that fits it is a correction."""
    before, after = _logical_of(both)
    if before.lower() == after.lower():
        return
    arrow = f"{both.subject}: logical type {before or 'not given'} → {after or 'not given'}"
    if not before or not after or holds(after, physical):
        yield both.change(
            ContractChangeKind.CHANGED, "type", Bump.PATCH, f"{arrow}, still {physical}", key="logicalType"
        )
    else:
        yield both.change(ContractChangeKind.TYPE, "type", Bump.MAJOR, arrow, key="logicalType")


def _declared(both: PartPair, physical: str) -> ContractChange:
    """The physical type is declared for the first time."""
    before, after = _logical_of(both)
    if before and not holds(before, physical) and (before != after or logical_of(physical)):
        message = f"{both.subject}: {before} → {physical}"
        return both.change(ContractChangeKind.TYPE, "type", Bump.MAJOR, message, key="physicalType")
    message = f"{both.subject}: now promised to be {parse_type(physical)}"
    return both.change(ContractChangeKind.TIGHTENED, "type", Bump.MINOR, message, key="physicalType")


def _logical(both: PartPair) -> Iterator[ContractChange]:
    before, after = _logical_of(both)
    if before.lower() == after.lower():
        return
    if not before:
        message = f"{both.subject}: now promised to be {after}"
        yield both.change(ContractChangeKind.TIGHTENED, "type", Bump.MINOR, message, key="logicalType")
    elif not after:
        message = f"{both.subject}: the type {before} is no longer promised"
        yield both.change(ContractChangeKind.LOOSENED, "type", Bump.MAJOR, message, key="logicalType")
    else:
        message = f"{both.subject}: {before} → {after}"
        yield both.change(ContractChangeKind.TYPE, "type", Bump.MAJOR, message, key="logicalType")


def _is_retyped(both: PartPair) -> bool:
    before, after = _logical_of(both)
    return bool(before and after) and before.lower() != after.lower()


def _logical_of(both: PartPair) -> tuple[str, str]:
    return both.old.text("logicalType"), both.new.text("logicalType")
