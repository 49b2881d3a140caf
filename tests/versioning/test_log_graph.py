"""The log as a picture. Graphs are written as the log lists them, newest first: `m:c,b c:a b:a a`."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from forge.model.names import CommitId
from forge.versioning.log_graph import LaneLink, draw, lanes

CommitParents = list[tuple[CommitId, tuple[CommitId, ...]]]

PICTURES = {
    "line": ("c:b b:a a", ["* c", "* b", "* a"]),
    "merge": ("m:c,b c:a b:a a", ["* m", "|\\", "* | c", "| * b", "|/", "* a"]),
    "two heads": ("x:a y:a a", ["* x", "| * y", "|/", "* a"]),
    "several first commits": ("x:a y:b a b", ["* x", "| * y", "* | a", "  * b"]),
    "octopus": (
        "o:a,b,c a:r b:r c:r r",
        ["* o", "|\\", "| |\\", "* | | a", "| * | b", "|/  |", "|   * c", "|  /", "|/", "* r"],
    ),
    "a way back across others": (
        "h:a i:b j:c m:a a:r b:r c:r r",
        [
            *("* h", "| * i", "| | * j", "| | | * m", "| |_|/", "|/| |"),
            *("* | | a", "| * | b", "|/  |", "|   * c", "|  /", "|/", "* r"),
        ],
    ),
    "criss-cross": (
        "x:p,q y:q,p p:a q:a a",
        ["* x", "|\\", "| | * y", "| |/|", "|/| |", "| |/", "* | p", "| * q", "|/", "* a"],
    ),
}


def listed(text: str) -> CommitParents:
    pairs = (word.partition(":") for word in text.split())
    return [(CommitId(name), tuple(CommitId(p) for p in parents.split(",") if p)) for name, _, parents in pairs]


def random_log(seed: int) -> CommitParents:
    chance = random.Random(seed)
    found: CommitParents = []
    for place in range(chance.randint(2, 30)):
        known = [commit for commit, _ in found[-6:]]
        number = min(chance.choices((0, 1, 2, 3), (1, 8, 5, 1))[0], len(known))
        found.append((CommitId(str(place)), tuple(chance.sample(known, number))))
    return found[::-1]


@pytest.mark.parametrize(("text", "expected"), PICTURES.values(), ids=list(PICTURES))
def test_a_log_is_drawn_as_git_does(text: str, expected: Sequence[str]) -> None:
    assert [f"{line.text} {line.commit or ''}".rstrip() for line in draw(listed(text))] == expected


def test_the_line_of_first_parents_is_straight() -> None:
    rows = {row.commit: row for row in lanes(listed("m:c,b c:a b:a a"))}
    assert {commit: row.lane for commit, row in rows.items()} == {"m": 0, "c": 0, "b": 1, "a": 0}
    c, b, a = (CommitId(name) for name in "cba")
    assert rows[CommitId("m")].edges == (LaneLink(0, 0, c), LaneLink(0, 1, b))
    assert rows[c].edges == (LaneLink(0, 0, a), LaneLink(1, 1, b))
    assert rows[b].edges == (LaneLink(0, 0, a), LaneLink(1, 0, a))
    assert rows[a].edges == ()


def test_a_lane_that_ended_is_taken_again() -> None:
    rows = {row.commit: row.lane for row in lanes(listed("n:m,x m:c,b x:c b:c c"))}
    assert max(rows.values()) == 2
    later = {row.commit: row.lane for row in lanes(listed("p:n,y y:n n:m,x x:m m"))}
    assert (later[CommitId("y")], later[CommitId("x")]) == (1, 1)


@pytest.mark.parametrize("seed", range(60))
def test_every_line_of_a_picture_leads_from_a_commit_to_its_parent(seed: int) -> None:
    log = random_log(seed)
    rows = lanes(log)
    assert [row.commit for row in rows] == [commit for commit, _ in log]
    place_of = {row.commit: at for at, row in enumerate(rows)}
    found: set[tuple[CommitId, CommitId]] = set()
    for at, (commit, parents) in enumerate(log):
        for parent in parents:
            lane = rows[at].lane
            for row in rows[at : place_of[parent]]:
                (lane,) = {edge.end for edge in row.edges if (edge.start, edge.to) == (lane, parent)}
            assert lane == rows[place_of[parent]].lane
            found.add((commit, parent))
    assert len(found) == sum(len(parents) for _, parents in log)
    for row in rows:
        assert len({(edge.start, edge.to) for edge in row.edges}) == len(row.edges)


@pytest.mark.parametrize("seed", range(60))
def test_a_picture_marks_each_commit_once_in_its_lane(seed: int) -> None:
    log = random_log(seed)
    lane_of = {row.commit: row.lane for row in lanes(log)}
    marked = [line for line in draw(log) if line.commit is not None]
    assert [line.commit for line in marked] == [commit for commit, _ in log]
    for line in draw(log):
        assert line.text == line.text.rstrip()
        assert (line.text.find("*") // 2 == lane_of[line.commit]) if line.commit else "*" not in line.text


def test_parents_that_are_not_listed_leave_their_lines_open() -> None:
    assert [line.text for line in draw(listed("m:c,b c:a"))] == ["*", "|\\", "* |"]


def test_an_empty_log_is_an_empty_picture() -> None:
    assert draw([]) == ()
