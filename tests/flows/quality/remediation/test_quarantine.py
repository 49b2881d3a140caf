"""The columns of a quarantine table, as its table changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from forge.flows.quality.remediation.quarantine import plan_side, side_lineage, side_of
from forge.flows.quality.remediation.quarantine_run import StagedOutput, asking_checks, is_worth_it, naming_checks
from forge.flows.runs.engine import Pin
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, SnapshotId, TableName
from forge.quality.check import Check
from forge.quality.checks import RangeCheck, RowCountCheck
from forge.quality.remedy import load_actions
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.field import Fields, TableField

ORDERS = TableName.parse("core.orders")
OWN = ["forge_checks", "forge_run", "forge_quarantined_at"]


def fields(**types: str) -> Fields:
    return tuple(TableField(number, name, kind, True) for number, (name, kind) in enumerate(types.items(), start=1))


def shape(found: Fields) -> dict[str, str]:
    return {field.name: field.type for field in found if field.name not in OWN}


def test_a_new_side_table_has_the_columns_and_its_own_and_requires_none() -> None:
    side = plan_side(ORDERS, fields(id="bigint", at="timestamp"), ())
    assert [field.name for field in side.fields] == ["id", "at", *OWN]
    assert not any(field.required for field in side.fields)
    assert side.names == {"id": "id", "at": "at"}


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("int", "bigint", "bigint"),
        ("bigint", "int", "bigint"),
        ("float", "double", "double"),
        ("double", "float", "double"),
        ("decimal(10,2)", "decimal(12,2)", "decimal(12,2)"),
        ("decimal(12,2)", "decimal(10,2)", "decimal(12,2)"),
        ("array<int>", "array<int>", "array<int>"),
    ],
)
def test_the_wider_type_is_kept(old: str, new: str, kept: str) -> None:
    before = plan_side(ORDERS, fields(a=old), ()).fields
    side = plan_side(ORDERS, fields(a=new), before)
    assert shape(side.fields) == {"a": kept}


def test_a_column_that_changed_its_case_stays_one_column() -> None:
    before = plan_side(ORDERS, fields(Email="string"), ()).fields
    side = plan_side(ORDERS, fields(email="string"), before)
    assert (shape(side.fields), side.names) == ({"Email": "string"}, {"email": "Email"})


@pytest.mark.parametrize(("old", "new"), [("string", "int"), ("decimal(10,2)", "decimal(10,3)"), ("date", "timestamp")])
def test_a_type_that_does_not_go_with_the_old_one_gets_a_column_of_its_own(old: str, new: str) -> None:
    before = plan_side(ORDERS, fields(a=old), ()).fields
    side = plan_side(ORDERS, fields(a=new), before)
    assert shape(side.fields) == {"a": old, "a_2": new}
    assert side.names == {"a": "a_2"}
    again = plan_side(ORDERS, fields(a=new), side.fields)
    assert again.fields == side.fields


def test_what_the_table_drops_stays_and_what_it_gets_is_added() -> None:
    before = plan_side(ORDERS, fields(a="int", b="int"), ()).fields
    side = plan_side(ORDERS, fields(b="int", c="string"), before)
    assert shape(side.fields) == {"a": "int", "b": "int", "c": "string"}


def test_a_column_of_the_quarantines_own_name_is_refused() -> None:
    with pytest.raises(ForgeError) as caught:
        plan_side(ORDERS, fields(Forge_Run="string"), ())
    assert caught.value.code == "E749"


def test_lineage_says_where_the_rows_come_from() -> None:
    side = plan_side(ORDERS, fields(id="bigint", mail="string"), ())
    found = side_lineage(ORDERS, side)
    assert found.table == side_of(ORDERS) == TableName.parse("core.orders_quarantine")
    assert {(str(edge.source), str(edge.target)) for edge in found.edges} == {
        ("core.orders.id", "core.orders_quarantine.id"),
        ("core.orders.mail", "core.orders_quarantine.mail"),
    }


# in a run

MOVES = RangeCheck(column="amount", min=0, on_failure=load_actions("quarantine"), auto=True)
PROPOSES = RangeCheck(column="amount", max=9, on_failure=load_actions("quarantine"))


def staged(*judged: tuple[Check, Outcome]) -> StagedOutput:
    """An output whose checks said this."""
    verdicts = tuple(
        Verdict(
            check_id=check.check_id(ORDERS),
            check_type=check.type,
            table="core.orders",
            columns=(),
            outcome=said,
            severity=check.severity,
            message="",
            blocks=_blocks(check, said),
        )
        for check, said in judged
    )

    class Made:
        output = ORDERS

    anything: Any = None
    checks = tuple(check for check, _ in judged)
    return StagedOutput(
        transform=cast(Any, Made()),
        stage=anything,
        snapshot=anything,
        checks=checks,
        verdicts=verdicts,
        readings={},
        others={},
    )


def _blocks(check: Check, outcome: Outcome) -> bool:
    return outcome is not Outcome.PASSED and check.severity is Severity.ERROR


def test_only_a_failed_check_that_asks_for_it_at_once_moves_rows() -> None:
    assert [one for _, one in asking_checks(staged((MOVES, Outcome.FAILED)))] == [MOVES]
    for said in (Outcome.PASSED, Outcome.NOT_MEASURED):
        assert asking_checks(staged((MOVES, said))) == ()
    assert asking_checks(staged((PROPOSES, Outcome.FAILED))) == ()


def test_rows_are_set_aside_only_where_that_lets_the_rest_through() -> None:
    count = RowCountCheck(min=10)
    assert is_worth_it(staged((MOVES, Outcome.FAILED)), ())
    assert is_worth_it(staged((MOVES, Outcome.FAILED), (count, Outcome.PASSED)), ())
    assert not is_worth_it(staged((MOVES, Outcome.FAILED), (count, Outcome.FAILED)), ())
    assert not is_worth_it(staged((MOVES, Outcome.FAILED), (count, Outcome.NOT_MEASURED)), ())
    assert not is_worth_it(staged((MOVES, Outcome.PASSED), (count, Outcome.FAILED)), ())


def test_a_check_of_new_rows_names_none_unless_it_is_known_which_are_new() -> None:
    made = staged((replace(MOVES, since="previous"), Outcome.FAILED))
    assert len(asking_checks(made)) == 1
    assert naming_checks(made) == ()
    new = Pin(ORDERS, CatalogName("core", "orders"), SnapshotId(2), since=SnapshotId(1))
    assert naming_checks(replace(made, parts={"previous": new})) == asking_checks(made)
