"""What a person sees of a plan."""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot import exp

from forge.federation.explain import explain, explain_text
from forge.federation.names import find_relations
from forge.federation.planner import plan_query
from forge.federation.relation import SourceColumn, SourceRelation
from forge.federation.source import LAKE, ConnectorKind
from forge.model.types import parse_type

_KINDS: dict[str, Any] = {"pg": ConnectorKind.POSTGRESQL, LAKE: LAKE}
_JOIN = """
SELECT c.name, sum(o.amount) AS total FROM pg.public.customers c JOIN core.orders o ON o.customer = c.id
WHERE c.name = 'secret word' AND o.amount > 7.25 AND upper(c.name) = 'X' GROUP BY c.name ORDER BY total LIMIT 3
"""


def _explained(query: str, **more: Any) -> dict[str, Any]:
    tree = sqlglot.parse_one(query, read="spark")
    assert isinstance(tree, exp.Query)
    columns = {"id": "int", "customer": "int", "name": "string", "amount": "decimal(10,2)"}
    made = tuple(SourceColumn(name, parse_type(of)) for name, of in columns.items())
    relations = {name: SourceRelation(name, made, rows=1_000) for name in find_relations(tree, ("pg",))}
    return explain(plan_query(tree, relations, _KINDS, sources=("pg",)), _KINDS, **more)


def test_the_tree_has_the_sources_at_its_leaves() -> None:
    limit = _explained(_JOIN, rows_read={"f1": 12})["nodes"]
    assert limit["type"] == "limit"
    (order,) = limit["children"]
    (aggregate,) = order["children"]
    assert (aggregate["type"], aggregate["pushed"]) == ("aggregate", False)
    assert aggregate["why"] == "`SUM(o.amount)` needs another table, whose rows join several times"
    scans = {one["source"]: one for one in aggregate["children"]}
    assert {name: one["pushed"] for name, one in scans.items()} == {"pg": True, LAKE: True}
    assert scans["pg"]["predicates"] == ["`c`.`name` = 'secret word'"]
    assert scans["pg"]["columns"] == ["id", "name"]
    assert (scans["pg"]["rows"], scans["pg"]["rows_read"]) == (100, 12)


def test_a_query_of_one_source_is_one_node() -> None:
    found = _explained("SELECT name, count(*) FROM pg.public.customers GROUP BY name HAVING count(*) > 1")
    assert found["whole"]
    assert (found["nodes"]["type"], found["nodes"]["children"]) == ("aggregate", [])
    assert found["nodes"]["predicates"] == ["COUNT(*) > 1"]


def test_what_a_source_is_sent_is_shown_without_values() -> None:
    sources = {one["source"]: one for one in _explained(_JOIN)["sources"]}
    assert "$1" in sources["pg"]["asked"]
    assert sources["pg"]["values"] == 1
    assert sources[LAKE]["asked"] == "scan core.orders (customer, amount) where amount > ?"
    assert sources[LAKE]["keys"] == [{"column": "customer", "by": "f1.id"}]
    assert not any("secret" in one["asked"] for one in sources.values())


def test_the_text_says_what_is_not_pushed_and_why() -> None:
    text = explain_text(_explained(_JOIN, executor="in-process", why_executor="about 100 rows"))
    assert text.splitlines()[:3] == [
        "limit",
        "└─ order",
        "   └─ aggregate [UPPER(`c`.`name`) = 'X' AND `o`.`customer` = `c`.`id`]",
    ]
    assert "join `o`.`customer` = `c`.`id` (pg): its tables are of several sources" in text
    assert "UPPER(`c`.`name`) = 'X' (pg): `UPPER(c.name)` is not computed by sources" in text
    assert text.endswith("Runs in-process: about 100 rows")


def test_every_form_of_query_has_a_tree() -> None:
    for query in (
        "WITH x AS (SELECT id FROM core.orders LIMIT 3) SELECT * FROM x a JOIN x b ON a.id = b.id",
        "SELECT id FROM core.orders UNION ALL (SELECT id FROM pg.public.customers) ORDER BY id LIMIT 2",
        "SELECT id FROM core.o WHERE id IN (SELECT id FROM pg.t WHERE id > (SELECT max(id) FROM core.o x))",
        "SELECT DISTINCT id + 1 FROM (SELECT * FROM core.orders) x",
        "SELECT * FROM VALUES (1, 2) AS t(a, b)",
        "SELECT * FROM core.orders JOIN pg.public.customers USING (id)",
        "SELECT 1",
    ):
        assert explain_text(_explained(query))


def test_aggregates_in_parts_are_said_to_be_pushed_with_what_is_left() -> None:
    query = (
        "SELECT o.amount, count(*) FROM pg.public.customers c JOIN core.orders o ON o.customer = c.id GROUP BY o.amount"
    )
    explained = _explained(query)
    (aggregate,) = [one for one in explained["decisions"] if one["part"] == "aggregate"]
    assert (aggregate["pushed"], aggregate["partial"], aggregate["source"]) == (True, True, "pg")
    assert "aggregate COUNT(*) (pg): in parts" in explain_text(explained)


def test_how_many_rows_are_read_is_said_of_databases() -> None:
    def reading(kind: ConnectorKind, rows: int, *, splits: bool = False) -> str:
        tree = sqlglot.parse_one("SELECT id FROM crm.orders", read="spark")
        assert isinstance(tree, exp.Query)
        columns = (SourceColumn("id", parse_type("int")),)
        names = find_relations(tree, ("crm",))
        relations = {name: SourceRelation(name, columns, rows=rows, splits=splits) for name in names}
        kinds: dict[str, Any] = {"crm": kind}
        found: dict[str, Any] = explain(plan_query(tree, relations, kinds, sources=("crm",)), kinds)
        text = found["sources"][0]["reading"]
        assert (f"  read {text}" in explain_text(found)) == bool(text)
        return str(text)

    assert "ranges of ctid" in reading(ConnectorKind.POSTGRESQL, 500_000, splits=True)
    assert "one snapshot to no second connection" in reading(ConnectorKind.MYSQL, 500_000)
    assert reading(ConnectorKind.MYSQL, 500) == reading(ConnectorKind.POSTGRESQL, 500, splits=True) == ""
