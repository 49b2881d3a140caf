"""Every merge case of the specification, on Spark, and with the sides swapped.

Cases of one layout are merged by one job: each has a number, which is a further column and part of the key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from case_values import Column
from merge_cases import MergeCase, check, load_cases

from forge.model.errors import ForgeError
from forge.versioning.conflict import Answers, Conflict
from forge.versioning.field import Layout
from forge.versioning.schema.merge import merge_schemas

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from forge.engines.spark.merge.multiset import CountMerge
    from forge.engines.spark.merge.rows import FrameMerge

pytestmark = pytest.mark.spark
LOADED = load_cases()
# answers and errors are merged one by one; seen from the other side they are run by the suite of the driver
CASES = [*LOADED, *(case.swapped() for case in LOADED if not case.answers and not case.error)]
TAG = "case_number"
Solution = tuple[list[Mapping[str, Any]] | None, list[Conflict]]
Solve = Callable[[MergeCase], Solution]


def group_of(case: MergeCase) -> str:
    """Cases with the same columns, key and rules; what fails does so alone."""
    rules = tuple(each for each in case.answers if each.conflict is None)
    return repr((case.columns, case.key, case.table, rules, case.id if case.error else None))


def tagged(cases: list[MergeCase]) -> MergeCase:
    """One case out of all. The field id of the number is one that no case uses."""
    first = cases[0]
    return replace(
        first,
        key=(TAG, *first.key) if first.key else (),
        columns={side: (Column(9999, TAG, "int"), *columns) for side, columns in first.columns.items()},
        rows={
            side: tuple((number, *row) for number, case in enumerate(cases) for row in case.rows[side])
            for side in first.rows
        },
    )


def untagged(conflict: Conflict) -> tuple[int, Conflict]:
    def strip(value: Any) -> Any:
        return {k: v for k, v in value.items() if k != TAG} if isinstance(value, Mapping) else value

    assert conflict.key is not None, "conflicts of rows have a key"
    number = conflict.key[TAG]
    assert isinstance(number, int)
    sides = {side: strip(getattr(conflict, side)) for side in ("base", "ours", "theirs")}
    return number, replace(conflict, key=strip(conflict.key), **sides)


def frame(spark: SparkSession, case: MergeCase, side: str) -> DataFrame:
    from pyspark.sql.types import DataType, StructType

    schema = StructType()
    for column in case.columns[side]:
        schema.add(column.name, DataType.fromDDL(column.type))
    table = case.arrow(side)
    table = table.cast(pa.schema([field.with_nullable(True) for field in table.schema]))
    return spark.createDataFrame(table, schema).coalesce(1)


def lay(case: MergeCase, answers: Answers) -> tuple[Layout, tuple[Conflict, ...]]:
    base, ours, theirs = (case.fields(side) for side in ("base", "ours", "theirs"))
    return merge_schemas(base, ours, theirs, case.key, answers=answers, table=case.table)


def work_out(spark: SparkSession, case: MergeCase, layout: Layout, answers: Answers) -> FrameMerge | CountMerge:
    from forge.engines.spark.merge.multiset import merge_counts
    from forge.engines.spark.merge.rows import merge_frames

    base, ours, theirs = (frame(spark, case, side) for side in ("base", "ours", "theirs"))
    work: Any = merge_frames if layout.key else merge_counts
    sides = {"base_ours": base, "ours": ours, "base_theirs": base, "theirs": theirs}
    merged: FrameMerge | CountMerge = work(spark, layout, **sides, answers=answers, table=case.table)
    return merged


def find_single(spark: SparkSession, cases: list[MergeCase], whole: MergeCase) -> dict[str, Any]:
    """Answers to single conflicts, as a person gives them: after a look at the conflicts of a first merge."""
    if not any(answer.conflict for case in cases for answer in case.answers):
        return {}
    layout, of_schema = lay(whole, Answers())
    if of_schema:
        return dict(cases[0].find_answers(of_schema).by_conflict)
    first = work_out(spark, whole, layout, Answers())
    ids: dict[str, str] = {}
    by_case: dict[int, list[Conflict]] = {}
    for conflict in first.conflicts:
        number, plain = untagged(conflict)
        by_case.setdefault(number, []).append(plain)
        ids[f"{number} {plain.id}"] = conflict.id
    first.release()
    found = {}
    for number, case in enumerate(cases):
        given = case.find_answers(by_case.get(number, ())).by_conflict
        found.update({ids[f"{number} {each}"]: rule for each, rule in given.items()})
    return found


def solve_all(spark: SparkSession, cases: list[MergeCase]) -> list[Solution]:
    whole = tagged(cases)
    rules = tuple(each.rule() for each in cases[0].answers if each.conflict is None)
    answers = Answers(rules, find_single(spark, cases, whole))
    layout, of_schema = lay(whole, answers)
    if of_schema:
        return [(None, list(of_schema)) for _ in cases]
    merge = work_out(spark, whole, layout, answers)
    try:
        conflicts: dict[int, list[Conflict]] = {}
        for number, conflict in map(untagged, merge.conflicts):
            conflicts.setdefault(number, []).append(conflict)
        rows: dict[int, list[Mapping[str, Any]]] = {}
        for row in merge.apply(frame(spark, whole, "ours")).toArrow().to_pylist():
            rows.setdefault(row.pop(TAG), []).append(row)
    finally:
        merge.release()
    return [
        (None if number in conflicts else rows.get(number, []), conflicts.get(number, []))
        for number in range(len(cases))
    ]


@pytest.fixture(scope="module")
def solve(spark: SparkSession) -> Solve:
    """Merges the group of a case when the first of it is asked for."""
    session = spark.newSession()
    for name, value in {
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than merging a few rows
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
    }.items():
        session.conf.set(name, value)
    solved: dict[str, list[Solution] | ForgeError] = {}

    def solve_one(case: MergeCase) -> Solution:
        group = group_of(case)
        members = [each for each in CASES if group_of(each) == group]
        if group not in solved:
            try:
                solved[group] = solve_all(session, members)
            except ForgeError as error:
                solved[group] = error
        found = solved[group]
        if isinstance(found, ForgeError):
            raise found
        return found[[each.id for each in members].index(case.id)]

    return solve_one


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_is_merged_as_specified(solve: Solve, case: MergeCase) -> None:
    if case.error is None:
        check(case, *solve(case))
        return
    with pytest.raises(ForgeError) as raised:
        solve(case)
    assert raised.value.code == case.error
    for word in case.says:
        assert word in str(raised.value)
