"""Joins inferred from code: which columns belong together, in which direction, and why."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.erd.diagram import Erd, erd_of
from forge.lineage.erd.join import ErdJoin, JoinCardinality, JoinEvidence, JoinSighting, infer_joins
from forge.lineage.node import Node, NodeType

PLACE = JoinEvidence("jobs/a.sql", 3)
Pairs = list[tuple[str, str]]


def seen(columns: str, code: str = "", filters: str = "", evidence: JoinEvidence = PLACE) -> JoinSighting:
    def split(text: str) -> frozenset[tuple[str, str]]:
        return frozenset((one.rpartition(".")[0], one.rpartition(".")[2]) for one in text.split())

    return JoinSighting(split(columns), evidence, code, 0.95, split(filters))


def inferred(*sightings: JoinSighting, keys: dict[str, str] | None = None) -> tuple[ErdJoin, ...]:
    declared = {table: frozenset(key.split()) for table, key in (keys or {}).items()}
    return infer_joins(sightings, lambda table: declared.get(table, frozenset()))


def ends(joins: tuple[ErdJoin, ...]) -> Pairs:
    return [(f"{one.table}.{','.join(one.columns)}", f"{one.to_table}.{','.join(one.to_columns)}") for one in joins]


THREE = "core.orders.customer_id core.customers.id core.orders.region core.regions.code"


@pytest.mark.parametrize(
    ("code", "pairs"),
    [
        (
            "FROM core.orders o JOIN core.customers c ON o.customer_id = c.id JOIN core.regions r ON r.code=o.region",
            [("core.orders.customer_id", "core.customers.id"), ("core.orders.region", "core.regions.code")],
        ),
        (
            "from orders join customers on (orders.customer_id == customers.id) and orders.region <=> regions.code",
            [("core.orders.customer_id", "core.customers.id"), ("core.orders.region", "core.regions.code")],
        ),
        (
            'FROM "core"."orders" AS "O" JOIN `core`.`customers` C ON "O"."customer_id" = `C`.`id`',
            [("core.orders.customer_id", "core.customers.id")],
        ),
        ("-- o.customer_id = c.id\n/* o.region = r.code */ 'o.region = r.code'", None),
    ],
)
def test_the_text_says_which_columns_are_compared(code: str, pairs: Pairs | None) -> None:
    found = inferred(seen(THREE, code))
    if pairs is None:  # only names are left
        assert ends(found) == [("core.orders.customer_id", "core.customers.id")]
        assert (found[0].confidence, found[0].evidence[0].expression) == (0.57, "")
    else:
        assert sorted(tuple(sorted(pair)) for pair in ends(found)) == sorted(tuple(sorted(pair)) for pair in pairs)
        assert all(one.evidence[0].expression for one in found)
        assert {one.confidence for one in found} == {0.95}


def test_several_columns_between_two_tables_are_one_join() -> None:
    code = "FROM a.rates r JOIN a.orders o ON r.currency = o.currency AND r.day = o.day"
    (found,) = inferred(seen("a.rates.currency a.rates.day a.orders.currency a.orders.day", code))
    assert ends((found,)) == [("a.orders.currency,day", "a.rates.currency,day")]
    assert found.evidence[0].expression == "r.currency = o.currency AND r.day = o.day"
    (using,) = inferred(seen("a.rates.day a.orders.day", "FROM a.rates JOIN a.orders USING (day)"))
    assert using.evidence[0].expression == "USING (day)"


def test_a_where_that_compares_two_tables_joins_them() -> None:
    code = "SELECT 1 FROM a.x, a.y WHERE x.id = y.x_id AND y.kind = 'b'"
    (found,) = inferred(seen("", code, filters="a.x.id a.y.x_id a.y.kind"))
    assert ends((found,)) == [("a.y.x_id", "a.x.id")]
    assert inferred(seen("", "", filters="a.x.id a.y.x_id")) == ()


def test_a_table_may_be_joined_with_itself() -> None:
    code = "FROM hr.staff e JOIN hr.staff m ON e.manager_id = m.id"
    (found,) = inferred(seen("hr.staff.manager_id hr.staff.id", code), keys={"hr.staff": "id"})
    assert (found.table, found.columns, found.to_table, found.to_columns) == (
        "hr.staff",
        ("manager_id",),
        "hr.staff",
        ("id",),
    )


def test_a_primary_key_is_the_one_side() -> None:
    joined = seen("a.b.x a.c.y")
    assert ends(inferred(joined, keys={"a.b": "x"})) == [("a.c.y", "a.b.x")]
    (both,) = inferred(joined, keys={"a.b": "x", "a.c": "y"})
    assert both.cardinality is JoinCardinality.ONE_TO_ONE
    (neither,) = inferred(joined)
    assert (neither.cardinality, neither.confidence) == (JoinCardinality.UNKNOWN, 0.855)
    (part,) = inferred(joined, keys={"a.b": "x z"})
    assert part.cardinality is JoinCardinality.UNKNOWN


@pytest.mark.parametrize(
    ("columns", "pair"),
    [
        ("a.orders.customer_id a.customers.id", ("a.orders.customer_id", "a.customers.id")),
        ("a.cities.id a.shops.city_id", ("a.shops.city_id", "a.cities.id")),
        ("a.orders.product_key a.dim_product.product_key", ("a.orders.product_key", "a.dim_product.product_key")),
    ],
)
def test_names_say_the_direction(columns: str, pair: tuple[str, str]) -> None:
    (found,) = inferred(seen(columns))
    assert ends((found,)) == [pair]
    assert found.cardinality is JoinCardinality.MANY_TO_ONE


def test_what_may_be_of_several_tables_is_left_out() -> None:
    assert inferred(seen("a.x.id a.y.id a.z.id")) == ()
    assert inferred(seen("a.x.id a.y.id a.z.other", "FROM sub JOIN other ON q.id = r.other")) == ()
    assert inferred(seen("a.x.id")) == ()
    assert inferred(seen(" ".join(f"a.t{n}.id" for n in range(100)), "t1.id = t2.id")) == ()


def test_a_join_seen_in_many_places_is_one_with_its_first_places() -> None:
    places = [JoinEvidence(f"jobs/{n}.sql", n) for n in range(1, 9)]
    (found,) = inferred(*(seen("a.x.id a.y.x_id", "x.id = y.x_id", evidence=place) for place in places))
    assert [one.file for one in found.evidence] == [f"jobs/{n}.sql" for n in range(1, 6)]
    (run,) = inferred(seen("a.x.id a.y.x_id", evidence=JoinEvidence(run_id="r1")))
    assert run.evidence[0].text == "run r1"


@given(st.text(max_size=200))
def test_no_text_makes_it_raise(code: str) -> None:
    inferred(seen(THREE, code), seen("a.b.c a.d.e", f"x.c = y.e {code}"))


def node(name: str, **details: object) -> Node:
    owner, _, own = name.rpartition(".")
    is_column = "." in owner
    return Node(
        id=name,
        type=NodeType.COLUMN if is_column else NodeType.TABLE,
        name=own,
        table=owner if is_column else name,
        parent="",
        details=details,
    )


NODES = (
    node("core.orders"),
    node("core.orders.customer_id"),
    node("crm.customers"),
    node("crm.customers.id"),
)
SEEN = seen("core.orders.customer_id crm.customers.id", "orders.customer_id = customers.id")


def erd(*nodes: Node, schema: str | None = "core") -> Erd:
    return erd_of(nodes or NODES, (), schema, [SEEN])


def test_every_form_marks_what_is_inferred() -> None:
    drawn = erd()
    assert drawn.to_dict()["relations"] == [
        {
            "type": "join",
            "inferred": True,
            "source": "core.orders",
            "source_columns": ["customer_id"],
            "target": "crm.customers",
            "target_columns": ["id"],
            "cardinality": "many_to_one",
            "confidence": 0.95,
            "evidence": [
                {"file": "jobs/a.sql", "line": 3, "run_id": "", "expression": "orders.customer_id = customers.id"}
            ],
        }
    ]
    assert '"core.orders" }o..o| "crm.customers" : "inferred: customer_id → id"' in drawn.to_mermaid()
    assert "style=dotted" in drawn.to_dot()
    assert "jobs/a.sql:3  orders.customer_id = customers.id" in drawn.to_dot()
    svg = drawn.to_svg()
    ElementTree.fromstring(svg)
    assert 'class="dotted"' in svg
    assert "inferred n : 1" in svg


def test_a_joined_table_of_another_schema_is_shown_with_the_column() -> None:
    outside = erd().tables[1]
    assert (outside.name, outside.outside, [column.name for column in outside.columns]) == (
        "crm.customers",
        True,
        ["id"],
    )
    assert not erd().tables[0].columns[0].foreign_key


def test_where_a_key_is_declared_nothing_is_inferred() -> None:
    declared = node(
        "core.orders", foreign_keys=[{"columns": ["buyer"], "table": "crm.customers", "references": ["id"]}]
    )
    found = erd(declared, *NODES[1:])
    assert (len(found.foreign_keys), found.joins) == (1, ())


def test_tables_that_lineage_does_not_show_are_not_drawn() -> None:
    assert erd(*NODES[:2], node("crm.customers", kind="cte")).joins == ()
