"""A column seen by table, schema or system: the walk goes from column to column, and what it reaches is rolled up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.fact import EdgeFact
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.levels import group_of
from forge.lineage.graph.request import Direction, TraversalRequest
from forge.lineage.graph.traversal import Traversal
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import Entity, GraphLevel, NodeType, column_of, table_of

THEN = datetime(2024, 1, 1, tzinfo=UTC)
COPIED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)
CONSUMES = EdgeKind(EdgeType.CONSUMES, None)
BOARD = Entity(NodeType.DASHBOARD, "board")


def entity(name: str) -> Entity:
    table, _, column = name.rpartition(".")
    return column_of(table, column) if name.count(".") > 1 or ":" in name else table_of(name)


def fact(source: str | Entity, target: str | Entity, sure: float = 1.0, kind: EdgeKind = COPIED) -> EdgeFact:
    one, two = (end if isinstance(end, Entity) else entity(end) for end in (source, target))
    return EdgeFact(
        source=one,
        target=two,
        kind=kind,
        producer="p",
        confidence=sure,
        valid_from=THEN,
        transformation=Transformation.IDENTITY,
    )


SHOP = Graph.of_facts(
    [
        fact("files:data/countries.csv.name", "raw.countries.name"),
        fact("files:data/countries.csv.rate", "raw.countries.rate"),
        fact("files:data/orders.csv.amount", "raw.orders.amount"),
        fact("raw.orders.amount", "core.orders.amount", 0.8),
        fact("raw.countries.rate", "core.orders.amount"),
        fact("core.orders.amount", "core.orders.doubled"),
        fact("raw.countries.name", "marts.country.name"),
        fact("core.orders.amount", "marts.country.revenue"),
        fact("core.orders.doubled", "marts.country.twice", 0.9),
        fact("raw.orders.state", "marts.country.guess", 0.3),
        fact("raw.orders.kind", "marts.country", kind=indirect_kind(IndirectType.FILTER)),
        fact("core.orders", "marts.country", kind=EdgeKind()),
        fact("marts.country.name", "share.list.name"),
        fact("marts.country.revenue", BOARD, kind=CONSUMES),
        fact("marts.country.name", Entity(NodeType.REPORT, "names"), kind=CONSUMES),
        fact("marts.country", Entity(NodeType.REPORT, "whole"), kind=CONSUMES),
    ]
)


def reached(found: Traversal) -> list[tuple[str, int, float]]:
    return [(item.name, item.depth, item.confidence) for item in found.items]


def test_a_column_by_table_has_only_the_tables_that_it_comes_from() -> None:
    found = SHOP.upstream("marts.country.name", level=GraphLevel.TABLE)
    assert reached(found) == [("raw.countries", 1, 1.0), ("files:data/countries.csv", 2, 1.0)]
    assert [node.id for node in found.starts] == ["marts.country"]
    assert [link.id for link in found.links] == [
        "files:data/countries.csv->raw.countries#copied",
        "raw.countries->marts.country#copied",
    ]


def test_the_table_itself_has_all_of_them() -> None:
    names = [item.name for item in SHOP.upstream("marts.country", level=GraphLevel.TABLE).items]
    assert names == ["core.orders", "raw.countries", "files:data/countries.csv", "raw.orders", "files:data/orders.csv"]


@pytest.mark.parametrize(
    ("start", "direction", "level", "names"),
    [
        ("raw.countries.name", "downstream", GraphLevel.TABLE, ["marts.country", "report:names", "share.list"]),
        ("raw.countries.name", "downstream", GraphLevel.SCHEMA, ["schema:marts", "report:names", "schema:share"]),
        ("marts.country.name", "upstream", GraphLevel.SCHEMA, ["schema:raw", "schema:files.default"]),
        ("marts.country.name", "upstream", GraphLevel.SYSTEM, ["system:files"]),
        ("marts.country.name", "both", GraphLevel.TABLE, [
            *("report:names", "share.list"),
            *("raw.countries", "files:data/countries.csv"),
        ]),
        ("raw.orders", "downstream", GraphLevel.SCHEMA, [
            *("schema:core", "schema:marts", "dashboard:board", "report:names", "report:whole", "schema:share"),
        ]),
        ("share.list", "upstream", GraphLevel.SCHEMA, [
            *("schema:marts", "schema:core", "schema:raw", "schema:files.default"),
        ]),
        ("dashboard:board", "upstream", GraphLevel.TABLE, [
            *("marts.country", "core.orders", "raw.countries", "raw.orders"),
            *("files:data/countries.csv", "files:data/orders.csv"),
        ]),
        ("report:names", "upstream", GraphLevel.TABLE, ["marts.country", "raw.countries", "files:data/countries.csv"]),
        ("report:whole", "upstream", GraphLevel.SCHEMA, ["schema:marts", "schema:core", "schema:raw",
                                                    "schema:files.default"]),
    ],
)  # fmt: skip
def test_what_is_reached_is_rolled_up(start: str, direction: Direction, level: GraphLevel, names: list[str]) -> None:
    assert [
        item.name for item in SHOP.walk(TraversalRequest(start=start, direction=direction, level=level)).items
    ] == names


def test_depth_and_confidence_are_those_of_the_nearest_and_the_surest_column() -> None:
    found = SHOP.upstream("marts.country.twice", level=GraphLevel.TABLE)
    assert reached(found) == [
        ("core.orders", 1, 0.9),
        ("raw.countries", 3, 0.9),
        ("raw.orders", 3, pytest.approx(0.72)),
        ("files:data/countries.csv", 4, 0.9),
        ("files:data/orders.csv", 4, pytest.approx(0.72)),
    ]
    assert [item.name for item in SHOP.upstream("marts.country.twice", depth=2, level=GraphLevel.TABLE).items] == [
        "core.orders"
    ]


def test_what_only_shapes_rows_is_rolled_up_when_it_is_asked_for() -> None:
    found = SHOP.upstream("marts.country.name", level=GraphLevel.TABLE, indirect=True)
    assert [item.name for item in found.items] == ["raw.countries", "raw.orders", "files:data/countries.csv"]


def test_edges_that_are_not_sure_enough_are_counted() -> None:
    assert SHOP.upstream("marts.country.guess", level=GraphLevel.TABLE).hidden == 1
    assert SHOP.upstream("marts.country.name", level=GraphLevel.TABLE).hidden == 0


def test_each_hangs_below_the_one_it_was_reached_from() -> None:
    found = SHOP.upstream("marts.country.twice", level=GraphLevel.TABLE)
    assert {item.name: item.via.target for item in found.items} == {
        "core.orders": "marts.country",
        "raw.countries": "core.orders",
        "raw.orders": "core.orders",
        "files:data/countries.csv": "raw.countries",
        "files:data/orders.csv": "raw.orders",
    }


def test_a_limit_and_filters_choose_of_what_was_rolled_up() -> None:
    found = SHOP.upstream("marts.country.twice", level=GraphLevel.TABLE, limit=2)
    assert ([item.name for item in found.items], found.total) == (["core.orders", "raw.countries"], 5)
    found = SHOP.upstream("marts.country.twice", level=GraphLevel.TABLE, schemas=frozenset({"raw"}))
    assert [item.name for item in found.items] == ["raw.countries", "raw.orders"]


def test_paths_go_from_table_to_table_along_the_column() -> None:
    found = SHOP.upstream("marts.country.twice", level=GraphLevel.TABLE, paths=2)
    assert [[hop.node.id for hop in path.hops] for path in found.paths] == [
        ["core.orders", "raw.countries", "files:data/countries.csv"],
        ["core.orders", "raw.orders", "files:data/orders.csv"],
    ]
    (path,) = SHOP.paths(
        "schema:files.default", TraversalRequest(start="marts.country.name", level=GraphLevel.SCHEMA), 3
    )
    assert [hop.node.id for hop in path.hops] == ["schema:raw", "schema:files.default"]


NAMES = [f"{system}s{schema}.t{of}.c{own}" for system in ("", "x:") for schema in "ab" for of in "12" for own in "xyz"]
EDGES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from([0.3, 0.5, 0.8, 1.0])),
    max_size=60,
    unique_by=lambda triple: triple[:2],
)


@given(
    edges=EDGES,
    level=st.sampled_from([GraphLevel.TABLE, GraphLevel.SCHEMA, GraphLevel.DATABASE, GraphLevel.SYSTEM]),
    depth=st.one_of(st.none(), st.integers(0, 4)),
    way=st.sampled_from(["upstream", "downstream"]),
)
def test_it_is_what_networkx_reaches_from_the_column(
    edges: list[tuple[str, str, float]], level: GraphLevel, depth: int | None, way: Direction
) -> None:
    facts = [fact(*edge) for edge in edges]
    facts += [fact(f"sa.t{of}", f"sb.t{of}", kind=EdgeKind()) for of in "12"]  # between tables, which no column takes
    facts.append(fact(NAMES[0], NAMES[0]))
    found = Graph.of_facts(facts).walk(TraversalRequest(start=NAMES[0], direction=way, depth=depth, level=level))
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_weighted_edges_from(edge for edge in [*edges, (NAMES[0], NAMES[0], 1.0)] if edge[2] >= 0.5)
    graph = graph.reverse() if way == "upstream" else graph
    assert {item.name: (item.depth, item.confidence) for item in found.items} == rolled_up(
        graph, depth, lambda name: _seen_from(level, name)
    )
    names = {item.name for item in found.items} | {_seen_from(level, NAMES[0])}
    assert {end for link in found.links for end in (link.source, link.target)} <= names
    for item in found.items:  # each is led to, hop by hop, from the start
        seen = {item.name}
        while item.via and (before := item.via.target if way == "upstream" else item.via.source) in (
            by_name := {one.name: one for one in found.items}
        ):
            assert before not in seen
            seen.add(before)
            item = by_name[before]
        assert before == _seen_from(level, NAMES[0])


def rolled_up(
    graph: networkx.DiGraph[str], depth: int | None, up: Callable[[str], str]
) -> dict[str, tuple[int, float]]:
    """Fewest hops and the greatest product of at most so many hops, of the best member of each group."""
    hops = networkx.single_source_shortest_path_length(graph, NAMES[0], cutoff=depth)
    best = {NAMES[0]: 1.0}
    for _ in range(len(graph) if depth is None else depth):
        before = dict(best)
        for name, sure in before.items():
            for far, edge in graph[name].items():
                best[far] = max(best.get(far, 0.0), sure * edge["weight"])
    found: dict[str, tuple[int, float]] = {}
    for name, length in hops.items():
        group = up(name)
        if group != up(NAMES[0]):
            near, sure = found.get(group, (length, 0.0))
            found[group] = min(near, length), max(sure, best[name])
    return {group: (near, pytest.approx(sure)) for group, (near, sure) in found.items()}  # type: ignore[misc]


def _seen_from(level: GraphLevel, name: str) -> str:
    table = name.rpartition(".")[0]
    return table if level is GraphLevel.TABLE else group_of(table, level).id
