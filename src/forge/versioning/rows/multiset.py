"""Merge of tables without a key as multisets: by the multiplicity of each distinct row on each side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from forge.versioning.arrow_types import schema_of
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.field import Layout
from forge.versioning.rows.apply import COUNT, RowMerge
from forge.versioning.rows.codes import Flags, Numbers, code_rows
from forge.versioning.rows.conflicts import (
    BASE,
    OURS,
    THEIRS,
    VALUE,
    BatchDecision,
    ConflictBatch,
    collect,
    decide,
    row_dicts,
)
from forge.versioning.rows.sides import MergeInput, Overlay, find_types, lay
from forge.versioning.rows.values import fit_value

_ANYWHERE = (MergeInput.OURS, MergeInput.THEIRS, MergeInput.BASE_OURS, MergeInput.BASE_THEIRS)


@dataclass(frozen=True, slots=True)
class _Multiset:
    """Numbers are distinct rows; `base`, `ours` and `theirs` are their multiplicities in what was read."""

    overlay: Overlay
    base: Numbers
    ours: Numbers
    theirs: Numbers
    table: str | None

    @property
    def by_ours(self) -> Numbers:
        return self.ours - self.base

    @property
    def by_theirs(self) -> Numbers:
        return self.theirs - self.base

    def order(self, keys: Numbers) -> list[pa.Array]:
        return [self.overlay.first(place, keys, _ANYWHERE) for place in range(len(self.overlay.columns))]

    def describe(self, batch: ConflictBatch, keys: Numbers) -> list[Conflict]:
        names = [column.field.name for column in self.overlay.columns]
        rows = row_dicts(names, self.order(keys), len(keys))
        if batch.kind is ConflictKind.CONSTRAINT:
            return [Conflict(kind=batch.kind, key=row, column=batch.column, table=self.table) for row in rows]
        counts: list[list[object]] = [side[keys].tolist() for side in (self.base, self.ours, self.theirs)]
        return [
            Conflict(kind=batch.kind, key=row, column=None, base=base, ours=ours, theirs=theirs, table=self.table)
            for row, base, ours, theirs in zip(rows, *counts, strict=True)
        ]

    def refuse(self, conflict: Conflict, batch: ConflictBatch, rule: ResolutionRule) -> str | None:
        if batch.kind is ConflictKind.CONSTRAINT:
            return "rows without a key cannot be changed here; fill the column on the side that brings them"
        if rule.take is ResolutionChoice.MANUAL and (type(rule.value) is not int or rule.value < 0):
            return f"{rule.value!r} is no count"
        return None

    def fit(self, conflict: Conflict, batch: ConflictBatch, rule: ResolutionRule) -> object:
        if rule.take is ResolutionChoice.MANUAL:
            return rule.value
        from forge.versioning.expression.parse import parse_expression

        result = parse_expression(str(rule.value)).evaluate(conflict.base, conflict.ours, conflict.theirs)
        return fit_value(result, pa.uint32(), "count")

    def allowed(self, batch: ConflictBatch, choice: int, keys: Numbers) -> Flags:
        return np.full(len(keys), batch.kind is not ConflictKind.CONSTRAINT, dtype=np.bool_)


def merge_multisets(
    layout: Layout, tables: Mapping[MergeInput, pa.Table], *, answers: Answers, table: str | None, limit: int | None
) -> RowMerge:
    bag = _count(layout, tables, table)
    ours, theirs = bag.by_ours, bag.by_theirs
    # also where both changed it alike: it is unknown whether they mean one row or two
    clash = (ours != 0) & (theirs != 0)
    decision = decide(ConflictBatch(ConflictKind.CARDINALITY, None, np.flatnonzero(clash)), answers, bag)
    change = np.where(clash, 0, theirs)
    change[decision.keys(THEIRS)] = (theirs - ours)[decision.keys(THEIRS)]
    change[decision.keys(BASE)] = -ours[decision.keys(BASE)]
    for place, value in decision.values.items():
        number = decision.batch.keys[place]
        assert isinstance(value, int), "counts are whole numbers"
        change[number] = value - bag.ours[number]
    decisions = [decision, *_find_nulls(bag, change, answers)]
    conflicts, count = collect(decisions, bag, limit)
    added, gone = np.flatnonzero(change > 0), np.flatnonzero(change < 0)
    schema = schema_of(layout.fields, bag.overlay.kinds)
    deletes = pa.Table.from_arrays(bag.order(gone), schema=pa.schema([field.with_nullable(True) for field in schema]))
    return RowMerge(
        upserts=pa.Table.from_arrays(bag.order(np.repeat(added, change[added])), schema=schema),
        deletes=deletes.append_column(COUNT, pa.array(-change[gone], pa.int64())),
        conflicts=conflicts,
        conflict_count=count,
        inserted=int(change[added].sum()),
        deleted=int(-change[gone].sum()),
        resolved_count=sum(int(np.isin(each.choice, (OURS, THEIRS, BASE, VALUE)).sum()) for each in decisions),
        shared_count=int(((ours != 0) & (theirs != 0)).sum()),
    )


def _find_nulls(bag: _Multiset, change: Numbers, answers: Answers) -> list[BatchDecision]:
    """Rows that a side adds with NULL in a column that is required after the merge."""
    found = []
    brought = np.flatnonzero(((change > 0) | (bag.by_ours > 0)) & (bag.ours + change > 0))
    for place, column in enumerate(bag.overlay.layout.columns):
        if column.field.required and len(brought):
            values = bag.overlay.first(place, brought, _ANYWHERE)
            empty = np.asarray(values.is_null().to_numpy(zero_copy_only=False))
            batch = ConflictBatch(ConflictKind.CONSTRAINT, column.field.name, brought[empty], place)
            found.append(decide(batch, answers, bag))
    return found


def _count(layout: Layout, tables: Mapping[MergeInput, pa.Table], table: str | None) -> _Multiset:
    overlay, counts = count_rows(layout, tables)
    # of parts of tables it is only known what came and went; with whole tables both bases are the same
    base = np.maximum(counts[MergeInput.BASE_OURS], counts[MergeInput.BASE_THEIRS])
    ours = base + counts[MergeInput.OURS] - counts[MergeInput.BASE_OURS]
    theirs = base + counts[MergeInput.THEIRS] - counts[MergeInput.BASE_THEIRS]
    return _Multiset(overlay, base, ours, theirs, table)


def count_rows(layout: Layout, tables: Mapping[MergeInput, pa.Table]) -> tuple[Overlay, dict[MergeInput, Numbers]]:
    """Distinct rows in place of keys, and their multiplicity in each input."""
    kinds = find_types(layout.columns, tables)
    places = range(len(layout.columns))
    rows = {which: lay(given, which.side, layout.columns, kinds) for which, given in tables.items()}
    filled = [each.filled(places, kinds) for each in rows.values()]
    codes, size = code_rows(filled, [each.length for each in rows.values()])
    counts, at = {}, {}
    for which, numbers in zip(rows, codes, strict=True):
        counts[which] = np.bincount(numbers, minlength=size)
        at[which] = np.full(size, -1, dtype=np.int64)
        at[which][numbers] = np.arange(len(numbers))
    return Overlay(layout, layout.columns, kinds, rows, at, size), counts
