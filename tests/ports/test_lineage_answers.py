"""Whoever walks the lineage graph: the index on the record, in memory and in SQL, and a Neo4j server fed from it."""

from __future__ import annotations

import pytest
from lineage_lines import START, LineageSite, depths, entity, links, names, sureness

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import NodeClaim
from forge.lineage.kind import EdgeType
from forge.lineage.node import GraphLevel, NodeType

CHAIN = """
raw.orders.amount -> core.orders.amount 0.9
core.orders.amount -> marts.daily.total 0.8 aggregated sum(amount)
marts.daily.total -> marts.yearly.total
"""


def test_downstream_goes_along_the_edges(site: LineageSite) -> None:
    site.say(CHAIN)
    found = site.ask("raw.orders.amount")
    assert depths(found) == {"core.orders.amount": 1, "marts.daily.total": 2, "marts.yearly.total": 3}
    assert sureness(found) == {"core.orders.amount": 0.9, "marts.daily.total": 0.72, "marts.yearly.total": 0.72}
    assert {item.direction for item in found.items} == {"downstream"}


def test_upstream_goes_against_them(site: LineageSite) -> None:
    site.say(CHAIN)
    assert depths(site.ask("marts.daily.total", "upstream")) == {"core.orders.amount": 1, "raw.orders.amount": 2}


def test_both_tells_each_direction_apart(site: LineageSite) -> None:
    site.say(CHAIN)
    found = site.ask("core.orders.amount", "both")
    assert [(item.direction, item.name) for item in found.items] == [
        ("downstream", "marts.daily.total"),
        ("downstream", "marts.yearly.total"),
        ("upstream", "raw.orders.amount"),
    ]
    assert len(found.links) == 3


def test_items_come_by_depth_and_then_by_name(site: LineageSite) -> None:
    site.say("raw.a.x -> core.b.z\nraw.a.x -> core.b.y\ncore.b.z -> core.a.a")
    assert names(site.ask("raw.a.x")) == ["core.b.y", "core.b.z", "core.a.a"]


def test_an_item_tells_what_it_is_and_how_it_was_reached(site: LineageSite) -> None:
    site.say(CHAIN, nodes=[NodeClaim(entity("marts.daily.total"), {"data_type": "double", "nullable": True})])
    (item,) = site.ask("core.orders.amount", depth=1).items
    assert (item.node.type, item.table, item.column) == (NodeType.COLUMN, "marts.daily", "total")
    assert dict(item.node.details) == {"data_type": "double", "nullable": True}
    via = item.via
    assert via.id == "core.orders.amount->marts.daily.total#aggregated"
    assert (via.transformation, via.expression, via.confidence) == (Transformation.AGGREGATION, "sum(amount)", 0.8)
    assert (via.valid_from, via.valid_to) == (START, None)


@pytest.mark.parametrize(
    ("depth", "reached"),
    [
        (0, []),
        (1, ["core.orders.amount"]),
        (2, ["core.orders.amount", "marts.daily.total"]),
        (None, ["core.orders.amount", "marts.daily.total", "marts.yearly.total"]),
    ],
)
def test_depth_bounds_the_hops(site: LineageSite, depth: int | None, reached: list[str]) -> None:
    site.say(CHAIN)
    assert names(site.ask("raw.orders.amount", depth=depth)) == reached


def test_the_usual_depth_is_ten_and_none_goes_all_the_way(site: LineageSite) -> None:
    site.say("\n".join(f"t.n{number}.x -> t.n{number + 1}.x" for number in range(30)))
    assert site.ask("t.n0.x").greatest_depth == 10
    assert site.ask("t.n0.x", depth=None).greatest_depth == 30


DETOUR = """
a.a.x -> a.z.x 0.5
a.a.x -> a.b.x 0.9
a.b.x -> a.c.x 0.9
a.c.x -> a.z.x 0.9
"""


def test_depth_is_the_fewest_hops_and_confidence_that_of_the_surest_way(site: LineageSite) -> None:
    site.say(DETOUR)
    found = site.ask("a.a.x")
    assert depths(found)["a.z.x"] == 1
    assert sureness(found)["a.z.x"] == 0.729
    assert next(item.via.source for item in found.items if item.name == "a.z.x") == "a.c.x"


def test_a_sure_way_that_is_too_long_does_not_count(site: LineageSite) -> None:
    site.say(DETOUR)
    assert sureness(site.ask("a.a.x", depth=2)) == {"a.b.x": 0.9, "a.c.x": 0.81, "a.z.x": 0.5}


def test_of_equally_sure_ways_the_shorter_and_then_the_smaller_name_is_told(site: LineageSite) -> None:
    site.say("a.a.x -> a.c.x\na.a.x -> a.b.x\na.b.x -> a.z.x\na.c.x -> a.z.x\na.c.x -> a.d.x\na.d.x -> a.z.x")
    assert next(item.via.source for item in site.ask("a.a.x").items if item.name == "a.z.x") == "a.b.x"


UNSURE = """
a.a.x -> a.b.x 0.4
a.a.x -> a.c.x 0.5
a.c.x -> a.d.x 0.5
a.b.x -> a.e.x 0.1
a.d.x -> a.f.x 0.49
"""


def test_edges_that_are_not_sure_enough_are_counted_and_not_followed(site: LineageSite) -> None:
    site.say(UNSURE)
    found = site.ask("a.a.x")
    assert names(found) == ["a.c.x", "a.d.x"]  # by edge, however unsure the way becomes
    assert found.hidden == 2
    assert site.ask("a.a.x", depth=2).hidden == 1  # the last is behind the limit


def test_a_lower_bound_follows_them(site: LineageSite) -> None:
    site.say(UNSURE)
    found = site.ask("a.a.x", min_confidence=0.4)
    assert (names(found), found.hidden) == (["a.b.x", "a.c.x", "a.d.x", "a.f.x"], 1)
    assert site.ask("a.a.x", min_confidence=0.0).hidden == 0


def test_entities_are_counted_by_level_of_confidence(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x\na.a.x -> a.c.x 0.9\na.c.x -> a.d.x 0.8")
    found = site.ask("a.a.x")
    assert dict(found.levels) == {"certain": 1, "high": 1, "medium": 1}
    assert (found.total, found.greatest_depth) == (3, 2)


def test_cycles_are_legal(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x 0.9\na.b.x -> a.c.x 0.9\na.c.x -> a.a.x 0.9\na.c.x -> a.b.x")
    found = site.ask("a.a.x", depth=None)
    assert sureness(found) == {"a.b.x": 0.9, "a.c.x": 0.81}  # the start is not reached
    assert links(found) == sorted(
        ["a.a.x->a.b.x#derived", "a.b.x->a.c.x#derived", "a.c.x->a.a.x#derived", "a.c.x->a.b.x#derived"]
    )


def test_self_edges_are_legal_and_reach_nothing(site: LineageSite) -> None:
    site.say("a.a.x -> a.a.x\na.a.x -> a.b.x\na.b.x -> a.b.x")
    assert depths(site.ask("a.a.x", "both")) == {"a.b.x": 1}


def test_a_ladder_of_diamonds_is_walked_by_edges_not_by_paths(site: LineageSite) -> None:
    rungs = 60  # 2^60 paths
    lines = [
        f"t.n{at}.{left} -> t.n{at + 1}.{right} {0.9 if right == 'l' else 0.8}"
        for at in range(rungs)
        for left in "lr"
        for right in "lr"
    ]
    site.say("\n".join(lines))
    found = site.ask(f"t.n{rungs}.l", "upstream", depth=None)
    assert (found.total, found.greatest_depth) == (2 * rungs, rungs)
    assert sureness(found)["t.n0.r"] == round(0.9**rungs, 9)


TYPED = """
core.orders.amount -consumes-> dashboard:revenue
transform:orders -produces-> core.orders
pipeline:nightly -executes-> transform:orders
core.orders.amount -> marts.daily.total
marts.daily.total -consumes-> report:board
"""


def test_a_walk_follows_derived_produced_and_consumed(site: LineageSite) -> None:
    site.say(TYPED)
    assert names(site.ask("core.orders.amount")) == ["dashboard:revenue", "marts.daily.total", "report:board"]
    assert names(site.ask("core.orders", "upstream")) == ["transform:orders"]


def test_edge_types_choose_where_it_goes(site: LineageSite) -> None:
    site.say(TYPED)
    assert names(site.ask("core.orders.amount", types=frozenset({EdgeType.CONSUMES}))) == ["dashboard:revenue"]
    run = frozenset({EdgeType.PRODUCES, EdgeType.EXECUTES})
    assert names(site.ask("core.orders", "upstream", types=run)) == ["transform:orders", "pipeline:nightly"]
    assert names(site.ask("pipeline:nightly", types=run)) == ["transform:orders", "core.orders"]


def test_relationships_choose_where_it_goes(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x 1 copied\na.a.x -> a.c.x 1 aggregated\na.c.x -> a.d.x 1 copied")
    assert names(site.ask("a.a.x", relationships=frozenset({"copied"}))) == ["a.b.x"]


def test_two_relationships_between_the_same_are_two_edges(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x 0.9 copied\na.a.x -> a.b.x 0.8 aggregated")
    found = site.ask("a.a.x")
    assert links(found) == ["a.a.x->a.b.x#copied", "a.a.x->a.b.x#aggregated"]
    assert sureness(found) == {"a.b.x": 0.9}


def test_node_types_choose_what_is_shown_not_where_it_goes(site: LineageSite) -> None:
    site.say(TYPED)
    shown = frozenset({NodeType.DASHBOARD, NodeType.REPORT})
    found = site.ask("core.orders.amount", node_types=shown)
    assert depths(found) == {"dashboard:revenue": 1, "report:board": 2}
    assert found.total == 2


def test_schemas_choose_what_is_shown(site: LineageSite) -> None:
    site.say(CHAIN)
    found = site.ask("raw.orders.amount", schemas=frozenset({"marts"}))
    assert names(found) == ["marts.daily.total", "marts.yearly.total"]
    assert names(site.ask("raw.orders.amount", schemas=frozenset({"lake.core"}))) == ["core.orders.amount"]


def test_files_choose_what_is_shown(site: LineageSite) -> None:
    nodes = [
        NodeClaim(entity("core.orders"), {"source_file": "jobs/core.sql"}),
        NodeClaim(entity("marts.daily"), {"source_file": "jobs/daily.sql"}),
    ]
    site.say(CHAIN, nodes=nodes)
    assert names(site.ask("raw.orders.amount", files=frozenset({"jobs/daily.sql"}))) == ["marts.daily.total"]


def test_what_lives_only_inside_a_statement_is_hidden_unless_asked_for(site: LineageSite) -> None:
    site.say(CHAIN, nodes=[NodeClaim(entity("core.orders"), {"kind": "cte"})])
    assert names(site.ask("raw.orders.amount")) == ["marts.daily.total", "marts.yearly.total"]
    assert len(site.ask("raw.orders.amount", intermediate=True).items) == 3


def test_edges_through_the_inside_of_a_program_are_followed_only_where_that_is_asked_for(site: LineageSite) -> None:
    lines = """
    raw.orders.amount -passes-> tmp.recent.amount
    tmp.recent.amount -passes-> marts.daily.total
    raw.orders.amount -> marts.daily.total
    """
    site.say(lines, nodes=[NodeClaim(entity("tmp.recent"), {"kind": "cte"})])
    found = site.ask("raw.orders.amount")
    assert (depths(found), len(found.links)) == ({"marts.daily.total": 1}, 1)
    asked = site.ask("raw.orders.amount", intermediate=True)
    assert depths(asked) == {"marts.daily.total": 1, "tmp.recent.amount": 1}
    assert len(asked.links) == 3


def test_a_limit_keeps_the_nearest_and_says_so(site: LineageSite) -> None:
    site.say("a.a.x -> a.c.x\na.a.x -> a.b.x\na.b.x -> a.d.x")
    found = site.ask("a.a.x", limit=2)
    assert (names(found), found.total, found.truncated) == (["a.b.x", "a.c.x"], 3, True)
    assert found.greatest_depth == 2
    assert links(found) == ["a.a.x->a.b.x#derived", "a.a.x->a.c.x#derived"]
    assert not site.ask("a.a.x", limit=3).truncated


SHAPED = """
raw.orders.amount -> core.orders.amount
raw.orders.status -filter-> core.orders
core.orders.amount -> marts.daily.total
core.orders.day -> marts.daily.day
core.days.day -join-> marts.daily 0.9
"""


def test_what_only_shapes_rows_is_left_out_unless_asked_for(site: LineageSite) -> None:
    site.say(SHAPED)
    assert names(site.ask("raw.orders.status")) == []
    assert names(site.ask("marts.daily.total", "upstream")) == ["core.orders.amount", "raw.orders.amount"]


def test_downstream_a_shaped_table_leads_on_through_all_its_columns(site: LineageSite) -> None:
    site.say(SHAPED)
    assert depths(site.ask("raw.orders.status", indirect=True)) == {
        "core.orders": 1,
        "core.orders.amount": 1,
        "core.orders.day": 1,
        "marts.daily.day": 2,
        "marts.daily.total": 2,
    }
    assert set(sureness(site.ask("core.days.day", indirect=True)).values()) == {0.9}


def test_upstream_a_column_also_depends_on_what_shapes_its_table(site: LineageSite) -> None:
    site.say(SHAPED)
    found = site.ask("marts.daily.total", "upstream", indirect=True)
    assert depths(found) == {
        "core.days.day": 1,
        "core.orders.amount": 1,
        "raw.orders.amount": 2,
        "raw.orders.status": 2,
    }
    assert "core.days.day->marts.daily#join" in links(found)


def test_the_way_of_shaping_can_be_chosen(site: LineageSite) -> None:
    site.say(SHAPED)
    joins = site.ask("marts.daily.total", "upstream", indirect=True, subtypes=frozenset({IndirectType.JOIN}))
    assert "core.days.day" in names(joins)
    assert "raw.orders.status" not in names(joins)


def test_a_table_starts_from_itself_and_all_its_columns(site: LineageSite) -> None:
    site.say(SHAPED + "core.orders -consumes-> dashboard:orders")
    found = site.ask("core.orders")
    assert depths(found) == {"dashboard:orders": 1, "marts.daily.day": 1, "marts.daily.total": 1}
    assert [node.id for node in found.starts] == ["core.orders", "core.orders.amount", "core.orders.day"]


def test_a_cycle_through_another_column_of_the_start_reaches_nothing_new(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x\na.b.x -> a.a.y")
    assert names(site.ask("a.a")) == ["a.b.x"]


def test_edges_between_tables_are_followed_from_tables(site: LineageSite) -> None:
    site.say("raw.a -> core.b\ncore.b -> marts.c\nraw.a.x -> core.d.x")
    assert names(site.ask("raw.a")) == ["core.b", "core.d.x", "marts.c"]
    assert names(site.ask("raw.a.x")) == ["core.d.x"]


def test_a_column_by_table_has_only_what_it_comes_from(site: LineageSite) -> None:
    site.say(
        """
        raw.orders.amount -> core.orders.amount
        raw.rates.rate -> core.orders.amount 0.9
        raw.places.name -> core.orders.place
        core.orders.amount -> marts.daily.total 0.8
        core.orders.place -> marts.daily.place
        core.orders -> marts.daily
        """
    )
    found = site.ask("marts.daily.total", "upstream", level=GraphLevel.TABLE)
    assert sureness(found) == {"core.orders": 0.8, "raw.orders": 0.8, "raw.rates": 0.72}
    assert depths(site.ask("raw.places.name", level=GraphLevel.SCHEMA)) == {"schema:core": 1, "schema:marts": 2}
    assert names(site.ask("raw.rates", level=GraphLevel.SCHEMA)) == ["schema:core", "schema:marts"]
