"""Columns that only shape rows: followed on request, to the table and from there through its columns."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge
from forge.lineage.facts.fact import EdgeFact
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.request import Direction, EdgeFilter, TraversalRequest
from forge.lineage.graph.traversal import Traversal
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import Entity, GraphLevel, NodeType, column_of
from forge.model.names import ColumnName


def column(name: str) -> ColumnName:
    table, _, own = name.rpartition(".")
    return ColumnName(table, own)


def edge(source: str, target: str, confidence: float = 1.0) -> Edge:
    return Edge(source=column(source), target=column(target), confidence=confidence)


SHOP = Graph.of(
    [
        edge("raw.orders.status", "core.orders.status", 0.9),
        edge("core.orders.amount", "marts.daily.total"),
        edge("core.orders.day", "marts.daily.day"),
        edge("marts.daily.total", "marts.kpi.value", 0.8),
    ],
    [TableEdge("core.orders", "marts.daily"), TableEdge("marts.daily", "marts.copy")],
    [
        IndirectEdge(column("core.orders.status"), "marts.daily", IndirectType.FILTER),
        IndirectEdge(column("core.orders.day"), "marts.daily", IndirectType.GROUP_BY),
    ],
)


def reached(found: Traversal) -> list[tuple[str, int, float]]:
    return [(item.name, item.depth, item.confidence) for item in found.items]


def test_without_asking_only_values_are_followed() -> None:
    assert reached(SHOP.downstream("core.orders.status")) == []
    assert reached(SHOP.upstream("marts.daily.total")) == [("core.orders.amount", 1, 1.0)]


def test_downstream_a_table_leads_on_through_all_its_columns() -> None:
    found = SHOP.downstream("raw.orders.status", indirect=True)
    assert reached(found) == [
        ("core.orders.status", 1, 0.9),
        ("marts.daily", 2, 0.9),
        ("marts.daily.day", 2, 0.9),
        ("marts.daily.total", 2, 0.9),
        ("marts.copy", 3, 0.9),
        ("marts.kpi.value", 3, pytest.approx(0.72)),
    ]
    by = {item.name: item.via.id for item in found.items}
    assert by["marts.daily.total"] == by["marts.daily"] == "core.orders.status->marts.daily#filter"
    assert by["marts.kpi.value"] == "marts.daily.total->marts.kpi.value#copied"


def test_upstream_a_column_also_comes_from_what_shapes_its_table() -> None:
    found = SHOP.upstream("marts.daily.total", indirect=True)
    assert reached(found) == [
        ("core.orders.amount", 1, 1.0),
        ("core.orders.day", 1, 1.0),
        ("core.orders.status", 1, 1.0),
        ("raw.orders.status", 2, 0.9),
    ]
    assert [link.id for link in found.links] == [
        "core.orders.amount->marts.daily.total#copied",
        "core.orders.day->marts.daily#group_by",
        "core.orders.status->marts.daily#filter",
        "raw.orders.status->core.orders.status#copied",
    ]


def test_ways_of_shaping_can_be_chosen() -> None:
    found = SHOP.upstream("marts.daily.total", indirect=True, subtypes=frozenset({IndirectType.FILTER}))
    assert [item.name for item in found.items] == ["core.orders.amount", "core.orders.status", "raw.orders.status"]


def test_an_edge_met_from_a_table_and_from_its_column_is_hidden_once() -> None:
    shaky = EdgeFact(
        source=column_of("a.t", "x"),
        target=Entity(NodeType.TABLE, "b.u"),
        kind=indirect_kind(IndirectType.JOIN),
        producer="p",
        confidence=0.2,
        valid_from=datetime(2024, 1, 1, tzinfo=UTC),
    )
    sure = EdgeFact(
        source=column_of("a.t", "y"),
        target=column_of("b.u", "y"),
        kind=EdgeKind(),
        producer="p",
        confidence=1.0,
        valid_from=datetime(2024, 1, 1, tzinfo=UTC),
    )
    assert Graph.of_facts([shaky, sure]).upstream("b.u", indirect=True).hidden == 1


def test_by_table_what_shapes_rows_joins_tables() -> None:
    one = Graph.of([], [], [IndirectEdge(column("a.t.x"), "b.u", IndirectType.JOIN)])
    assert reached(one.downstream("a.t", level=GraphLevel.TABLE)) == []
    found = one.downstream("a.t", level=GraphLevel.TABLE, indirect=True)
    assert [link.id for link in found.links] == ["a.t->b.u#join"]


def test_paths_go_by_what_shapes_rows() -> None:
    edges = EdgeFilter(indirect=True)
    (down,) = SHOP.paths(
        "marts.kpi.value", TraversalRequest(start="core.orders.status", direction="downstream", edges=edges), 3
    )
    assert [hop.link.id for hop in down.hops] == [
        "core.orders.status->marts.daily#filter",
        "marts.daily.total->marts.kpi.value#copied",
    ]
    assert [hop.node.id for hop in down.hops] == ["marts.daily.total", "marts.kpi.value"]
    (up,) = SHOP.paths(
        "core.orders.status", TraversalRequest(start="marts.kpi.value", direction="upstream", edges=edges), 3
    )
    assert [hop.node.id for hop in up.hops] == ["marts.daily.total", "core.orders.status"]


TABLES = ["s.a", "s.b", "s.c", "s.d"]
COLUMNS = [f"{table}.{own}" for table in TABLES for own in "xy"]
SURE = st.sampled_from([0.3, 0.5, 0.8, 1.0])
DIRECT = st.lists(st.tuples(st.sampled_from(COLUMNS), st.sampled_from(COLUMNS), SURE), max_size=12)
SHAPES = st.lists(st.tuples(st.sampled_from(COLUMNS), st.sampled_from(TABLES), SURE), max_size=8)
COUNTS = st.lists(st.tuples(st.sampled_from(TABLES), st.sampled_from(TABLES), SURE), max_size=4)
FILTER, COPIED = indirect_kind(IndirectType.FILTER), EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)


def entity(name: str) -> Entity:
    return Entity(NodeType.TABLE, name) if name.count(".") == 1 else column_of(*name.rsplit(".", 1))


@given(
    direct=DIRECT,
    shapes=SHAPES,
    counts=COUNTS,
    way=st.sampled_from(["upstream", "downstream"]),
    depth=st.integers(0, 4),
    start=st.sampled_from([*COLUMNS, *TABLES]),
)
def test_the_walk_is_that_of_the_rule_written_plainly(
    direct: list[tuple[str, str, float]],
    shapes: list[tuple[str, str, float]],
    counts: list[tuple[str, str, float]],
    way: Direction,
    depth: int,
    start: str,
) -> None:
    kinds = [(direct, COPIED), (shapes, FILTER), (counts, EdgeKind())]
    best: dict[tuple[str, str, EdgeKind], float] = {}
    for triples, kind in kinds:
        for a, b, sure in triples:
            best[a, b, kind] = max(best.get((a, b, kind), 0.0), sure)
    then = datetime(2024, 1, 1, tzinfo=UTC)
    facts = [
        EdgeFact(source=entity(a), target=entity(b), kind=kind, producer="p", confidence=sure, valid_from=then)
        for (a, b, kind), sure in best.items()
    ]
    facts += [
        EdgeFact(source=entity(c), target=entity(c), kind=COPIED, producer="all", confidence=1.0, valid_from=then)
        for c in COLUMNS
    ]  # so that all are known
    found = Graph.of_facts(facts).walk(
        TraversalRequest(start=start, direction=way, depth=depth, edges=EdgeFilter(indirect=True))
    )
    starts = {start, *(c for c in COLUMNS if c.startswith(f"{start}."))}
    expected = plainly({key: sure for key, sure in best.items() if sure >= 0.5}, way, starts, depth)
    assert {(item.name, item.depth): item.confidence for item in found.items} == expected


def plainly(
    edges: dict[tuple[str, str, EdgeKind], float], way: Direction, starts: set[str], depth: int
) -> dict[tuple[str, int], float]:
    best, depths = dict.fromkeys(starts, 1.0), dict.fromkeys(starts, 0)
    for hops in range(1, depth + 1):
        longer = dict(best)
        for (source, target, kind), sure in edges.items():
            if way == "downstream":
                came = {source: best[source]} if source in best else {}
                arrives = [target, *(c for c in COLUMNS if c.startswith(f"{target}."))]
            else:
                inner = [c for c in COLUMNS if c.startswith(f"{target}.")] if kind == FILTER else []
                came = {near: best[near] for near in (target, *inner) if near in best}
                arrives = [source]
            for value in came.values():
                for far in arrives:
                    depths.setdefault(far, hops)
                    longer[far] = max(longer.get(far, -1.0), value * sure)
        best = longer
    return {(name, depths[name]): value for name, value in best.items() if name not in starts}
