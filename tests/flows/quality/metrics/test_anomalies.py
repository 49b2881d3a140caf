"""Metrics along the history of a table: governed runs on memory adapters, one a day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path

import pytest

from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.metrics.anomalies import (
    find_flagged,
    find_metrics,
    find_series,
    observe_metrics,
    record_feedback,
)
from forge.flows.quality.metrics.history import HistoryReader, MetricPorts, find_values, timeline_of
from forge.flows.runs.events import RunListeners, on
from forge.flows.runs.project import Project
from forge.flows.runs.run import RunPorts, RunRequest, RunResult, run
from forge.flows.versioning.branches import create_branch, create_default_branch
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.quality.anomaly import Feedback, MetricHistory
from forge.quality.measure import Measure
from forge.quality.spec import load_check
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.stores.memory.quality.metrics import MemoryMetrics
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author

START = datetime(2026, 6, 1, 6, tzinfo=UTC)  # a Monday
MAIN, DEV = BranchName("main"), BranchName("dev")
ADA = Author("Ada", "ada@example.com")
ORDERS = TableName("core", "orders")
Rows = list[dict[str, object]]


@dataclass
class Shop:
    """core.orders, made anew each day. A check holds it back where an amount is above 1000."""

    masked: frozenset[str] = frozenset()
    now: datetime = START
    judged: list[JudgedTable] = field(default_factory=list)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata = MemoryMetadata(catalog)
        self.lake = MemoryLake(catalog)
        self.engine = MemoryEngine(self.lake)
        self.store = MemoryMetrics()
        self.checks: list[dict[str, object]] = [
            {"type": "range", "column": "amount", "max": 1000},
            {"type": "not_null", "column": "amount"},
            {"type": "mean", "column": "amount", "max": 1e9},
        ]
        self.ports = MetricPorts(self.store, self.metadata, lambda: self.now, lambda table: self.masked)
        create_default_branch(self.metadata, MAIN, ADA, START)

    def day(self, rows: Rows, *, branch: BranchName = MAIN, days: float = 1.0, observed: bool = True) -> RunResult:
        self.now += timedelta(days=days)
        body = PythonFunction(lambda: rows, {}, False)
        transform = Transform(
            output=ORDERS, body=body, file="orders.py", line=1, code_hash=repr(rows), kind=TransformKind.FULL, inputs=()
        )
        checks = {ORDERS: tuple(load_check(c, table=ORDERS, where="x") for c in self.checks)}
        project = Project(
            root=Path(),
            transforms={ORDERS: transform},
            contracts={},
            checks=checks,
            rules_hash={ORDERS: repr(self.checks)},
            owner_of=lambda table: None,
        )
        ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=lambda: self.now,
            author=ADA,
            secrets=lambda reference: "",
            fault_point=lambda step: None,
            default_branch=MAIN,
            events=on(JudgedTable, self.observe) if observed else RunListeners(),
            history=HistoryReader(self.ports),
        )
        return run(
            RunRequest(branch=branch, selection=(), params={}, time_range=None, message=None, force=True),
            project,
            ports,
        )

    def observe(self, judged: JudgedTable) -> None:
        self.judged.append(judged)
        observe_metrics(judged, self.ports)

    def days(self, number: int, *, observed: bool = True) -> None:
        for rows in usual(number):
            self.day(rows, observed=observed)

    def values(self, metric: str = "row_count", branch: BranchName = MAIN) -> list[float]:
        line = timeline_of(self.metadata, ORDERS, branch)
        return [value.value for value in find_values(self.ports, ORDERS, metric, line)]


def orders(count: int, amount: float = 10.0) -> Rows:
    return [{"id": number, "amount": amount + number % 3} for number in range(count)]


def usual(number: int) -> Iterator[Rows]:
    counts = cycle((40, 41, 42, 40, 43, 41, 39, 42, 40, 41, 42))
    return (orders(next(counts)) for _ in range(number))


@pytest.fixture
def metric_shop() -> Shop:
    return Shop()


def test_each_published_version_is_a_point_of_every_metric(metric_shop: Shop) -> None:
    metric_shop.days(3)
    assert metric_shop.values() == [40, 41, 42]
    assert metric_shop.values("null_percentage(amount)") == [0, 0, 0]
    assert metric_shop.values("mean(amount)") == [
        pytest.approx(10.975),
        pytest.approx(10.97, abs=0.01),
        pytest.approx(11.0),
    ]
    names = [metric.name for metric, _, _ in find_metrics(metric_shop.ports, ORDERS, MAIN)]
    assert names == sorted(names)
    assert {"mean(amount)", "null_percentage(amount)", "row_count", "rows_added", "size_bytes"} <= set(names)


def test_judging_a_version_again_changes_nothing(metric_shop: Shop) -> None:
    metric_shop.days(3)
    before = metric_shop.store.points(ORDERS)
    for judged in metric_shop.judged:
        observe_metrics(judged, metric_shop.ports)
    assert [(p.metric, p.version, p.time, p.value, p.finding) for p in metric_shop.store.points(ORDERS)] == [
        (p.metric, p.version, p.time, p.value, p.finding) for p in before
    ]


def test_versions_that_nobody_judged_count_by_their_commits(metric_shop: Shop) -> None:
    metric_shop.days(10, observed=False)
    assert metric_shop.values() == [40, 41, 42, 40, 43, 41, 39, 42, 40, 41]
    assert metric_shop.values("mean(amount)") == []
    metric_shop.day(orders(400))
    newest = {p.metric: p for p in metric_shop.store.newest(ORDERS)}
    assert newest["row_count"].finding is not None
    assert newest["row_count"].finding.is_anomaly
    kept = metric_shop.store.points(ORDERS, "row_count")
    assert [point.value for point in kept] == metric_shop.values()  # the others were found and kept with it
    assert [bool(point.finding and point.finding.is_anomaly) for point in kept] == [False] * 10 + [True]


@pytest.mark.slow
def test_an_odd_day_is_flagged_when_it_comes_and_does_not_count_afterwards(metric_shop: Shop) -> None:
    metric_shop.days(20)
    metric_shop.day(orders(4))
    for _ in range(3):
        metric_shop.day(orders(41))
    flags = find_flagged(metric_shop.ports, 30)
    assert {(point.metric, point.value) for point, _ in flags} >= {("row_count", 4.0)}
    series = find_series(metric_shop.ports, ORDERS, "row_count", MAIN)
    assert [finding.is_anomaly for _, finding in series.points][-4:] == [True, False, False, False]
    assert series.points[-1][1].points == 22  # all but the flagged one and itself


def test_a_held_back_value_stands_until_a_repaired_rerun_takes_its_place(metric_shop: Shop) -> None:
    metric_shop.days(10)
    metric_shop.day([*orders(5), {"id": 99, "amount": 5000.0}])
    assert metric_shop.values()[-1] == 6
    last = find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points[-1]
    assert (last[0].held_back, last[0].commit_id, last[1].is_anomaly) == (True, None, True)
    metric_shop.day([*orders(6), {"id": 99, "amount": 5000.0}], days=0.01)
    assert metric_shop.values()[-2:] == [41, 7]  # a second attempt that fails replaces the first
    metric_shop.day(orders(41), days=0.01)
    assert metric_shop.values()[-2:] == [41, 41]
    last = find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points[-1]
    assert (last[0].held_back, last[1].is_anomaly, last[1].points) == (False, False, 10)


def history(
    metric_shop: Shop, metric: str = "row_count", branch: BranchName = MAIN, judged: JudgedTable | None = None
) -> MetricHistory:
    commit = judged.commit_id if judged else None
    reading = HistoryReader(metric_shop.ports)(
        ORDERS, branch, commit, Measure(kind="history", columns=(), arguments=(metric,))
    )
    assert isinstance(reading, MetricHistory)
    return reading


def test_a_check_of_a_new_version_sees_what_was_published_and_not_what_was_held_back(metric_shop: Shop) -> None:
    metric_shop.days(8)
    metric_shop.day([{"id": 99, "amount": 5000.0}])
    seen = history(metric_shop)
    assert ([p.value for p in seen.points], seen.at) == ([40, 41, 42, 40, 43, 41, 39, 42], None)


def test_a_check_of_a_published_version_does_not_see_itself(metric_shop: Shop) -> None:
    metric_shop.days(8)
    seen = history(metric_shop, judged=metric_shop.judged[-1])
    assert [p.value for p in seen.points] == [40, 41, 42, 40, 43, 41, 39]
    assert seen.at == metric_shop.now
    seen = history(metric_shop, "mean(amount)", judged=metric_shop.judged[-1])
    assert len(seen.points) == 7


def test_an_anomaly_holds_a_publish_back_until_it_is_repaired(metric_shop: Shop) -> None:
    metric_shop.checks.append({"type": "anomaly"})
    metric_shop.days(14)
    assert [v.outcome for v in metric_shop.judged[-1].verdicts if v.check_type == "anomaly"] == ["passed"]
    stopped = metric_shop.day(orders(4))
    (said,) = [v for v in stopped.verdicts if v.check_type == "anomaly"]
    assert (str(stopped.run.status), said.outcome, said.blocks) == ("blocked", "failed", True)
    assert said.message.startswith("row_count: 4 is 90% below the expected 4")
    again = metric_shop.day(orders(4), days=0.01)
    assert str(again.run.status) == "blocked"  # what was held back is no history
    repaired = metric_shop.day(orders(41), days=0.01)
    assert repaired.commit is not None


def test_what_a_person_called_expected_is_published(metric_shop: Shop) -> None:
    metric_shop.checks.append({"type": "anomaly"})
    metric_shop.days(14)
    assert metric_shop.day(orders(120)).commit is None
    record_feedback(metric_shop.ports, ORDERS, "row_count", metric_shop.now, Feedback.EXPECTED, branch=MAIN, user="ada")
    assert metric_shop.day(orders(120), days=0.01).commit is not None
    last = find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points[-1]
    assert (last[0].held_back, last[0].feedback, last[1].is_anomaly) == (False, Feedback.EXPECTED, False)
    assert metric_shop.day(orders(121)).commit is not None  # the new level
    record_feedback(metric_shop.ports, ORDERS, "row_count", last[0].time, None, branch=MAIN, user="ada")
    assert find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points[-2][1].is_anomaly


@pytest.mark.slow
def test_that_a_held_back_value_was_an_incident_is_no_matter_of_the_repaired_one(metric_shop: Shop) -> None:
    metric_shop.days(14)
    metric_shop.day([{"id": 99, "amount": 5000.0}])
    record_feedback(metric_shop.ports, ORDERS, "row_count", metric_shop.now, Feedback.INCIDENT, branch=MAIN, user="ada")
    metric_shop.day(orders(41), days=0.01)
    last = find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points[-1]
    assert (last[0].feedback, last[1].is_anomaly) == (None, False)


def test_a_branch_goes_on_from_the_history_it_was_made_from(metric_shop: Shop) -> None:
    metric_shop.days(4)
    create_branch(metric_shop.metadata, "dev", "HEAD", current=MAIN, author=ADA, clock=lambda: metric_shop.now)
    metric_shop.day(orders(7), branch=DEV)
    metric_shop.day(orders(41))
    assert metric_shop.values(branch=DEV) == [40, 41, 42, 40, 7]
    assert metric_shop.values() == [40, 41, 42, 40, 41]
    assert metric_shop.values("mean(amount)", DEV)[:4] == metric_shop.values("mean(amount)")[:4]


@pytest.mark.slow
def test_feedback_is_kept_used_and_taken_back(metric_shop: Shop) -> None:
    metric_shop.days(20)
    metric_shop.day(orders(120))
    day = metric_shop.now
    said = record_feedback(
        metric_shop.ports, ORDERS, "row_count", day, Feedback.EXPECTED, branch=MAIN, user="ada", note="sale"
    )
    assert said is not None
    assert metric_shop.store.audit[-1].action == "metric.feedback"
    last = find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points[-1]
    assert (last[1].is_anomaly, last[1].feedback, last[0].point_feedback) == (False, Feedback.EXPECTED, said)
    metric_shop.day(orders(121))
    (newest,) = [p for p in metric_shop.store.newest(ORDERS) if p.metric == "row_count"]
    assert newest.finding is not None
    assert not newest.finding.is_anomaly  # the level that was called expected
    assert [(p.value, s and s.feedback) for p, s in find_flagged(metric_shop.ports, 30) if p.metric == "row_count"] == [
        (120.0, Feedback.EXPECTED)
    ]
    assert record_feedback(metric_shop.ports, ORDERS, "row_count", day, None, branch=MAIN, user="ada") is None
    assert [f.is_anomaly for _, f in find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points][-2:] == [
        True,
        False,
    ]
    record_feedback(metric_shop.ports, ORDERS, "row_count", day, Feedback.INCIDENT, branch=MAIN, user="ada")
    told = [f.is_anomaly for _, f in find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points][-2:]
    assert told == [True, True], "what a person called an incident is no new level"


def test_what_was_told_when_it_came_is_shown_so_in_its_series(metric_shop: Shop) -> None:
    metric_shop.days(20)
    (newest,) = [point for point in metric_shop.store.newest(ORDERS) if point.metric == "row_count"]
    assert newest.finding is not None
    told = replace(newest, finding=replace(newest.finding, is_anomaly=True, explanation="it was odd then"))
    metric_shop.store.put((told,))
    assert [point.time for point, _ in find_flagged(metric_shop.ports, 30) if point.metric == "row_count"] == [
        told.time
    ]
    shown = {dated.time: found for dated, found in find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points}
    assert (shown[told.time].is_anomaly, shown[told.time].explanation) == (True, "it was odd then")


@pytest.mark.slow
def test_a_flagged_point_stands_in_the_series_that_it_names(metric_shop: Shop) -> None:
    metric_shop.days(20)
    create_branch(metric_shop.metadata, "dev", "HEAD", current=MAIN, author=ADA, clock=lambda: metric_shop.now)
    metric_shop.day(orders(120), branch=DEV)
    metric_shop.day([*orders(5), {"id": 99, "amount": 5000.0}])
    flagged = [point for point, _ in find_flagged(metric_shop.ports, 30) if point.metric == "row_count"]
    assert {(point.branch, point.value) for point in flagged} == {(DEV, 120.0), (MAIN, 6.0)}
    for point in flagged:
        shown = find_series(metric_shop.ports, ORDERS, point.metric, point.branch, limit=3, around=point.time).points
        assert [found.is_anomaly for dated, found in shown if dated.time == point.time] == [True]
    metric_shop.day(orders(41), days=0.01)  # the held back one, repaired
    assert {point.branch for point, _ in find_flagged(metric_shop.ports, 30) if point.metric == "row_count"} == {DEV}


@pytest.mark.slow
def test_a_series_shows_the_points_around_a_time(metric_shop: Shop) -> None:
    metric_shop.days(30)
    whole = find_series(metric_shop.ports, ORDERS, "row_count", MAIN).points

    def around(place: int, limit: int = 6) -> list[int]:
        found = find_series(
            metric_shop.ports, ORDERS, "row_count", MAIN, limit=limit, around=whole[place][0].time
        ).points
        assert all(one in whole for one in found)
        return [whole.index(one) for one in found]

    assert around(29) == around(24) == [24, 25, 26, 27, 28, 29]
    assert around(20) == [18, 19, 20, 21, 22, 23]
    assert around(0) == [0, 1, 2, 3, 4, 5]


def test_feedback_on_what_is_not_there_is_refused_with_the_nearest(metric_shop: Shop) -> None:
    metric_shop.days(3)
    with pytest.raises(ForgeError) as caught:
        record_feedback(metric_shop.ports, ORDERS, "row_count", START, Feedback.INCIDENT, branch=MAIN, user="ada")
    assert caught.value.code == "E742"
    assert "2026-06-02T06:00:00+00:00" in str(caught.value.why)
    assert metric_shop.store.feedback(ORDERS) == ()


@pytest.mark.parametrize(
    ("metric", "code", "why"),
    [
        ("mean(amuont)", "E742", "Did you mean mean(amount)"),
        ("means(amount)", "E740", "Did you mean mean"),
        ("mean", "E740", ""),
        ("row_count(id)", "E740", ""),
    ],
)
def test_an_unknown_metric_is_answered_with_the_nearest(metric_shop: Shop, metric: str, code: str, why: str) -> None:
    metric_shop.days(2)
    with pytest.raises(ForgeError) as caught:
        find_series(metric_shop.ports, ORDERS, metric, MAIN)
    assert caught.value.code == code
    assert (caught.value.why or "").startswith(why)


def test_of_a_table_nobody_knows_nothing_is_known(metric_shop: Shop) -> None:
    with pytest.raises(ForgeError) as caught:
        find_series(metric_shop.ports, TableName("core", "users"), "row_count", MAIN)
    assert caught.value.code == "E742"


def test_what_personal_columns_hold_is_not_kept(metric_shop: Shop) -> None:
    metric_shop.masked = frozenset({"Amount"})
    metric_shop.days(2)
    names = {point.metric for point in metric_shop.store.points(ORDERS)}
    assert "null_percentage(amount)" in names
    assert not names & {"mean(amount)", "std(amount)"}


@pytest.mark.slow
def test_a_series_shows_as_many_points_as_asked_for_judged_by_all_before(metric_shop: Shop) -> None:
    metric_shop.days(20)
    whole = find_series(metric_shop.ports, ORDERS, "row_count", MAIN)
    few = find_series(metric_shop.ports, ORDERS, "row_count", MAIN, limit=3)
    assert few.points == whole.points[-3:]
    assert (few.method, few.threshold) == ("seasonal", 4.0)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["zscore", "iqr", "mad", "isolation_forest"])
def test_a_series_can_be_judged_by_another_method(metric_shop: Shop, method: str) -> None:
    metric_shop.days(15)
    metric_shop.day(orders(400))
    series = find_series(metric_shop.ports, ORDERS, "row_count", MAIN, method=method)
    assert series.points[-1][1].is_anomaly
    assert series.points[-1][1].method == method
