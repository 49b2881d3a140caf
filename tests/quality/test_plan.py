"""Measures are shared, sorted by cost, and one broken check harms no other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.quality.check import Check, Context, Finding
from forge.quality.checks import ExpressionCheck, NotNullCheck, RangeCheck, RowCountCheck, UniqueCheck
from forge.quality.measure import Cost, Measure, Readings
from forge.quality.plan import check_ids, cost_of, judge_all, plan_measures
from forge.quality.verdict import Outcome

ORDERS = TableName("core", "orders")
SCHEMA = Schema((Column("a", "bigint"), Column("t", "string"), Column("f", "double")))
CONTEXT = Context(ORDERS, SCHEMA, datetime(2026, 11, 15, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Broken(Check):
    """A check with a bug, in planning or in judging."""

    type: ClassVar[str] = "broken"
    words: ClassVar[tuple[str, ...]] = ("broken",)
    planning: bool = False

    def targets(self) -> tuple[str, ...]:
        return ()

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        if self.planning:
            raise RuntimeError("no plan")
        return ()

    def decide(self, readings: Readings, context: Context) -> Finding:
        raise ZeroDivisionError("oh")


def test_equal_measures_of_many_checks_are_planned_once() -> None:
    checks = [
        NotNullCheck(("a",)),
        RangeCheck("a", 0, 5),
        RangeCheck("a", 0, 9),
        RowCountCheck(min=1),
        NotNullCheck(("a", "t")),
    ]
    measures = plan_measures(checks, SCHEMA)
    assert len(set(measures)) == len(measures)
    assert sorted((m.kind, *m.columns) for m in measures) == [
        ("max", "a"),
        ("min", "a"),
        ("nulls", "a"),
        ("nulls", "t"),
        ("outside_range", "a"),
        ("outside_range", "a"),
        ("rows",),
    ]


def test_the_plan_does_not_depend_on_the_order_of_the_checks() -> None:
    checks: list[Check] = [
        NotNullCheck(("a",)),
        RangeCheck("a", 0, 5),
        UniqueCheck(("t", "a")),
        ExpressionCheck("a > 0"),
    ]
    assert plan_measures(checks, SCHEMA) == plan_measures(checks[::-1], SCHEMA)


def test_what_manifests_may_answer_is_metadata_and_a_filter_makes_it_plain() -> None:
    costs = {
        Measure(kind="rows"): Cost.METADATA,
        Measure(kind="rows", where="a > 0"): Cost.PLAIN,
        Measure(kind="nulls", columns=("t",)): Cost.METADATA,
        Measure(kind="min", columns=("a",)): Cost.METADATA,
        Measure(kind="max", columns=("a",), where="x"): Cost.PLAIN,
        Measure(kind="min", columns=("t",)): Cost.STRING,
        Measure(kind="max", columns=("t",), where="x"): Cost.STRING,
        Measure(kind="outside_range", columns=("a",), arguments=(0, 5)): Cost.METADATA,
        Measure(kind="outside_range", columns=("t",), arguments=("a", "b")): Cost.PLAIN,
        Measure(kind="outside_set", columns=("t",), arguments=("a",)): Cost.PLAIN,
        Measure(kind="not_matching", columns=("t",), arguments=("a",)): Cost.PLAIN,
        Measure(kind="false", columns=(), arguments=("a > 0",)): Cost.PLAIN,
        Measure(kind="duplicates", columns=("a",)): Cost.NARROW,
        Measure(kind="orphans", columns=("a",), arguments=(ORDERS, "a")): Cost.NARROW,
    }
    assert {measure: cost_of(measure, SCHEMA) for measure in costs} == costs


def test_a_broken_check_is_not_measured_and_takes_no_other_down() -> None:
    checks = [
        RowCountCheck(min=1),
        Broken(planning=True),
        Broken(),
        RangeCheck("nope", 0),
        RowCountCheck(min=9, name="many"),
    ]
    measures = plan_measures(checks, SCHEMA)
    verdicts = judge_all(checks, dict.fromkeys(measures, 5), CONTEXT)
    not_measured = Outcome.NOT_MEASURED
    assert [v.outcome for v in verdicts] == [Outcome.PASSED, not_measured, not_measured, not_measured, Outcome.FAILED]
    assert "RuntimeError: no plan" in verdicts[1].message
    assert "ZeroDivisionError: oh" in verdicts[2].message
    assert all(v.blocks for v in verdicts[1:])


def test_a_reading_of_the_wrong_kind_is_told_and_not_believed() -> None:
    verdict = judge_all([RowCountCheck(min=1)], {Measure(kind="rows"): "many"}, CONTEXT)[0]
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert "'many', not a count" in verdict.message


def test_checks_that_would_be_called_the_same_are_told_apart_by_what_they_ask_not_by_their_place() -> None:
    checks = [RangeCheck("a", 0), RangeCheck("a", 1), RangeCheck("a", 2, where="t = 'x'"), RangeCheck("a", 3)]
    ids = check_ids(checks, ORDERS)
    assert len(set(ids)) == len(ids)
    assert ids[2] == "core.orders.a.range.t_x"
    assert all(id_.startswith("core.orders.a.range.") for id_ in ids)
    assert check_ids(checks[::-1], ORDERS) == ids[::-1]
    assert check_ids([checks[3], RangeCheck("a", 9), checks[1]], ORDERS)[::2] == (ids[3], ids[1])
    assert tuple(v.check_id for v in judge_all(checks, {}, CONTEXT)) == ids


def test_a_check_with_an_id_keeps_its_identity_whatever_else_changes() -> None:
    before, after = (
        RangeCheck("a", 0, id="Positive amounts"),
        RangeCheck("a", 1, id="Positive amounts", name="more than one"),
    )
    assert check_ids([before], ORDERS) == check_ids([after], ORDERS) == ("core.orders.positive_amounts",)


def test_checks_that_ask_the_very_same_are_counted() -> None:
    first, second = check_ids([RangeCheck("a", 0), RangeCheck("a", 0)], ORDERS)
    assert second == f"{first}.2"
