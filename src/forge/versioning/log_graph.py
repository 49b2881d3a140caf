"""A log as a graph: lanes as data for the web app, and lines of text for the terminal, like `git log --graph`.

Commits are newest first, no parent before one of its children. A commit takes the lane of its first child; its first
parent continues in that lane, further parents open lanes to the right. Lanes do not move, so that a line of descent
is straight, and a free lane is reused by the next commit that needs one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forge.model.names import CommitId

CommitParents = Sequence[tuple[CommitId, Sequence[CommitId]]]


@dataclass(frozen=True, slots=True)
class LaneLink:
    """An edge from a lane of this row to a lane of the next, on its way to the commit `to`."""

    start: int
    end: int
    to: CommitId


@dataclass(frozen=True, slots=True)
class LaneRow:
    commit: CommitId
    lane: int
    edges: tuple[LaneLink, ...]  # between this row and the next, by lane

    @property
    def width(self) -> int:
        """How many lanes the row needs."""
        return 1 + max((self.lane, *(max(edge.start, edge.end) for edge in self.edges)))


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """The graph in front of a commit; without one, a connecting line."""

    text: str
    commit: CommitId | None = None


def lanes(commits: CommitParents) -> tuple[LaneRow, ...]:
    """The lane of each commit, and the edges to the next row."""
    rows: list[LaneRow] = []
    waiting: list[CommitId | None] = []  # by lane: the commit that it leads to
    for commit, parents in commits:
        lane = waiting.index(commit) if commit in waiting else _free(waiting, 0)
        waiting = _grown(waiting, lane)
        before = list(waiting)
        before[lane] = None
        after = list(before)
        edges = []
        for place, parent in enumerate(dict.fromkeys(parents)):
            edges += _edges_to(parent, lane, before, after, is_first=place == 0)
        edges += [LaneLink(at, at, to) for at, to in enumerate(before) if to is not None and after[at] == to]
        rows.append(LaneRow(commit, lane, tuple(sorted(set(edges), key=lambda e: (e.start, e.end)))))
        waiting = _trimmed(after)
    return tuple(rows)


def _edges_to(
    parent: CommitId, lane: int, before: list[CommitId | None], after: list[CommitId | None], *, is_first: bool
) -> list[LaneLink]:
    """The edges that a commit in `lane` needs for one of its parents; `after` collects the lanes of the next row."""
    known = after.index(parent) if parent in after else None
    if known is None:
        if is_first:
            after[lane] = parent
            return [LaneLink(lane, lane, parent)]
        # next to the commit, and not in a lane with an incoming edge: the two would look like one
        known = _free([one or two for one, two in zip(after, before, strict=False)] + after[len(before) :], lane + 1)
        after[:] = _grown(after, known)
        after[known] = parent
        return [LaneLink(lane, known, parent)]
    if is_first and known > lane:  # the line of first parents is the straight one; the other bends to it
        after[lane], after[known] = parent, None
        return [LaneLink(lane, lane, parent), LaneLink(known, lane, parent)]
    return [LaneLink(lane, known, parent)]


def _free(waiting: Sequence[CommitId | None], start: int) -> int:
    return next((at for at in range(start, len(waiting)) if waiting[at] is None), max(start, len(waiting)))


def _grown(waiting: list[CommitId | None], lane: int) -> list[CommitId | None]:
    return waiting + [None] * (lane + 1 - len(waiting))


def _trimmed(waiting: list[CommitId | None]) -> list[CommitId | None]:
    while waiting and waiting[-1] is None:
        waiting = waiting[:-1]
    return waiting


def draw(commits: CommitParents) -> tuple[DrawnLine, ...]:
    """One line for each commit, marked `*`, and the lines that connect it to the next."""
    drawn: list[DrawnLine] = []
    standing: Sequence[int] = ()  # lanes that lines of the row above end in
    for row in lanes(commits):
        drawn.append(DrawnLine(_text({**_bars(standing), 2 * row.lane: "*"}, row.width), row.commit))
        drawn += [DrawnLine(_text(line, row.width)) for line in _connections(row)]
        standing = [edge.end for edge in row.edges]
    return tuple(drawn)


def _connections(row: LaneRow) -> Iterator[dict[int, str]]:
    """The connecting lines in which edges change their lane: first to the right, then to the left, so that no two
    strokes collide."""
    right = [edge for edge in row.edges if edge.end > edge.start]
    left = [edge for edge in row.edges if edge.end < edge.start]
    standing = [edge.start for edge in row.edges if edge.start == edge.end]
    yield from _to_the_right(right, [*standing, *(edge.start for edge in left)])
    standing += [edge.end for edge in right]
    for place, edge in enumerate(left):
        late = [other.start for other in left[place + 1 :]]
        cells = _bars([*standing, *late])
        for strokes in _to_the_left(edge):
            yield {**cells, **strokes}
        standing.append(edge.end)


def _to_the_right(edges: Sequence[LaneLink], standing: Sequence[int]) -> Iterator[dict[int, str]]:
    """All at once, a lane with each line; they all start at the commit."""
    start, end = min((e.start for e in edges), default=0), max((e.end for e in edges), default=0)
    for lane in range(start, end):
        arrived = [edge.end for edge in edges if edge.end <= lane]
        yield {**_bars([*standing, *arrived]), 2 * lane + 1: "\\"}


def _to_the_left(edge: LaneLink) -> Iterator[dict[int, str]]:
    """Into the next lane, then flat across those between, then into the last."""
    first, last = 2 * edge.start - 1, 2 * edge.end + 1
    yield {first: "/", **dict.fromkeys(range(last + 2, first, 2), "_")}
    if last != first:
        yield {last: "/"}


def _bars(lanes: Sequence[int]) -> dict[int, str]:
    return dict.fromkeys((2 * lane for lane in lanes), "|")


def _text(cells: dict[int, str], width: int) -> str:
    return "".join(cells.get(place, " ") for place in range(2 * width)).rstrip()
