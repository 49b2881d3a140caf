"""What every metadata store tells of runs, their checks and their lineage."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from store_records import (
    CUSTOMERS,
    DEV,
    MAIN,
    NOW,
    ORDERS,
    commit_of,
    note,
    publish,
    run_record,
)

from forge.flows.ports import Metadata
from forge.flows.runs.records import (
    DatasetTally,
    OutputRecord,
    OutputStatus,
    RunRecord,
    RunStatus,
    RunVerdict,
    TableLineage,
    VerdictTally,
)
from forge.lineage.edge import Edge, TableEdge
from forge.model.names import BranchName, ColumnName, CommitId, RunId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.branch import Branch


def judged(
    metadata: Metadata,
    name: str,
    minute: int,
    outputs: dict[TableName, OutputStatus],
    verdicts: tuple[Verdict, ...] = (),
    branch: BranchName = MAIN,
    kind: str = "run",
) -> RunRecord:
    held = OutputStatus.BLOCKED in outputs.values()
    run = run_record(
        name,
        minute,
        branch=branch,
        kind=kind,
        status=RunStatus.BLOCKED if held else RunStatus.SUCCEEDED,
        outputs=tuple(OutputRecord(table=table, status=status) for table, status in outputs.items()),
    )
    metadata.finish_run(run, verdicts, [note("run.end")])
    return run


def said(table: TableName, check: str, outcome: Outcome) -> Verdict:
    return Verdict(
        check_id=check,
        check_type="range",
        table=str(table),
        columns=(),
        outcome=outcome,
        severity=Severity.ERROR,
        message=f"{check} {outcome}",
        blocks=False,
    )


BLOCKED, PASSED, SKIPPED = OutputStatus.BLOCKED, OutputStatus.PASSED, OutputStatus.SKIPPED
PUBLISHED, UP_TO_DATE = OutputStatus.PUBLISHED, OutputStatus.UP_TO_DATE


def test_a_table_is_blocked_until_a_run_of_the_branch_settles_it_otherwise(metadata: Metadata) -> None:
    assert metadata.blocked(MAIN) == ()
    first = judged(metadata, "r-1", 1, {ORDERS: BLOCKED, CUSTOMERS: BLOCKED})
    judged(metadata, "r-2", 2, {ORDERS: SKIPPED, CUSTOMERS: SKIPPED})
    dev = judged(metadata, "r-3", 3, {CUSTOMERS: BLOCKED}, branch=DEV)
    assert metadata.blocked(MAIN) == ((first, CUSTOMERS), (first, ORDERS))
    judged(metadata, "r-4", 4, {CUSTOMERS: PUBLISHED})
    assert metadata.blocked(MAIN) == ((first, ORDERS),)
    again = judged(metadata, "r-5", 5, {CUSTOMERS: BLOCKED})
    assert metadata.blocked(MAIN) == ((again, CUSTOMERS), (first, ORDERS))
    judged(metadata, "r-6", 6, {ORDERS: UP_TO_DATE, CUSTOMERS: PASSED})
    assert metadata.blocked(MAIN) == ()
    assert metadata.blocked(DEV) == ((dev, CUSTOMERS),)


def test_what_a_run_held_back_waits_for_a_run_whatever_commits_and_merges_touch_the_table(metadata: Metadata) -> None:
    first = judged(metadata, "r-1", 1, {ORDERS: BLOCKED})
    for minute, kind in enumerate(("commit", "merge", "revert", "cherry-pick", "remediate", "adopt", "repair"), 2):
        judged(metadata, f"r-{minute}", minute, {ORDERS: PUBLISHED}, kind=kind)
        assert metadata.blocked(MAIN) == ((first, ORDERS),), kind
    judged(metadata, "r-10", 10, {ORDERS: BLOCKED}, kind="merge")
    assert metadata.blocked(MAIN) == ((first, ORDERS),)
    judged(metadata, "r-11", 11, {ORDERS: UP_TO_DATE})
    assert metadata.blocked(MAIN) == ()


def test_what_a_merge_held_back_ends_with_whatever_settles_the_table(metadata: Metadata) -> None:
    judged(metadata, "r-1", 1, {ORDERS: PUBLISHED})
    merge = judged(metadata, "r-2", 2, {ORDERS: BLOCKED}, kind="merge")
    assert metadata.blocked(MAIN) == ((merge, ORDERS),)
    judged(metadata, "r-3", 3, {ORDERS: PUBLISHED}, kind="commit")
    assert metadata.blocked(MAIN) == ()


def test_judgements_tell_what_checks_said_of_a_table_newest_run_first(metadata: Metadata) -> None:
    wrong, right = said(ORDERS, "k1", Outcome.FAILED), said(ORDERS, "k1", Outcome.PASSED)
    elsewhere = said(CUSTOMERS, "k1", Outcome.FAILED)
    judged(metadata, "r-1", 1, {ORDERS: PUBLISHED}, (right, said(ORDERS, "k2", Outcome.PASSED)))
    judged(metadata, "r-2", 2, {ORDERS: SKIPPED, CUSTOMERS: BLOCKED}, (elsewhere,))
    judged(metadata, "r-3", 3, {ORDERS: PASSED, CUSTOMERS: BLOCKED}, (elsewhere,), kind="merge")
    judged(metadata, "r-4", 4, {ORDERS: BLOCKED}, (wrong,))
    judged(metadata, "r-5", 5, {ORDERS: BLOCKED}, (wrong,), branch=DEV)

    def at(minute: int) -> datetime:
        return NOW + timedelta(minutes=minute)

    failed = RunVerdict(
        run_id=RunId("r-4"),
        time=at(4),
        table=ORDERS,
        status=BLOCKED,
        check_id="k1",
        outcome=Outcome.FAILED,
        message="k1 failed",
    )
    silent = RunVerdict(run_id=RunId("r-3"), time=at(3), table=ORDERS, status=PASSED, kind="merge")
    passed = RunVerdict(
        run_id=RunId("r-1"),
        time=at(1),
        table=ORDERS,
        status=PUBLISHED,
        check_id="k1",
        outcome=Outcome.PASSED,
        message="k1 passed",
    )
    assert metadata.judgements(MAIN, [ORDERS], ["k1"]) == (failed, silent, passed)
    assert metadata.judgements(MAIN, [ORDERS], ["k1"], runs=2) == (failed, silent)
    assert metadata.judgements(MAIN, [], []) == ()


def test_tallies_count_the_outcomes_of_each_run_in_a_span_of_time(metadata: Metadata) -> None:
    every = tuple(said(ORDERS, f"k{number}", outcome) for number, outcome in enumerate((*Outcome, Outcome.PASSED)))
    for minute in range(4):
        judged(metadata, f"r-{minute}", minute, {ORDERS: PUBLISHED}, every if minute == 1 else ())
    judged(metadata, "r-dev", 1, {ORDERS: PUBLISHED}, every, branch=DEV)
    found = metadata.tallies(MAIN, NOW + timedelta(minutes=1), NOW + timedelta(minutes=3))
    assert found == (
        VerdictTally(RunId("r-1"), NOW + timedelta(minutes=1), 2, 1, 1),
        VerdictTally(RunId("r-2"), NOW + timedelta(minutes=2)),
    )


def test_tallies_of_datasets_count_each_apart(metadata: Metadata) -> None:
    spoken = (
        said(ORDERS, "k1", Outcome.PASSED),
        said(ORDERS, "k2", Outcome.FAILED),
        said(CUSTOMERS, "k3", Outcome.NOT_MEASURED),
    )
    for minute in range(3):
        judged(metadata, f"r-{minute}", minute, {ORDERS: PUBLISHED}, spoken if minute == 1 else ())
    judged(metadata, "r-dev", 1, {ORDERS: PUBLISHED}, spoken, branch=DEV)
    at = NOW + timedelta(minutes=1)
    found = metadata.dataset_tallies(MAIN, NOW, NOW + timedelta(minutes=9))
    assert found == (DatasetTally(str(CUSTOMERS), at, 0, 0, 1), DatasetTally(str(ORDERS), at, 1, 1))
    assert metadata.dataset_tallies(MAIN, at + timedelta(minutes=1), NOW + timedelta(minutes=9)) == ()


def test_verdicts_are_found_by_runs_and_outcome(metadata: Metadata) -> None:
    for number in range(3):
        verdicts = said(ORDERS, "k1", Outcome.PASSED), said(ORDERS, "k2", Outcome.FAILED)
        judged(metadata, f"r-{number}", number, {ORDERS: PUBLISHED}, verdicts)
    found = metadata.verdicts(run_ids=[RunId("r-0"), RunId("r-2")], outcome=Outcome.FAILED)
    assert [(run, verdict.check_id) for run, verdict in found] == [("r-2", "k2"), ("r-0", "k2")]
    assert metadata.verdicts(run_ids=[]) == ()


def test_runs_and_commits_are_found_by_their_ids_those_that_exist(metadata: Metadata) -> None:
    run = judged(metadata, "r-1", 1, {ORDERS: PUBLISHED, CUSTOMERS: SKIPPED})
    assert metadata.find_runs([RunId("r-1"), RunId("nope"), RunId("r-1")]) == {run.id: run}
    first = commit_of()
    publish(metadata, first)
    second = commit_of(first.id, minute=1)
    publish(metadata, second)
    wanted = [first.id, CommitId("0" * 64), second.id]
    assert metadata.commits(wanted) == {first.id: first, second.id: second}
    assert metadata.commits(wanted) == {first.id: first, second.id: second}  # a second time, from memory
    assert metadata.commit(second.id) == second


def test_the_mark_changes_with_every_change_but_a_step(metadata: Metadata) -> None:
    marks = [metadata.mark()]
    metadata.start_run(run_record("r-1"))
    marks.append(metadata.mark())
    metadata.enter_step(RunId("r-1"), "staged")
    assert metadata.mark() == marks[-1]
    judged(metadata, "r-1", 0, {ORDERS: BLOCKED})
    marks.append(metadata.mark())
    metadata.start_run(run_record("r-0", minute=-1))  # one that began earlier, and ends later
    judged(metadata, "r-0", -1, {ORDERS: PUBLISHED})
    marks.append(metadata.mark())
    publish(metadata, commit_of(), audit=(note("run.publish"),))
    marks.append(metadata.mark())
    metadata.create_branch(
        Branch(name=DEV, head=None, created_at=NOW, created_by="Ada", updated_at=NOW), note("branch.create")
    )
    marks.append(metadata.mark())
    assert len(set(marks)) == len(marks)
    assert metadata.mark() == marks[-1]


def test_the_lineage_of_what_was_not_published_is_kept_once(metadata: Metadata) -> None:
    def lineage(table: TableName, source: str) -> TableLineage:
        edge = Edge(source=ColumnName(source, "a"), target=ColumnName(str(table), "a"))
        return TableLineage(table, (edge,), table_edges=(TableEdge(source, str(table)),))

    orders, customers = lineage(ORDERS, "raw.orders"), lineage(CUSTOMERS, "raw.customers")
    run = run_record("r-1", status=RunStatus.BLOCKED)
    metadata.start_run(run)
    metadata.finish_run(run, (), (), (orders, customers))
    assert metadata.lineage([run.id]) == ((run.id, customers), (run.id, orders))
    commit = commit_of()  # the run's record was completed later: one of them was published after all
    publish(metadata, commit, run=replace(run, commit_id=commit.id), lineage=(orders,), unpublished=(customers,))
    assert metadata.lineage([run.id]) == ((run.id, customers), (run.id, orders))
