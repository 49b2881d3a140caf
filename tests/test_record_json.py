"""One JSON form of each record: the terminal, Python and HTTP say the same keys.

`HTTP` and `LOCAL` are all that one side says and the other does not, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from forge.api.contracts.wire.registry import ViolationView
from forge.api.lineage.wire.changes import RecordedView, SnapshotView
from forge.api.lineage.wire.graph import EdgeView, HopView, LineageView, PathView, ReachedView
from forge.api.lineage.wire.records import OriginView
from forge.api.lineage.wire.reports import AffectedView, ImpactView
from forge.api.quality.wire.anomalies import ConditionView, FitnessView, SeriesPoint
from forge.api.quality.wire.health import JudgedByView, KeptView, ResultView
from forge.api.quality.wire.incidents import (
    AlertView,
    AttemptView,
    DeliveryView,
    MuteView,
    TimelineEntry,
    TrackedIncidentView,
)
from forge.api.quality.wire.monitors import CauseView, MonitorRunView, MonitorView, ScheduleBody
from forge.api.quality.wire.remediations import (
    RemediationView,
    RemedyCount,
    RemedyResultView,
    RemedyStepView,
    RemedyVerdict,
)
from forge.api.runs.wire.runs import OutputView, RunView, VerdictView
from forge.api.versioning.wire.diffs import (
    BlameCell,
    BlameRow,
    BlameView,
    DiffView,
    RowChangeView,
    SchemaChangeView,
    TableDiffView,
)
from forge.api.versioning.wire.merges import (
    ApprovalView,
    CommitResultView,
    ConflictView,
    MergeResultView,
    MergeView,
    RuleBody,
    TallyView,
)
from forge.api.versioning.wire.refs import BranchView as BranchShape
from forge.api.versioning.wire.refs import CommitView, TagView
from forge.api.wire import Wire
from forge.cli.lineage.graph_view import answer_of_snapshots
from forge.cli.lineage.impact_view import answer_of_impact
from forge.cli.lineage.tree import answer_of_walk
from forge.cli.quality.monitor_view import history_answer, monitor_item, run_answer
from forge.cli.quality.view import answer_of_results
from forge.cli.runs.run_record import answer_of_run, answer_of_runs
from forge.cli.versioning.blame_view import answer_of_blame
from forge.cli.versioning.commit_view import answer_of_log
from forge.cli.versioning.data import answer_of_commit
from forge.cli.versioning.diff_view import answer_of_table_diffs
from forge.cli.versioning.merge_view import answer_of_conflicts, answer_of_merges, answer_of_result
from forge.connection.contracts.items import ContractFindings
from forge.connection.quality.items import GateResult, IncidentItem, MetricPointItem
from forge.connection.quality.results import CheckResults, MonitorItem
from forge.connection.quality.results import ResultItem as PythonResult
from forge.connection.runs.results import RunReport
from forge.connection.versioning.results import BlameReport, CommitReport, DiffReport, MergeReport
from forge.contracts.contract import Violation
from forge.contracts.registry import ContractFinding
from forge.flows.lineage.records import RecordOrigin, RowMatch
from forge.flows.quality.fitness import Fitness
from forge.flows.quality.incidents.judge_reference import JudgeReference
from forge.flows.quality.incidents.listed_incident import FailureOrigin, ListedIncident
from forge.flows.quality.incidents.open_incidents import KeptVersion
from forge.flows.quality.metrics.history import DatedValue
from forge.flows.quality.monitors.run import FinishedRun
from forge.flows.quality.monitors.scheduler import MonitorStatus
from forge.flows.runs.records import OutputRecord, OutputStatus, RunRecord, RunStatus
from forge.flows.runs.run import RunResult
from forge.flows.versioning.blame import Blame, BlameOrigin, RowBlame
from forge.flows.versioning.branches import BranchSummary
from forge.flows.versioning.data.commit import CommitResult
from forge.flows.versioning.merge.record import Approval, MergeRecord, TableTally
from forge.flows.versioning.merge.result import Conflicted
from forge.lineage.edge import Edge
from forge.lineage.facts.claim import WriteCounts
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.store import Snapshot
from forge.lineage.impact.analysis import impact_of
from forge.lineage.impact.change import ProposedChange
from forge.model.names import BranchName, CatalogName, ColumnName, CommitId, RunId, TableName
from forge.quality.alerts.alert import AlertOrigin as Judge
from forge.quality.alerts.alert import AlertScope, AlertState, AlertStatus
from forge.quality.alerts.delivery import Attempt, Delivery
from forge.quality.alerts.incident import EntryKind, IncidentEntry, IncidentStatus, TrackedIncident
from forge.quality.alerts.notice import Notice, NoticeKind
from forge.quality.alerts.quiet import Mute
from forge.quality.anomaly import AnomalyFinding
from forge.quality.fitness import FitnessCondition
from forge.quality.monitors.monitor import (
    CheckResult,
    Monitor,
    MonitorRun,
    MonitorRunStatus,
    Schedule,
    ScheduleType,
    Trigger,
)
from forge.quality.remediation import PreviewVerdict, Remediation, RemedyStatus, RemedyStep, TableCount
from forge.quality.remedy import Action, ActionKind, RemedyResult
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.branch import Branch
from forge.versioning.changes import ChangeKind, RowChange, RowDiff, TableDiff, TableSchemaChange
from forge.versioning.commit import Author, Commit, TableStatistics, TableVersion
from forge.versioning.conflict import Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.merge import MergeStatus, Strategy
from forge.versioning.tag import Tag

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
VERDICT = Verdict(
    check_id="core.orders.amount.range",
    check_type="range",
    table="core.orders",
    columns=("amount",),
    outcome=Outcome.FAILED,
    severity=Severity.ERROR,
    message="3 below 0",
    blocks=True,
)
OUTPUT = OutputRecord(table=TableName("core", "orders"), status=OutputStatus.BLOCKED)
RUN = RunRecord(
    id=RunId("r1"),
    branch=BranchName("main"),
    status=RunStatus.BLOCKED,
    started_at=NOON,
    user="ada",
    host="host",
    pid=1,
    process_started="",
    outputs=(OUTPUT,),
)
RUN_ITEM = answer_of_runs([RUN]).items[0]
ADA = Author("Ada", "ada@example.com")
MAIN, C1 = BranchName("main"), CommitId("c1")
ORDERS = TableName("core", "orders")
COUNTS = {ORDERS: TableStatistics(rows_added=1)}
COMMIT = Commit(
    id=C1,
    tree_id="t1",
    parents=(),
    author=ADA,
    committer=ADA,
    message="First",
    time=NOON,
    branch=MAIN,
    statistics=COUNTS,
    metadata={"run_id": "r1"},
)
BRANCH = BranchSummary(Branch(name=MAIN, head=C1, created_at=NOON, created_by="ada", updated_at=NOON), 0, 0)
TAG = Tag(name="v1", target=C1, tagger=ADA, time=NOON)
TALLY = TableTally(table="core.orders", how="rows", inserted=2)
CONFLICT = Conflict(
    kind=ConflictKind.MODIFY_MODIFY, key={"id": 1}, column="amount", base=1, ours=2, theirs=3, table="core.orders"
)
RULE, APPROVAL = ResolutionRule(ResolutionChoice.OURS), Approval("ada", NOON, C1)
MERGE = MergeRecord(
    id="m1",
    kind="merge",
    source="fix",
    target=MAIN,
    source_commit=C1,
    target_commit=C1,
    base_commit=C1,
    strategy=Strategy.THREE_WAY,
    status=MergeStatus.CONFLICTED,
    message="",
    author=ADA,
    created_at=NOON,
    updated_at=NOON,
    rules=(RULE,),
    tables=(TALLY,),
    approvals=(APPROVAL,),
)
RESULT = Conflicted(source="fix", target="main", merge=MERGE, tables=(TALLY,), conflicts=(CONFLICT,), conflict_count=1)
RESULT_ITEM = answer_of_result(RESULT).document()
MERGE_ITEM = answer_of_merges([MERGE]).items[0]
ROW, COLUMN = (
    RowChange(ChangeKind.INSERTED, {"id": 1}, None, {"id": 1}),
    TableSchemaChange("added", "note", None, "string"),
)
TABLE = TableDiff(table="core.orders", change="changed", rows=RowDiff(rows=(ROW,)), schema=(COLUMN,))
DIFF_ITEM = answer_of_table_diffs(("c0", "c1"), [TABLE], 10).document()
BY = BlameOrigin(C1, NOON, ADA, "First", None)
BLAME = Blame(ORDERS, C1, ("id",), (RowBlame({"id": 1}, BY, {"id": BY}),))
BLAME_ITEM = answer_of_blame(BLAME).document()
DONE = CommitResult(COMMIT, RunId("r1"), ORDERS, TableStatistics(rows_added=1), (VERDICT,))
SCHEDULE = Schedule(ScheduleType.CRON, "0 6 * * *")
MONITOR = Monitor(id="orders-1", name="Orders", dataset="core.orders", schedule=SCHEDULE)
JUDGED = MonitorRun(
    id="q1",
    monitor_id="orders-1",
    dataset="core.orders",
    trigger=Trigger.MANUAL,
    claim="q1",
    status=MonitorRunStatus.FAILED,
    queued_at=NOON,
)
STANDING = MonitorStatus(MONITOR, JUDGED, JUDGED, NOON)
SAID = CheckResult(
    id="q1.1",
    check_id="core.orders.amount.range",
    type="range",
    dataset="core.orders",
    branch=MAIN,
    commit_id=C1,
    snapshot_id=None,
    verdict=Outcome.FAILED,
    severity=Severity.ERROR,
    message="3 below 0",
    executed_at=NOON,
)
CHECKED = CheckResults([PythonResult.of(SAID)])
FINDING = ContractFinding(
    "lint",
    Violation(code="E502", severity="error", file="a.yaml", line=1, column=1, path="version", message="None"),
    "data_contract",
    "orders",
)

RUN_SCOPE = AlertScope(Judge.RUN, "main")
TRACKED = TrackedIncident(
    id="i1",
    scope=RUN_SCOPE,
    table="core.orders",
    branch="main",
    check_id="core.orders.amount.range",
    check_type="range",
    columns=("amount",),
    severity=Severity.ERROR,
    status=IncidentStatus.OPEN,
    message="3 below 0",
    opened_at=NOON,
    seen_at=NOON,
)
LISTED, KEPT = ListedIncident(None, TRACKED), KeptVersion(ORDERS, 1, COMMIT)
CAUSE = FailureOrigin("raw.orders", "amount", None, "c1", "raw.orders came in")
JUDGE = JudgeReference(origin=Judge.RUN, branch="main")
ENTRY = IncidentEntry(at=NOON, kind=EntryKind.OPENED, text="3 below 0")
ALERT = AlertState(
    scope=RUN_SCOPE,
    table="core.orders",
    branch="main",
    check_id="core.orders.amount.range",
    check_type="range",
    status=AlertStatus.FAILING,
    severity=Severity.ERROR,
    message="3 below 0",
    since=NOON,
    seen_at=NOON,
)
MUTE, ATTEMPT = Mute(id="u1", until=NOON, by="ada", created_at=NOON), Attempt(NOON, True, "200")
NOTICE = Notice(kind=NoticeKind.FAILING, scope=RUN_SCOPE, table="core.orders", branch="main", at=NOON)
DELIVERY_ITEM = Delivery(id="d1", channel="ops", notice=NOTICE, created_at=NOON, due_at=NOON, next_at=NOON).to_dict(
    NOON, "slack", (ATTEMPT,)
)
STEP, DID = RemedyStep(Action(ActionKind.ROLLBACK), ("c",)), RemedyResult(ActionKind.ROLLBACK, True, "done")
COUNT, PREVIEWED = TableCount("core.orders"), PreviewVerdict("c", Outcome.PASSED, "0 below 0")
REMEDY = Remediation(
    id="r1",
    table=ORDERS,
    branch=MAIN,
    steps=(STEP,),
    status=RemedyStatus.PROPOSED,
    proposed_by="ada",
    proposed_at=NOON,
    results=(DID,),
    counts=(COUNT,),
    verdicts=(PREVIEWED,),
)
CONDITION = FitnessCondition("min_score", True, 95.0, 100.0, "all passed")
FIT = Fitness(
    table=ORDERS,
    at="main",
    commit_id=C1,
    version=TableVersion(catalog=CatalogName("core", "orders"), uuid="u1", snapshot_id=None, schema_id=0),
    written=COMMIT,
    conditions=(CONDITION,),
    judged_at=NOON,
)
POINT, FOUND = (
    DatedValue(time=NOON, value=1.0),
    AnomalyFinding(
        time=NOON, value=1.0, score=0.0, is_anomaly=False, explanation="", method="zscore", threshold=3.0, points=0
    ),
)
GRAPH = Graph.of([Edge(source=ColumnName("core.orders", "amount"), target=ColumnName("marts.revenue", "total"))])
WALK = GRAPH.downstream("core.orders.amount")
PATH = GRAPH.paths("marts.revenue.total", WALK.ask, 1)[0]
HIT: Mapping[str, Any] = impact_of(ProposedChange.of("drop", "core.orders.amount"), WALK).to_dict()
SNAPSHOT, ORIGIN = Snapshot(name="before", at=NOON), RecordOrigin(table="raw.orders", match=RowMatch.ONE)


def first(item: Mapping[str, Any], name: str) -> Any:
    return item[name][0]


def without(item: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in names}


@dataclass(frozen=True, slots=True)
class Kind:
    terminal: Mapping[str, Any]
    python: Mapping[str, Any]
    shape: type[Wire]
    http: Mapping[str, str] = field(default_factory=dict)  # only HTTP says it: why
    local: Mapping[str, str] = field(default_factory=dict)  # HTTP does not say it: why


KINDS = {
    "run": Kind(
        RUN_ITEM,
        RunReport(RunResult(RUN, None, ())).to_dict(),
        RunView,
        http={
            "text": "of a question, which leaves no record",
            "queued_at": "of the server's queue",
            "request": "to start it again from the page",
            "can_cancel": "what the server can do now",
            "can_rerun": "what the server can do now",
        },
        local=dict.fromkeys(("start", "end"), "over HTTP they are in `request`"),
    ),
    "result": Kind(
        answer_of_results(CHECKED).items[0],
        CHECKED[0].to_dict(),
        ResultView,
        local={"place": "the line of the project that has the check, which a server does not read again"},
    ),
    "result of a monitor": Kind(run_answer(FinishedRun(JUDGED, None, (SAID,))).items[0], SAID.to_dict(), ResultView),
    "run of a monitor": Kind(history_answer(MONITOR, [JUDGED]).items[0], JUDGED.to_dict(), MonitorRunView),
    "monitor": Kind(
        without(monitor_item(STANDING), "when"),  # the schedule in words, for the table
        MonitorItem(STANDING).to_dict(),
        MonitorView,
    ),
    "schedule": Kind(SCHEDULE.to_dict(), MONITOR.to_dict()["schedule"], ScheduleBody),  # type: ignore[arg-type]
    "finding of a contract": Kind(ContractFindings([FINDING]).rows()[0], FINDING.to_dict(), ViolationView),
    "output of a run": Kind(first(RUN_ITEM, "outputs"), OUTPUT.to_dict(), OutputView),
    "verdict": Kind(
        answer_of_run(RUN, [VERDICT]).document()["verdicts"][0],  # type: ignore[index]
        VERDICT.to_dict(),
        VerdictView,
        http=dict.fromkeys(("run_id", "executed_at", "commit"), "the run that a list of verdicts mixes or leaves out"),
    ),
    "commit": Kind(
        answer_of_log([COMMIT]).items[0],
        COMMIT.to_dict(),
        CommitView,
        http=dict.fromkeys(("lane", "edges"), "the picture that `graph=true` asks for"),
        local={"metadata": "what flows note for themselves; of it HTTP promises the run alone"},
    ),
    "branch": Kind(BRANCH.to_dict(), BRANCH.to_dict(), BranchShape),
    "commit of rows": Kind(
        without(answer_of_commit(DONE).document(), "schema_version"),
        CommitReport(DONE).to_dict(),
        CommitResultView,
        http=dict.fromkeys(("branch", "mode"), "the request again, for a job that answers later"),
    ),
    "diff": Kind(
        without(DIFF_ITEM, "schema_version"),
        DiffReport("a", "b", (TABLE,), "c0", "c1").to_dict(),
        DiffView,
        http={"limit": "paging", "offset": "paging", "summary": "of all tables, for the head of the page"},
    ),
    "diff of a table": Kind(
        first(DIFF_ITEM, "tables"), TABLE.to_dict(), TableDiffView, http={"has_more": "paging, which is by `offset`"}
    ),
    "changed row": Kind(first(first(DIFF_ITEM, "tables"), "rows"), ROW.to_dict(), RowChangeView),
    "changed column": Kind(
        first(first(DIFF_ITEM, "tables"), "schema_changes"),
        COLUMN.to_dict(),
        SchemaChangeView,
        local={"field_id": "of Iceberg, for those who look into the table themselves"},
    ),
    "blame": Kind(
        without(BLAME_ITEM, "schema_version"),
        BlameReport(BLAME).to_dict(),
        BlameView,
        http={"at": "the revision as it was asked for"},
    ),
    "blame of a row": Kind(first(BLAME_ITEM, "rows"), BLAME.rows[0].to_dict(), BlameRow),
    "blame of a cell": Kind(first(first(BLAME_ITEM, "rows"), "cells"), {"column": "id", **BY.to_dict()}, BlameCell),
    "conflict": Kind(
        answer_of_conflicts(MERGE, [CONFLICT]).items[0],
        CONFLICT.to_dict(),
        ConflictView,
        http={"masked": "over HTTP personal data is hidden, and said to be"},
    ),
    "tally": Kind(first(RESULT_ITEM, "tables"), TALLY.to_dict(), TallyView),
    "rule": Kind(first(MERGE_ITEM, "rules"), RULE.to_dict(), RuleBody),
    "approval": Kind(
        first(MERGE_ITEM, "approvals"),
        APPROVAL.to_dict(),
        ApprovalView,
        http={"is_current": "where the source stands now, which the record of a merge does not know"},
    ),
    "merge": Kind(
        MERGE_ITEM,
        MERGE.to_dict(),
        MergeView,
        http={"source_head": "where the source stands now, which the record of a merge does not know"},
    ),
    "merge result": Kind(
        without(RESULT_ITEM, "schema_version"),
        MergeReport(RESULT).to_dict(),
        MergeResultView,
        local={"kind": "merge, revert or cherry-pick; over HTTP the route says it"},
    ),
    "tag": Kind(TAG.to_dict(), TAG.to_dict(), TagView),
    "incident": Kind(
        LISTED.to_dict(),
        IncidentItem(LISTED).to_dict(),
        TrackedIncidentView,
        http={
            "origin_commit": "the whole commit, of which `cause` has the id",
            "sample": "rows, masked for who asks",
        },
    ),
    "what readers keep": Kind(KEPT.to_dict(), KEPT.to_dict(), KeptView),
    "cause of an incident": Kind(CAUSE.to_dict(), CAUSE.to_dict(), CauseView),
    "judge of an incident": Kind(JUDGE.to_dict(), JUDGE.to_dict(), JudgedByView),
    "line of a timeline": Kind(ENTRY.to_dict(), ENTRY.to_dict(), TimelineEntry),
    "alert": Kind(ALERT.to_dict(), ALERT.to_dict(), AlertView, http={"muted_until": "of the mutes that hold now"}),
    "mute": Kind(MUTE.to_dict(), MUTE.to_dict(), MuteView),
    "delivery": Kind(DELIVERY_ITEM, DELIVERY_ITEM, DeliveryView),
    "attempt of a delivery": Kind(first(DELIVERY_ITEM, "attempts"), ATTEMPT.to_dict(), AttemptView),
    "remediation": Kind(
        REMEDY.to_dict(),
        REMEDY.to_dict(),
        RemediationView,
        http={"can_approve": "by whoever asks", "why_not": "the reason where they cannot"},
    ),
    "step of a remediation": Kind(first(REMEDY.to_dict(), "steps"), STEP.to_dict(), RemedyStepView),
    "result of a remediation": Kind(first(REMEDY.to_dict(), "results"), DID.to_dict(), RemedyResultView),
    "rows of a remediation": Kind(first(REMEDY.to_dict(), "counts"), COUNT.to_dict(), RemedyCount),
    "verdict on a remediation": Kind(first(REMEDY.to_dict(), "verdicts"), PREVIEWED.to_dict(), RemedyVerdict),
    "fitness": Kind(
        FIT.to_dict(),
        GateResult(FIT).to_dict(),
        FitnessView,
        local=dict.fromkeys(("snapshot_id", "written_by"), "for those who look into the table themselves"),
    ),
    "condition of fitness": Kind(first(FIT.to_dict(), "conditions"), CONDITION.to_dict(), ConditionView),
    "point of a metric": Kind(POINT.to_dict(FOUND), MetricPointItem(POINT, FOUND).to_dict(), SeriesPoint),
    "traversal": Kind(
        {**answer_of_walk(WALK, WALK).facts, "items": []},
        WALK.to_dict(),
        LineageView,
        http={
            "at": "the revision as it was asked for",
            "nodes": "the picture, with what the catalog knows of each",
            "upstream": "`items` of that direction",
            "downstream": "`items` of that direction",
            "next_cursor": "paging",
        },
        local={
            "items": "over HTTP in two lists, one for each direction",
            "tables": "over HTTP in `nodes`",
            "paths": "over HTTP a question of its own",
        },
    ),
    "entity of a traversal": Kind(
        first(WALK.to_dict(), "items"),
        WALK.items[0].to_dict(),
        ReachedView,
        local={"direction": "over HTTP each has its list"},
    ),
    "edge": Kind(first(WALK.to_dict(), "edges"), WALK.links[0].to_dict(), EdgeView),
    "path": Kind(
        PATH.to_dict(), PATH.to_dict(), PathView, http={"level": "the confidence in a word, for the colour of the page"}
    ),
    "hop of a path": Kind(first(PATH.to_dict(), "hops"), PATH.hops[0].to_dict(), HopView),
    "impact": Kind({**answer_of_impact(HIT).facts, "affected": []}, HIT, ImpactView),
    "entity hit by a change": Kind(answer_of_impact(HIT).items[0], first(HIT, "affected"), AffectedView),
    "snapshot of lineage": Kind(
        answer_of_snapshots([SNAPSHOT]).items[0],
        SNAPSHOT.to_dict(),
        SnapshotView,
        local=dict.fromkeys(("node_count", "edge_count"), "the sums of `nodes` and `edges`"),
    ),
    "write of lineage": Kind(
        WriteCounts(1).to_dict(),
        WriteCounts(1).to_dict(),
        RecordedView,
        http={"edges": "the ids of those that were named"},
    ),
    "origin of a record": Kind(ORIGIN.to_dict(), ORIGIN.to_dict(), OriginView),
}


@pytest.mark.parametrize("name", KINDS)
def test_terminal_python_and_http_say_the_same_keys(name: str) -> None:
    kind = KINDS[name]
    assert set(kind.terminal) == set(kind.python)
    assert set(kind.shape.model_fields) - set(kind.http) == set(kind.python) - set(kind.local)
    assert not set(kind.http) & set(kind.python), "only HTTP says it, and so does Python"
    assert set(kind.local) <= set(kind.python)
