"""Verdicts of the past, shown after one of their columns became personal."""

from __future__ import annotations

import inspect

import pytest

from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.quality.verdict_masking import REVEALING, shown_verdict
from forge.quality.checks import CHECKS
from forge.quality.verdict import Outcome, Severity, Verdict

HIDDEN = PersonalColumns(frozenset({("core.people", "salary"), ("core.staff", "mail")}))


def verdict(kind: str, columns: tuple[str, ...] = (), **details: object) -> Verdict:
    said = "salary: 1 row is below 0; the lowest is -5"
    return Verdict(
        check_id=f"core.people.{kind}",
        check_type=kind,
        table="core.people",
        columns=columns,
        outcome=Outcome.FAILED,
        severity=Severity.ERROR,
        message=said,
        blocks=True,
        details=details,
    )


def test_a_sample_shows_no_value_of_a_column_that_is_personal_now() -> None:
    shown = shown_verdict(verdict("not_null", ("id",), sample=[{"id": 1, "Salary": -5, "note": None}]), HIDDEN)
    assert shown.details["sample"] == [{"id": 1, "Salary": "***", "note": None}]
    assert shown.message.endswith("the lowest is -5"), "a check of another column says what it said"


def test_a_message_with_values_is_not_told_of_a_column_that_has_become_personal() -> None:
    shown = shown_verdict(verdict("range", ("salary",), readings={"min": -5}, thresholds={"min": 0}), HIDDEN)
    assert "-5" not in shown.message
    assert dict(shown.details) == {"thresholds": {"min": 0}}


def test_what_was_said_while_it_was_personal_already_is_told() -> None:
    given = verdict("range", ("salary",), readings={"rows": 3}, personal=["salary"])
    assert shown_verdict(given, HIDDEN) == given


def test_partitions_by_a_column_that_has_become_personal_are_not_told() -> None:
    shown = shown_verdict(verdict("not_null", ("id",), partition_by=["salary"], partitions=[{"salary": -5}]), HIDDEN)
    assert "-5" not in str(shown)


@pytest.mark.parametrize(
    ("reads", "table", "closed"), [((), "core.people", True), (("core.staff",), "core.x", True), ((), "core.x", False)]
)
def test_rows_of_a_free_query_are_closed_where_it_reads_personal_data(
    reads: tuple[str, ...], table: str, closed: bool
) -> None:
    given = Verdict(
        check_id="q",
        check_type="query",
        table=table,
        columns=(),
        outcome=Outcome.FAILED,
        severity=Severity.ERROR,
        message="",
        blocks=True,
        details={"sample": [{"x": 7}], "reads": reads},
    )
    assert shown_verdict(given, HIDDEN).details["sample"] == [{"x": "***" if closed else 7}]


def test_every_check_whose_words_depend_on_personal_data_is_known() -> None:
    asking = {
        kind.type for kind in CHECKS if any(_asks(each) for each in kind.__mro__ if each.__module__ != "builtins")
    }
    assert asking == REVEALING


def _asks(kind: type) -> bool:
    if not kind.__module__.startswith("forge.quality.checks."):
        return False
    source = inspect.getsource(kind)
    return "hidden_values(" in source or ".hides(" in source
