"""A property goes along the edges until something stops it."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.graph.propagate import Propagation, PropagationRule, propagate
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind

Direction = Literal["upstream", "downstream"]
COPIED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)


def brute_force(
    links: list[Link], origins: set[str], direction: Direction, rule: PropagationRule
) -> dict[str, tuple[float, int]]:
    """The best product of every simple path, and its fewest hops, by walking all of them."""
    best: dict[str, tuple[float, int]] = {}

    def walk(name: str, sure: float, seen: tuple[str, ...]) -> None:
        for link in links:
            source, end = (link.source, link.target) if direction == "downstream" else (link.target, link.source)
            if source != name or end in seen or rule.stops(link):
                continue
            told = (sure * link.confidence, -len(seen))
            if end not in origins:
                best[end] = max(best.get(end, (-1.0, 0)), told)
            walk(end, told[0], (*seen, end))

    for origin in origins:
        walk(origin, 1.0, (origin,))
    return {name: (sure, -hops) for name, (sure, hops) in best.items()}


names = st.sampled_from("abcdef")
# Halves and quarters multiply without rounding, so that equal ways are equal.
links_of = st.lists(
    st.builds(
        Link,
        source=names,
        target=names,
        kind=st.sampled_from([EdgeKind(), COPIED, EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.ANONYMIZED)]),
        transformation=st.sampled_from([Transformation.IDENTITY, Transformation.AGGREGATION]),
        masking=st.booleans(),
        confidence=st.sampled_from([0.125, 0.25, 0.5, 1.0]),
    ),
    max_size=12,
    unique_by=lambda link: link.sort_key,
)
rules = st.builds(PropagationRule, st.booleans(), st.booleans(), st.sampled_from([0.0, 0.3, 0.6]))


@given(links_of, st.sets(names, min_size=1, max_size=2), st.sampled_from(["upstream", "downstream"]), rules)
def test_each_carrier_has_the_surest_way_of_all(
    links: list[Link], origins: set[str], direction: Direction, rule: PropagationRule
) -> None:
    found = propagate(links, origins, direction=direction, rule=rule)
    assert {one.id: (one.confidence, one.hops) for one in found.carriers} == (
        brute_force(links, origins, direction, rule)
    )
    has_it = origins | {one.id for one in found.carriers}
    near = {link for link in links if (link.source if direction == "downstream" else link.target) in has_it}
    assert {one.link for one in found.stopped} == {link for link in near if rule.stops(link)}
    for one in found.carriers:
        path = found.path_to(one.id)
        if direction == "upstream":
            path = tuple(Link(source=link.target, target=link.source) for link in path)
        assert (path[0].source, path[-1].target, len(path)) == (one.origin, one.id, one.hops)
        assert all(before.target == after.source for before, after in pairwise(path))


@given(links_of, rules)
def test_the_order_of_the_links_does_not_matter(links: list[Link], rule: PropagationRule) -> None:
    assert propagate(links, ["a"], rule=rule) == propagate(list(reversed(links)), ["a"], rule=rule)


def ids(found: Propagation) -> list[str]:
    return [one.id for one in found.carriers]


def test_masking_stops_personal_data_and_is_named() -> None:
    links = [
        Link(source="raw.users.email", target="core.users.email"),
        Link(source="core.users.email", target="marts.mail.hash", masking=True),
        Link(source="marts.mail.hash", target="marts.report.hash"),
    ]
    found = propagate(links, ["raw.users.email"], property="pii:email")
    assert ids(found) == ["core.users.email"]
    assert [(one.link.id, one.reason, one.bypassed) for one in found.stopped] == [
        ("core.users.email->marts.mail.hash#derived", "masking", False)
    ]
    assert ids(propagate(links, ["raw.users.email"], rule=PropagationRule(masking=False))) == [
        "core.users.email",
        "marts.mail.hash",
        "marts.report.hash",
    ]


def test_masking_that_another_way_goes_around_is_said_to_be_bypassed() -> None:
    links = [
        Link(source="a", target="c", kind=EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.ANONYMIZED), masking=True),
        Link(source="a", target="b"),
        Link(source="b", target="c", kind=COPIED),
    ]
    found = propagate(links, ["a"])
    assert ids(found) == ["b", "c"]
    assert [one.bypassed for one in found.stopped] == [True]


def test_an_edge_without_any_confidence_carries_it_where_that_is_asked_for() -> None:
    links = [Link(source="a", target="b", confidence=0.0)]
    assert [one.reason for one in propagate(links, ["a"]).stopped] == ["confidence"]
    assert [one.confidence for one in propagate(links, ["a"], rule=PropagationRule(min_confidence=0.0)).carriers] == [
        0.0
    ]


def test_an_aggregate_carries_it_on_unless_told() -> None:
    links = [Link(source="a", target="b", transformation=Transformation.AGGREGATION)]
    assert ids(propagate(links, ["a"])) == ["b"]
    stopped = propagate(links, ["a"], rule=PropagationRule(aggregation=True))
    assert ids(stopped) == []
    assert [one.reason for one in stopped.stopped] == ["aggregation"]


def test_what_contains_or_executes_carries_nothing() -> None:
    links = [
        Link(source="a", target="b", kind=EdgeKind(EdgeType.CONTAINS, None)),
        Link(source="a", target="c", kind=EdgeKind(EdgeType.EXECUTES, None)),
    ]
    found = propagate(links, ["a"])
    assert (ids(found), found.stopped) == ([], ())


FILTERED = [
    Link(source="core.orders.status", target="marts.daily", kind=indirect_kind(IndirectType.FILTER)),
    Link(source="marts.daily.total", target="app.board.total"),
]
TABLES = {
    "marts.daily.total": "marts.daily",
    "marts.daily.day": "marts.daily",
    "core.orders.status": "core.orders",
    "app.board.total": "app.board",
}


def test_an_indirect_edge_carries_an_incident_to_all_columns_of_its_table_and_personal_data_nowhere() -> None:
    assert ids(propagate(FILTERED, ["core.orders.status"], tables=TABLES)) == []
    found = propagate(FILTERED, ["core.orders.status"], rule=PropagationRule(indirect=True), tables=TABLES)
    assert [(one.id, one.hops) for one in found.carriers] == [
        ("marts.daily", 1),
        ("marts.daily.day", 1),
        ("marts.daily.total", 1),
        ("app.board.total", 2),
    ]
    assert [link.id for link in found.path_to("app.board.total")] == [link.id for link in FILTERED]


def test_upstream_what_shapes_the_rows_of_a_table_shapes_its_columns() -> None:
    found = propagate(
        FILTERED, ["app.board.total"], direction="upstream", rule=PropagationRule(indirect=True), tables=TABLES
    )
    assert [(one.id, one.hops) for one in found.carriers] == [("marts.daily.total", 1), ("core.orders.status", 2)]


def test_a_table_starts_from_all_its_columns() -> None:
    found = propagate(FILTERED, ["marts.daily"], tables=TABLES)
    assert (found.origins, ids(found)) == (("marts.daily",), ["app.board.total"])


def test_a_ladder_of_diamonds_is_walked_edge_by_edge() -> None:
    links = [
        Link(source=f"{level}{side}", target=f"{level + 1}{other}", confidence=1.0)
        for level in range(60)
        for side in "lr"
        for other in "lr"
    ]
    found = propagate(links, ["0l"])
    assert len(found.carriers) == 120
    assert found.to_dict()["total"] == 120


@pytest.mark.parametrize("unknown", ["nowhere", ""])
def test_an_origin_that_no_edge_touches_is_fine(unknown: str) -> None:
    assert propagate([Link(source="a", target="b")], [unknown]).carriers == ()
