"""Shared by all imports: mapped checks with their origin, and unmapped items with the reason."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.quality.spec import load_check

Spec = dict[str, object]


class MappingError(ValueError):
    """Why an item of another tool does not map to a check. Reported, never dropped."""


@dataclass(frozen=True, slots=True)
class MappedCheck:
    """A check spec as in a project file. `note`: how it differs from the original."""

    table: TableName
    spec: Spec
    place: str  # file:line of the original
    what: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class UnmappedCheck:
    place: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class ImportedChecks:
    mapped: tuple[MappedCheck, ...] = ()
    unmapped: tuple[UnmappedCheck, ...] = ()

    def __add__(self, other: ImportedChecks) -> ImportedChecks:
        return ImportedChecks(self.mapped + other.mapped, self.unmapped + other.unmapped)


@dataclass(frozen=True, slots=True)
class TableNames:
    """Resolves a table of another tool: to `table` for all, to a known table of that name, or to `schema`.name."""

    known: frozenset[TableName] = frozenset()
    schema: str | None = None
    table: TableName | None = None

    def find(self, name: str) -> TableName:
        """Raises where it is ambiguous or unknown."""
        if self.table is not None:
            return self.table
        parts = [part.strip('`"[] ') for part in re.split(r"[./]", name.strip())]
        if len(parts) > 1:
            return _table(f"{parts[-2]}.{parts[-1]}")
        same = sorted(table for table in self.known if table.name == parts[0].lower())
        in_schema = [table for table in same if table.schema == self.schema]
        if len(same) == 1 or in_schema:
            return in_schema[0] if in_schema else same[0]
        if len(same) > 1:
            listed = ", ".join(map(str, same))
            raise MappingError(f"{name} may be {listed}; say which with --schema")
        if self.schema is not None:
            return _table(f"{self.schema}.{parts[0]}")
        near = did_you_mean(parts[0].lower(), (table.name for table in self.known)) or ""
        raise MappingError(f"no table of the project is called {name}. {near or 'Name its schema with --schema.'}")


def _table(text: str) -> TableName:
    try:
        return TableName.parse(text)
    except ForgeError as error:
        raise MappingError(error.what) from None


@dataclass(slots=True)
class Collector:
    """Collects checks while a file is read; each is parsed back as the project would parse it."""

    names: TableNames
    mapped: list[MappedCheck] = field(default_factory=list)
    unmapped: list[UnmappedCheck] = field(default_factory=list)

    def add(
        self, table: str, place: str, what: str, make: Callable[[TableName], Iterable[tuple[Spec, str | None]]]
    ) -> None:
        """All checks that `make` returns, or none of them and the reason."""
        try:
            name = self.names.find(table)
            found = [MappedCheck(name, _clean(spec), place, what, note) for spec, note in make(name)]
            for one in found:
                load_check(one.spec, table=name, where=place)
        except MappingError as error:
            self.unmapped.append(UnmappedCheck(place, what, str(error)))
        except ForgeError as error:
            self.unmapped.append(UnmappedCheck(place, what, error.why or error.what))
        else:
            self.mapped.extend(found)

    def refuse(self, place: str, what: str, why: str) -> None:
        self.unmapped.append(UnmappedCheck(place, what, why))

    def done(self) -> ImportedChecks:
        return ImportedChecks(tuple(_distinct(self.mapped)), tuple(self.unmapped))


def _clean(spec: Spec) -> Spec:
    """Without None values, and 5 instead of 5.0."""
    return {key: _whole(value) for key, value in spec.items() if value is not None}


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _distinct(found: Iterable[MappedCheck]) -> Iterator[MappedCheck]:
    """Duplicate checks are merged; the first place is kept."""
    seen: set[str] = set()
    for one in found:
        key = f"{one.table} {sorted(one.spec.items(), key=lambda pair: pair[0])!r}"
        if key not in seen:
            seen.add(key)
            yield one


def with_common(one: tuple[Spec, str | None], common: Mapping[str, object]) -> tuple[Spec, str | None]:
    """A spec with severity, where and name added, where given."""
    spec, note = one
    where = _both(spec.get("where"), common.get("where"))
    return {**spec, **{key: value for key, value in common.items() if value is not None}, "where": where}, note


def _both(first: object, second: object) -> object:
    if first and second:
        return f"({first}) AND ({second})"
    return first or second


def sql_name(column: object) -> str:
    """A column as an SQL identifier."""
    text = str(column)
    return text if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", text) else "`" + text.replace("`", "``") + "`"


def sql_value(value: object) -> str:
    """A single value as an SQL literal."""
    match value:
        case bool():
            return str(value).lower()
        case int() | Decimal():
            return str(value)
        case float() if math.isfinite(value):
            return repr(value)
        case None | float() | list() | dict() | tuple():
            raise MappingError(f"{value!r} is no single value")
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def sql_values(values: object) -> str:
    if not isinstance(values, list | tuple) or not values:
        raise MappingError(f"a list of values is needed, and here is {values!r}")
    return ", ".join(sql_value(value) for value in values if value is not None)


def select(what: str, source: str, where: object = None) -> str:
    """A query as the text of a check, made of names, literals and the author's own conditions."""
    return " ".join(("SELECT", what, "FROM", source, *(("WHERE", str(where)) if where else ())))


def inner(query: str) -> str:
    return f"({query})"


def compare_counts(table: object, other: object, rule: str) -> Spec:
    """A query that returns a row where the row counts of two tables violate a rule about `rows` and `others`."""
    counts = [f"{inner(select('count(*)', str(one)))} AS {name}" for one, name in ((table, "rows"), (other, "others"))]
    return {"type": "query", "query": select("rows, others", inner(f"SELECT {', '.join(counts)}"), f"NOT ({rule})")}


def text_of(value: object, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise MappingError(f"{what} is missing" if value is None else f"{what} is no text: {value!r}")
    return value


def number_of(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MappingError(f"{what} is no number: {value!r}")
    return value


def percent_left(mostly: object) -> float | None:
    """`mostly: 0.95` as the tolerated percentage; None where all must pass."""
    if mostly is None:
        return None
    share = Decimal(str(number_of(mostly, "mostly")))
    if not 0 <= share <= 1:
        raise MappingError(f"mostly is a share from 0 to 1, and is {mostly!r}")
    return float((1 - share) * 100) or None
