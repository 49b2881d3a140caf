"""The corpus of federated queries over the retail world: written ones, and those put together from parts, the same in
every process. What they must give is told by one engine that holds all the data."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from itertools import count
from pathlib import Path
from random import Random

_WRITTEN = Path(__file__).with_suffix(".sql")
_MARK = re.compile(r"\{(\w+)\}")
TOLERANCE = 1e-9
PARAMETERS: Mapping[str, object] = {
    "quoted": "O'Neil",
    "attack": "' OR 1 = 1; DROP TABLE suppliers --",
    "one": 1,
    "two": 2,
    "money": Decimal("10.10"),
    "day": date(2024, 2, 29),
    "moment": datetime(2024, 10, 27, 2, 30, tzinfo=UTC),
    "nothing": None,
}


@dataclass(frozen=True)
class Question:
    """`text` names relations as {orders}. `ordered`: the rows have one order only. `fails`: it must, by its values."""

    title: str
    text: str
    ordered: bool = False
    fails: bool = False

    def sql(self, names: Mapping[str, str]) -> str:
        return _MARK.sub(lambda found: names[found.group(1)], self.text)

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_MARK.findall(self.text)))

    @property
    def parameters(self) -> dict[str, object]:
        return {name: value for name, value in PARAMETERS.items() if re.search(rf":{name}\b", self.text)}


@dataclass(frozen=True)
class Answer:
    """`types` in Spark's words."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: Sequence[Sequence[object]]


@cache
def questions() -> tuple[Question, ...]:
    return (*_written(), *_filtered(), *_random())


def _written() -> Iterator[Question]:
    for block in _WRITTEN.read_text(encoding="utf-8").split("\n\n"):
        head, _, text = block.strip().partition("\n")
        if ": " not in head or text.startswith("--"):  # about the file
            continue
        ordered, fails = text.startswith("[ordered]"), text.startswith("[fails]")
        text = text.partition("\n")[2] if ordered or fails else text
        yield Question(head.removeprefix("-- "), text, ordered, fails)


# Conditions by table; each is asked for rows, as a count beside a sum, and turned around.
_CONDITIONS: Mapping[str, tuple[str, ...]] = {
    "customers": (
        "name = 'Ada'",
        "name <> 'ada'",
        "name < 'ab'",
        "name LIKE 'a%'",
        "name IN ('zoe', 'Zoë', '')",
        "email IS NULL",
        "email >= 'ann1' AND email < 'bob'",
        "country = 'DE'",
        "country <> 'X '",
        "segment = 'trade'",
        "credit > 33.33",
        "credit = -99999999.99",
        "since >= DATE '2024-02-29'",
        "active",
        "parent_id BETWEEN 10 AND 90 OR parent_id IS NULL",
    ),
    "orders": (
        "amount BETWEEN -0.01 AND 10.1",
        "amount * 2 > qty",
        "qty IN (0, 7, 32767)",
        "status = 'open' OR status = 'Open'",
        "status > 'a'",
        "note IS NULL OR note = ' '",
        "note > 'é'",
        "placed_at BETWEEN TIMESTAMP '2024-10-27 00:00:00' AND TIMESTAMP '2024-10-28 00:00:00'",
        "shipped_at <= TIMESTAMP_NTZ '1970-01-01 00:00:00'",
        "day = DATE '1582-10-04'",
        "weight >= 1.5",
        "weight < 0",
        "score = 0",
        "score > 1.2",
        "paid IS NOT TRUE",
        "coalesce(amount, 0) = 0",
        "customer_id + product_id > 400",
    ),
    "suppliers": ("name > 'a'", "name = 'ISTANBUL'", "rating > 2.5", "terms = 'net 30'", "terms IN ('NET 30', '')"),
    "categories": ("name = 'tools'", "name < 'a'", "parent_id IS NULL", "parent_id % 2 = 0"),
    "countries": ("code = 'de'", "region <> 'Europe'", "population > 70000000", "name LIKE '%\"%'"),
    "rates": ("country IN ('DE', 'de')", "rate < 1.000001", "fee = 0", "fee > 2", "day > DATE '2024-06-01'"),
    "products": (
        "name >= 'a' AND name < 'c'",
        "price < 100.5",
        "weight > 1",
        "launched < DATE '1600-01-01'",
        "NOT discontinued",
        "category_id IN (1, 2, 3) AND supplier_id IS NOT NULL",
    ),
    "stock": ("warehouse = 'north'", "qty < 0", "counted_at = TIMESTAMP '1969-12-31 23:59:59.999999'", "qty IS NULL"),
}
_KEYS = {"countries": "code", "rates": "day", "stock": "product_id, warehouse, qty"}
_SUMMED = {
    "customers": "credit",
    "orders": "amount",
    "suppliers": "id",
    "categories": "id",
    "countries": "population",
    "rates": "rate",
    "products": "price",
    "stock": "CAST(qty AS BIGINT)",
}


def _filtered() -> Iterator[Question]:
    shapes = (
        "SELECT {key} FROM {{{table}}} WHERE {condition}",
        "SELECT count(*) AS n, sum({summed}) AS s FROM {{{table}}} WHERE {condition}",
        "SELECT {key} FROM {{{table}}} WHERE NOT ({condition})",
    )
    numbers = count()
    for table, conditions in _CONDITIONS.items():
        for condition in conditions:
            shape = shapes[next(numbers) % len(shapes)]
            text = shape.format(key=_KEYS.get(table, "id"), table=table, summed=_SUMMED[table], condition=condition)
            yield Question(f"condition: {table}, {condition}", text)


# How tables can be joined: from, to, condition with the aliases a and b.
_EDGES = (
    ("orders", "customers", "a.customer_id = b.id"),
    ("orders", "products", "a.product_id = b.id"),
    ("products", "suppliers", "a.supplier_id = b.id"),
    ("products", "categories", "a.category_id = b.id"),
    ("customers", "countries", "a.country = b.code"),
    ("suppliers", "countries", "a.country = b.code"),
    ("stock", "products", "a.product_id = b.id"),
    ("customers", "suppliers", "a.name = b.name"),
    ("orders", "stock", "a.product_id = b.product_id AND a.qty = b.qty"),
)
_KINDS = ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")
_GROUPED = {
    "customers": ("country", "segment", "active"),
    "orders": ("status", "qty", "paid"),
    "products": ("category_id", "discontinued"),
    "stock": ("warehouse",),
    "suppliers": ("name", "terms"),
    "categories": ("parent_id",),
    "countries": ("region",),
}
RANDOM_QUESTIONS = 96


def _random() -> Iterator[Question]:
    for seed in range(RANDOM_QUESTIONS):
        random = Random(seed)
        left, right, on = _EDGES[seed % len(_EDGES)]
        kind = random.choice(_KINDS)
        one_side = "SEMI" in kind or "ANTI" in kind
        yield _question(random, left, right, on, kind, one_side=one_side, seed=seed)


def _question(random: Random, left: str, right: str, on: str, kind: str, *, one_side: bool, seed: int) -> Question:
    sides = {"a": left} if one_side else {"a": left, "b": right}
    if random.random() < 0.3:
        on = f"{on} AND {_condition(random, 'b', right)}"
    source = f"{_side(random, left)} a {kind} {_side(random, right)} b ON {on}"
    conditions = [_condition(random, alias, table) for alias, table in sides.items() if random.random() < 0.6]
    where = f" WHERE {random.choice((' AND ', ' OR ')).join(f'({each})' for each in conditions)}" if conditions else ""
    title = f"random {seed}: {left} {kind.lower()} {right}"
    if random.random() < 0.5:
        alias = random.choice(sorted(sides))
        by = f"{alias}.{random.choice(_GROUPED[sides[alias]])}"
        summed = _qualified(_SUMMED[left], "a")
        having = random.choice(("", " HAVING count(*) > 3", f" HAVING max({summed}) > 10"))
        shown = f"{by} AS g, count(*) AS n, sum({summed}) AS s, min({summed}) AS lo"
        return Question(title, f"SELECT {shown} FROM {source}{where} GROUP BY {by}{having}")
    columns = [
        f"{alias}.{key} AS {alias}{place}"
        for alias, table in sides.items()
        for place, key in enumerate(_KEYS.get(table, "id").split(", "))
    ]
    listed = ", ".join(columns)
    if random.random() < 0.35 and "stock" not in sides.values():
        order = ", ".join(f"{alias}0 {random.choice(('', 'DESC', 'NULLS LAST'))}".strip() for alias in sides)
        limit = random.choice((5, 40))
        return Question(title, f"SELECT {listed} FROM {source}{where} ORDER BY {order} LIMIT {limit}", ordered=True)
    distinct = "DISTINCT " if random.random() < 0.2 else ""
    return Question(title, f"SELECT {distinct}{listed} FROM {source}{where}")


def _side(random: Random, table: str) -> str:
    """A table, or a subquery of it."""
    if random.random() < 0.75:
        return f"{{{table}}}"
    return f"(SELECT * FROM {{{table}}} WHERE {random.choice(_CONDITIONS[table])})"


def _condition(random: Random, alias: str, table: str) -> str:
    return _qualified(random.choice(_CONDITIONS[table]), alias)


# fmt: off
_COLUMNS = frozenset((
    "id", "name", "email", "country", "segment", "credit", "since", "active", "parent_id", "customer_id", "product_id",
    "amount", "qty", "placed_at", "shipped_at", "day", "status", "note", "paid", "weight", "score", "rating", "terms",
    "code", "region", "population", "rate", "fee", "category_id", "supplier_id", "price", "launched", "discontinued",
    "warehouse", "counted_at", "checked_at",
))
# fmt: on


def _qualified(text: str, alias: str) -> str:
    """Every column of a text, not of its literals, with the alias."""
    parts = re.split(r"('(?:[^'])*')", text)
    return "".join(
        part if part.startswith("'") else re.sub(r"\b[a-z_]+\b", lambda m: _of(m.group(0), alias), part)
        for part in parts
    )


def _of(word: str, alias: str) -> str:
    return f"{alias}.{word}" if word in _COLUMNS else word


def differences(expected: Answer, found: Answer, *, ordered: bool) -> list[str]:
    """What is not the same, in words; floats may differ in their last digits."""
    wrong: list[str] = []
    for what, told, seen in (("names", expected.names, found.names), ("types", expected.types, found.types)):
        if told != seen:
            wrong.append(f"{what}: expected {told}, found {seen}")
    if len(expected.rows) != len(found.rows):
        wrong.append(f"rows: expected {len(expected.rows)}, found {len(found.rows)}")
    ones, others = list(expected.rows), list(found.rows)
    if not ordered:
        ones, others = sorted(ones, key=_sortable), sorted(others, key=_sortable)
    for place, (one, other) in enumerate(zip(ones, others, strict=False)):
        if not _same(list(one), list(other)):
            wrong.append(f"row {place}: expected {tuple(one)}, found {tuple(other)}")
            break
    return wrong


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return one == other or math.isclose(one, other, rel_tol=TOLERANCE)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_same(*pair) for pair in zip(one, other, strict=True))
    return type(one) is type(other) and one == other


def _sortable(row: Sequence[object]) -> tuple[tuple[str, str], ...]:
    """An order in which rows that differ in the last digits of a float stand at the same place."""
    return tuple(_sortable_cell(value) for value in row)


def _sortable_cell(value: object) -> tuple[str, str]:
    if isinstance(value, float):
        return "float", "nan" if math.isnan(value) else f"{value + 0.0:.6e}"
    return type(value).__name__, repr(value)
