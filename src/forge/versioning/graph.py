"""Queries over the commit graph: ancestry, merge bases, ahead and behind.

Every function takes `parents`: each reachable commit with its parents, first parent first. The history ends at a
commit that is not among them. No function recurses, and each is linear in what it visits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from forge.model.names import CommitId

Parents = Mapping[CommitId, Sequence[CommitId]]


@dataclass(frozen=True, slots=True)
class MergeBase:
    """The base of a merge; None where there is no common ancestor. Criss-cross histories have multiple best common
    ancestors: `commit` is the newest by generation, and `others` are the rest, to be named in the result."""

    commit: CommitId | None
    others: tuple[CommitId, ...] = ()


def reached(head: CommitId | None, parents: Parents) -> frozenset[CommitId]:
    """The commit itself and all its ancestors."""
    seen: set[CommitId] = set()
    todo = [head] if head is not None else []
    while todo:
        commit = todo.pop()
        if commit not in seen and commit in parents:
            seen.add(commit)
            todo.extend(parents[commit])
    return frozenset(seen)


def generations(parents: Parents) -> dict[CommitId, int]:
    """The length of the longest path to a root; a root has 1. A child's is greater than that of any parent."""
    found: dict[CommitId, int] = {}
    for commit in _parents_first(parents, parents):
        found[commit] = 1 + max((found[parent] for parent in parents[commit] if parent in parents), default=0)
    return found


def merge_bases(a: CommitId | None, b: CommitId | None, parents: Parents) -> tuple[CommitId, ...]:
    """All best common ancestors: those that are no ancestor of another. By id."""
    common = reached(a, parents) & reached(b, parents)
    # What common ancestors descend from is common, too. So one that is not best is the parent of a common one.
    beaten = {parent for commit in common for parent in parents[commit]}
    return tuple(sorted(common - beaten))


def merge_base(a: CommitId | None, b: CommitId | None, parents: Parents) -> MergeBase:
    best = merge_bases(a, b, parents)
    if len(best) < 2:
        return MergeBase(best[0] if best else None)
    of_best: set[CommitId] = set().union(*(reached(commit, parents) for commit in best))
    age = generations({commit: parents[commit] for commit in of_best})
    first, *others = sorted(best, key=lambda commit: (-age[commit], commit))
    return MergeBase(first, tuple(others))


def ahead_behind(a: CommitId | None, b: CommitId | None, parents: Parents) -> tuple[int, int]:
    """The number of commits only `a` has, and only `b`."""
    of_a, of_b = reached(a, parents), reached(b, parents)
    return len(of_a - of_b), len(of_b - of_a)


def is_ancestor(old: CommitId | None, new: CommitId | None, parents: Parents) -> bool:
    """Whether `new` is `old` or descends from it. Every commit descends from the empty history."""
    if old is None or old == new:
        return True
    seen: set[CommitId] = set()
    todo = [new] if new is not None else []
    while todo:
        for parent in parents.get(todo.pop(), ()):
            if parent == old:
                return True
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
    return False


def new_on(source: CommitId | None, target: CommitId | None, parents: Parents) -> tuple[CommitId, ...]:
    """Commits of `source` that `target` does not have, parents before children; lines of descent are not
    interleaved."""
    new = reached(source, parents) - reached(target, parents)
    return tuple(_parents_first([source], parents, new)) if source in new else ()


def commits_between(base: CommitId | None, head: CommitId | None, parents: Parents) -> tuple[CommitId, ...]:
    """The commits that a rebase of `head` onto `base` replays, in this order: without merges, because what they
    brought in is replayed commit by commit."""
    return tuple(commit for commit in new_on(head, base, parents) if len(parents[commit]) < 2)


def simplify(shown: Collection[CommitId], parents: Parents) -> dict[CommitId, tuple[CommitId, ...]]:
    """The graph of a subset of the commits: each with its nearest ancestors in the subset."""
    kept = frozenset(shown)
    above: dict[CommitId, tuple[CommitId, ...]] = {}
    nearest: dict[CommitId, tuple[CommitId, ...]] = {}  # the commit itself where it is shown
    for commit in _parents_first(parents, parents):
        found = dict.fromkeys(near for parent in parents[commit] for near in nearest.get(parent, ()))
        nearest[commit] = (commit,) if commit in kept else tuple(found)
        if commit in kept:
            above[commit] = tuple(found)
    return above


def _parents_first(
    heads: Collection[CommitId | None], parents: Parents, within: Collection[CommitId] | None = None
) -> Iterator[CommitId]:
    """Every commit reachable from the heads (without leaving `within`), after all of its parents; of two merged
    lines, that of the first parent comes first."""
    known = parents if within is None else within
    seen: set[CommitId] = set()
    for head in heads:
        todo: list[tuple[CommitId, bool]] = [(head, False)] if head is not None else []
        while todo:
            commit, is_done = todo.pop()
            if is_done:
                yield commit
            elif commit not in seen and commit in known:
                seen.add(commit)
                todo.append((commit, True))
                todo.extend((parent, False) for parent in reversed(parents[commit]))
