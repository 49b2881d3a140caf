"""The changes of each side to each key since the base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forge.versioning.rows.codes import Flags
from forge.versioning.rows.sides import MergeInput, Overlay, refuse_duplicates


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChanges:
    """All by key. `modified` rows are in the base and on that side, and differ; `cells` says where, per column."""

    in_base: Flags
    in_ours: Flags
    kept: Flags  # in the base and still on both sides
    ours_inserted: Flags
    ours_deleted: Flags
    ours_modified: Flags
    ours_cells: dict[int, Flags]
    theirs_inserted: Flags
    theirs_deleted: Flags
    theirs_modified: Flags
    theirs_cells: dict[int, Flags]

    @property
    def by_ours(self) -> Flags:
        return self.ours_inserted | self.ours_deleted | self.ours_modified

    @property
    def by_theirs(self) -> Flags:
        return self.theirs_inserted | self.theirs_deleted | self.theirs_modified


def find_changes(overlay: Overlay, table: str | None) -> KeyChanges:
    before_ours, before_theirs = overlay.has(MergeInput.BASE_OURS), overlay.has(MergeInput.BASE_THEIRS)
    ours, theirs = overlay.has(MergeInput.OURS), overlay.has(MergeInput.THEIRS)
    _refuse_hidden_duplicates(overlay, MergeInput.OURS, ours & ~before_ours & before_theirs, table)
    _refuse_hidden_duplicates(overlay, MergeInput.THEIRS, theirs & ~before_theirs & before_ours, table)
    ours_cells = find_cells(overlay, MergeInput.BASE_OURS, MergeInput.OURS)
    theirs_cells = find_cells(overlay, MergeInput.BASE_THEIRS, MergeInput.THEIRS)
    gone = (before_ours & ~ours) | (before_theirs & ~theirs)
    return KeyChanges(
        in_base=before_ours | before_theirs,
        in_ours=ours | (before_theirs & ~before_ours),
        kept=(before_ours | before_theirs) & ~gone,
        ours_inserted=ours & ~before_ours,
        ours_deleted=before_ours & ~ours,
        ours_modified=_any(ours_cells, overlay.size),
        ours_cells=ours_cells,
        theirs_inserted=theirs & ~before_theirs,
        theirs_deleted=before_theirs & ~theirs,
        theirs_modified=_any(theirs_cells, overlay.size),
        theirs_cells=theirs_cells,
    )


def _refuse_hidden_duplicates(overlay: Overlay, which: MergeInput, twins: Flags, table: str | None) -> None:
    """A key that is new in the files of a side while the base has it in a file that the side kept is a duplicate."""
    if twins.any():
        positions = overlay.at[which][np.flatnonzero(twins)]
        refuse_duplicates(which.side, overlay.rows[which], positions, overlay.key_places, overlay.layout, table)


def find_cells(overlay: Overlay, before: MergeInput, after: MergeInput) -> dict[int, Flags]:
    """Per changed column: in which rows. A column that the side does not have is unchanged."""
    keys = np.flatnonzero(overlay.has(before) & overlay.has(after))
    found = {}
    for place in (*overlay.value_places, *overlay.dropped_places):
        if overlay.rows[after].columns[place] is None:
            continue
        different = overlay.differs(place, before, after, keys)
        if different.any():
            found[place] = np.zeros(overlay.size, dtype=np.bool_)
            found[place][keys[different]] = True
    return found


def _any(cells: dict[int, Flags], size: int) -> Flags:
    result = np.zeros(size, dtype=np.bool_)
    for flags in cells.values():
        result |= flags
    return result
