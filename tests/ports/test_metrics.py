"""The suite of the MetricStore port: memory, SQLite and PostgreSQL behave alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from migrated import open_migrated

from forge.flows.quality.metrics.points import KeptFinding, MetricPoint, MetricStore, PointFeedback
from forge.flows.runs.records import AuditRecord
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.anomaly import Feedback
from forge.stores.memory.quality.metrics import MemoryMetrics
from forge.stores.sql.quality.metrics import SqlMetrics

NOON = datetime(2026, 11, 14, 12, tzinfo=UTC)
ORDERS, USERS = TableName("core", "orders"), TableName("core", "users")
MAIN = BranchName("main")
NOTE = AuditRecord(NOON, "ada", "metric.feedback", "core.orders", {"said": "expected"})


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MetricStore]:
    if request.param == "memory":
        yield MemoryMetrics()
        return
    make: Callable[[], str]
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/forge.db"
    else:
        make = request.getfixturevalue("new_postgres")
        url = make()
    engine = open_migrated(url)
    yield SqlMetrics(engine)
    engine.dispose()


def point(day: int, value: float = 1.0, metric: str = "row_count", table: TableName = ORDERS) -> MetricPoint:
    time = NOON + timedelta(days=day)
    return MetricPoint(
        table=table,
        metric=metric,
        version=f"commit {day}",
        time=time,
        value=value,
        branch=MAIN,
        commit_id=CommitId(f"c{day}"),
        run_id=RunId(f"r{day}"),
        recorded_at=time,
    )


def flagged(day: int, table: TableName = ORDERS) -> MetricPoint:
    return replace(point(day, table=table), finding=KeptFinding(True, 7.5, "far out", 3.0, 1.0, 5.0))


def test_a_point_comes_back_as_it_was(store: MetricStore) -> None:
    whole = replace(point(1, 0.1 + 0.2), finding=KeptFinding(False, 0.25, "in order", 1.5, 1.0, 2.0))
    bare = MetricPoint(
        table=ORDERS,
        metric="mean(amount)",
        version="time x",
        time=NOON,
        value=-1e300,
        branch=MAIN,
        commit_id=None,
        run_id=None,
        recorded_at=NOON,
    )
    young = replace(point(2), finding=KeptFinding(False, 0.0, "too little"))
    store.put((whole, bare, young))
    assert store.points(ORDERS) == (bare, whole, young)


def test_points_are_of_a_table_and_a_metric_oldest_first(store: MetricStore) -> None:
    store.put((point(3), point(1), point(2), point(1, metric="mean(a)"), point(1, table=USERS)))
    assert [p.version for p in store.points(ORDERS, "row_count")] == ["commit 1", "commit 2", "commit 3"]
    assert [p.version for p in store.points(ORDERS, "row_count", limit=2)] == ["commit 2", "commit 3"]
    assert len(store.points(ORDERS)) == 4
    assert store.points(ORDERS, "mean(b)") == ()
    assert store.tables() == (ORDERS, USERS)


def test_the_same_version_again_replaces_what_was_kept(store: MetricStore) -> None:
    store.put((point(1, 5), point(2, 6)))
    store.put((point(1, 7), point(1, 8)))
    assert [p.value for p in store.points(ORDERS)] == [8, 6]


def test_nothing_is_put_without_harm(store: MetricStore) -> None:
    store.put(())
    assert store.tables() == ()


def test_many_points_are_put_at_once(store: MetricStore) -> None:
    many = tuple(point(day, metric=f"mean(c{day % 50})") for day in range(700))
    store.put(many)
    store.put(many)
    assert len(store.points(ORDERS)) == 700


def test_the_newest_of_each_metric(store: MetricStore) -> None:
    late = replace(point(3, 9), version="again", recorded_at=NOON + timedelta(days=9))
    store.put((point(1), point(3, 4), late, point(2, metric="mean(a)"), point(1, metric="mean(a)")))
    assert [(p.metric, p.value, p.version) for p in store.newest(ORDERS)] == [
        ("mean(a)", 1.0, "commit 2"),
        ("row_count", 9.0, "again"),
    ]
    assert store.newest(USERS) == ()


def test_flagged_points_of_all_tables_newest_first(store: MetricStore) -> None:
    store.put(
        (flagged(1), flagged(3, USERS), flagged(2), point(4), replace(point(5), finding=KeptFinding(False, 0, "")))
    )
    since = NOON + timedelta(days=2)
    assert [(str(p.table), p.version) for p in store.flagged(since)] == [
        ("core.users", "commit 3"),
        ("core.orders", "commit 2"),
    ]
    assert len(store.flagged(NOON, limit=1)) == 1


def test_what_was_said_stays_until_it_is_taken_back(store: MetricStore) -> None:
    said = PointFeedback(
        table=ORDERS,
        metric="row_count",
        time=NOON,
        feedback=Feedback.EXPECTED,
        note="a sale — größer",
        user="ada",
        at=NOON + timedelta(hours=1),
    )
    store.put_feedback(said, NOTE)
    assert store.feedback(ORDERS) == store.feedback(ORDERS, "row_count") == (said,)
    assert store.feedback(ORDERS, "mean(a)") == store.feedback(USERS) == ()
    changed = replace(said, feedback=Feedback.INCIDENT)
    store.put_feedback(changed, NOTE)
    assert store.feedback(ORDERS) == (changed,)
    assert store.delete_feedback(ORDERS, "row_count", NOON, NOTE)
    assert not store.delete_feedback(ORDERS, "row_count", NOON, NOTE)
    assert store.feedback(ORDERS) == ()
