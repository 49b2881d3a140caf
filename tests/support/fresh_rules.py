"""The SQL of the fresh cases as Python, for a measurer that has no SQL. NULL is None, as in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = Mapping[str, Any]
Rule = Callable[[Row], bool | None]


def _of(column: str, holds: Callable[[Any], bool]) -> Rule:
    """NULL where a part of the way is NULL."""

    def rule(row: Row) -> bool | None:
        value: Any = row
        for name in column.split("."):
            value = value[name]
            if value is None:
                return None
        return holds(value)

    return rule


def _both(one: Rule, two: Rule) -> Rule:
    def rule(row: Row) -> bool | None:
        found = (one(row), two(row))
        return False if False in found else None if None in found else True

    return rule


RULES: dict[str, Rule] = {
    "id < 8": _of("id", lambda v: v < 8),
    "country IS NOT NULL": lambda row: row["country"] is not None,
    "amount > 0": _of("amount", lambda v: v > 0),
    "amount >= 10": _of("amount", lambda v: v >= 10),
    "amount BETWEEN 20 AND 40": _of("amount", lambda v: 20 <= v <= 40),
    "id > 100": _of("id", lambda v: v > 100),
    "n < 14": _of("n", lambda v: v < 14),
    "n < 13": _of("n", lambda v: v < 13),
    "n < 99": _of("n", lambda v: v < 99),
    "n >= 29": _of("n", lambda v: v >= 29),
    "id < 3": _of("id", lambda v: v < 3),
    "id < 4": _of("id", lambda v: v < 4),
    "id = 1": _of("id", lambda v: v == 1),
    "id = 5": _of("id", lambda v: v == 5),
    "id = 6": _of("id", lambda v: v == 6),
    "id = 7": _of("id", lambda v: v == 7),
    "id = 8": _of("id", lambda v: v == 8),
    "id IN (1, 4, 5)": _of("id", lambda v: v in (1, 4, 5)),
    "id IN (1, 5, 6)": _of("id", lambda v: v in (1, 5, 6)),
    "id IN (3, 4)": _of("id", lambda v: v in (3, 4)),
    "a IS NULL OR b = 'q'": lambda row: row["a"] is None or row["b"] == "q",
    "k IS NULL OR k IN ('z', 'w')": lambda row: row["k"] in (None, "z", "w"),
    "paid": _of("paid", lambda v: v),
    "address.geo.lat <= 90": _of("address.geo.lat", lambda v: v <= 90),
    "country = 'DE'": _of("country", lambda v: v == "DE"),
    "country = 'FR'": _of("country", lambda v: v == "FR"),
    "customer_id < 9": _of("customer_id", lambda v: v < 9),
    "region = 'S' AND id < 6": _both(_of("region", lambda v: v == "S"), _of("id", lambda v: v < 6)),
    "status = ''": _of("status", lambda v: v == ""),
    "status <> ''": _of("status", lambda v: v != ""),
    "parent_id <> id": lambda row: None if row["parent_id"] is None else row["parent_id"] != row["id"],
    "`größe 📏` > 0 AND `a.b` < 3": _both(_of("größe 📏", lambda v: v > 0), lambda row: row["a.b"] < 3),
    "whole > 0": _of("whole", lambda v: v > 0),
}
