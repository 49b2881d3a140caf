"""The conflicts of a table with a key: their data, and which resolutions are valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from forge.versioning.arrow_types import python_values
from forge.versioning.conflict import Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.rows.changes import KeyChanges
from forge.versioning.rows.codes import Flags, Numbers
from forge.versioning.rows.conflicts import BASE, OURS, THEIRS, ConflictBatch, evaluate, row_dicts
from forge.versioning.rows.sides import MergeInput, Overlay
from forge.versioning.rows.values import fit_row, row_problem

_BASES = (MergeInput.BASE_OURS, MergeInput.BASE_THEIRS)
_OWN = {OURS: MergeInput.OURS, THEIRS: MergeInput.THEIRS}


def side_values(overlay: Overlay, side: int, place: int, keys: Numbers) -> pa.Array:
    """A column of a side at some keys. A row or column that the side does not have in what was read equals the base:
    the side did not change it, or a resolution keeps it."""
    own = _OWN.get(side)
    if own is None or overlay.rows[own].columns[place] is None:
        return overlay.first(place, keys, _BASES)
    return overlay.first(place, keys, (own, *_BASES))


@dataclass(frozen=True, slots=True)
class KeyedConflicts:
    overlay: Overlay
    changes: KeyChanges
    table: str | None

    def order(self, keys: Numbers) -> Sequence[pa.Array]:
        return self.overlay.keys_of(keys)

    def describe(self, batch: ConflictBatch, keys: Numbers) -> list[Conflict]:
        names = row_dicts(self.overlay.layout.key, self.overlay.keys_of(keys), len(keys))
        sides = [
            self._rows(side, keys) if batch.place is None else self._cells(batch, side, batch.place, keys)
            for side in (BASE, OURS, THEIRS)
        ]
        return [
            Conflict(
                kind=batch.kind, key=key, column=batch.column, base=base, ours=ours, theirs=theirs, table=self.table
            )
            for key, base, ours, theirs in zip(names, *sides, strict=True)
        ]

    def _cells(self, batch: ConflictBatch, side: int, place: int, keys: Numbers) -> list[object]:
        own = _OWN.get(side)
        if batch.kind is ConflictKind.COLUMN_DROPPED_MODIFIED and own and self._lacks(own, place):
            return [None] * len(keys)
        return python_values(side_values(self.overlay, side, place, keys))

    def _lacks(self, which: MergeInput, place: int) -> bool:
        return self.overlay.rows[which].columns[place] is None

    def _rows(self, side: int, keys: Numbers) -> list[object]:
        there = {
            BASE: self.changes.in_base,
            OURS: ~self.changes.ours_deleted,
            THEIRS: ~self.changes.theirs_deleted,
        }[side][keys]
        names = [column.field.name for column in self.overlay.layout.columns]
        columns = [side_values(self.overlay, side, place, keys) for place in range(len(names))]
        rows = row_dicts(names, columns, len(keys))
        return [row if is_there else None for row, is_there in zip(rows, there.tolist(), strict=True)]

    def allowed(self, batch: ConflictBatch, choice: int, keys: Numbers) -> Flags:
        if batch.kind is ConflictKind.COLUMN_DROPPED_MODIFIED:
            own = _OWN.get(choice)
            fits = own is not None and batch.place is not None and self._lacks(own, batch.place)
            return np.full(len(keys), fits, dtype=np.bool_)
        if batch.kind is ConflictKind.CONSTRAINT and batch.place is not None:
            values = side_values(self.overlay, choice, batch.place, keys)
            return np.asarray(values.is_valid().to_numpy(zero_copy_only=False))
        return np.ones(len(keys), dtype=np.bool_)

    def refuse(self, conflict: Conflict, batch: ConflictBatch, rule: ResolutionRule) -> str | None:
        if batch.kind is ConflictKind.COLUMN_DROPPED_MODIFIED:
            own = {ResolutionChoice.OURS: MergeInput.OURS, ResolutionChoice.THEIRS: MergeInput.THEIRS}.get(rule.take)
            if own is None or batch.place is None or not self._lacks(own, batch.place):
                return "the column is gone after the merge, so only the side that dropped it can be taken"
        if batch.place is None:
            return row_problem(rule, conflict.key or {}, self.overlay.layout)
        if batch.kind is ConflictKind.CONSTRAINT and self._value(conflict, batch, rule) is None:
            return f"{batch.column} is required and this would be NULL"
        return None

    def _value(self, conflict: Conflict, batch: ConflictBatch, rule: ResolutionRule) -> object:
        match rule.take:
            case ResolutionChoice.OURS:
                return conflict.ours
            case ResolutionChoice.THEIRS:
                return conflict.theirs
            case ResolutionChoice.BASE:
                return conflict.base
        return self.fit(conflict, batch, rule)

    def fit(self, conflict: Conflict, batch: ConflictBatch, rule: ResolutionRule) -> object:
        if batch.place is not None:
            return evaluate(rule, conflict, self.overlay.kinds[batch.place])
        if rule.value is None:
            return None
        places = self.overlay.value_places
        return fit_row(
            rule.value, {self.overlay.columns[place].field.name: self.overlay.kinds[place] for place in places}
        )
