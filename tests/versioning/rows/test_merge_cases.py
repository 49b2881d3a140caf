"""Every case of `cases/*.yaml`, from both sides, through the whole merge and through its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from case_values import normal
from each_case import each_case
from merge_cases import MergeCase, check, load_cases
from merge_steps import Outcome, changed_rows, merge_in_steps

from forge.model.errors import ForgeError
from forge.versioning import merge_tables

CASES = load_cases()
BOTH_WAYS = [each for case in CASES for each in (case, case.swapped())]


def _of(cases: list[MergeCase]) -> Callable[[Callable[[MergeCase], None]], Any]:
    return each_case(cases, lambda case: case.id)


def _merge_whole(case: MergeCase) -> Outcome:
    merged = merge_tables(case.base, case.ours, case.theirs, case.key)
    return merged.table, merged.conflicts


def test_there_are_enough_cases_in_every_group() -> None:
    assert len(CASES) >= 120
    assert {case.group for case in CASES} == {
        "add_add",
        "answers",
        "cells",
        "composite_keys",
        "empty_tables",
        "errors",
        "keyless",
        "keys",
        "nulls",
        "replacement",
        "rows",
        "schemas",
        "types",
    }


@_of([case for case in BOTH_WAYS if not case.answers and not case.error])
def test_whole_tables_merge_as_the_case_says(case: MergeCase) -> None:
    check(case, *_merge_whole(case))


@_of([case for case in BOTH_WAYS if not case.error])
def test_schemas_then_rows_merge_as_the_case_says(case: MergeCase) -> None:
    check(case, *merge_in_steps(case))


# a count of a keyless table is that of the rows given, so conflicts of a part hold other numbers
@pytest.mark.slow
@_of([case for case in BOTH_WAYS if not case.error and (case.key or not (case.conflicts or case.answers))])
def test_rows_that_did_not_change_need_not_be_read(case: MergeCase) -> None:
    check(case, *merge_in_steps(case, only_changes=True))


@_of([case for case in BOTH_WAYS if case.error])
def test_what_cannot_be_merged_is_refused_with_its_code(case: MergeCase) -> None:
    merge = merge_in_steps if case.answers else _merge_whole
    with pytest.raises(ForgeError) as caught:
        merge(case)
    assert caught.value.code == case.error, str(caught.value)
    error = caught.value
    told = " ".join(filter(None, (error.what, error.where, error.why, error.fix)))
    assert all(word in told for word in case.says), f"{case.says} not in: {told}"


@pytest.mark.slow
@_of([case for case in BOTH_WAYS if not case.error and case.group != "keys"])
def test_the_only_side_that_changed_is_taken_whole(case: MergeCase) -> None:
    """Whatever ours is: merged with an unchanged base, or with itself, it stays as it is; in either seat. Rows without
    a key that both sides brought are not one row for sure."""
    names = [column.name for column in case.columns["ours"]]
    rows = tuple(dict(zip(names, row, strict=True)) for row in case.rows["ours"])
    alone = replace(
        case,
        columns={**case.columns, "merged": case.columns["ours"]},
        merged=rows,
        conflicts=(),
        ordered=tuple(names),
    )
    with_itself = [(case.ours, case.ours)] if case.key else []
    for ours, theirs in ((case.ours, case.base), (case.base, case.ours), *with_itself):
        merged = merge_tables(case.base, ours, theirs, case.key)
        check(alone, merged.table, merged.conflicts)


SAME_COLUMNS = [case for case in BOTH_WAYS if case.merged is not None and len(set(case.columns.values())) == 1]


@_of([case for case in SAME_COLUMNS if not case.answers and case.key])
def test_a_merge_counts_what_it_does_to_the_rows_of_ours(case: MergeCase) -> None:
    assert case.merged is not None
    ours, after = (
        {repr(normal([row[name] for name in case.key])): normal(dict(row)) for row in rows}
        for rows in (case.ours.to_pylist(), case.merged)
    )
    merged = merge_tables(case.base, case.ours, case.theirs, case.key)
    assert merged.inserted == len(after.keys() - ours.keys())
    assert merged.deleted == len(ours.keys() - after.keys())
    assert merged.updated == sum(ours[key] != after[key] for key in ours.keys() & after.keys())


@_of([case for case in CASES if case.conflicts])
def test_a_conflict_has_the_same_id_when_it_is_found_again(case: MergeCase) -> None:
    first, second = (merge_tables(case.base, case.ours, case.theirs, case.key).conflicts for _ in range(2))
    assert [conflict.id for conflict in first] == [conflict.id for conflict in second]
    assert len({conflict.id for conflict in first}) == len(first) > 0


class TestTheCasesThemselves:
    """A checker that sees nothing would make every case green."""

    case = next(case for case in CASES if case.id == "cells-different-cells-of-one-row")
    conflicted = next(case for case in CASES if case.id == "cells-different-changes-of-one-cell")

    @pytest.mark.parametrize(
        ("rows", "word"),
        [
            ([], "missing row"),
            ([{"id": 1, "a": 11, "b": "x"}], "nobody expected"),
            ([{"id": 1, "a": 11, "b": "z"}] * 2, "nobody expected"),
            ([{"id": 1, "a": 11.0, "b": "z"}], "missing row"),
            (None, "no merged rows"),
        ],
        ids=["no-row", "another-row", "a-row-twice", "another-type", "nothing"],
    )
    def test_wrong_rows_are_seen(self, rows: list[dict[str, Any]] | None, word: str) -> None:
        with pytest.raises(AssertionError, match=word):
            check(self.case, rows, ())

    def test_a_missing_conflict_is_seen(self) -> None:
        with pytest.raises(AssertionError, match="missing conflict"):
            check(self.conflicted, None, ())

    def test_a_wrong_conflict_is_seen_with_what_differs(self) -> None:
        with pytest.raises(AssertionError, match=r"ours is 12, expected 11; theirs is 11, expected 12"):
            check(self.conflicted, None, [each.conflict() for each in self.conflicted.swapped().conflicts])

    def test_a_conflict_nobody_expected_is_seen(self) -> None:
        with pytest.raises(AssertionError, match="conflict nobody expected"):
            check(self.conflicted, None, [each.conflict() for each in self.conflicted.conflicts * 2])

    @staticmethod
    @_of(CASES)
    def test_swapping_twice_gives_the_case_back(case: MergeCase) -> None:
        twice = case.swapped().swapped()
        assert normal(twice.rows) == normal(case.rows)
        assert repr((twice.conflicts, twice.answers)) == repr((case.conflicts, case.answers))

    def test_leaving_out_equal_rows_leaves_out_some(self) -> None:
        case = next(case for case in CASES if case.id == "rows-ours-inserted")
        base, ours = changed_rows(case, "ours")
        assert (base.num_rows, ours.num_rows) == (0, 1)
