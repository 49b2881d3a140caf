"""Profiles of tables: the measures they need, and the result. Pure; `flows/catalog/profile.py` measures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.formats import TextFormat, guess_format
from forge.quality.measure import Measure, NotMeasured, Reading, Readings
from forge.quality.readings import DistinctSketch, Quantiles
from forge.quality.values import Family, family_of

NUMBERS = frozenset({Family.INTEGER, Family.DECIMAL, Family.FLOAT, Family.DOUBLE})
TIMES = frozenset({Family.DATE, Family.TIMESTAMP})
COUNTED = frozenset({Family.INTEGER, Family.STRING, Family.BOOLEAN, Family.DATE, Family.DECIMAL})
MOST_VALUES = 25  # of a set
KEY_SHARE = 0.95  # of distinct values, by a sketch, from which on it is worth to count duplicates
_ID_NAME = re.compile(r"(^|_)(id|key|uuid|guid)$", re.IGNORECASE)
_KEY_NAME = re.compile(r"(^|_)(id|key|uuid|guid|no|nr|number|code|sku|ean|iban)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column that identifies the rows of another table."""

    table: TableName
    column: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """Values that were not measured are None."""

    name: str
    type: str
    nulls: int | None = None
    distinct: int | None = None  # by a sketch; exact where `values` or `duplicates` are known
    least: object = None
    greatest: object = None
    quantiles: Mapping[float, float] = field(default_factory=dict)
    values: Mapping[object, int] | None = None  # all of them, where they are few
    duplicates: int | None = None
    format: TextFormat | None = None
    mismatches: int | None = None  # values that are not of the format
    orphans: Mapping[KeyColumn, int] = field(default_factory=dict)
    masked: bool = False

    @property
    def family(self) -> Family:
        return family_of(self.type)

    @property
    def is_id(self) -> bool:
        """Named like an identifier: neither a value set nor a range is meaningful."""
        return _ID_NAME.search(self.name) is not None

    @property
    def is_key_name(self) -> bool:
        return _KEY_NAME.search(self.name) is not None


@dataclass(frozen=True, slots=True)
class Profile:
    table: TableName
    rows: int
    columns: tuple[ColumnProfile, ...]
    now: datetime


def first_measures(schema: Schema) -> tuple[Measure, ...]:
    """One scan over all columns for the cheap measures of each."""
    found = [Measure(kind="rows")]
    for column in schema.columns:
        family, on = family_of(column.type), (column.name,)
        if family is Family.OTHER:
            found.append(Measure(kind="nulls", columns=on))
            continue
        found += [Measure(kind="nulls", columns=on), Measure(kind="distinct", columns=on)]
        if family in NUMBERS | TIMES:
            found += [Measure(kind="min", columns=on), Measure(kind="max", columns=on)]
        if family in NUMBERS:
            found.append(Measure(kind="quantiles", columns=on))
    return tuple(found)


def second_measures(
    schema: Schema, readings: Readings, guessed: Mapping[str, TextFormat], keys: Sequence[KeyColumn]
) -> tuple[Measure, ...]:
    """Measures of selected columns: their values, uniqueness, formats, and referential integrity."""
    rows = _count(readings.get(Measure(kind="rows"))) or 0
    found: list[Measure] = []
    for column in schema.columns:
        on, family = (column.name,), family_of(column.type)
        distinct = _distinct(readings.get(Measure(kind="distinct", columns=on)))
        if not rows or distinct is None:
            continue
        filled = rows - (_count(readings.get(Measure(kind="nulls", columns=on))) or 0)
        if 0 < distinct <= MOST_VALUES and family in COUNTED - {Family.BOOLEAN, Family.DATE}:
            found.append(Measure(kind="frequencies", columns=on, arguments=(MOST_VALUES,)))
        if family in (Family.INTEGER, Family.STRING) and filled and distinct >= KEY_SHARE * filled:
            found.append(Measure(kind="duplicates", columns=on))
        if column.name in guessed:
            found.append(Measure(kind="not_matching", columns=on, arguments=(guessed[column.name].pattern,)))
        found += [_orphans(column.name, key) for key in candidates(column.name, column.type, keys)]
    return tuple(found)


def _orphans(column: str, key: KeyColumn) -> Measure:
    return Measure(kind="orphans", columns=(column,), arguments=(key.table, key.column))


def candidates(column: str, type_: str, keys: Sequence[KeyColumn]) -> tuple[KeyColumn, ...]:
    """Keys that a column may refer to by its name: `customer_id` to customers.customer_id or customers.id. Tables named
    like the column come first."""
    name, family = column.lower(), family_of(type_)
    if family not in (Family.INTEGER, Family.STRING):
        return ()
    found = [key for key in keys if family_of(key.type) is family and _may_mean(name, key)]
    found.sort(key=lambda key: not name.startswith(_singular(key.table.name)))
    return tuple(found[:3])


def _may_mean(name: str, key: KeyColumn) -> bool:
    stem, own = _singular(key.table.name), key.column.lower()
    return name in (own, f"{stem}_{own}", stem)


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def guess_formats(schema: Schema, sample: Sequence[Mapping[str, object]]) -> dict[str, TextFormat]:
    """The format of the sampled values, for each string column that has one."""
    found: dict[str, TextFormat] = {}
    for column in schema.columns:
        if family_of(column.type) is not Family.STRING:
            continue
        values = [str(row[column.name]) for row in sample if row.get(column.name) is not None]
        guess = guess_format(values)
        if guess is not None:
            found[column.name] = guess
    return found


def profile_of(
    table: TableName,
    schema: Schema,
    readings: Readings,
    guessed: Mapping[str, TextFormat],
    keys: Sequence[KeyColumn],
    masked: frozenset[str],
    now: datetime,
) -> Profile:
    hidden = {name.lower() for name in masked}
    columns = tuple(
        _column(column.name, column.type, readings, guessed, keys, column.name.lower() in hidden)
        for column in schema.columns
    )
    return Profile(table, _count(readings.get(Measure(kind="rows"))) or 0, columns, now)


def _column(
    name: str,
    type_: str,
    readings: Readings,
    guessed: Mapping[str, TextFormat],
    keys: Sequence[KeyColumn],
    masked: bool,
) -> ColumnProfile:
    on = (name,)
    form = guessed.get(name)
    values = readings.get(Measure(kind="frequencies", columns=on, arguments=(MOST_VALUES,)))
    counted = {value: int(times) for value, times in values.items()} if isinstance(values, Mapping) else None
    orphans = {key: _count(readings.get(_orphans(name, key))) for key in candidates(name, type_, keys)}
    return ColumnProfile(
        name=name,
        type=type_,
        nulls=_count(readings.get(Measure(kind="nulls", columns=on))),
        distinct=len(counted) if counted is not None else _distinct(readings.get(Measure(kind="distinct", columns=on))),
        least=_value(readings.get(Measure(kind="min", columns=on))),
        greatest=_value(readings.get(Measure(kind="max", columns=on))),
        quantiles=_quantiles(readings.get(Measure(kind="quantiles", columns=on))),
        values=counted,
        duplicates=_count(readings.get(Measure(kind="duplicates", columns=on))),
        format=form,
        mismatches=_count(readings.get(Measure(kind="not_matching", columns=on, arguments=(form.pattern,))))
        if form
        else None,
        orphans={key: number for key, number in orphans.items() if number is not None},
        masked=masked,
    )


def _count(reading: Reading) -> int | None:
    return reading if isinstance(reading, int) and not isinstance(reading, bool) else None


def _value(reading: Reading) -> object:
    return None if isinstance(reading, NotMeasured) else reading


def _distinct(reading: Reading) -> int | None:
    if isinstance(reading, DistinctSketch):
        return round(reading.estimate)
    return _count(reading)


def _quantiles(reading: Reading) -> dict[float, float]:
    if not isinstance(reading, Quantiles):
        return {}
    found = {share: reading.at(share) for share in (0.01, 0.5, 0.99)}
    return {share: value for share, value in found.items() if value is not None}
