"""The graph of commits. Graphs are written newest first, each commit with its parents: `m:c,b c:a b:a a`."""

from __future__ import annotations

import pytest

from forge.model.names import CommitId
from forge.versioning.graph import (
    MergeBase,
    Parents,
    ahead_behind,
    commits_between,
    generations,
    is_ancestor,
    merge_base,
    merge_bases,
    new_on,
    reached,
    simplify,
)

LINE = "d:c c:b b:a a"
FORK = "x:b b:a y:c c:a a"
CRISS_CROSS = "x:p,q y:q,p p:a q:a a"
UNEVEN = "x:p,q y:q,p p:b q:a b:a a"  # p is a generation newer than q
OCTOPUS = "o:x,y,z x:a y:a z:a a"
APART = "x:a y:b a b"


def graph(text: str) -> Parents:
    pairs = (word.partition(":") for word in text.split())
    return {CommitId(name): tuple(CommitId(p) for p in parents.split(",") if p) for name, _, parents in pairs}


def ids(text: str) -> tuple[CommitId, ...]:
    return tuple(CommitId(word) for word in text.split())


@pytest.mark.parametrize(
    ("text", "a", "b", "best"),
    [
        (LINE, "d", "b", "b"),
        (LINE, "b", "d", "b"),
        (LINE, "c", "c", "c"),
        (FORK, "x", "y", "a"),
        (CRISS_CROSS, "x", "y", "p q"),
        (OCTOPUS, "o", "y", "y"),
        (APART, "x", "y", ""),
        # Breadth first, the old a is met before b: it is two steps from m, and b is three.
        ("m:c,a c:d d:b b:a y:b a", "m", "y", "b"),
    ],
    ids=["ahead", "behind", "same", "fork", "criss-cross", "octopus", "apart", "short way to an old one"],
)
def test_best_common_ancestors_are_those_no_other_descends_from(text: str, a: str, b: str, best: str) -> None:
    assert merge_bases(CommitId(a), CommitId(b), graph(text)) == ids(best)
    assert merge_bases(CommitId(b), CommitId(a), graph(text)) == ids(best)


def test_where_lines_crossed_the_newest_is_taken_and_the_others_are_named() -> None:
    x, y = ids("x y")
    assert merge_base(x, y, graph(UNEVEN)) == MergeBase(CommitId("p"), ids("q"))
    assert merge_base(x, y, graph(UNEVEN.replace("p", "s"))) == MergeBase(CommitId("s"), ids("q"))
    assert merge_base(x, y, graph(CRISS_CROSS)) == MergeBase(CommitId("p"), ids("q")), "as new as each other: by id"


def test_lines_that_never_met_have_no_merge_base() -> None:
    x, y = ids("x y")
    assert merge_base(x, y, graph(APART)) == MergeBase(None)
    assert merge_base(x, None, graph(APART)) == MergeBase(None)


def test_a_commit_reaches_itself_and_what_it_descends_from() -> None:
    assert reached(CommitId("x"), graph(FORK)) == set(ids("x b a"))
    assert reached(None, graph(FORK)) == frozenset()
    assert reached(CommitId("unknown"), graph(FORK)) == frozenset()


def test_history_ends_where_a_parent_is_missing() -> None:
    cut = graph("x:b b:gone y:b")
    assert reached(CommitId("x"), cut) == set(ids("x b"))
    assert merge_bases(CommitId("x"), CommitId("y"), cut) == ids("b")
    assert generations(cut) == {"b": 1, "x": 2, "y": 2}


def test_a_generation_is_the_longest_way_back() -> None:
    assert generations(graph(UNEVEN)) == {"a": 1, "b": 2, "q": 2, "p": 3, "x": 4, "y": 4}


@pytest.mark.parametrize(
    ("text", "a", "b", "counts"),
    [(LINE, "d", "b", (2, 0)), (FORK, "x", "y", (2, 2)), (CRISS_CROSS, "x", "y", (1, 1)), (APART, "x", "y", (2, 2))],
    ids=["ahead", "fork", "criss-cross", "apart"],
)
def test_ahead_and_behind_count_what_only_one_has(text: str, a: str, b: str, counts: tuple[int, int]) -> None:
    assert ahead_behind(CommitId(a), CommitId(b), graph(text)) == counts
    assert ahead_behind(CommitId(b), CommitId(a), graph(text)) == counts[::-1]


def test_a_branch_without_commits_is_behind_by_all() -> None:
    assert ahead_behind(None, CommitId("d"), graph(LINE)) == (0, 4)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [("a", "x", True), ("x", "x", True), ("x", "a", False), ("b", "y", False), ("unknown", "x", False)],
)
def test_an_ancestor_is_the_commit_itself_or_one_before_it(old: str, new: str, expected: bool) -> None:
    assert is_ancestor(CommitId(old), CommitId(new), graph(FORK)) is expected


def test_nothing_is_before_everything() -> None:
    assert is_ancestor(None, CommitId("a"), graph(FORK))
    assert not is_ancestor(CommitId("a"), None, graph(FORK))


def test_what_is_new_comes_parents_first() -> None:
    merged = graph("m:c,e c:b e:d d:a b:a a")
    assert new_on(CommitId("m"), CommitId("a"), merged) == ids("b c d e m"), "the line of the first parent comes first"
    assert new_on(CommitId("e"), CommitId("c"), merged) == ids("d e")
    assert new_on(CommitId("c"), CommitId("m"), merged) == ()
    assert new_on(CommitId("c"), None, merged) == ids("a b c")
    assert new_on(None, CommitId("c"), merged) == ()


def test_a_rebase_replays_what_is_new_without_merges() -> None:
    # main was merged into the branch on the way: what came from main is on main already
    history = graph("t:s s:m m:r,n r:q q:a n:a a")
    assert commits_between(CommitId("n"), CommitId("t"), history) == ids("q r s t")
    assert commits_between(CommitId("t"), CommitId("t"), history) == ()


def test_a_part_of_the_graph_links_what_is_shown_to_what_is_shown_next() -> None:
    history = graph("m:c,e c:b e:d d:a b:a a")
    assert simplify(ids("m d a"), history) == {"m": ids("a d"), "d": ids("a"), "a": ()}


@pytest.mark.slow
def test_a_history_of_any_length_can_be_walked() -> None:
    length = 50_000
    line: dict[CommitId, tuple[CommitId, ...]] = {CommitId("0"): ()}
    line |= {CommitId(str(n)): (CommitId(str(n - 1)),) for n in range(1, length)}
    head, root = CommitId(str(length - 1)), CommitId("0")
    assert merge_base(head, root, line) == MergeBase(root)
    assert generations(line)[head] == length
    assert is_ancestor(root, head, line)
    assert len(commits_between(root, head, line)) == length - 1
    assert simplify([head, root], line) == {head: (root,), root: ()}
