"""Each case is one text that holds both the query and what it must become: `«core.t»` is a table, `«core.t+»` one that
gets its name as alias, `«|x»` text that is added, `«x|»` text that goes, `«x|y»` text that is replaced."""

from __future__ import annotations

import re

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.transforms.sql import find_inputs, pin

TABLES = [TableName(schema, name) for schema in ("core", "staging") for name in ("t", "u", "orders")]


def place(table: TableName) -> str:
    return f"`forge`.`{table.schema}`.`{table.name}` VERSION AS OF 123"


PLACES = {table: place(table) for table in TABLES}


def written(case: str) -> str:
    """The query as the user writes it."""
    return re.sub(r"«([^|»]*?)\+?(?:\|[^»]*)?»", r"\1", case)


def expected(case: str) -> str:
    def replace(match: re.Match[str]) -> str:
        name, bar, new = match[1].partition("|")
        if bar:
            return new
        table = TableName.parse(re.sub(r"[`+\s]", "", name).removeprefix("forge."))
        return place(table) + (f" AS `{table.name}`" if name.endswith("+") else "")

    return re.sub(r"«([^»]*)»", replace, case)


CASES = [
    "SELECT 1",
    "SELECT * FROM «core.t+»",
    "SELECT * FROM «core.t» x",
    "SELECT * FROM «core.t» AS x",
    "SELECT * FROM «core.t» AS `my x`(a, b)",
    "SELECT * FROM «forge.core.t+»",
    "SELECT * FROM «`core`.`t`+» WHERE a = :p",
    "SELECT * FROM «core.t» x JOIN «core.t» y ON x.id = y.id, «core.t+»",
    "SELECT * FROM («core.t+»)",
    "SELECT * FROM («core.t» a JOIN «core.u+» ON a.x = u.x)",
    "SELECT t.a FROM «core.t+» WHERE EXISTS (SELECT 1 FROM «core.u+» WHERE u.id = t.id)",
    "SELECT * FROM «core.t+» LATERAL VIEW explode(xs) v AS e",
    "SELECT * FROM «core.t+» PIVOT (sum(x) FOR y IN (1, 2)) p",
    "SELECT * FROM «core.t+», LATERAL (SELECT * FROM «core.u» u WHERE u.id = t.id) l",
    "SELECT a FROM «core.t+» UNION ALL SELECT a FROM «core.u+» ORDER BY 1",
    "FROM «core.t+» SELECT a",
    "FROM «core.t+» |> WHERE «core.|»t.a > 1 |> JOIN «core.u» k USING (id) |> SELECT a",
    # what only looks like a table stays
    "SELECT 'core.t', \"core.u\" -- FROM core.t\nFROM /* core.t */ «core.t+» /* JOIN core.u */",
    "SELECT '🎉 äöü 𝒳' AS `core.t`, x FROM «core.t+» -- ☃ core.t",
    "/* forge\ndescription: core.t, ☃\n*/\nSELECT * FROM «core.t+»\r\nWHERE a = 'core.t'\r\n",
    "WITH t AS (SELECT * FROM «core.t+») SELECT t.a FROM t JOIN «core.u» t2 ON t.a = t2.a",
    "WITH core AS (SELECT 1 AS t) SELECT core.t FROM core",
    "WITH a AS (SELECT 1 FROM «core.t» x), b AS (WITH a AS (SELECT 1 FROM «core.u+») SELECT * FROM a) SELECT 1 FROM b",
    "SELECT /*+ BROADCAST(t) */ * FROM «core.t+» JOIN «core.u» u ON t.x = u.x",
    "SELECT * FROM range(3) r JOIN «core.t» t ON r.id = t.id",
    # TABLE takes only a bare name
    "«TABLE|SELECT * FROM» «core.orders+»",
    "WITH x AS («table|SELECT * FROM» «core.t+») TABLE x",
    "«TABLE|SELECT * FROM» «core.t+» UNION ALL «TABLE|SELECT * FROM» «forge.core.u+»",
    "SELECT a FROM «core.t» table WHERE a IN («TABLE|SELECT * FROM» «core.u+»)",
    # the alias stands after the sample
    "SELECT * FROM «core.t» TABLESAMPLE (10 PERCENT) x",
    "SELECT * FROM «core.t» TABLESAMPLE (10 PERCENT)«| AS `t`» WHERE t.a > 1",
    "SELECT * FROM «core.t» TABLESAMPLE (5 ROWS) REPEATABLE (7)«| AS `t`», «core.u+»",
    "SELECT * FROM «core.t» TABLESAMPLE (BUCKET 1 OUT OF (2))«| AS `t`»",
    # columns that name the schema
    "SELECT «core.|»orders.amount FROM «core.orders+»",
    "SELECT «forge.core.|»orders.amount, orders.day FROM «core.orders+»",
    "SELECT «core.|»orders.*, «`core`.|»`orders`.a FROM «core.orders+»",
    "SELECT «core.|»t.s.f, «forge.core.|»t.s.f.g, «core.|»t.m['k'] FROM «core.t+»",
    "SELECT «core . /* why */ |»t . a FROM «core . t+»",
    "SELECT a FROM «core.t+» JOIN «core.u+» ON «core.|»t.id = «core.|»u.id GROUP BY «core.|»t.a ORDER BY «core.|»t.a",
    "SELECT (SELECT max(«core.|»u.x) FROM «core.u+» WHERE «core.|»u.id = «core.|»t.id) FROM «core.t+»",
    "SELECT * EXCEPT («core.|»t.a) FROM «core.t+»",
    # an alias hides the table's own name, so these columns are of something else
    "SELECT core.t.a FROM «core.u» core",
    "SELECT core.t.x FROM «core.t» y JOIN «core.u» core ON true",
    "WITH w AS (SELECT core.t.x FROM «core.u» core) SELECT * FROM w, «core.t+»",
    # so that the result can stand in parentheses
    "SELECT * FROM «core.t+»«;|»",
    "SELECT * FROM «core.t+» «;|»\n«;|» -- end",
]


@pytest.mark.parametrize("case", CASES)
def test_tables_are_replaced_and_all_else_is_kept(case: str) -> None:
    assert pin(written(case), PLACES) == expected(case)


def parse(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, read="spark")


@pytest.mark.parametrize("case", [case for case in CASES if "TABLE|" not in case and "table|" not in case])
def test_the_pinned_text_parses_to_the_same_query_over_pinned_tables(case: str) -> None:
    """The parser is the judge: replacing tables in the tree gives the tree of the spliced text."""
    tree = parse(written(case))
    pinned = parse(pin(written(case), PLACES))
    for node in list(tree.find_all(exp.Table)):
        if not node.db or node.find_ancestor(exp.Hint):
            continue
        version = parse("SELECT * FROM x VERSION AS OF 123").find(exp.Version)
        node.set("catalog", exp.to_identifier("forge"))
        node.set("version", version)
        if not node.args.get("alias"):
            node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name)))
            for column in list(tree.find_all(exp.Column)):
                names = [part.name for part in column.parts]
                owned = node.find_ancestor(exp.Select) in ancestors(column) or "|>" in case
                while owned and len(names) > 2 and names[0] in ("forge", node.db):
                    names = names[1:]
                    for key, part in zip(
                        ("this", "table", "db", "catalog"), reversed_parts(column, len(names)), strict=True
                    ):
                        column.set(key, part)
    assert shape(tree) == shape(pinned)


def ancestors(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.CTE):
        found.append(parent)
        parent = parent.parent
    return found


def reversed_parts(column: exp.Column, count: int) -> list[exp.Expr | None]:
    return [*list(reversed(column.parts))[:count], *[None] * (4 - count)]


def shape(tree: exp.Expr) -> str:
    """Quotes and comments aside."""
    return tree.sql("spark", comments=False).replace("`", "")


PIECES = st.sampled_from(
    ["«core.t+»", "«core.t» x", "«staging.u» AS y", "«core.orders+»", "(SELECT * FROM «core.u+») z"]
)
NOISE = st.sampled_from(["", " ", "\n", "\r\n", " /* core.t */ ", " -- staging.u ☃\n", "\t"])


@given(st.lists(st.tuples(PIECES, NOISE), min_size=1, max_size=5), NOISE, st.text("äβ🎉 x", max_size=8))
def test_any_list_of_tables_with_any_text_between_is_pinned(
    tables: list[tuple[str, str]], noise: str, word: str
) -> None:
    case = f"SELECT{noise} '{word}' FROM {noise}" + f"{noise}, ".join(f"{piece}{after}" for piece, after in tables)
    assert pin(written(case), PLACES) == expected(case)
    count = len(re.findall("«", case))
    assert len(find_inputs(written(case), "a.sql")) == count


CAPTURED = [
    "SELECT core.orders.id FROM core.orders, staging.orders",
    "SELECT * FROM core.orders WHERE EXISTS (SELECT 1 FROM staging.orders WHERE staging.orders.id = core.orders.id)",
    "SELECT core.orders.id FROM core.orders JOIN core.t AS orders",
    "WITH orders AS (SELECT 1 AS id) SELECT core.orders.id FROM core.orders JOIN orders",
]


@pytest.mark.parametrize("sql", CAPTURED)
def test_a_column_that_only_its_schema_tells_apart_is_refused_before_the_run(sql: str) -> None:
    with pytest.raises(ForgeError) as raised:
        find_inputs(sql, "a.sql")
    assert raised.value.code == "E206"
    assert "alias" in (raised.value.fix or "")


def test_a_table_without_a_place_is_unknown() -> None:
    with pytest.raises(ForgeError) as raised:
        pin("SELECT *\nFROM core.order", PLACES, "a.sql")
    assert (raised.value.code, raised.value.where) == ("E202", "a.sql:2:6")
    assert "core.orders" in (raised.value.fix or "")


def test_a_subquery_can_be_a_place() -> None:
    assert pin("SELECT t.a FROM core.t", {TableName("core", "t"): "(SELECT 1 AS a)"}) == (
        "SELECT t.a FROM (SELECT 1 AS a) AS `t`"
    )
