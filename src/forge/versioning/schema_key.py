"""The columns of a key, found on every side; a key that is not the same on all cannot tell rows apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.model.errors import ForgeError
from forge.model.nearest import did_you_mean
from forge.versioning.field import Aligned, Field
from forge.versioning.schema_line import Line, is_wider


def find_key(
    key: tuple[str, ...],
    lines: Sequence[Line],
    kept: Mapping[Line, Aligned],
    sides: Sequence[str],
    table: str | None,
) -> tuple[str, ...]:
    """The names of the key in the merged table. A name may be that of any side; the first is asked first."""
    return tuple(dict.fromkeys(_find(name, lines, kept, sides, table) for name in key))


def _find(
    name: str,
    lines: Sequence[Line],
    kept: Mapping[Line, Aligned],
    sides: Sequence[str],
    table: str | None,
) -> str:
    named = (line for side in sides for line in lines if (field := getattr(line, side)) and field.name == name)
    line = next(named, None)
    if line is None:
        known = sorted({getattr(each, side).name for each in lines for side in sides if getattr(each, side)})
        near = did_you_mean(name, known)
        raise ForgeError(
            "E613", f"There is no column {name} to be a key", where=table, fix=near or f"Use one of {', '.join(known)}."
        )
    fields: dict[str, Field | None] = {side: getattr(line, side) for side in sides}
    missing = [side for side, field in fields.items() if field is None]
    types = {side: field.type for side, field in fields.items() if field is not None}
    if missing or line not in kept:
        what = f"The key column {name} is missing on {' and '.join(missing) or 'the merged table'}"
        why = "Without it, rows of the two sides cannot be matched."
        raise ForgeError("E613", what, where=table, why=why, fix="Keep the column, or use another key.")
    if any(a != b and not is_wider(a, b) and not is_wider(b, a) for a in types.values() for b in types.values()):
        words = ", ".join(f"{kind} on {side}" for side, kind in types.items())
        raise ForgeError(
            "E613",
            f"The key column {name} has different types: {words}",
            where=table,
            why="Values of different types cannot be matched.",
            fix="Cast it back on one side, or use another key.",
        )
    return kept[line].field.name
