"""The same graph at other levels and times, its paths and unknown names; and that all who answer say the same."""

from __future__ import annotations

import pytest
from lineage_lines import DAY, START, LineageSite, depths, entity, links, names, routes, sureness
from lineage_sites import SQLITE_AND_NEO4J, memory_site
from random_lineage import RandomLineage

from forge.lineage.edge import Transformation
from forge.lineage.facts.claim import NodeClaim
from forge.lineage.graph.request import TraversalRequest, WalkDirection
from forge.lineage.graph.traversal import Path as LineagePath
from forge.lineage.node import GraphLevel
from forge.model.errors import ForgeError

ROLLED = """
raw.orders.amount -> core.orders.amount 0.9
raw.orders.id -> core.orders.id 0.8
core.orders.amount -> core.orders.tax
core.orders.tax -> marts.daily.total 0.6 aggregated sum(tax)
raw.extra -> marts.daily
marts.daily.total -consumes-> dashboard:revenue
"""


def test_at_table_level_columns_are_their_tables(site: LineageSite) -> None:
    site.say(ROLLED)
    found = site.ask("raw.orders", level=GraphLevel.TABLE)
    assert depths(found) == {"core.orders": 1, "marts.daily": 2, "dashboard:revenue": 3}
    assert sureness(found) == {"core.orders": 0.9, "marts.daily": 0.54, "dashboard:revenue": 0.54}
    assert links(found) == [
        "core.orders->marts.daily#aggregated",
        "marts.daily->dashboard:revenue#consumes",
        "raw.orders->core.orders#derived",
    ]


def test_a_rolled_up_link_is_the_surest_and_tells_an_expression_only_of_one_edge(site: LineageSite) -> None:
    site.say(ROLLED)
    by_target = {link.target: link for link in site.ask("raw.orders", level=GraphLevel.TABLE).links}
    assert (by_target["core.orders"].confidence, by_target["core.orders"].expression) == (0.9, "")
    assert by_target["core.orders"].transformation is Transformation.UNKNOWN
    assert by_target["marts.daily"].expression == "sum(tax)"


def test_at_table_level_edges_between_tables_count_too(site: LineageSite) -> None:
    site.say(ROLLED)
    assert names(site.ask("marts.daily", "upstream", level=GraphLevel.TABLE)) == [
        "core.orders",
        "raw.extra",
        "raw.orders",
    ]


@pytest.mark.parametrize(
    ("start", "level", "reached"),
    [
        ("schema:raw", GraphLevel.SCHEMA, {"schema:core": 1, "schema:marts": 1, "dashboard:revenue": 2}),
        ("database:lake", GraphLevel.DATABASE, {"dashboard:revenue": 1}),
        ("system:lake", GraphLevel.SYSTEM, {"dashboard:revenue": 1}),
        ("raw.orders", GraphLevel.SCHEMA, {"schema:core": 1, "schema:marts": 2, "dashboard:revenue": 3}),
        ("raw.orders", GraphLevel.SYSTEM, {"dashboard:revenue": 3}),
    ],
)
def test_higher_levels_are_derived_from_the_names(
    site: LineageSite, start: str, level: GraphLevel, reached: dict[str, int]
) -> None:
    site.say(ROLLED)
    assert depths(site.ask(start, level=level)) == reached


def test_a_group_can_be_where_a_walk_begins(site: LineageSite) -> None:
    site.say(ROLLED)
    found = site.ask("schema:core", level=GraphLevel.SCHEMA)
    assert depths(found) == {"schema:marts": 1, "dashboard:revenue": 2}


FIELDS = """
raw.users.address.city -> core.users.city 0.9 copied
raw.users.address.zip -> core.users.zip
raw.users.id -> core.users.id
"""


def test_fields_are_entities_at_their_level_and_their_column_above_it(site: LineageSite) -> None:
    site.say(FIELDS)
    assert names(site.ask("core.users.city", "upstream", level=GraphLevel.FIELD)) == ["raw.users.address.city"]
    assert sureness(site.ask("core.users.city", "upstream")) == {"raw.users.address": 0.9}
    assert names(site.ask("raw.users.address")) == ["core.users.city", "core.users.zip"]
    assert names(site.ask("raw.users.address.zip", level=GraphLevel.FIELD)) == ["core.users.zip"]


def test_the_graph_of_another_time(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x 0.9\na.b.x -> a.c.x")
    site.say("a.a.x -> a.b.x 0.7\na.a.x -> a.d.x", day=2)
    assert sureness(site.ask("a.a.x")) == {"a.b.x": 0.7, "a.d.x": 1.0}
    assert sureness(site.ask("a.a.x", at=START + DAY)) == {"a.b.x": 0.9, "a.c.x": 0.9}
    assert sureness(site.ask("a.a.x", at=START + 2 * DAY)) == {"a.b.x": 0.7, "a.d.x": 1.0}  # an interval has no end
    assert names(site.ask("a.a.x", at=START - DAY)) == []
    (link,) = (one for one in site.ask("a.a.x", at=START).links if one.target == "a.b.x")
    assert (link.valid_from, link.valid_to) == (START, START + 2 * DAY)


def test_claims_of_several_producers_support_each_other(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x 0.5", producer="one")
    site.say("a.a.x -> a.b.x 0.5", producer="two")
    assert sureness(site.ask("a.a.x")) == {"a.b.x": 0.75}
    site.say("", producer="two", day=1)
    assert sureness(site.ask("a.a.x")) == {"a.b.x": 0.5}


def test_what_is_recorded_later_is_answered_at_once(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x")
    assert names(site.ask("a.a.x")) == ["a.b.x"]
    site.say("a.b.x -> a.c.x", producer="other")
    assert names(site.ask("a.a.x")) == ["a.b.x", "a.c.x"]


@pytest.mark.parametrize("direction", ["upstream", "downstream", "both"])
def test_an_unknown_name_is_told_with_the_nearest(site: LineageSite, direction: WalkDirection) -> None:
    site.say("core.orders.amount -> marts.daily.total")
    with pytest.raises(ForgeError) as caught:
        site.ask("core.orders.amuont", direction)
    assert caught.value.code == "E801"
    assert "core.orders.amount" in str(caught.value.fix)


def test_a_node_without_edges_is_known_and_reaches_nothing(site: LineageSite) -> None:
    site.say("", nodes=[NodeClaim(entity("core.lonely"))])
    found = site.ask("core.lonely", "both")
    assert (found.items, found.links, found.total, found.hidden) == ((), (), 0, 0)


DIAMOND = """
a.a.x -> a.b.x 0.9
a.a.x -> a.c.x 0.8
a.b.x -> a.d.x 0.9
a.c.x -> a.d.x
a.a.x -> a.d.x 0.7
a.d.x -> a.b.x
"""


def test_the_surest_paths_come_first_and_none_goes_in_circles(site: LineageSite) -> None:
    site.say(DIAMOND)
    found = site.paths("a.a.x", "a.d.x", 5)
    assert routes(found) == ["a.a.x > a.b.x > a.d.x", "a.a.x > a.c.x > a.d.x", "a.a.x > a.d.x"]
    assert [round(path.confidence, 9) for path in found] == [0.81, 0.8, 0.7]
    assert [hop.depth for hop in found[0].hops] == [1, 2]
    assert routes(site.paths("a.a.x", "a.d.x", 1)) == ["a.a.x > a.b.x > a.d.x"]


def test_of_equally_sure_paths_the_shorter_comes_first(site: LineageSite) -> None:
    site.say("a.a.x -> a.z.x\na.a.x -> a.b.x\na.b.x -> a.z.x")
    assert routes(site.paths("a.a.x", "a.z.x", 2)) == ["a.a.x > a.z.x", "a.a.x > a.b.x > a.z.x"]


def test_paths_keep_to_depth_and_direction(site: LineageSite) -> None:
    site.say(DIAMOND)
    assert routes(site.paths("a.a.x", "a.d.x", 5, depth=1)) == ["a.a.x > a.d.x"]
    assert routes(site.paths("a.d.x", "a.a.x", 1, direction="upstream")) == ["a.d.x > a.b.x > a.a.x"]
    assert site.paths("a.d.x", "a.a.x", 1) == ()


def test_a_path_to_what_nobody_knows_is_an_error(site: LineageSite) -> None:
    site.say(DIAMOND)
    with pytest.raises(ForgeError) as caught:
        site.paths("a.a.x", "a.e.x", 1)
    assert caught.value.code == "E801"


def test_a_walk_gives_the_best_paths_to_its_ends_on_request(site: LineageSite) -> None:
    site.say("a.a.x -> a.b.x 0.9\na.a.x -> a.c.x 0.8\na.b.x -> a.d.x\na.c.x -> a.d.x")
    assert routes(site.ask("a.a.x", paths=2).paths) == ["a.a.x > a.b.x > a.d.x", "a.a.x > a.c.x > a.d.x"]
    assert site.ask("a.a.x").paths == ()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("site", SQLITE_AND_NEO4J, indirect=True)
def test_all_give_the_same_answers_on_random_histories(site: LineageSite, seed: int) -> None:
    world = RandomLineage(seed)
    plain = memory_site()
    for batch in world.batches():
        plain.store.record([batch])
        site.store.record([batch])
    for ask in world.asks(20):
        assert said(site, ask) == said(plain, ask), ask
        assert told_paths(site, ask, world.anywhere) == told_paths(plain, ask, world.anywhere), ask


def said(site: LineageSite, ask: TraversalRequest) -> dict[str, object]:
    try:
        found = site.answers.walk(ask)
    except ForgeError as error:
        return {"code": error.code}
    starts = [node.to_dict() for node in found.starts]
    return {**found.to_dict(), "starts": starts, "paths": [told(path, ask.level) for path in found.paths]}


def told_paths(site: LineageSite, ask: TraversalRequest, target: str) -> object:
    try:
        return [told(path, ask.level) for path in site.answers.paths(target, ask, 3)]
    except ForgeError as error:
        return error.code


def told(path: LineagePath, level: GraphLevel) -> object:
    """Above fields several edges may be one hop; which of them it names is not told by the graph."""
    return path.to_dict() if level is GraphLevel.FIELD else (routes([path]), path.confidence)
