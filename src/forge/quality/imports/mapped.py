"""What every import has in common: checks that map, with where they came from; and what does not, with the reason."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.quality.spec import load_check

Spec = dict[str, object]


class CannotMap(ValueError):
    """Why something of another tool is no check here. Told to the reader, never dropped."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A check as it would stand in a file of the project. `note`: how it differs from what it was."""

    table: TableName
    spec: Spec
    place: str  # file:line of the original
    what: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Unmapped:
    place: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Imported:
    mapped: tuple[Mapped, ...] = ()
    unmapped: tuple[Unmapped, ...] = ()

    def __add__(self, other: Imported) -> Imported:
        return Imported(self.mapped + other.mapped, self.unmapped + other.unmapped)


@dataclass(frozen=True, slots=True)
class Names:
    """How a table of another tool is called here: `table` for all, a known table of that name, or `schema`.name."""

    known: frozenset[TableName] = frozenset()
    schema: str | None = None
    table: TableName | None = None

    def find(self, name: str) -> TableName:
        """Raises CannotMap where it cannot be said."""
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
            raise CannotMap(f"{name} may be {listed}; say which with --schema")
        if self.schema is not None:
            return _table(f"{self.schema}.{parts[0]}")
        near = did_you_mean(parts[0].lower(), (table.name for table in self.known)) or ""
        raise CannotMap(f"no table of the project is called {name}. {near or 'Name its schema with --schema.'}")


def _table(text: str) -> TableName:
    try:
        return TableName.parse(text)
    except ForgeError as error:
        raise CannotMap(error.what) from None


@dataclass(slots=True)
class Collector:
    """Gathers while a file is read; every check is read back as the project would read it."""

    names: Names
    mapped: list[Mapped] = field(default_factory=list)
    unmapped: list[Unmapped] = field(default_factory=list)

    def add(
        self, table: str, place: str, what: str, make: Callable[[TableName], Iterable[tuple[Spec, str | None]]]
    ) -> None:
        """All checks that `make` gives, or none of them and the reason."""
        try:
            name = self.names.find(table)
            found = [Mapped(name, _clean(spec), place, what, note) for spec, note in make(name)]
            for one in found:
                load_check(one.spec, table=name, where=place)
        except CannotMap as error:
            self.unmapped.append(Unmapped(place, what, str(error)))
        except ForgeError as error:
            self.unmapped.append(Unmapped(place, what, error.why or error.what))
        else:
            self.mapped.extend(found)

    def refuse(self, place: str, what: str, why: str) -> None:
        self.unmapped.append(Unmapped(place, what, why))

    def done(self) -> Imported:
        return Imported(tuple(_distinct(self.mapped)), tuple(self.unmapped))


def _clean(spec: Spec) -> Spec:
    """Without what is not said, and 5 instead of 5.0."""
    return {key: _whole(value) for key, value in spec.items() if value is not None}


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _distinct(found: Iterable[Mapped]) -> Iterator[Mapped]:
    """The same check said twice is one check; the first place stays."""
    seen: set[str] = set()
    for one in found:
        key = f"{one.table} {sorted(one.spec.items(), key=lambda pair: pair[0])!r}"
        if key not in seen:
            seen.add(key)
            yield one


def with_common(one: tuple[Spec, str | None], common: Mapping[str, object]) -> tuple[Spec, str | None]:
    """A spec with severity, where and name put on, where there are any."""
    spec, note = one
    where = _both(spec.get("where"), common.get("where"))
    return {**spec, **{key: value for key, value in common.items() if value is not None}, "where": where}, note


def _both(first: object, second: object) -> object:
    if first and second:
        return f"({first}) AND ({second})"
    return first or second


def sql_name(column: object) -> str:
    """A column as SQL writes it."""
    text = str(column)
    return text if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", text) else "`" + text.replace("`", "``") + "`"


def sql_value(value: object) -> str:
    """A single value as SQL writes it."""
    match value:
        case bool():
            return str(value).lower()
        case int() | Decimal():
            return str(value)
        case float() if math.isfinite(value):
            return repr(value)
        case None | float() | list() | dict() | tuple():
            raise CannotMap(f"{value!r} is no single value")
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def sql_values(values: object) -> str:
    if not isinstance(values, list | tuple) or not values:
        raise CannotMap(f"a list of values is needed, and here is {values!r}")
    return ", ".join(sql_value(value) for value in values if value is not None)


def select(what: str, source: str, where: object = None) -> str:
    """A query as the text that a check holds; what it is made of are names, values and the author's own conditions."""
    return " ".join(("SELECT", what, "FROM", source, *(("WHERE", str(where)) if where else ())))


def inner(query: str) -> str:
    return f"({query})"


def compare_counts(table: object, other: object, rule: str) -> Spec:
    """A row comes back where the numbers of rows of two tables do not keep a rule about `rows` and `others`."""
    counts = [f"{inner(select('count(*)', str(one)))} AS {name}" for one, name in ((table, "rows"), (other, "others"))]
    return {"type": "query", "query": select("rows, others", inner(f"SELECT {', '.join(counts)}"), f"NOT ({rule})")}


def text_of(value: object, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise CannotMap(f"{what} is missing" if value is None else f"{what} is no text: {value!r}")
    return value


def number_of(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CannotMap(f"{what} is no number: {value!r}")
    return value


def percent_left(mostly: object) -> float | None:
    """`mostly: 0.95` as the percentage that may be wrong; None where all must be right."""
    if mostly is None:
        return None
    share = Decimal(str(number_of(mostly, "mostly")))
    if not 0 <= share <= 1:
        raise CannotMap(f"mostly is a share from 0 to 1, and is {mostly!r}")
    return float((1 - share) * 100) or None
