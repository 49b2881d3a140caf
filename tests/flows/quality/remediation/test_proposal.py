"""Remediation: proposed on a branch, approved, rejected, done at once, and what a crash leaves."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from remedy_cases import BAD, GOOD, ORDERS, SIDE, ids, in_range, observe, outcomes, refused
from remedy_world import MAIN, RemedyWorld, make_remedy_world
from version_world import BEN

from forge.flows.quality.remediation.decision import approve, reject, revert
from forge.flows.quality.remediation.proposal import RemedyOrder, observe_failures, preview_diff, start, tidy
from forge.flows.runs.records import RunStatus
from forge.flows.versioning.branches import protect_branch
from forge.flows.versioning.diff import DiffPage
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.quality.checks import NotNullCheck, RangeCheck, RowCountCheck
from forge.quality.remediation import ApprovalPolicy, RemedyStatus, RemedyStep
from forge.quality.remedy import load_actions
from forge.quality.verdict import Outcome

NAME = TableName.parse(ORDERS)
QUARANTINE = load_actions("quarantine")


# proposals


@pytest.mark.slow
def test_a_proposal_changes_its_own_branch_alone(remedy_world: RemedyWorld) -> None:
    head = remedy_world.world.head()
    made = observe(remedy_world, in_range())
    assert made.status is RemedyStatus.PROPOSED
    assert remedy_world.world.head() == head
    assert ids(remedy_world) == [1, 2, 3, 4]
    assert ids(remedy_world, str(made.preview_branch)) == [1, 2, 4]
    assert [(v.check_id, v.outcome) for v in made.verdicts] == [("core.orders.amount.range", Outcome.PASSED)]
    assert [(c.table, c.added, c.changed, c.deleted) for c in made.counts] == [(ORDERS, 0, 0, 1), (SIDE, 1, 0, 0)]
    assert remedy_world.told == [(made.id, "proposed")]


@pytest.mark.slow
def test_the_preview_shows_the_rows(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    found = {one.table: one for one in preview_diff(made, remedy_world.ports, page=DiffPage())}
    assert (found[ORDERS].rows.deleted, found[ORDERS].rows.inserted) == (1, 0)
    assert found[SIDE].rows.inserted == 1


@pytest.mark.slow
def test_an_approved_proposal_is_one_commit_of_both_tables(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    done = approve(made.id, remedy_world.by(BEN), comment="yes")
    commit = remedy_world.world.metadata.commit(done.commit)  # type: ignore[arg-type]
    assert commit is not None
    assert commit.id == remedy_world.world.head()
    assert {str(table) for table in commit.statistics} == {ORDERS, SIDE}
    assert (done.status, done.decided_by, done.comment) == (RemedyStatus.APPLIED, BEN.email, "yes")
    assert remedy_world.ports.store.get(made.id) == done
    assert ids(remedy_world) == [1, 2, 4]
    assert outcomes(remedy_world) == [Outcome.PASSED]
    assert remedy_world.world.metadata.branch(made.preview_branch) is None
    assert [event for _, event in remedy_world.told] == ["proposed", "applied"]


def test_approving_where_nothing_moved_writes_no_data(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    preview = remedy_world.world.paths(ORDERS, str(made.preview_branch))
    approve(made.id, remedy_world.ports)
    assert remedy_world.world.paths(ORDERS) == preview


def test_rows_in_quarantine_say_why_when_and_by_which_run(remedy_world: RemedyWorld) -> None:
    observe(remedy_world, in_range(auto=True))
    (row,) = remedy_world.world.rows(SIDE)
    assert row["id"] == 3
    assert row["amount"] == -5
    assert row["forge_checks"] == ["core.orders.amount.range"]
    assert row["forge_run"]
    assert row["forge_quarantined_at"].tzinfo is not None


def test_only_files_with_bad_rows_are_written_anew(remedy_world: RemedyWorld) -> None:
    before = remedy_world.world.paths(ORDERS)
    observe(remedy_world, in_range(auto=True))
    assert len(before & remedy_world.world.paths(ORDERS)) == 1


@pytest.mark.slow
def test_where_the_table_moved_the_proposal_is_worked_out_anew(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    remedy_world.commit(ORDERS, [{"id": 5, "amount": -9, "day": "e"}, {"id": 6, "amount": 60, "day": "f"}])
    done = approve(made.id, remedy_world.ports)
    assert ids(remedy_world) == [1, 2, 4, 6]
    assert ids(remedy_world, table=SIDE) == [3, 5]
    assert done.counts[0].deleted == 2


def test_where_another_table_moved_the_preview_is_taken(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    remedy_world.commit("core.other", [{"id": 1}])
    preview = remedy_world.world.paths(ORDERS, str(made.preview_branch))
    approve(made.id, remedy_world.ports)
    assert remedy_world.world.paths(ORDERS) == preview
    assert ids(remedy_world, table="core.other") == [1]


def test_what_people_changed_on_the_preview_is_not_lost_by_an_approval(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    remedy_world.commit(ORDERS, [{"id": 9, "amount": 5}], branch=str(made.preview_branch))
    corrected = ids(remedy_world, str(made.preview_branch))
    error = refused(lambda: approve(made.id, remedy_world.by(BEN)))
    assert error.code == "E749"
    assert ids(remedy_world, str(made.preview_branch)) == corrected
    assert ids(remedy_world) == [1, 2, 3, 4]


def test_a_rejected_proposal_leaves_nothing(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    done = reject(made.id, remedy_world.by(BEN), comment="no")
    assert (done.status, done.decided_by) == (RemedyStatus.REJECTED, BEN.email)
    assert remedy_world.world.metadata.branch(made.preview_branch) is None
    assert ids(remedy_world) == [1, 2, 3, 4]
    assert remedy_world.world.version(SIDE) is None


@pytest.mark.slow
def test_nothing_is_decided_twice(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    approve(made.id, remedy_world.ports)
    assert refused(lambda: approve(made.id, remedy_world.ports)).code == "E746"
    assert refused(lambda: reject(made.id, remedy_world.ports)).code == "E746"
    revert(made.id, remedy_world.ports)
    assert refused(lambda: revert(made.id, remedy_world.ports)).code == "E746"


def test_an_unknown_remediation_is_answered_with_the_nearest(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    error = refused(lambda: approve(made.id[:-1] + "x", remedy_world.ports))
    assert error.code == "E745"
    assert made.id in (error.why or "")


def test_who_may_approve_is_configured(tmp_path: Path) -> None:
    remedy_world = make_remedy_world(tmp_path, ApprovalPolicy((BEN.email,), own=False))
    remedy_world.commit(ORDERS, [*GOOD, *BAD])
    made = observe(remedy_world, in_range())
    error = refused(lambda: approve(made.id, remedy_world.ports))
    assert error.code == "E747"
    assert BEN.email in (error.why or "")
    assert approve(made.id, remedy_world.by(BEN)).status is RemedyStatus.APPLIED


def test_the_proposer_may_not_approve_where_that_is_configured(tmp_path: Path) -> None:
    remedy_world = make_remedy_world(tmp_path, ApprovalPolicy(own=False))
    remedy_world.commit(ORDERS, [*GOOD, *BAD])
    made = observe(remedy_world, in_range())
    assert refused(lambda: approve(made.id, remedy_world.ports)).code == "E747"
    assert approve(made.id, remedy_world.by(BEN)).status is RemedyStatus.APPLIED


@pytest.mark.slow
def test_the_same_failure_of_the_same_content_is_one_proposal(remedy_world: RemedyWorld) -> None:
    first = observe(remedy_world, in_range())
    assert observe(remedy_world, in_range()).id == first.id
    assert len(remedy_world.ports.store.find()) == 1
    remedy_world.commit(ORDERS, [{"id": 5, "amount": -9, "day": "e"}])
    second = observe(remedy_world, in_range())
    assert second.id != first.id
    kept = remedy_world.ports.store.get(first.id)
    assert kept is not None
    assert kept.status is RemedyStatus.REJECTED
    assert remedy_world.world.metadata.branch(first.preview_branch) is None


@pytest.mark.slow
def test_what_was_rejected_is_not_proposed_again_for_the_same_content(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range())
    reject(made.id, remedy_world.ports)
    assert observe(remedy_world, in_range()).id == made.id
    assert remedy_world.world.metadata.branch(made.preview_branch) is None


# automatic


def test_an_automatic_remediation_is_done_at_once(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range(auto=True))
    assert made.status is RemedyStatus.APPLIED
    assert made.commit == remedy_world.world.head()
    assert ids(remedy_world) == [1, 2, 4]
    assert outcomes(remedy_world) == [Outcome.PASSED]


@pytest.mark.slow
def test_what_would_not_help_is_not_done_at_once_but_proposed(remedy_world: RemedyWorld) -> None:
    bad = RangeCheck(
        column="amount",
        min=100,
        auto=True,
        on_failure=load_actions({"action": "impute", "method": "constant", "value": 5}),
    )
    head = remedy_world.world.head()
    made = observe(remedy_world, bad)
    assert made.status is RemedyStatus.PROPOSED
    assert "not done by itself" in made.note
    assert remedy_world.world.head() == head


@pytest.mark.slow
def test_what_makes_another_check_fail_is_not_done_at_once(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range(auto=True), RowCountCheck(min=4))
    assert made.status is RemedyStatus.PROPOSED
    assert ids(remedy_world) == [1, 2, 3, 4]
    error = refused(lambda: approve(made.id, remedy_world.ports))
    assert error.code == "E751"
    assert ids(remedy_world) == [1, 2, 3, 4]


def test_a_check_that_failed_before_and_still_does_is_in_nobodys_way(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range(auto=True), RowCountCheck(min=50))
    assert made.status is RemedyStatus.APPLIED


@pytest.mark.slow
def test_a_protected_branch_is_changed_by_an_approval_of_someone_else_only(remedy_world: RemedyWorld) -> None:
    versions = remedy_world.world.ports
    protect_branch(versions.metadata, "main", protected=True, author=versions.author, clock=versions.clock)
    made = observe(remedy_world, in_range(auto=True))
    assert made.status is RemedyStatus.PROPOSED
    assert "protected" in made.note
    assert refused(lambda: approve(made.id, remedy_world.ports)).code == "E747"
    assert approve(made.id, remedy_world.by(BEN)).status is RemedyStatus.APPLIED


def test_data_that_is_not_on_the_branch_is_not_remedied(remedy_world: RemedyWorld) -> None:
    remedy_world.check(ORDERS, in_range(auto=True))
    judged = replace(remedy_world.judge(ORDERS), snapshot_id=None)
    assert observe_failures(judged, remedy_world.ports) == ()
    assert ids(remedy_world) == [1, 2, 3, 4]


def test_a_passing_check_asks_for_nothing(remedy_world: RemedyWorld) -> None:
    remedy_world.check(ORDERS, NotNullCheck(columns=("id",), on_failure=QUARANTINE, auto=True))
    assert observe_failures(remedy_world.judge(ORDERS), remedy_world.ports) == ()


def test_what_cannot_be_done_is_recorded_and_breaks_nothing(remedy_world: RemedyWorld) -> None:
    made = observe(remedy_world, in_range({"action": "deduplicate", "key": "nope", "order_by": "id"}, auto=True))
    assert made.status is RemedyStatus.FAILED
    assert "nope" in made.note
    assert ids(remedy_world) == [1, 2, 3, 4]


# to notify


def test_a_failure_is_told_once_for_the_same_content(remedy_world: RemedyWorld) -> None:
    sent: list[tuple[str, ...]] = []

    def send(step: RemedyStep, judged: object) -> str:
        sent.append(step.check_ids)
        return "Told ops."

    ports = replace(remedy_world.ports, notify=send)
    remedy_world.check(ORDERS, in_range({"action": "notify", "channels": "ops"}))
    (made,) = observe_failures(remedy_world.judge(ORDERS), ports)
    assert (made.status, made.note) == (RemedyStatus.APPLIED, "Told ops.")
    assert observe_failures(remedy_world.judge(ORDERS), ports) == ()
    assert sent == [("core.orders.amount.range",)]
    remedy_world.commit(ORDERS, [{"id": 5, "amount": -9, "day": "e"}])
    observe_failures(remedy_world.judge(ORDERS), ports)
    assert len(sent) == 2
    assert refused(lambda: revert(made.id, ports)).code == "E749"


@pytest.mark.slow
def test_a_channel_that_is_not_known_is_recorded_and_the_rest_is_done(remedy_world: RemedyWorld) -> None:
    def fail(step: RemedyStep, judged: object) -> str:
        raise ForgeError("E731", "There is no channel 'ops'")

    ports = replace(remedy_world.ports, notify=fail)
    remedy_world.check(ORDERS, in_range(["notify", "quarantine"], auto=True))
    told, done = observe_failures(remedy_world.judge(ORDERS), ports)
    assert (told.status, done.status) == (RemedyStatus.FAILED, RemedyStatus.APPLIED)
    assert ids(remedy_world) == [1, 2, 4]


# by hand


def test_an_action_by_hand_needs_no_check(remedy_world: RemedyWorld) -> None:
    remedy_world.commit(ORDERS, [{"id": 1, "amount": 11, "day": "z"}])
    (action,) = load_actions({"action": "deduplicate", "key": "id", "order_by": "day"})
    made = start(RemedyOrder(NAME, MAIN, (RemedyStep(action, ()),)), remedy_world.ports)
    assert made.status is RemedyStatus.PROPOSED
    assert ids(remedy_world, str(made.preview_branch)) == [1, 2, 3, 4]


def test_by_hand_what_cannot_be_done_is_an_error_that_leaves_nothing(remedy_world: RemedyWorld) -> None:
    (action,) = load_actions({"action": "deduplicate", "key": "nope", "order_by": "day"})
    error = refused(lambda: start(RemedyOrder(NAME, MAIN, (RemedyStep(action, ()),)), remedy_world.ports))
    assert error.code == "E749"
    assert remedy_world.ports.store.find() == ()
    assert [branch.name for branch in remedy_world.world.metadata.branches()] == ["main"]


# what a crash leaves


@pytest.mark.slow
@pytest.mark.parametrize(
    "last_step", ["started", "staged", "checked", "prepared", "publish.pointers", "publish.records"]
)
@pytest.mark.parametrize("auto", [True, False])
def test_a_crash_leaves_the_old_state_and_the_next_look_tidies(tmp_path: Path, last_step: str, auto: bool) -> None:
    class Killed(BaseException):
        pass

    def die(step: str) -> None:
        if step == last_step:
            raise Killed

    remedy_world = make_remedy_world(tmp_path)
    remedy_world.commit(ORDERS, [*GOOD, *BAD])
    remedy_world.check(ORDERS, in_range(auto=auto))
    judged, head = remedy_world.judge(ORDERS), remedy_world.world.head()
    dying = replace(remedy_world.ports, versions=replace(remedy_world.ports.versions, fault_point=die))
    with pytest.raises(Killed):
        observe_failures(judged, dying)
    assert remedy_world.world.head() == head
    assert remedy_world.world.version(SIDE) is None
    assert remedy_world.ports.store.find() == ()
    (made,) = observe_failures(judged, remedy_world.ports)
    assert made.status is (RemedyStatus.APPLIED if auto else RemedyStatus.PROPOSED)


@pytest.mark.slow
def test_a_crash_after_the_commit_leaves_the_new_state(remedy_world: RemedyWorld) -> None:
    class Killed(BaseException):
        pass

    def die(step: str) -> None:
        if step == "published":
            raise Killed

    made = observe(remedy_world, in_range())
    dying = replace(remedy_world.ports, versions=replace(remedy_world.ports.versions, fault_point=die))
    with pytest.raises(Killed):
        approve(made.id, dying)
    kept = remedy_world.ports.store.get(made.id)
    assert kept is not None
    assert kept.status is RemedyStatus.APPLIED
    assert kept.commit == remedy_world.world.head()
    assert tidy(remedy_world.ports) == (made.preview_branch,)
    assert remedy_world.world.metadata.branch(made.preview_branch) is None


def test_a_branch_without_a_record_goes_once_it_is_old(remedy_world: RemedyWorld) -> None:
    remedy_world.world.branch("remedy/q1")
    assert tidy(remedy_world.ports) == ()
    later = replace(remedy_world.ports.versions, clock=lambda: remedy_world.world.ports.clock() + timedelta(hours=25))
    assert tidy(replace(remedy_world.ports, versions=later)) == (BranchName("remedy/q1"),)


def test_every_remediation_is_a_run_that_ended(remedy_world: RemedyWorld) -> None:
    observe(remedy_world, in_range(auto=True))
    statuses = {run.kind: run.status for run in remedy_world.world.metadata.runs() if run.kind == "remediate"}
    assert statuses == {"remediate": RunStatus.SUCCEEDED}
