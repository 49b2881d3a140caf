"""Any query gives the same rows, asked whole or by its plan. One SQLite database computes both, so that a difference
is the planner's."""

from __future__ import annotations

import sqlite3
from random import Random
from typing import Any

import pytest
import sqlglot
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from sqlglot import exp

from forge.federation.dialects.render import with_keys
from forge.federation.names import find_relations
from forge.federation.plan import QueryPlan
from forge.federation.planner import plan_query
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import LAKE, ConnectorKind
from forge.model.types import parse_type

_COLUMNS = {"a": "int", "b": "int", "s": "string", "h": "int"}
_TABLES = {
    "pg.p.t": RelationName("pg", ("p", "t")),
    "pg.p.u": RelationName("pg", ("p", "u")),
    "pg.p.v": RelationName("pg", ("p", "v")),
    "lite.t": RelationName("lite", ("t",)),
    "core.t": RelationName(LAKE, ("core", "t")),
}
_KINDS: dict[str, Any] = {"pg": ConnectorKind.POSTGRESQL, "lite": ConnectorKind.SQLITE, LAKE: LAKE}
_EXAMPLES = 1_000
_PHASES = tuple(phase for phase in Phase if phase not in (Phase.shrink, Phase.explain))  # a query reads well as it is
_NUMBERS = (None, 0, 1, 2, 3)
_STRINGS = (None, "", "x", "X", "y")


def _relation(name: RelationName) -> SourceRelation:
    columns = tuple(SourceColumn(one, parse_type(type_)) for one, type_ in _COLUMNS.items())
    rows = 10 ** (list(_TABLES.values()).index(name) + 1)  # so that the order of joins changes
    return SourceRelation(name, columns, rows=rows, key=(), hidden=frozenset({"h"}))


@pytest.fixture(scope="module")
def database() -> Any:
    found = sqlite3.connect(":memory:")
    for index, name in enumerate(_TABLES.values()):
        found.execute(f'CREATE TABLE "{name}" (a INT, b INT, s TEXT, h INT)')
        rows = [
            (_NUMBERS[(i + index) % 5], _NUMBERS[(i * 3 + index) % 4], _STRINGS[(i * 7 + index) % 5], None)
            for i in range(9 + index)
        ]
        found.executemany(f'INSERT INTO "{name}" VALUES (?, ?, ?, ?)', rows)
    yield found
    found.close()


def _predicate(rng: Random, aliases: list[str], depth: int = 0) -> str:
    def column(names: tuple[str, ...] = ("a", "b")) -> str:
        return f"{rng.choice(aliases)}.{rng.choice(names)}"

    kinds = ["value", "value", "string", "null", "in", "between", "columns", "not in", "like"]
    kinds += ["or", "not", "exists", "in query"] if depth < 2 else []
    operator = rng.choice(("=", "<>", "<", "<=", ">", ">="))
    table = rng.choice(sorted(_TABLES))
    match rng.choice(kinds):
        case "value":
            return f"{column(tuple('ababah'))} {operator} {rng.randint(-1, 3)}"
        case "string":
            return f"{column(('s',))} {operator} '{rng.choice(('', 'x', 'X'))}'"
        case "null":
            return f"{column(('a', 'a', 's', 's', 'h'))} IS {rng.choice(('', 'NOT '))}NULL"
        case "in":
            return f"{column()} IN (1, {rng.randint(0, 3)})"
        case "not in":
            return f"{column()} NOT IN ({rng.choice(('1', '1, NULL', '0, 2'))})"
        case "between":
            return f"{column()} BETWEEN {rng.randint(0, 2)} AND 2"
        case "columns":
            return f"{column()} {operator} {column()}"
        case "like":
            return f"{column(('s',))} {rng.choice(('', 'NOT '))}LIKE 'x%'"
        case "or":
            return f"({_predicate(rng, aliases, depth + 1)} OR {_predicate(rng, aliases, depth + 1)})"
        case "not":
            return f"NOT ({_predicate(rng, aliases, depth + 1)})"
        case "exists":
            inner = rng.choice((f"q.a = {column()}", f"q.b > {column()} AND q.a = 1", "q.a = 2"))
            return f"EXISTS (SELECT 1 FROM {table} q WHERE {inner})"
    return f"{column()} {rng.choice(('', 'NOT '))}IN (SELECT q.a FROM {table} q WHERE q.b > 0)"


def _from(rng: Random, ctes: list[str], depth: int) -> tuple[str, list[str]]:
    count = rng.choice((1, 1, 2, 2, 3))
    aliases = [f"t{depth}{i}" for i in range(count)]
    text = ""
    for i, alias in enumerate(aliases):
        table = rng.choice((*sorted(_TABLES), *ctes))
        if depth < 1 and rng.randint(0, 4) == 0:
            table = f"({_select(rng, [], depth + 1)})"
        if i == 0:
            text = f"{table} {alias}"
            continue
        kind = rng.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ","))
        if kind == ",":
            text += f" CROSS JOIN {table} {alias}"
            continue
        on = f"{rng.choice(aliases[:i])}.a = {alias}.{rng.choice('ab')}"
        if rng.choice((True, False)):
            on += f" AND {_predicate(rng, aliases[: i + 1], 2)}"
        text += f" {kind} {table} {alias} ON {on}"
    return text, aliases


def _select(rng: Random, ctes: list[str], depth: int) -> str:
    from_, aliases = _from(rng, ctes, depth)
    where = " AND ".join(_predicate(rng, aliases, depth) for _ in range(rng.choice((0, 0, 1, 1, 2))))
    text = f" FROM {from_}" + (f" WHERE {where}" if where else "")
    first = aliases[-1]
    last = f"{first}.{rng.choice('bbbbh')}"
    match rng.choice(("plain", "plain", "group", "parts", "global", "distinct")):
        case "plain":
            text = f"SELECT {first}.a AS a, {aliases[0]}.b AS b, {first}.s AS s, {last} AS h{text}"
        case "distinct":
            text = f"SELECT DISTINCT {first}.a AS a, {first}.b AS b, {first}.s AS s, {last} AS h{text}"
        case "global":
            text = f"SELECT count(*) AS a, sum({first}.a) AS b, min({first}.s) AS s, count({last}) AS h{text}"
        case "parts":
            parts = f"sum({first}.b) AS b, min({first}.s) AS s, count({last}) + count(*) AS h"
            having = rng.choice(("", f" HAVING sum({first}.b) > 2", " HAVING count(*) > 1"))
            text = f"SELECT {aliases[0]}.a AS a, {parts}{text} GROUP BY {aliases[0]}.a{having}"
        case "group":
            having = rng.choice(
                ("", " HAVING count(*) > 1", f" HAVING max({first}.a) + 1 > 2", f" HAVING max({first}.a) + 1 > 3")
            )
            call = rng.choice(("avg", "sum", "min"))
            aggregates = f"count(DISTINCT {first}.a) AS b, max({first}.s) AS s, {call}({first}.b) AS h"
            text = f"SELECT {aliases[0]}.a AS a, {aggregates}{text} GROUP BY {aliases[0]}.a{having}"
    if rng.randint(0, 2) == 0:
        down = rng.choice(("", " DESC", " NULLS LAST", " DESC NULLS FIRST"))
        text += f" ORDER BY s{down}, a{down}, b, h LIMIT {rng.randint(1, 4)}"
        text += rng.choice(("", " OFFSET 1"))
    return text


def _query(rng: Random) -> str:
    match rng.choice(("select", "select", "cte", "union")):
        case "select":
            return _select(rng, [], 0)
        case "cte":
            return f"WITH c AS ({_select(rng, [], 1)}) {_select(rng, ['c'], 0)}"
    left, right = (f"SELECT * FROM ({_select(rng, [], 1)}) x" for _ in range(2))
    return f"{left} {rng.choice(('UNION ALL', 'UNION', 'EXCEPT'))} {right}"


def _plan(tree: exp.Query, pushdown: bool) -> QueryPlan:
    relations = {name: _relation(name) for name in find_relations(tree, ("pg", "lite"))}
    return plan_query(tree, relations, _KINDS, sources=("pg", "lite"), pushdown=pushdown)


def _as_sqlite(tree: exp.Expr) -> str:
    tree = tree.copy()
    for table in list(tree.find_all(exp.Table)):
        if table.db:
            flat = str(_TABLES[".".join(part.name for part in table.parts).removeprefix("lake.")])
            alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name))
            table.replace(exp.Table(this=exp.to_identifier(flat, quoted=True), alias=alias))
    for collate in tree.find_all(exp.Collate):
        collate.set("expression", exp.Var(this="BINARY"))
    return tree.sql("sqlite", identify=True)


def _run(database: sqlite3.Connection, plan: QueryPlan) -> list[tuple[object, ...]]:
    for fragment in plan.fragments:
        keys = {
            key.column: [row[0] for row in database.execute(f'SELECT "{key.by_column}" FROM "{key.by_fragment}"')]
            for key in fragment.keys
        }
        text = _as_sqlite(with_keys(fragment, keys, is_sql=True))
        note(f"{fragment.name}: {text}")
        assert not {"h"} & {column.name for column in fragment.query.find_all(exp.Column)}, "a hidden column is asked"
        database.execute(f'CREATE TEMP TABLE "{fragment.name}" AS {text}')
    try:
        note(f"rest: {_as_sqlite(plan.rest)}")
        return database.execute(_as_sqlite(plan.rest)).fetchall()
    finally:
        for fragment in plan.fragments:
            database.execute(f'DROP TABLE "{fragment.name}"')


@pytest.mark.slow
@settings(max_examples=_EXAMPLES, phases=_PHASES, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), pushdown=st.sampled_from((True, True, True, False)))
def test_a_plan_means_what_the_query_means(database: sqlite3.Connection, seed: int, pushdown: bool) -> None:
    text = _query(Random(seed))  # evenly spread, where Hypothesis would try the simplest first
    tree = sqlglot.parse_one(text, read="spark")
    assert isinstance(tree, exp.Query)
    plan = _plan(tree, pushdown)
    note(text)
    expected = database.execute(_as_sqlite(tree)).fetchall()
    found = _run(database, plan)
    key = [tuple(str(value) for value in row) for row in expected]
    assert sorted(tuple(str(value) for value in row) for row in found) == sorted(key)
    if tree.args.get("order"):
        assert found == expected
