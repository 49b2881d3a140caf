"""Queries and their plans, as text: what each source is sent, what the rest is, what is not pushed and why."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from each_case import each_case
from sqlglot import exp

from forge.federation.dialects.render import render
from forge.federation.names import find_relations
from forge.federation.plan import QueryPlan, Scan, SourceQuery
from forge.federation.planner import plan_query
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import LAKE, ConnectorKind
from forge.model.errors import ForgeError
from forge.model.types import parse_type

_KINDS: dict[str, Any] = {
    "pg": ConnectorKind.POSTGRESQL,
    "my": ConnectorKind.MYSQL,
    "lite": ConnectorKind.SQLITE,
    "inbox": ConnectorKind.FILES,
    LAKE: LAKE,
}
_SOURCES = ("pg", "my", "lite", "inbox")
_PARAMETERS = {"number": 5, "text": "a'b", "day": date(2026, 1, 2), "money": Decimal("1.50")}
# What the columns of every relation are; `icu` sorts and `ci` equals by a collation, `secret` is hidden.
_COLUMNS = {
    "id": "bigint", "customer": "int", "amount": "decimal(10,2)", "price": "double", "Name": "string", "icu": "string",
    "ci": "string", "code": "char(3)", "day": "date", "at": "timestamp", "local": "timestamp_ntz", "ok": "boolean",
    "tags": "array<string>", "secret": "string",
}  # fmt: skip
_QUOTED_NAME = re.compile(r'"(?:[^"]|"")*"|`(?:[^`]|``)*`')
_RELATIONS = {
    str(name): rows
    for name, rows in {
        RelationName("pg", ("public", "orders")): 5_000_000,
        RelationName("pg", ("public", "lines")): 9_000_000,
        RelationName("my", ("shop", "customers")): 1_000,
        RelationName("my", ("shop", "100%")): 10,
        RelationName("lite", ("main", "cities")): 20,
        RelationName("inbox", ("events",)): None,
        RelationName(LAKE, ("core", "orders")): 100_000,
        RelationName(LAKE, ("core", "orders"), "dev"): 90_000,
    }.items()
}


def _relation(name: RelationName) -> SourceRelation:
    columns = [SourceColumn(one, parse_type(of)) for one, of in _COLUMNS.items()]
    made = tuple(
        replace(one, same_equality=one.name != "ci", same_order=one.name not in ("ci", "icu")) for one in columns
    )
    return SourceRelation(name, made, rows=_RELATIONS[str(name)], key=("id",), hidden=frozenset({"secret"}))


def _plan(query: str, pushdown: bool = True) -> QueryPlan:
    tree = sqlglot.parse_one(query, read="spark")
    assert isinstance(tree, exp.Query)
    relations = {name: _relation(name) for name in find_relations(tree, _SOURCES) if str(name) in _RELATIONS}
    return plan_query(tree, relations, _KINDS, sources=_SOURCES, pushdown=pushdown, parameters=_PARAMETERS)


def _asked_lines(plan: QueryPlan) -> list[str]:
    lines: list[str] = []
    for fragment in plan.fragments:
        asked = render(fragment, _KINDS[fragment.source], _PARAMETERS)
        lines.append(f"{fragment.name} {fragment.source}: {_asked_text(asked)}")
        lines += [f"{fragment.name} key: {key.column} of {key.by_fragment}.{key.by_column}" for key in fragment.keys]
    return lines


def _asked_text(asked: SourceQuery | Scan) -> str:
    if isinstance(asked, SourceQuery):
        return asked.text + (f" {list(asked.values)}" if asked.values else "")
    filters = [f"{one.column} {one.operator} {list(one.values)}" for one in asked.filters]
    return f"{', '.join(asked.columns)} | {' | '.join(filters)}" + (f" | limit {asked.limit}" if asked.limit else "")


def _plan_text(query: str) -> str:
    try:
        plan = _plan(query)
    except ForgeError as error:
        return f"error: {error.what}" + (f" {error.fix}" if error.fix else "")
    lines = _asked_lines(plan)
    lines.append("whole" if plan.whole else f"rest: {plan.rest.sql('spark').replace('`', '')}")
    lines += [
        f"joined in the order {', '.join(step.table for step in one.steps)}: {one.why}" for one in plan.join_orders
    ]
    for one in plan.decisions:
        if not one.pushed or one.prefilter:
            word = "again" if one.prefilter else "not"
            lines.append(f"{word} {one.part}: {one.text.replace('`', '')}: {one.why}")
    return "\n".join(lines)


@dataclass(frozen=True)
class PlanCase:
    file: str
    title: str
    query: str
    expected: str


def _cases() -> list[PlanCase]:
    found = []
    for file in sorted(Path(__file__).parent.glob("cases/*.txt")):
        for block in file.read_text().split("\n# ")[1:]:
            title, _, body = block.partition("\n")
            query, _, expected = body.partition("\n---\n")
            found.append(PlanCase(file.stem, title.strip(), query.strip(), expected.strip()))
    return found


@each_case(_cases(), lambda case: f"{case.file}: {case.title}")
def test_a_query_has_this_plan(case: PlanCase) -> None:
    assert _plan_text(case.query) == case.expected


def test_there_are_cases_of_every_kind_of_source() -> None:
    text = " ".join(case.query for case in _cases())
    assert all(f" {source}." in text for source in _SOURCES)


@each_case(_cases(), lambda case: f"{case.file}: {case.title}")
def test_no_value_of_the_query_is_in_the_text_that_a_source_is_sent(case: PlanCase) -> None:
    try:
        plan = _plan(case.query)
    except ForgeError:
        return
    for fragment in plan.fragments:
        asked = render(fragment, _KINDS[fragment.source], _PARAMETERS)
        assert not isinstance(asked, SourceQuery) or "'" not in _QUOTED_NAME.sub("", asked.text)


def test_without_pushdown_relations_are_read_as_they_are() -> None:
    plan = _plan("SELECT name, count(*) FROM pg.public.orders WHERE id = 1 GROUP BY name LIMIT 1", pushdown=False)
    (fragment,) = plan.fragments
    assert fragment.query.sql("spark", identify=False).replace("`", "") == (
        "SELECT orders.id AS id, orders.Name AS name FROM pg.public.orders AS orders"
    )
    assert plan.rest.sql("spark").replace("`", "") == (
        "SELECT orders.name AS name, COUNT(*) AS count(1) FROM f1 AS orders WHERE orders.id = 1 "
        "GROUP BY orders.name LIMIT 1"
    )
    assert not plan.whole


def test_keys_of_an_earlier_fragment_are_bound() -> None:
    plan = _plan("SELECT o.id FROM pg.public.orders o JOIN my.shop.customers c ON o.customer = c.customer")
    orders = next(one for one in plan.fragments if one.source == "pg")
    (key,) = orders.keys
    asked = render(orders, ConnectorKind.POSTGRESQL, {}, keys={key.column: [3, None, 4, 3]})
    assert isinstance(asked, SourceQuery)
    assert asked.text.endswith('WHERE "o"."customer" IN (CAST($1 AS BIGINT), CAST($2 AS BIGINT))')
    assert asked.values == (3, 4)
    none = render(orders, ConnectorKind.POSTGRESQL, {}, keys={key.column: [None]})
    assert isinstance(none, SourceQuery)
    assert none.values == (False,)
    every = render(orders, ConnectorKind.POSTGRESQL, {}, keys={key.column: range(10_001)})
    assert isinstance(every, SourceQuery)
    assert every.values == ()


def test_a_column_that_is_no_key_is_no_filter() -> None:
    plan = _plan("SELECT id FROM pg.public.orders")
    with pytest.raises(ForgeError, match="no key column"):
        render(plan.fragments[0], ConnectorKind.POSTGRESQL, {}, keys={"id": [1]})


@pytest.mark.parametrize(
    ("query", "splits"),
    [
        ("SELECT id, name FROM pg.public.orders WHERE amount > 1", True),
        ("SELECT id FROM pg.public.orders WHERE id = 1", False),  # one row
        ("SELECT id FROM pg.public.orders LIMIT 1000000", False),
        ("SELECT id FROM pg.public.orders ORDER BY id LIMIT 1000000", False),
        ("SELECT DISTINCT id FROM pg.public.orders", False),
        ("SELECT customer, count(*) FROM pg.public.orders GROUP BY customer", False),
        ("SELECT o.id FROM pg.public.orders o JOIN pg.public.lines l ON o.id = l.id", False),
        ("SELECT id FROM my.shop.customers", False),
    ],
)
def test_only_many_rows_of_one_table_are_read_in_parts(query: str, splits: bool) -> None:
    tree = sqlglot.parse_one(query, read="spark")
    assert isinstance(tree, exp.Query)
    found = {name: replace(_relation(name), splits=True) for name in find_relations(tree, _SOURCES)}
    found = {name: replace(one, splits=name.source == "pg") for name, one in found.items()}
    (fragment,) = plan_query(tree, found, _KINDS, sources=_SOURCES).fragments
    assert fragment.splits == splits


def test_a_part_has_the_bounds_of_its_rows_bound_after_all_other_values() -> None:
    name = RelationName("pg", ("public", "orders"))
    tree = sqlglot.parse_one("SELECT id FROM pg.public.orders o WHERE amount > 1 OR id = :number", read="spark")
    assert isinstance(tree, exp.Query)
    (fragment,) = plan_query(
        tree, {name: replace(_relation(name), splits=True)}, _KINDS, sources=_SOURCES, parameters=_PARAMETERS
    ).fragments
    asked = render(fragment, ConnectorKind.POSTGRESQL, _PARAMETERS)
    assert isinstance(asked, SourceQuery)
    assert asked.split is not None
    assert asked.split.path == ("public", "orders")
    assert asked.values == (Decimal(1), 5)
    assert asked.split.text == (
        'SELECT "o"."id" AS "id" FROM "public"."orders" AS "o" WHERE ("o"."amount" > CAST($1 AS DECIMAL) OR '
        '"o"."id" = CAST($2 AS BIGINT)) AND "o"."ctid" >= CAST($3 AS tid) AND "o"."ctid" < CAST($4 AS tid)'
    )
