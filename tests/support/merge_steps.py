"""A merge case worked out step by step: schemas, rows, applied rows; with the case's answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
from case_values import normal
from merge_cases import MergeCase

from forge.versioning.conflict import Answers, Conflict
from forge.versioning.rows.merge import apply_rows, merge_rows
from forge.versioning.schema.merge import merge_schemas

Outcome = tuple[pa.Table | None, tuple[Conflict, ...]]


def merge_in_steps(case: MergeCase, *, only_changes: bool = False) -> Outcome:
    """The merged rows, or None while conflicts are open, and those conflicts."""
    if not case.answers:
        return _steps(case, Answers(), only_changes)
    _, unanswered = _steps(case, Answers(), only_changes)
    return _steps(case, case.find_answers(unanswered), only_changes)


def _steps(case: MergeCase, answers: Answers, only_changes: bool) -> Outcome:
    base, ours_fields, theirs_fields = (case.fields(side) for side in ("base", "ours", "theirs"))
    layout, conflicts = merge_schemas(base, ours_fields, theirs_fields, case.key, answers=answers, table=case.table)
    if conflicts:
        return None, conflicts
    base_ours, ours = changed_rows(case, "ours") if only_changes else (case.base, case.ours)
    base_theirs, theirs = changed_rows(case, "theirs") if only_changes else (case.base, case.theirs)
    merge = merge_rows(
        layout,
        base_ours=base_ours,
        ours=ours,
        base_theirs=base_theirs,
        theirs=theirs,
        answers=answers,
        table=case.table,
    )
    assert merge.conflict_count == len(merge.conflicts)
    return (None, merge.conflicts) if merge.conflicts else (apply_rows(case.ours, merge, layout), ())


def changed_rows(case: MergeCase, side: str) -> tuple[pa.Table, pa.Table]:
    """The base and a side without some of the rows that are equal in both, as a table's replaced files are. Every other
    equal row stays: files are rewritten whole, and carry rows over."""
    base, other = case.arrow("base"), case.arrow(side)
    if case.columns["base"] != case.columns[side]:
        return base, other
    left = [normal(row) for row in other.to_pylist()]
    places: list[int | None] = list(range(len(left)))
    kept: list[int] = []
    for place, row in enumerate(base.to_pylist()):
        match = _find(normal(row), left, places)
        if match is None or place % 2:
            kept.append(place)
        else:
            places[match] = None
    remaining = [place for place in places if place is not None]
    return _take(base, kept), _take(other, remaining)


def _find(row: Any, rows: list[Any], places: list[int | None]) -> int | None:
    return next((place for place in places if place is not None and rows[place] == row), None)


def _take(table: pa.Table, places: Iterable[int]) -> pa.Table:
    return table.take(pa.array(list(places), pa.int64()))
