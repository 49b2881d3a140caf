"""The order of merged columns: of the side that reordered, else ours; new columns stay next to their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from forge.versioning.field import Fields, TableField
from forge.versioning.schema.column import ColumnVersions


def merge_order(base: Fields, ours: Fields, theirs: Fields, lines: Sequence[ColumnVersions]) -> list[ColumnVersions]:
    shared = [line for line in lines if line.base and line.ours and line.theirs]
    before = _in_order(shared, base, "base")
    moved_by_ours = _in_order(shared, ours, "ours") != before
    moved_by_theirs = _in_order(shared, theirs, "theirs") != before
    lead, other = ("theirs", "ours") if moved_by_theirs and not moved_by_ours else ("ours", "theirs")
    sides = {"ours": ours, "theirs": theirs}
    result = _in_order([line for line in lines if getattr(line, lead)], sides[lead], lead)
    previous: ColumnVersions | None = None
    for line in _in_order([line for line in lines if getattr(line, other)], sides[other], other):
        if line not in result:
            place = result.index(previous) + 1 if previous is not None else 0
            # what the leading side added at this place comes first
            while previous is not None and place < len(result) and not getattr(result[place], other):
                place += 1
            result.insert(place, line)
        previous = line
    return result


def _in_order(lines: Sequence[ColumnVersions], fields: Fields, side: str) -> list[ColumnVersions]:
    places = {id(field): place for place, field in enumerate(fields)}

    def place(line: ColumnVersions) -> int:
        field: TableField = getattr(line, side)
        return places[id(field)]

    return sorted(lines, key=place)


def find_moved(before: Sequence[int | str], after: Sequence[int | str]) -> frozenset[int | str]:
    """The fewest columns whose move explains the new order: those outside a longest run that kept its order."""
    places = {each: place for place, each in enumerate(before)}
    shared = [each for each in after if each in places]
    best: list[list[int | str]] = []  # the longest kept run that ends at each column
    for here, each in enumerate(shared):
        runs = [best[there] for there in range(here) if places[shared[there]] < places[each]]
        best.append([*max(runs, key=len, default=[]), each])
    kept = max(best, key=len, default=[])
    return frozenset(shared) - frozenset(kept)
