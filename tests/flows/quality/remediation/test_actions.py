"""What each action of a remediation does: quarantine, rollback, impute, deduplicate; and how it is taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from remedy_cases import BAD, GOOD, ORDERS, SIDE, ids, in_range, observe, outcomes
from remedy_world import RemedyWorld, make_remedy_world

from forge.flows.quality.remediation.decision import approve, revert
from forge.flows.quality.remediation.proposal import observe_failures
from forge.model.names import TableName
from forge.quality.checks import NotNullCheck, RowCountCheck, UniqueCheck
from forge.quality.remediation import RemedyStatus
from forge.quality.remedy import load_actions
from forge.quality.verdict import Outcome, Severity

NAME = TableName.parse(ORDERS)
QUARANTINE = load_actions("quarantine")


# quarantine


@pytest.mark.slow
def test_a_row_that_fails_two_checks_is_moved_once_with_both_names(remedy_world: RemedyWorld) -> None:
    remedy_world.commit(ORDERS, [{"id": None, "amount": -7, "day": "x"}])
    made = observe(remedy_world, in_range(auto=True), NotNullCheck(columns=("id",), on_failure=QUARANTINE, auto=True))
    assert made.counts[0].deleted == 2
    both = [row for row in remedy_world.world.rows(SIDE) if row["id"] is None]
    assert [sorted(row["forge_checks"]) for row in both] == [["core.orders.amount.range", "core.orders.id.not_null"]]
    assert made.results[0].details["by_check"] == {"core.orders.amount.range": 2, "core.orders.id.not_null": 1}


@pytest.mark.slow
def test_later_quarantines_append(remedy_world: RemedyWorld) -> None:
    observe(remedy_world, in_range(auto=True))
    remedy_world.commit(ORDERS, [{"id": 5, "amount": -9, "day": "e"}])
    observe(remedy_world, in_range(auto=True))
    assert ids(remedy_world, table=SIDE) == [3, 5]
    assert ids(remedy_world) == [1, 2, 4]


@pytest.mark.slow
def test_the_side_table_follows_a_change_of_columns(remedy_world: RemedyWorld) -> None:
    from forge.versioning.field import TableField

    observe(remedy_world, in_range(auto=True))
    fields = [f for f in remedy_world.world.fields(ORDERS) if f.name != "day"]
    remedy_world.world.set_fields(ORDERS, (*fields, TableField("region", "region", "string")))
    remedy_world.commit(ORDERS, [{"id": 5, "amount": -9, "region": "EU"}])
    observe(remedy_world, in_range(auto=True))
    rows = {row["id"]: row for row in remedy_world.world.rows(SIDE)}
    assert (rows[3]["day"], rows[3]["region"]) == ("c", None)
    assert (rows[5]["day"], rows[5]["region"]) == (None, "EU")


@pytest.mark.slow
def test_a_column_that_came_back_with_another_type_gets_a_place_of_its_own(remedy_world: RemedyWorld) -> None:
    from forge.versioning.field import TableField

    observe(remedy_world, in_range(auto=True))
    fields = [f for f in remedy_world.world.fields(ORDERS) if f.name != "day"]
    remedy_world.world.set_fields(ORDERS, tuple(fields))
    remedy_world.world.set_fields(ORDERS, (*fields, TableField("new day", "day", "bigint")))
    remedy_world.commit(ORDERS, [{"id": 5, "amount": -9, "day": 7}])
    observe(remedy_world, in_range(auto=True))
    rows = {row["id"]: row for row in remedy_world.world.rows(SIDE)}
    assert (rows[3]["day"], rows[5]["day"], rows[5]["day_2"]) == ("c", None, 7)


def test_a_check_that_names_no_rows_quarantines_nothing_and_says_so(remedy_world: RemedyWorld) -> None:
    head = remedy_world.world.head()
    made = observe(remedy_world, RowCountCheck(min=50, on_failure=QUARANTINE, auto=True))
    assert made.status is RemedyStatus.NOTHING
    assert "No failing rows" in made.note
    assert (made.results[0].success, made.results[0].details["rows"]) == (False, 0)
    assert remedy_world.world.head() == head
    assert remedy_world.world.version(SIDE) is None


def test_a_proposal_that_finds_nothing_leaves_no_branch(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, RowCountCheck(min=50, on_failure=QUARANTINE))
    assert made.status is RemedyStatus.NOTHING
    assert remedy_world.world.metadata.branch(made.preview_branch) is None


@pytest.mark.slow
def test_duplicates_go_to_quarantine_all_but_the_first(remedy_world: RemedyWorld) -> None:
    remedy_world.commit(ORDERS, [{"id": 1, "amount": 11, "day": "z"}, {"id": None, "amount": 1, "day": "n"}])
    remedy_world.commit(ORDERS, [{"id": None, "amount": 2, "day": "n"}])
    made = observe(remedy_world, UniqueCheck(columns=("id",), on_failure=QUARANTINE, auto=True))
    assert made.counts[0].deleted == 1
    assert sorted(row["id"] for row in remedy_world.world.rows(ORDERS) if row["id"] is not None) == [1, 2, 3, 4]


def test_a_table_that_uses_the_names_of_the_quarantine_is_refused(tmp_path: Path) -> None:
    remedy_world = make_remedy_world(tmp_path)
    remedy_world.commit(ORDERS, [{"id": 1, "amount": -1, "forge_checks": "mine"}])
    made = observe(remedy_world, in_range(auto=True))
    assert made.status is RemedyStatus.FAILED
    assert "forge_checks" in made.note


# taking back


@pytest.mark.slow
def test_a_remediation_can_be_taken_back(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range(auto=True))
    back = revert(made.id, remedy_world.ports)
    assert back.status is RemedyStatus.REVERTED
    assert back.reverted_by_commit == remedy_world.world.head()
    assert ids(remedy_world) == [1, 2, 3, 4]
    assert remedy_world.world.version(SIDE) is None
    assert remedy_world.ports.store.get(made.id) == back


@pytest.mark.slow
def test_taking_back_keeps_what_others_did_since(remedy_world: RemedyWorld) -> None:
    remedy_world.check(ORDERS, in_range(auto=True, severity=Severity.WARNING))
    (made,) = observe_failures(remedy_world.judge(ORDERS), remedy_world.ports)
    remedy_world.commit(ORDERS, [{"id": 9, "amount": 90, "day": "i"}])
    revert(made.id, remedy_world.ports)
    assert ids(remedy_world) == [1, 2, 3, 4, 9]


# rollback


@pytest.fixture
def fallen(tmp_path: Path) -> RemedyWorld:
    """A table that passed, went on, and then failed."""
    remedy_world = make_remedy_world(tmp_path)
    remedy_world.check(ORDERS, in_range("rollback", severity=Severity.WARNING))
    remedy_world.world.commit_rows(ORDERS, GOOD)
    remedy_world.world.commit_rows("core.other", [{"id": 1}])
    remedy_world.world.commit_rows(ORDERS, BAD)
    remedy_world.world.commit_rows("core.other", [{"id": 2}])
    return remedy_world


@pytest.mark.slow
def test_a_rollback_restores_this_table_alone_to_where_the_check_passed(fallen: RemedyWorld) -> None:
    first = fallen.world.version(ORDERS, "HEAD~3")
    (made,) = observe_failures(fallen.judge(ORDERS), fallen.ports)
    assert made.status is RemedyStatus.PROPOSED
    approve(made.id, fallen.ports)
    now = fallen.world.version(ORDERS)
    assert first is not None
    assert now is not None
    assert (now.snapshot_id, now.number) == (first.snapshot_id, 3)
    assert ids(fallen) == [1, 2]
    assert ids(fallen, table="core.other") == [1, 2]
    assert outcomes(fallen) == [Outcome.PASSED]


@pytest.mark.slow
def test_a_rollback_can_be_taken_back(fallen: RemedyWorld) -> None:
    (made,) = observe_failures(fallen.judge(ORDERS), fallen.ports)
    approve(made.id, fallen.ports)
    revert(made.id, fallen.ports)
    assert ids(fallen) == [1, 2, 3, 4]


def test_without_a_commit_where_the_check_passed_nothing_is_rolled_back(remedy_world: RemedyWorld) -> None:
    head = remedy_world.world.head()
    made = observe(remedy_world, in_range("rollback", auto=True))
    assert made.status is RemedyStatus.NOTHING
    assert "no commit" in made.note
    assert remedy_world.world.head() == head


def test_a_pass_that_a_monitor_saw_counts(remedy_world: RemedyWorld) -> None:
    first = remedy_world.world.metadata.log(remedy_world.world.head())[-1].id  # type: ignore[arg-type]
    ports = replace(remedy_world.ports, outcomes=lambda table, check_id: ((first, True),))
    remedy_world.check(ORDERS, in_range("rollback", auto=True))
    (made,) = observe_failures(remedy_world.judge(ORDERS), ports)
    assert made.status is RemedyStatus.APPLIED
    assert ids(remedy_world) == [1, 2]


def test_content_that_failed_later_is_no_place_to_go_back_to(remedy_world: RemedyWorld) -> None:
    first = remedy_world.world.metadata.log(remedy_world.world.head())[-1].id  # type: ignore[arg-type]
    ports = replace(remedy_world.ports, outcomes=lambda table, check_id: ((first, False), (first, True)))
    remedy_world.check(ORDERS, in_range("rollback", auto=True))
    (made,) = observe_failures(remedy_world.judge(ORDERS), ports)
    assert made.status is RemedyStatus.NOTHING


# filling in and deduplicating


def test_nulls_are_filled_with_the_median(remedy_world: RemedyWorld) -> None:
    remedy_world.commit(ORDERS, [{"id": 5, "amount": None, "day": "e"}])
    made = observe(
        remedy_world,
        NotNullCheck(columns=("amount",), auto=True, on_failure=load_actions({"action": "impute", "method": "median"})),
    )
    assert made.status is RemedyStatus.APPLIED
    assert {row["id"]: row["amount"] for row in remedy_world.world.rows(ORDERS)}[5] == 10
    assert made.results[0].details["values"] == {"amount": 10}
    assert made.counts[0].changed == 1


def test_values_that_are_out_of_range_are_replaced(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range({"action": "impute", "method": "constant", "value": 0}, auto=True))
    assert made.status is RemedyStatus.APPLIED
    assert {row["id"]: row["amount"] for row in remedy_world.world.rows(ORDERS)} == {1: 10, 2: 20, 3: 0, 4: 40}


def test_a_value_of_another_type_is_refused(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range({"action": "impute", "method": "constant", "value": "many"}, auto=True))
    assert made.status is RemedyStatus.FAILED
    assert "'many' is no bigint" in made.note


def test_the_newest_of_a_key_stays(remedy_world: RemedyWorld) -> None:
    remedy_world.commit(ORDERS, [{"id": 1, "amount": 11, "day": "z"}, {"id": 2, "amount": 2, "day": None}])
    made = observe(
        remedy_world,
        UniqueCheck(columns=("id",), auto=True, on_failure=load_actions({"action": "deduplicate", "order_by": "day"})),
    )
    assert made.status is RemedyStatus.APPLIED
    rows = {row["id"]: row["amount"] for row in remedy_world.world.rows(ORDERS)}
    assert rows == {1: 11, 2: 20, 3: -5, 4: 40}
    assert made.counts[0].deleted == 2


@pytest.mark.slow
def test_repairs_come_first_and_what_is_still_bad_goes_to_quarantine(remedy_world: RemedyWorld) -> None:
    remedy_world.commit(ORDERS, [{"id": 5, "amount": None, "day": "e"}])
    made = observe(
        remedy_world,
        in_range(auto=True),
        NotNullCheck(
            columns=("amount",),
            auto=True,
            on_failure=load_actions({"action": "impute", "method": "constant", "value": -1}),
        ),
    )
    assert [str(result.action) for result in made.results] == ["impute", "quarantine"]
    assert ids(remedy_world) == [1, 2, 4]
    assert ids(remedy_world, table=SIDE) == [3, 5]
