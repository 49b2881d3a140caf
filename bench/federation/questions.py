"""Queries over the line items and their dimensions, put together from parts, the same in every process. PostgreSQL and
Spark mean the same by each: no division of whole numbers, and where NULL stands in an order is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

DIMENSIONS = {
    "categories": "l.category_id = c.id",
    "customers": "l.customer_id = k.id",
    "days": "l.day = d.day",
    "regions": "k.country = r.country",
}
ALIASES = {"lines": "l", "categories": "c", "customers": "k", "days": "d", "regions": "r"}
_KEYS = {
    "lines": ("l.quantity", "l.category_id"),
    "categories": ("c.name",),
    "customers": ("k.country", "k.segment"),
    "days": ("d.quarter",),
    "regions": ("r.region",),
}
_FILTERS: dict[str, tuple[Callable[[Random], str], ...]] = {
    "lines": (
        lambda r: f"l.amount {r.choice(('>', '>=', '<'))} {r.randint(0, 1000)}.{r.randint(10, 99)}",
        lambda r: f"l.day BETWEEN DATE '2021-0{r.randint(1, 9)}-01' AND DATE '2022-0{r.randint(1, 9)}-15'",
        lambda r: f"l.quantity IN ({r.randint(1, 9)}, {r.randint(1, 9)}, 77)",
        lambda r: f"l.customer_id < {r.randint(1, 5_000)}",
        lambda r: f"l.note LIKE 'delivered by carrier {r.randint(1, 9)}%'",
        lambda r: f"NOT (l.category_id = {r.randint(0, 19)} OR l.quantity > {r.randint(3, 8)})",
        lambda r: "l.note IS NOT NULL",
        lambda r: f"l.id <= {r.randint(1_000, 90_000)}",
    ),
    "categories": (
        lambda r: f"c.name = 'category {r.randint(0, 19):02}'",
        lambda r: f"c.name > 'category {r.randint(0, 19):02}'",
        lambda r: f"c.id IN ({r.randint(0, 19)}, {r.randint(0, 19)})",
    ),
    "customers": (
        lambda r: f"k.country = '{r.choice(('DE', 'FR', 'us', 'JP'))}'",
        lambda r: f"k.credit > {r.randint(0, 900)}",
        lambda r: "k.segment IS NULL",
        lambda r: f"k.name LIKE 'Customer {r.randint(1, 9)}%'",
    ),
    "days": (lambda r: f"d.quarter = 'Q{r.randint(1, 4)}'", lambda r: f"d.weight > {r.randint(0, 9)}.5"),
    "regions": (lambda r: f"r.region <> '{r.choice(('Europe', 'Asia'))}'", lambda r: "r.population > 70000000"),
}
_SUMS = (
    "count(*)",
    "sum(l.amount)",
    "sum(l.quantity)",
    "min(l.day)",
    "max(l.amount)",
    "max(l.note)",
    "avg(l.quantity)",
    "count(l.note)",
    "count(DISTINCT l.quantity)",
)


@dataclass(frozen=True)
class BenchQuestion:
    """`text` names tables as {lines}. `ordered`: its rows have one order only."""

    text: str
    ordered: bool = False


def questions(number: int, seed: int = 20) -> list[BenchQuestion]:
    random = Random(seed)
    found: dict[str, BenchQuestion] = {}
    while len(found) < number:
        one = random.choice(_SHAPES)(random)
        found.setdefault(one.text, one)
    return list(found.values())


def _from(random: Random, *, most: int = 3) -> tuple[str, list[str]]:
    """FROM and WHERE, and the tables that are read. Joins stand in any order that names what is there already."""
    tables = ["lines"]
    wanted = random.sample(sorted(DIMENSIONS), random.randint(0, most))
    if "regions" in wanted and "customers" not in wanted:
        wanted.append("customers")
    wanted.sort(key=lambda name: name == "regions")
    text = "FROM {lines} l"
    for name in wanted:
        side = random.choice(("JOIN", "JOIN", "JOIN", "LEFT JOIN"))
        more = f" AND {random.choice(_FILTERS[name])(random)}" if random.random() < 0.2 else ""
        text += f" {side} {{{name}}} {ALIASES[name]} ON {DIMENSIONS[name]}{more}"
        tables.append(name)
    conditions = [random.choice(_FILTERS[name])(random) for name in tables if random.random() < 0.6]
    if random.random() < 0.2:
        conditions.append(_subquery(random))
    return text + (f" WHERE {' AND '.join(conditions)}" if conditions else ""), tables


def _subquery(random: Random) -> str:
    some = random.choice(_FILTERS["customers"])(random)
    return random.choice(
        (
            f"l.customer_id IN (SELECT k.id FROM {{customers}} k WHERE {some})",
            f"EXISTS (SELECT 1 FROM {{customers}} k WHERE k.id = l.customer_id AND {some})",
            f"NOT EXISTS (SELECT 1 FROM {{customers}} k WHERE k.id = l.customer_id AND {some})",
            "l.category_id = (SELECT max(c.id) FROM {categories} c WHERE c.id < 9)",
        )
    )


def _grouped(random: Random) -> BenchQuestion:
    text, tables = _from(random)
    keys = random.sample([key for name in tables for key in _KEYS[name]], 1)
    sums = random.sample(_SUMS, random.randint(1, 3))
    having = random.choice(("", "", " HAVING count(*) > 100"))
    return BenchQuestion(f"SELECT {', '.join([*keys, *sums])} {text} GROUP BY {', '.join(keys)}{having}")


def _total(random: Random) -> BenchQuestion:
    text, _ = _from(random)
    return BenchQuestion(f"SELECT {', '.join(random.sample(_SUMS, 3))} {text}")


def _rows(random: Random) -> BenchQuestion:
    text, tables = _from(random, most=2)
    columns = ["l.id", "l.amount", "l.day", *(key for name in tables[1:] for key in _KEYS[name])]
    order = random.choice(("l.id", "l.amount DESC NULLS LAST, l.id", "l.day, l.id DESC"))
    return BenchQuestion(f"SELECT {', '.join(columns)} {text} ORDER BY {order} LIMIT {random.randint(1, 300)}", True)


def _distinct(random: Random) -> BenchQuestion:
    text, tables = _from(random, most=2)
    keys = [random.choice(_KEYS[name]) for name in tables]
    return BenchQuestion(f"SELECT DISTINCT {', '.join(keys)} {text}")


def _union(random: Random) -> BenchQuestion:
    parts = []
    for _ in range(2):
        text, _tables = _from(random, most=1)
        parts.append(f"SELECT l.quantity AS q, count(*) AS n {text} GROUP BY l.quantity")
    return BenchQuestion(f"{parts[0]} {random.choice(('UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT'))} {parts[1]}")


def _nested(random: Random) -> BenchQuestion:
    text, _ = _from(random, most=1)
    inner = f"SELECT l.customer_id AS customer, sum(l.amount) AS total, count(*) AS n {text} GROUP BY l.customer_id"
    outer = "SELECT k.country, count(*) AS customers, sum(t.total) AS total, max(t.n) AS most"
    return BenchQuestion(
        f"WITH t AS ({inner}) {outer} FROM t JOIN {{customers}} k ON k.id = t.customer GROUP BY k.country"
    )


_SHAPES = (_grouped, _grouped, _grouped, _total, _rows, _rows, _distinct, _union, _nested)
