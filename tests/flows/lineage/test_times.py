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
def timed_lineage() -> CommittedLineage:
    """core.b.x comes from raw.a.x."""
    timed_lineage = CommittedLineage()
    timed_lineage.commit({"raw.a": [], "core.b": [edge("raw.a.x", "core.b.x")]}, columns=COLUMNS)
    return timed_lineage


def sources(view: GraphReader, name: str = "core.b.x") -> list[str]:
    return [item.name for item in view.walk(name).items]


def test_a_snapshot_stays_as_it_was_when_an_older_commit_of_a_branch_lands(timed_lineage: CommittedLineage) -> None:
    dev = timed_lineage.branch("dev")
    landed = timed_lineage.commit({"core.b": [edge("raw.a.y", "core.b.x")]}, branch=dev, columns=COLUMNS)
    timed_lineage.now += MINUTES
    saved = save_snapshot(timed_lineage.ports, "before")
    timed_lineage.now += MINUTES
    timed_lineage.move(MAIN, landed.id)
    assert sources(open_graph(timed_lineage.ports)) == ["raw.a.y"]
    assert sources(open_graph(timed_lineage.ports, "before")) == ["raw.a.x"]
    assert dict(saved.edges) == {"consumes": 1, "copied": 1, "executes": 2, "produces": 2}
    found = diff(timed_lineage.ports, "before")
    assert [one.id for one in found.edges_added] == ["raw.a.y->core.b.x#copied"]
    assert [one.id for one in found.edges_removed] == ["raw.a.x->core.b.x#copied"]


def test_a_commit_is_found_by_its_name_after_main_was_moved_to_it(timed_lineage: CommittedLineage) -> None:
    dev = timed_lineage.branch("dev")
    other = timed_lineage.commit({"core.b": [edge("raw.a.y", "core.b.x")]}, branch=dev, columns=COLUMNS)
    timed_lineage.now += MINUTES
    left = timed_lineage.commit({"core.b": [edge("raw.a.x", "core.b.y")]}, columns=COLUMNS)
    open_graph(timed_lineage.ports)
    timed_lineage.move(MAIN, other.id)
    open_graph(timed_lineage.ports)
    timed_lineage.commit({"core.c": []})
    assert sources(open_graph(timed_lineage.ports, "HEAD~1")) == ["raw.a.y"]
    assert sources(open_graph(timed_lineage.ports, other.id)) == ["raw.a.y"]
    assert sources(open_graph(timed_lineage.ports, "HEAD~2")) == ["raw.a.x"]
    assert sources(open_graph(timed_lineage.ports, left.id), "core.b.y") == ["raw.a.x"]


def test_commits_of_the_same_moment_are_told_apart(timed_lineage: CommittedLineage) -> None:
    timed_lineage.now -= timedelta(minutes=1)  # the clock went back: the next commit has the same time
    timed_lineage.commit({"core.b": [edge("raw.a.y", "core.b.x")]}, columns=COLUMNS)
    assert sources(open_graph(timed_lineage.ports)) == ["raw.a.y"]
    assert sources(open_graph(timed_lineage.ports, "HEAD~1")) == ["raw.a.x"]


def test_an_edge_that_ends_later_holds_now_and_one_that_begins_later_does_not(timed_lineage: CommittedLineage) -> None:
    ends = EdgeClaim(
        source=column_of("raw.a", "x"), target=column_of("core.b", "y"), valid_to=timed_lineage.now + MINUTES
    )
    begins = EdgeClaim(
        source=column_of("raw.a", "y"), target=column_of("core.b", "y"), valid_from=timed_lineage.now + MINUTES
    )
    record_edges(timed_lineage.ports, [ends, begins], reason="planned")
    assert sources(open_graph(timed_lineage.ports), "core.b.y") == ["raw.a.x"]
    timed_lineage.now += MINUTES
    assert sources(open_graph(timed_lineage.ports), "core.b.y") == ["raw.a.y"]


def test_a_time_to_come_cannot_be_named(timed_lineage: CommittedLineage) -> None:
    with pytest.raises(ForgeError, match="E810"):
        save_snapshot(timed_lineage.ports, "soon", (timed_lineage.now + MINUTES).isoformat())
    save_snapshot(timed_lineage.ports, "now", timed_lineage.now.isoformat())
