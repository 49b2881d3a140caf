from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.transforms.selector import select
from forge.transforms.transform import SqlQuery, Transform

READS = {
    "raw.orders": [],
    "raw.customers": [],
    "staging.orders": ["raw.orders"],
    "staging.customers": ["raw.customers"],
    "core.orders": ["staging.orders", "core.customers"],
    "core.customers": ["staging.customers"],
    "marts.revenue": ["core.orders"],
    "marts.churn": ["core.customers", "core.orders"],
}
TAGS = {"marts.revenue": ("gold", "finance"), "marts.churn": ("gold",), "core.orders": ("silver",)}


def file_of(name: str) -> str:
    schema, table = name.split(".")
    return "sources/shop.yaml" if schema == "raw" else f"transforms/{schema}/{table}.sql"


SHOP = {
    TableName.parse(name): Transform(
        output=TableName.parse(name),
        body=SqlQuery("SELECT 1"),
        file=file_of(name),
        line=1,
        code_hash="",
        inputs=tuple(TableName.parse(one) for one in reads),
        tags=TAGS.get(name, ()),
    )
    for name, reads in READS.items()
}


def selected(*selectors: str) -> list[str]:
    return sorted(str(table) for table in select(selectors, SHOP))


CASES = [
    ("marts.revenue", "marts.revenue"),
    ("MARTS.Revenue", "marts.revenue"),
    ("revenue", "marts.revenue"),
    ("+staging.orders", "raw.orders staging.orders"),
    ("core.orders+", "core.orders marts.churn marts.revenue"),
    ("1+core.orders", "core.customers core.orders staging.orders"),
    (
        "2+core.orders+1",
        "core.customers core.orders marts.churn marts.revenue raw.orders staging.customers staging.orders",
    ),
    ("staging.customers+1", "core.customers staging.customers"),
    ("0+core.orders+0", "core.orders"),
    ("core.*", "core.customers core.orders"),
    ("*.orders", "core.orders raw.orders staging.orders"),
    ("1+marts.*", "core.customers core.orders marts.churn marts.revenue"),
    ("tag:gold", "marts.churn marts.revenue"),
    ("tag:finance", "marts.revenue"),
    ("1+tag:finance", "core.orders marts.revenue"),
    ("file:transforms/core/*.sql", "core.customers core.orders"),
    ("file:transforms/**/orders.sql", "core.orders staging.orders"),
    ("file:sources/shop.yaml", "raw.customers raw.orders"),
    ("file:sources/shop.yaml+1", "raw.customers raw.orders staging.customers staging.orders"),
    ("marts.revenue,raw.orders", "marts.revenue raw.orders"),
    ("marts.revenue, tag:silver ,", "core.orders marts.revenue"),
]


@pytest.mark.parametrize(("selector", "tables"), CASES)
def test_a_selector_selects(selector: str, tables: str) -> None:
    assert selected(selector) == tables.split()


def test_several_selectors_are_a_union_and_none_is_everything() -> None:
    assert selected("tag:silver", "raw.*") == ["core.orders", "raw.customers", "raw.orders"]
    assert selected() == selected("*") == sorted(READS)


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("core.ordrs", "core.orders"),
        ("+mart.revenue", "marts.revenue"),
        ("nothing.like_it", "forge plan"),
        ("tag:glod", "gold"),
        ("file:transforms/*.sql", "transforms/core/orders.sql"),
        ("cores.*", "forge plan"),
        ("tags:gold", "tag"),
        ("orders", "core.orders or raw.orders or staging.orders"),
        ("core.orders++", "selector"),
        ("+", "selector"),
    ],
)
def test_a_selector_that_selects_nothing_is_unknown_and_names_the_nearest(selector: str, hint: str) -> None:
    with pytest.raises(ForgeError) as raised:
        selected(selector)
    error = raised.value
    assert error.code == "E108"
    assert hint in f"{error.what} {error.fix}"


STEPS = st.none() | st.integers(0, 3)


@given(st.sampled_from(sorted(READS)), STEPS, STEPS, st.booleans(), st.booleans())
def test_steps_are_those_of_the_graph(table: str, up: int | None, down: int | None, plus: bool, minus: bool) -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([(one, name) for name, reads in READS.items() for one in reads])
    text = f"{'' if up is None else up}+{table}" if plus else table
    text = f"{text}+{'' if down is None else down}" if minus else text
    wanted = {table}
    if plus:
        wanted |= set(nx.single_source_shortest_path_length(graph.reverse(), table, cutoff=up))
    if minus:
        wanted |= set(nx.single_source_shortest_path_length(graph, table, cutoff=down))
    assert selected(text) == sorted(wanted)
