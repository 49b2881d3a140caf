"""How many rows are left by predicates and joins, with what the source knows of its columns and without."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlglot
from each_case import each_case
from sqlglot import exp

from forge.federation.dialects.predicates import conjuncts
from forge.federation.planner.estimates import different_rows, filtered_rows, joined_rows, with_key_statistics
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.statistics import ColumnStatistics, bounds_of
from forge.model.types import parse_type

_DAYS = tuple(float(day * 86_400) for day in range(101))  # evenly from 1970-01-01 to 1970-04-11
_COLUMNS = {
    "id": ("bigint", ColumnStatistics()),
    "city": ("string", ColumnStatistics(distinct=50, nulls=0.5)),
    "amount": ("decimal(10,2)", ColumnStatistics(distinct=10_000, nulls=0.0, bounds=bounds_of([0, 10, 20, 30, 1000]))),
    "day": ("date", ColumnStatistics(distinct=101, nulls=0.2, bounds=_DAYS)),
    "plain": ("int", ColumnStatistics()),
}
_RELATION = SourceRelation(
    RelationName("pg", ("public", "orders")),
    tuple(SourceColumn(name, parse_type(of), statistics=known) for name, (of, known) in _COLUMNS.items()),
    rows=100_000,
    key=("id",),
)
_CASES = {
    "id = 7": 1,
    "id IN (1, 2, 3)": 3,
    "city = 'Rome'": 1_000,
    "city COLLATE \"C\" = 'Rome'": 1_000,
    "city IN ('Rome', 'Bern')": 2_000,
    "city <> 'Rome'": 49_000,
    "city IS NULL": 50_000,
    "NOT city IS NULL": 50_000,
    "amount = 5": 10,
    "amount < 10": 25_000,
    "amount >= 30": 25_000,
    "amount > 10 AND amount <= 20": 25_000,
    "(amount >= 10 AND amount <= 30)": 50_000,
    "amount < 10 OR amount > 30": 43_750,
    "amount < -1": 1,
    "amount > 2000": 1,
    "day >= CAST('1970-04-01' AS DATE)": 8_000,
    "(day >= CAST('1970-01-11' AS DATE) AND day <= CAST('1970-01-21' AS DATE))": 8_000,
    "day < CAST('1970-01-11' AS DATE) AND city = 'Rome'": 80,
    # nothing is known of the column, or of the value
    "plain = 1": 10_000,
    "plain IN (1, 2, 3)": 30_000,
    "plain < 1": 30_000,
    "(plain >= 1 AND plain <= 3)": 25_000,
    "plain > 1 AND plain < 5": 9_000,
    "plain IS NULL": 10_000,
    "NOT plain IS NULL": 90_000,
    "plain <> 3": 90_000,
    "amount < :limit": 30_000,
    "city LIKE 'R%'": 25_000,
    "NOT (plain = 1)": 90_000,
}


def _predicates(text: str) -> list[exp.Expr]:
    """A BETWEEN is one predicate in parentheses."""
    tree = sqlglot.parse_one(text, read="spark")
    return [tree] if isinstance(tree, exp.Paren) else conjuncts(tree)


@each_case(list(_CASES), str)
def test_predicates_leave_so_many_rows(text: str) -> None:
    assert filtered_rows(with_key_statistics(_RELATION), _predicates(text)) == _CASES[text]


def test_of_an_unknown_size_nothing_is_estimated() -> None:
    relation = with_key_statistics(replace(_RELATION, rows=None))
    assert filtered_rows(relation, _predicates("city = 'Rome'")) is None
    assert joined_rows(None, 3, [(1, 1)]) is None


@pytest.mark.parametrize(
    ("left", "right", "pairs", "rows"),
    [
        (1_000, 20, [(20, 20)], 1_000),  # each row finds its one
        (1_000, 2, [(20, 20)], 100),  # of twenty categories two
        (1_000, 20, [(None, 20)], 1_000),
        (1_000, 20, [(None, None)], 1_000),
        (1_000, 500, [(None, None), (100, 5_000)], 100),
        (1_000, 20, [], 20_000),
        (5, 7, [(1_000_000, None)], 1),
        (0, 7, [(10, None)], 0),
    ],
)
def test_a_join_has_so_many_rows(left: int, right: int, pairs: list[tuple[int | None, int | None]], rows: int) -> None:
    assert joined_rows(left, right, pairs) == joined_rows(right, left, [(two, one) for one, two in pairs]) == rows


def test_groups_are_as_many_as_there_are_values() -> None:
    assert different_rows(1_000, [5, 7]) == 35
    assert different_rows(1_000, [50, 70]) == 1_000
    assert different_rows(1_000, [5, None]) == 100
