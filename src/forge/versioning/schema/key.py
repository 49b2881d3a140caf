"""The key columns, found on every side; a key that is not the same on all cannot identify rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from forge.model.name_suggestions import did_you_mean
from forge.model.widening import widens
from forge.versioning.errors import IncomparableError
from forge.versioning.field import AlignedColumn, Fields, Layout, TableField, by_id
from forge.versioning.schema.column import ColumnVersions


def find_key(
    key: tuple[str, ...],
    lines: Sequence[ColumnVersions],
    kept: Mapping[ColumnVersions, AlignedColumn],
    sides: Sequence[str],
    table: str | None,
) -> tuple[str, ...]:
    """The names of the key in the merged table; () where a side dropped a column of it and that was taken: the rest
    does not identify rows."""
    names = [_name(name, find_key_column(name, lines, sides, table), kept, sides, table) for name in key]
    return () if None in names else tuple(dict.fromkeys(name for name in names if name is not None))


def find_key_column(
    name: str, lines: Sequence[ColumnVersions], sides: Sequence[str], table: str | None
) -> ColumnVersions:
    """The column that a key names. The name may be that of any side; the first takes precedence."""
    named = (line for side in sides for line in lines if (field := getattr(line, side)) and field.name == name)
    line = next(named, None)
    if line is None:
        known = sorted({getattr(each, side).name for each in lines for side in sides if getattr(each, side)})
        near = did_you_mean(name, known)
        raise IncomparableError(
            "E613", f"There is no column {name} to be a key", where=table, fix=near or f"Use one of {', '.join(known)}."
        )
    return line


def _name(
    name: str,
    line: ColumnVersions,
    kept: Mapping[ColumnVersions, AlignedColumn],
    sides: Sequence[str],
    table: str | None,
) -> str | None:
    fields: dict[str, TableField | None] = {side: getattr(line, side) for side in sides}
    missing = [side for side, field in fields.items() if field is None]
    types = {side: field.type for side, field in fields.items() if field is not None}
    if "ours" in sides and is_dropped(line):  # which was asked, and answered or not
        return kept[line].field.name if line in kept else None
    if missing or line not in kept:
        what = f"The key column {name} is missing on {' and '.join(missing) or 'the merged table'}"
        why = "Without it, rows of the two sides cannot be matched."
        raise IncomparableError("E613", what, where=table, why=why, fix="Keep the column, or use another key.")
    if any(_are_apart(a, b) for a in types.values() for b in types.values()):
        words = ", ".join(f"{kind} on {side}" for side, kind in types.items())
        raise IncomparableError(
            "E613",
            f"The key column {name} has different types: {words}",
            where=table,
            why="Values of different types cannot be matched.",
            fix="Cast it back on one side, or use another key.",
        )
    return kept[line].field.name


def _are_apart(one: str, other: str) -> bool:
    return one != other and not widens(one, other, "iceberg") and not widens(other, one, "iceberg")


def is_dropped(line: ColumnVersions) -> bool:
    """Whether one side dropped the column and the other has it."""
    return line.base is not None and (line.ours is None) != (line.theirs is None)


def refuse_rows_without_key(layout: Layout, changed: Iterable[str], table: str | None) -> None:
    """A resolution may keep a key column that a side dropped, unless that side has rows of its own."""
    for column in layout.columns:
        for side in changed:
            if column.field.name in layout.key and getattr(column, side) is None:
                raise IncomparableError(
                    "E613",
                    f"The key column {column.field.name} cannot be kept: {side} has rows without it",
                    where=table,
                    why=f"{side} dropped the column, and the rows that it changed since have no key.",
                    fix=f"Answer the conflict with {side}, which drops it, or bring the column back there first.",
                )


def drops_key(key: Sequence[str], base: Fields, ours: Fields, theirs: Fields) -> bool:
    """Whether exactly one side dropped a column of the key."""
    ids = {field.id for side in (base, ours, theirs) for field in side if field.name in key}
    known, mine, yours = (by_id(side) for side in (base, ours, theirs))
    return any(one in known and (one in mine) != (one in yours) for one in ids)
