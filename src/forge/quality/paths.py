"""Column paths in checks: `amount`, or `address.city` for a field of a struct, at any depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from forge.model.name_suggestions import did_you_mean
from forge.model.schema import Column, Schema
from forge.model.types import parse_type

_SHOWN = 20
_last: tuple[Schema, Mapping[str, Column]] | None = None


class UnknownField(ValueError):
    """Why a name does not resolve to a value of a row."""


@dataclass(frozen=True, slots=True)
class ColumnField:
    """`parts`: the column and nested fields, as the table spells them."""

    parts: tuple[str, ...]
    type: str


def find_field(schema: Schema, name: str) -> ColumnField:
    """The column of exactly that name, else the struct field it leads to. Backticks quote parts: `a.b`.c is the field c
    of the column a.b. Case-insensitive. Raises if there is none."""
    column = _columns(schema).get(name.lower())
    if column is not None:
        return ColumnField((column.name,), column.type)
    words = split_path(name)
    quoted = "`" in name
    columns = [(column.name, column.type) for column in schema.columns] if len(words) > 1 or quoted else []
    reasons: list[str] = []
    for field in _walk(columns, words, (), reasons, quoted):
        return field
    raise UnknownField(reasons[0] if reasons else _missing(name, schema))


def type_of(schema: Schema, name: str) -> str:
    """Spark's type of a column or field; empty where there is none."""
    try:
        return find_field(schema, name).type
    except UnknownField:
        return ""


def split_path(name: str) -> tuple[str, ...]:
    """Parts between dots; in backticks a dot is part of the name, and two backticks are one."""
    parts = [""]
    quoted = False
    for place, letter in enumerate(name):
        if letter == "`":
            if not quoted and place > 0 and name[place - 1] == "`":
                parts[-1] += "`"
            quoted = not quoted
        elif letter == "." and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(parts)


def is_within(name: str, column: str) -> bool:
    """Whether `name` is that column or a field below it; case-insensitive."""
    inner, outer = (tuple(part.lower() for part in split_path(text)) for text in (name, column))
    return name.lower() == column.lower() or inner[: len(outer)] == outer


def _columns(schema: Schema) -> Mapping[str, Column]:
    """By lower-case name, the first of each. Cached for the last schema: all checks of a table ask for the same one,
    which may have thousands of columns."""
    global _last
    kept = _last
    if kept is None or kept[0] is not schema:
        kept = _last = (schema, {column.name.lower(): column for column in reversed(schema.columns)})
    return kept[1]


def _walk(
    fields: Sequence[tuple[str, str]], words: tuple[str, ...], above: tuple[str, ...], reasons: list[str], quoted: bool
) -> Iterator[ColumnField]:
    """All readings of the words as a path; names with dots come first. Backticks leave one reading."""
    for taken in range(1 if quoted else len(words), 0, -1):
        wanted, rest = ".".join(words[:taken]).lower(), words[taken:]
        for name, type_ in fields:
            if name.lower() != wanted:
                continue
            place = (*above, name)
            if not rest:
                yield ColumnField(place, type_)
            elif (struct := parse_type(type_)).name == "struct":
                inner = [(field.name, str(field.type)) for field in struct.fields]
                yield from _walk(inner, rest, place, reasons, quoted)
                near = did_you_mean(rest[0], [field for field, _ in inner])
                reasons.append(f"{'.'.join(place)} has no field '{rest[0]}'. {near or _listed([f for f, _ in inner])}")
            else:
                reasons.append(_inside(".".join(place), type_))


def _inside(place: str, type_: str) -> str:
    noun = {"array": "an array", "map": "a map"}.get(parse_type(type_).name)
    if noun:
        return f"{place} is {noun}, and a row has many values inside it; use an expression check"
    return f"{place} is {type_}, which has no fields"


def _missing(name: str, schema: Schema) -> str:
    near = did_you_mean(name, schema.names) or _listed(schema.names)
    return f"there is no column '{name}'. {near}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"The columns are {', '.join(names[:_SHOWN])}{more}."
