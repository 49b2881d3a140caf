"""Changed primary keys and relationships."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from forge.contracts.compare.change import (
    Bump,
    ContractChange,
    ContractChangeKind,
    ContractPart,
    PartPair,
    added,
    canonical,
    pairs_of,
    shown,
)
from forge.contracts.document.file import path_text


def key_changes(both: PartPair, same: Mapping[str, str]) -> Iterator[ContractChange]:
    """Changes of the primary key as a whole: with an additional column it no longer identifies rows by the others.
    `same` maps old to new column names, so that a renamed column is the same."""
    old, new = _key_of(both.old), _key_of(both.new)
    names = [same.get(_name(part), _name(part)) for part in old], [_name(part) for part in new]
    before, after = ([part.text("name") for part in side] for side in (old, new))
    if set(names[0]) != set(names[1]):
        at = _key_place(both, set(names[0]) ^ set(names[1]))
        step = ("primaryKey",) if "primaryKey" in at.data else ()
        arrow = f"{both.subject}: primary key {shown(before) or 'none'} → {shown(after) or 'none'}"
        kind = (
            ContractChangeKind.TIGHTENED
            if not before
            else ContractChangeKind.LOOSENED
            if not after
            else ContractChangeKind.CHANGED
        )
        bump = Bump.MAJOR if before else Bump.MINOR
        fix = f"Keep the key {shown(before)}: readers join and merge by it." if before else ""
        yield ContractChange(
            kind=kind,
            element="primaryKey",
            subject=both.subject,
            bump=bump,
            message=arrow,
            old=before,
            new=after,
            path=path_text((*at.at, *step)),
            place=at.place(*step),
            fix=fix,
        )
    elif names[0] != names[1]:
        message = f"{both.subject}: order of the key {shown(before)} → {shown(after)}"
        change = both.change(ContractChangeKind.CHANGED, "primaryKey", Bump.PATCH, message, key="")
        yield replace(change, old=before, new=after)


def _key_of(table: ContractPart) -> list[ContractPart]:
    """By position; without positions the order is irrelevant."""
    key = [part for part in table.parts("properties") if part.flag("primaryKey")]
    return sorted(key, key=lambda part: (_position(part), _name(part)))


def _position(part: ContractPart) -> int:
    value = part.data.get("primaryKeyPosition")
    return value if isinstance(value, int) and value > 0 else 10_000


def _name(part: ContractPart) -> str:
    return part.text("name").lower()


def _key_place(both: PartPair, changed: set[str]) -> ContractPart:
    """The column whose key position changed, else the table."""
    return next((part for part in both.new.parts("properties") if _name(part) in changed), both.new)


def relationship_changes(both: PartPair) -> Iterator[ContractChange]:
    old, new = both.old.parts("relationships"), both.new.parts("relationships")
    for before, after in pairs_of(old, new, (_relationship, lambda part: part.text("id"))):
        if before is None and after is not None:
            message = f"{both.subject}: {_relationship_text(after)}"
            yield added(after, "relationship", both.subject, message)
        elif after is None and before is not None:
            message = f"{both.subject}: {_relationship_text(before)} is no longer promised"
            gone = both.change(ContractChangeKind.REMOVED, "relationship", Bump.MAJOR, message, key="relationships")
            yield replace(gone, old=dict(before.data), new=None)
        elif before is not None and after is not None and _relationship(before) != _relationship(after):
            message = f"{both.subject}: {_relationship_text(before)} → {_relationship_text(after)}"
            pair = PartPair(before, after, both.subject)
            yield pair.change(ContractChangeKind.CHANGED, "relationship", Bump.MAJOR, message, key="to")


def _relationship(part: ContractPart) -> str:
    kind = part.text("type").lower() or "foreignkey"
    return f"{kind} {canonical(part.data.get('from')).lower()} {canonical(part.data.get('to')).lower()}"


def _relationship_text(part: ContractPart) -> str:
    start = part.data.get("from")
    return f"{part.text('type') or 'reference'} {f'{shown(start)} ' if start else ''}to {shown(part.data.get('to'))}"
