"""The three-way merge of rows: align → classify → find conflicts → resolve → write the changes to ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from forge.versioning.arrow_types import schema_of
from forge.versioning.conflict import Answers, ConflictKind
from forge.versioning.field import Layout
from forge.versioning.rows.apply import RowMerge
from forge.versioning.rows.apply import apply_rows as apply_rows
from forge.versioning.rows.changes import KeyChanges, find_changes
from forge.versioning.rows.codes import Flags, Numbers, find_different
from forge.versioning.rows.conflicts import BASE, OPEN, OURS, THEIRS, BatchDecision, ConflictBatch, collect, decide
from forge.versioning.rows.keyed_conflicts import KeyedConflicts, side_values
from forge.versioning.rows.multiset import merge_multisets
from forge.versioning.rows.sides import MergeInput, Overlay, blend, lay_over

NO_ANSWERS = Answers()


def merge_rows(
    layout: Layout,
    *,
    base_ours: pa.Table,
    ours: pa.Table,
    base_theirs: pa.Table,
    theirs: pa.Table,
    answers: Answers = NO_ANSWERS,
    table: str | None = None,
    limit: int | None = 1000,
) -> RowMerge:
    """The changes of theirs for ours. The inputs need not be whole tables: `base_ours` are the base's rows in files
    that ours replaced, `ours` the rows of the files that replaced them, and likewise for theirs. Each input has the
    columns of its own side. `limit` bounds the returned conflicts; None gives all."""
    tables = {
        MergeInput.BASE_OURS: base_ours,
        MergeInput.OURS: ours,
        MergeInput.BASE_THEIRS: base_theirs,
        MergeInput.THEIRS: theirs,
    }
    if not layout.key:
        return merge_multisets(layout, tables, answers=answers, table=table, limit=limit)
    return _merge_keyed(lay_over(layout, tables, table=table), answers, table, limit)


def _merge_keyed(overlay: Overlay, answers: Answers, table: str | None, limit: int | None) -> RowMerge:
    changes = find_changes(overlay, table)
    scene = KeyedConflicts(overlay, changes, table)
    decisions = [decide(batch, answers, scene) for batch in _find_conflicts(overlay, changes)]
    plan = _plan(overlay, changes, decisions)
    columns = plan.columns()
    late = [decide(batch, answers, scene) for batch in _find_nulls(overlay, changes, plan, decisions, columns)]
    for decision in late:
        plan.answer_cells(decision)
    if any((decision.choice != OPEN).any() for decision in late):
        columns = plan.columns()
    decisions += late
    conflicts, count = collect(decisions, scene, limit)
    gone, in_ours = np.flatnonzero(plan.deleted), plan.touched & changes.in_ours
    schema = schema_of(overlay.layout.fields, overlay.kinds[: len(columns)])
    keys = pa.schema([schema.field(name) for name in overlay.layout.key])
    return RowMerge(
        upserts=pa.Table.from_arrays(columns, schema=schema),
        deletes=pa.Table.from_arrays(overlay.keys_of(gone), schema=keys),
        conflicts=conflicts,
        conflict_count=count,
        inserted=int(plan.touched.sum() - in_ours.sum()),
        updated=int(in_ours.sum()),
        deleted=len(gone),
        resolved_count=sum(int((decision.choice != OPEN).sum()) for decision in decisions),
        shared_count=int((changes.by_ours & changes.by_theirs).sum()),
    )


def _find_conflicts(overlay: Overlay, changes: KeyChanges) -> list[ConflictBatch]:
    row = partial(ConflictBatch, column=None)
    found = [
        row(ConflictKind.DELETE_MODIFY, keys=np.flatnonzero(changes.ours_deleted & changes.theirs_modified)),
        row(ConflictKind.MODIFY_DELETE, keys=np.flatnonzero(changes.ours_modified & changes.theirs_deleted)),
    ]
    added = np.flatnonzero(changes.ours_inserted & changes.theirs_inserted)
    for place in overlay.value_places:
        name = overlay.columns[place].field.name
        mine, yours = changes.ours_cells.get(place), changes.theirs_cells.get(place)
        if mine is not None and yours is not None:
            both = np.flatnonzero(mine & yours)
            found.append(ConflictBatch(ConflictKind.MODIFY_MODIFY, name, _unequal(overlay, place, both), place))
        if overlay.columns[place].ours is not None and overlay.columns[place].theirs is not None and len(added):
            found.append(ConflictBatch(ConflictKind.ADD_ADD, name, _unequal(overlay, place, added), place))
    for place in overlay.dropped_places:
        cells = changes.theirs_cells if overlay.columns[place].ours is None else changes.ours_cells
        gone = changes.ours_deleted if overlay.columns[place].ours is None else changes.theirs_deleted
        if (changed := cells.get(place)) is not None:
            keys = np.flatnonzero(changed & ~gone)
            name = overlay.columns[place].field.name
            found.append(ConflictBatch(ConflictKind.COLUMN_DROPPED_MODIFIED, name, keys, place))
    return [batch for batch in found if len(batch.keys)]


def _unequal(overlay: Overlay, place: int, keys: Numbers) -> Numbers:
    different = find_different(overlay.read(MergeInput.OURS, place, keys), overlay.read(MergeInput.THEIRS, place, keys))
    result: Numbers = keys[different]
    return result


@dataclass
class _Plan:
    """The outcome of the rows of ours. `rows` is per key the side whose row is taken, `cells` per column the cells
    of other sides."""

    overlay: Overlay
    rows: Numbers
    touched: Flags
    deleted: Flags
    cells: dict[int, list[tuple[Numbers, int]]]
    values: dict[int, list[tuple[Numbers, list[object]]]]

    def answer_cells(self, decision: BatchDecision) -> None:
        place = decision.batch.place
        if place is None or place >= len(self.overlay.layout.columns):
            return  # of a row, or of a column that is gone
        for choice in (OURS, THEIRS, BASE):
            self.take(place, decision.keys(choice), choice)
        if decision.values:
            keys = decision.batch.keys[list(decision.values)]
            self.values.setdefault(place, []).append((keys, list(decision.values.values())))
            self.touched[keys] = True

    def take(self, place: int, keys: Numbers, side: int) -> None:
        self.cells.setdefault(place, []).append((keys, side))
        if side != OURS:
            self.touched[keys] = True

    def answer_rows(self, decision: BatchDecision, in_ours: Flags, is_there: dict[int, Flags]) -> None:
        for choice in (THEIRS, BASE):
            keys = decision.keys(choice)
            there = is_there[choice][keys]
            self._put(keys[there], choice)
            self.deleted[keys[~there]] = in_ours[keys[~there]]
        for number, row in decision.values.items():
            key = decision.batch.keys[number : number + 1]
            if row is None:
                self.deleted[key] = in_ours[key]
                continue
            assert isinstance(row, dict), "what is no row was refused before"
            self._put(key, OURS)
            for place in self.overlay.value_places:
                value = row[self.overlay.columns[place].field.name]
                self.values.setdefault(place, []).append((key, [value]))

    def _put(self, keys: Numbers, side: int) -> None:
        self.rows[keys] = side
        self.touched[keys] = True

    def columns(self) -> list[pa.Array]:
        """The merged columns of the touched rows."""
        keys = np.flatnonzero(self.touched)
        spots = np.full(self.overlay.size, -1, dtype=np.int64)
        spots[keys] = np.arange(len(keys))
        by_key = dict(zip(self.overlay.key_places, self.overlay.keys_of(keys), strict=True))
        return [
            by_key[place] if place in by_key else self._column(place, keys, spots)
            for place in range(len(self.overlay.layout.columns))
        ]

    def _column(self, place: int, keys: Numbers, spots: Numbers) -> pa.Array:
        choice = self.rows[keys]
        for some, side in self.cells.get(place, ()):
            mine = spots[some]
            choice[mine[mine >= 0]] = side
        readers = [partial(side_values, self.overlay, side, place) for side in (OURS, THEIRS, BASE)]
        column = blend(readers, keys, choice, self.overlay.kinds[place])
        given = self.values.get(place)
        if not given:
            return column
        extra = pa.array([value for _, values in given for value in values], self.overlay.kinds[place])
        picks = np.arange(len(keys))
        picks[spots[np.concatenate([some for some, _ in given])]] = len(keys) + np.arange(len(extra))
        return pa.concat_arrays([column, extra]).take(pa.array(picks))


def _plan(overlay: Overlay, changes: KeyChanges, decisions: Iterable[BatchDecision]) -> _Plan:
    """Where only theirs changed something, theirs is taken; the rest is as resolved."""
    rows = np.full(overlay.size, OURS, dtype=np.int64)
    new = changes.theirs_inserted & ~changes.ours_inserted
    rows[new] = THEIRS
    deleted = changes.theirs_deleted & changes.in_ours & ~changes.ours_modified
    plan = _Plan(overlay, rows, new.copy(), deleted, {}, {})
    nothing = np.zeros(overlay.size, dtype=np.bool_)
    added = changes.ours_inserted & changes.theirs_inserted
    for place in overlay.value_places:
        changed = changes.theirs_cells.get(place, nothing) & ~changes.ours_cells.get(place, nothing)
        keys = np.flatnonzero(changed & ~changes.ours_deleted)
        if overlay.columns[place].ours is None and overlay.columns[place].base is None and added.any():
            keys = np.union1d(keys, np.flatnonzero(added))  # ours has the row but not the column
        if len(keys):
            plan.take(place, keys, THEIRS)
        if overlay.columns[place].ours is None and overlay.columns[place].base is not None:
            plan.touched |= changes.kept  # ours dropped it and the answer keeps it: its values come back
    is_there = {THEIRS: overlay.has(MergeInput.THEIRS), BASE: changes.in_base}
    for decision in decisions:
        if decision.batch.column is None:
            plan.answer_rows(decision, changes.in_ours, is_there)
        else:
            plan.answer_cells(decision)
    plan.touched &= ~plan.deleted
    return plan


def _find_nulls(
    overlay: Overlay, changes: KeyChanges, plan: _Plan, decisions: Sequence[BatchDecision], columns: Sequence[pa.Array]
) -> list[ConflictBatch]:
    """Cells that a merge makes NULL in a required column. Open conflicts are not reported twice."""
    required = [place for place in overlay.value_places if overlay.columns[place].field.required]
    if not required:
        return []
    undecided = np.zeros(overlay.size, dtype=np.bool_)
    for decision in decisions:
        if decision.batch.column is None:
            undecided[decision.open_keys] = True
    mine = (changes.ours_inserted | changes.ours_modified) & ~plan.touched & ~plan.deleted & ~undecided
    touched, untouched = np.flatnonzero(plan.touched), np.flatnonzero(mine)
    found = []
    for place in required:
        empty = [
            touched[_is_null(columns[place])],
            untouched[_is_null(side_values(overlay, OURS, place, untouched))],
        ]
        waiting = [decision.open_keys for decision in decisions if decision.batch.place == place]
        keys = np.setdiff1d(np.concatenate(empty), np.concatenate([np.zeros(0, dtype=np.int64), *waiting]))
        if len(keys):
            found.append(ConflictBatch(ConflictKind.CONSTRAINT, overlay.columns[place].field.name, keys, place))
    return found


def _is_null(column: pa.Array) -> Flags:
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False))
