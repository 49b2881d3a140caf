"""What a time, a snapshot, a branch or a commit means where branches move and edges begin or end later than now."""

from __future__ import annotations

from datetime import timedelta

import pytest
from committed_lineage import MAIN, CommittedLineage, edge

from forge.flows.lineage.reader import GraphReader, open_graph
from forge.flows.lineage.snapshots import diff, save_snapshot
from forge.flows.lineage.write import record_edges
from forge.lineage.facts.claim import EdgeClaim
from forge.lineage.node import column_of
from forge.model.errors import ForgeError

COLUMNS = {"raw.a": {"x": "int", "y": "int"}, "core.b": {"x": "int", "y": "int"}}
MINUTES = timedelta(minutes=10)


@pytest.fixture
def world() -> CommittedLineage:
    """core.b.x comes from raw.a.x."""
    world = CommittedLineage()
    world.commit({"raw.a": [], "core.b": [edge("raw.a.x", "core.b.x")]}, columns=COLUMNS)
    return world


def sources(view: GraphReader, name: str = "core.b.x") -> list[str]:
    return [item.name for item in view.walk(name).items]


def test_a_snapshot_stays_as_it_was_when_an_older_commit_of_a_branch_lands(world: CommittedLineage) -> None:
    dev = world.branch("dev")
    landed = world.commit({"core.b": [edge("raw.a.y", "core.b.x")]}, branch=dev, columns=COLUMNS)
    world.now += MINUTES
    saved = save_snapshot(world.ports, "before")
    world.now += MINUTES
    world.move(MAIN, landed.id)
    assert sources(open_graph(world.ports)) == ["raw.a.y"]
    assert sources(open_graph(world.ports, "before")) == ["raw.a.x"]
    assert dict(saved.edges) == {"consumes": 1, "copied": 1, "executes": 2, "produces": 2}
    found = diff(world.ports, "before")
    assert [one.id for one in found.edges_added] == ["raw.a.y->core.b.x#copied"]
    assert [one.id for one in found.edges_removed] == ["raw.a.x->core.b.x#copied"]


def test_a_commit_is_found_by_its_name_after_main_was_moved_to_it(world: CommittedLineage) -> None:
    dev = world.branch("dev")
    other = world.commit({"core.b": [edge("raw.a.y", "core.b.x")]}, branch=dev, columns=COLUMNS)
    world.now += MINUTES
    left = world.commit({"core.b": [edge("raw.a.x", "core.b.y")]}, columns=COLUMNS)
    open_graph(world.ports)
    world.move(MAIN, other.id)
    open_graph(world.ports)
    world.commit({"core.c": []})
    assert sources(open_graph(world.ports, "HEAD~1")) == ["raw.a.y"]
    assert sources(open_graph(world.ports, other.id)) == ["raw.a.y"]
    assert sources(open_graph(world.ports, "HEAD~2")) == ["raw.a.x"]
    assert sources(open_graph(world.ports, left.id), "core.b.y") == ["raw.a.x"]


def test_commits_of_the_same_moment_are_told_apart(world: CommittedLineage) -> None:
    world.now -= timedelta(minutes=1)  # the clock went back: the next commit has the same time
    world.commit({"core.b": [edge("raw.a.y", "core.b.x")]}, columns=COLUMNS)
    assert sources(open_graph(world.ports)) == ["raw.a.y"]
    assert sources(open_graph(world.ports, "HEAD~1")) == ["raw.a.x"]


def test_an_edge_that_ends_later_holds_now_and_one_that_begins_later_does_not(world: CommittedLineage) -> None:
    ends = EdgeClaim(source=column_of("raw.a", "x"), target=column_of("core.b", "y"), valid_to=world.now + MINUTES)
    begins = EdgeClaim(source=column_of("raw.a", "y"), target=column_of("core.b", "y"), valid_from=world.now + MINUTES)
    record_edges(world.ports, [ends, begins], reason="planned")
    assert sources(open_graph(world.ports), "core.b.y") == ["raw.a.x"]
    world.now += MINUTES
    assert sources(open_graph(world.ports), "core.b.y") == ["raw.a.y"]


def test_a_time_to_come_cannot_be_named(world: CommittedLineage) -> None:
    with pytest.raises(ForgeError, match="E810"):
        save_snapshot(world.ports, "soon", (world.now + MINUTES).isoformat())
    save_snapshot(world.ports, "now", world.now.isoformat())
