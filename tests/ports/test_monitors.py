"""What every store of monitors does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from logged_changes import logged
from migrated import open_migrated
from sqlalchemy import Engine

from forge.flows.quality.monitors.store import MonitorStore
from forge.flows.runs.records import AuditRecord, DatasetTally, VerdictTally
from forge.model.names import BranchName, CatalogName, CommitId, RunId, SnapshotId, TableName
from forge.quality.monitors.monitor import (
    OPEN,
    CheckResult,
    MissedPolicy,
    Monitor,
    MonitorRun,
    MonitorRunStatus,
    Schedule,
    ScheduleType,
    Trigger,
)
from forge.quality.verdict import Outcome, Severity
from forge.stores.memory.quality.monitors import MemoryMonitors
from forge.stores.sql.quality.monitor_tables import monitors, results, runs
from forge.stores.sql.quality.monitors import SqlMonitors
from forge.versioning.commit import TableVersion

NOW = datetime(2026, 11, 15, 12, 30, 15, 123456, tzinfo=UTC)
NOTE = AuditRecord(NOW, "ada", "monitor.create", "m")
ORDERS, MAIN = TableName("core", "orders"), BranchName("main")


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    """One database for all tests: it is emptied, which costs less than a new one."""
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MonitorStore]:
    match request.param:
        case "memory":
            yield MemoryMonitors()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlMonitors(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                for table in (results, runs, monitors):
                    connection.execute(table.delete())
            yield SqlMonitors(engine)


def monitor(name: str = "m", **fields: object) -> Monitor:
    given = {"dataset": "core.orders", "created_at": NOW, "updated_at": NOW, "created_by": "ada", **fields}
    return Monitor(id=name, name=name, **given)  # type: ignore[arg-type]


FULL = monitor(
    "full",
    dataset="core.orders@feature/ä",
    description="täglich ✓",
    checks=(
        {"type": "range", "column": "day", "min": date(2026, 1, 1), "max": Decimal("1.10"), "where": "x = 'é'"},
        {"type": "accepted_values", "column": "a", "values": [1, None, "b"]},
    ),
    schedule=Schedule(ScheduleType.CRON, "0 6 * * *", None, "Europe/Berlin", MissedPolicy.CATCH_UP),
    enabled=False,
    channels=("ops", "mail"),
    severity_threshold=Severity.CRITICAL,
    notify_on_recovery=False,
    sla_target_percentage=99.5,
    sla_window_days=7,
    file="quality/a.yaml:3",
    scheduled_from=NOW,
)


def run(number: int = 1, of: str | None = "m", **fields: object) -> MonitorRun:
    at = NOW + timedelta(minutes=number)
    given = {
        "claim": f"claim {number}",
        "status": MonitorRunStatus.QUEUED,
        "queued_at": at,
        "trigger": Trigger.SCHEDULE,
        "dataset": "core.orders",
        **fields,
    }
    return MonitorRun(id=f"r{number}", monitor_id=of, **given)  # type: ignore[arg-type]


def result(number: int = 1, **fields: object) -> CheckResult:
    given = {
        "check_id": "core.orders.id.not_null",
        "type": "not_null",
        "dataset": "core.orders",
        "branch": MAIN,
        "commit_id": CommitId("c" * 64),
        "snapshot_id": SnapshotId(2**62),
        "verdict": Outcome.PASSED,
        "severity": Severity.ERROR,
        "message": "id: fine",
        "executed_at": NOW + timedelta(minutes=number),
        "monitor_id": "m",
        "monitor_run_id": f"r{number}",
        **fields,
    }
    return CheckResult(id=f"r{number}.1", **given)  # type: ignore[arg-type]


def version(snapshot: int | None = 2**62) -> TableVersion:
    return TableVersion(
        catalog=CatalogName("core", "orders"),
        uuid="u",
        snapshot_id=SnapshotId(snapshot) if snapshot else None,
        schema_id=0,
    )


def made(store: MonitorStore, number: int, *said: CheckResult, of: str | None = "m", **fields: object) -> MonitorRun:
    """A run that has ended."""
    begun = run(number, of, **fields)
    assert store.claim(begun)
    at = begun.queued_at
    ended = replace(begun, status=MonitorRunStatus.PASSED, started_at=at, finished_at=at, branch=MAIN, passed=len(said))
    assert store.finish(ended, said, None)
    return ended


# monitors


def test_a_monitor_comes_back_as_it_was_kept(store: MonitorStore) -> None:
    assert store.add(FULL, NOTE)
    assert store.monitor("full") == FULL
    assert store.monitor("other") is None


def test_an_id_that_is_taken_is_refused_and_changes_nothing(store: MonitorStore) -> None:
    assert store.add(monitor(), NOTE)
    assert not store.add(monitor(description="another"), NOTE)
    assert store.monitors() == (monitor(),)


def test_monitors_are_listed_by_name_and_filtered(store: MonitorStore) -> None:
    gone = monitor("gone", removed_at=NOW, enabled=False)
    others = (monitor("b", dataset="core.payments"), monitor("a"), gone, monitor("c", enabled=False))
    for one in others:
        store.add(one, NOTE)
    assert [one.id for one in store.monitors()] == ["a", "b", "c"]
    assert [one.id for one in store.monitors(table=ORDERS)] == ["a", "c"]
    assert [one.id for one in store.monitors(enabled=True)] == ["a", "b"]
    assert [one.id for one in store.monitors(enabled=False, removed=True)] == ["c", "gone"]
    assert store.monitor("gone") == gone


def test_a_change_holds_only_where_nobody_was_faster(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    later = NOW + timedelta(seconds=1)
    assert store.change(monitor(description="first", updated_at=later), NOW, NOTE)
    assert not store.change(monitor(description="second", updated_at=later), NOW, NOTE)
    found = store.monitor("m")
    assert found is not None
    assert found.description == "first"
    assert not store.change(monitor("other"), NOW, NOTE)


def test_verdicts_and_a_monitor_that_goes_are_in_the_log_of_changes(store: MonitorStore) -> None:
    told: list[tuple[str, str]] = []
    if isinstance(store, MemoryMonitors):
        store = MemoryMonitors(lambda names: told.extend(("facts", name) for name in names))

    def judge() -> None:
        store.add(monitor(), NOTE)
        made(store, 1)  # nothing was judged
        made(store, 2, result(2), result(2, check_id="other"))

    def remove() -> None:
        watched = monitor("watched", dataset="core.payments")
        store.add(watched, NOTE)
        assert store.change(replace(watched, description="x"), NOW, NOTE)
        assert store.change(replace(watched, removed_at=NOW), NOW, NOTE)

    for act, name in ((judge, "core.orders"), (remove, "core.payments")):
        if isinstance(store, SqlMonitors):
            assert logged(store._engine, act) == [("facts", name)]
        else:
            act()
            assert told.pop() == ("facts", name)
            assert told == []


# runs


def test_a_run_comes_back_as_it_was_claimed(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    claimed = run(due=NOW, notes=("late",), by="ada", host="h", pid=7, process_started="100")
    assert store.claim(claimed)
    assert store.run("r1") == claimed
    assert store.run("r2") is None


def test_a_claim_is_given_once_for_each_monitor(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    store.add(monitor("n"), NOTE)
    assert store.claim(run(1, claim="six"))
    assert not store.claim(run(2, claim="six"))
    assert store.claim(run(3, "n", claim="six"))
    assert store.claim(run(4, None, claim="six"))  # what people judge stands in nobody's way
    assert store.claim(run(5, None, claim="six"))
    assert store.run("r2") is None


def test_of_many_who_claim_at_once_one_gets_it(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda number: store.claim(run(number, claim="six")), range(1, 17)))
    assert won.count(True) == 1
    assert len(store.runs(monitor_id="m")) == 1


def test_the_end_of_a_run_and_its_results_are_kept_together_and_once(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    store.claim(run())
    ended = replace(
        run(), status=MonitorRunStatus.FAILED, finished_at=NOW, failed=1, error={"code": "E108", "what": "x"}
    )
    assert store.finish(ended, (result(),), NOTE)
    assert not store.finish(replace(ended, status=MonitorRunStatus.PASSED), (result(),), NOTE)
    store.save(replace(ended, status=MonitorRunStatus.RUNNING))
    assert store.run("r1") == ended
    assert [one.id for one in store.results(run_ids=["r1"])] == ["r1.1"]


def test_a_run_that_was_given_up_may_still_end(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    store.claim(run())
    assert store.finish(replace(run(), status=MonitorRunStatus.INTERRUPTED), (), None)
    assert store.finish(replace(run(), status=MonitorRunStatus.PASSED), (result(),), None)
    found = store.run("r1")
    assert found is not None
    assert found.status is MonitorRunStatus.PASSED


def test_notes_are_added_to_a_run_that_has_ended(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    made(store, 1, notes=("first",))
    store.remark("r1", ("second", "third"))
    found = store.run("r1")
    assert found is not None
    assert found.notes == ("first", "second", "third")


def test_who_gave_no_sign_is_found(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    store.claim(run(1))
    store.claim(run(2))
    made(store, 3)
    store.beat(["r2", "unknown"], NOW + timedelta(minutes=9))
    assert [one.id for one in store.silent(NOW + timedelta(minutes=5))] == ["r1"]
    assert [one.id for one in store.silent(NOW + timedelta(minutes=10))] == ["r1", "r2"]


def test_runs_are_listed_newest_first_and_filtered(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    store.add(monitor("n", dataset="core.payments"), NOTE)
    made(store, 1)
    store.claim(run(2, trigger=Trigger.MANUAL))
    store.claim(run(3, "n", dataset="core.payments@dev"))
    assert [one.id for one in store.runs()] == ["r3", "r2", "r1"]
    assert [one.id for one in store.runs(limit=2)] == ["r3", "r2"]
    assert [one.id for one in store.runs(monitor_id="m")] == ["r2", "r1"]
    assert [one.id for one in store.runs(statuses=OPEN)] == ["r3", "r2"]
    assert [one.id for one in store.runs(triggers=[Trigger.MANUAL])] == ["r2"]
    assert [one.id for one in store.runs(since=NOW + timedelta(minutes=2))] == ["r3", "r2"]
    assert [one.id for one in store.runs(table=TableName("core", "payments"))] == ["r3"]


def test_the_newest_run_of_each_monitor(store: MonitorStore) -> None:
    for name in ("m", "n", "o"):
        store.add(monitor(name), NOTE)
    made(store, 1)
    store.claim(run(2, trigger=Trigger.MANUAL))
    store.claim(run(3, "n"))
    ids = ["m", "n", "o", "unknown"]
    assert {key: one.id for key, one in store.newest(ids).items()} == {"m": "r2", "n": "r3"}
    assert {key: one.id for key, one in store.newest(ids, [Trigger.SCHEDULE]).items()} == {"m": "r1", "n": "r3"}
    passed = store.newest(ids, statuses=[MonitorRunStatus.PASSED])
    assert {key: one.id for key, one in passed.items()} == {"m": "r1"}
    assert store.newest([]) == {}


def test_tallies_are_of_runs_that_have_ended(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    made(store, 1, result(1))
    made(store, 2, result(2), result(2))
    store.claim(run(3))
    window = NOW, NOW + timedelta(hours=1)
    first, second = NOW + timedelta(minutes=1), NOW + timedelta(minutes=2)
    assert store.tallies(*window) == (VerdictTally(RunId("r1"), first, 1), VerdictTally(RunId("r2"), second, 2))
    assert store.tallies(*window, BranchName("dev")) == ()
    assert store.tallies(second, window[1], MAIN) == (VerdictTally(RunId("r2"), second, 2),)
    assert store.dataset_tallies(NOW, second) == (DatasetTally("core.orders", first, 1),)


# results


def test_a_result_comes_back_as_it_was_kept(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    details = {"readings": {"nulls": 3}, "sample": [{"a": "é", "b": None}], "note": "NULLs are not counted"}
    full = result(1, details=details, columns=("id", "größe"), blocks=True, execution_ms=12.5, shared=True)
    made(store, 1, full, result(1, check_id="second", message="a\x00b"))
    assert store.result("r1.1") == full
    second = store.result("r1.2")
    assert second is not None
    assert (second.id, second.check_id, second.message.startswith("a")) == ("r1.2", "second", True)
    for unknown in ("r1.3", "r1", "", "r1.x", "r1.-1", "r1.99999999999999999999", "r2.1"):
        assert store.result(unknown) is None


def test_results_are_listed_newest_first_in_the_order_of_their_checks(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    made(store, 1, result(1), result(1, check_id="b", verdict=Outcome.FAILED))
    made(store, 2, result(2), result(2, check_id="b"))
    made(store, 3, result(3, monitor_id=None, dataset="core.payments"), of=None)
    assert [one.id for one in store.results()] == ["r3.1", "r2.1", "r2.2", "r1.1", "r1.2"]
    assert [one.id for one in store.results(limit=3)] == ["r3.1", "r2.1", "r2.2"]
    assert [one.id for one in store.results(monitor_id="m", limit=1)] == ["r2.1"]
    assert [one.id for one in store.results(table=ORDERS, check_id="b")] == ["r2.2", "r1.2"]
    assert [one.id for one in store.results(verdict=Outcome.FAILED)] == ["r1.2"]
    assert [one.id for one in store.results(run_ids=["r1", "r3"])] == ["r3.1", "r1.1", "r1.2"]
    assert store.results(run_ids=[]) == ()
    assert [one.id for one in store.results(since=NOW + timedelta(minutes=3))] == ["r3.1"]


def test_the_last_word_about_a_version_is_that_of_each_check(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    made(store, 1, result(1, verdict=Outcome.FAILED), result(1, check_id="b"))
    made(store, 2, result(2))
    made(store, 3, result(3, snapshot_id=SnapshotId(5), verdict=Outcome.FAILED))
    assert [one.id for one in store.standing({ORDERS: version()})] == ["r1.2", "r2.1"]
    assert [one.id for one in store.standing({ORDERS: version(5)})] == ["r3.1"]
    assert store.standing({ORDERS: version(6)}) == ()
    assert store.standing({}) == ()


def test_of_a_view_what_was_said_last_counts(store: MonitorStore) -> None:
    made(store, 1, result(1, snapshot_id=None, monitor_id=None), of=None)
    assert [one.id for one in store.standing({ORDERS: version(None)})] == ["r1.1"]


def test_a_monitor_that_was_removed_has_no_word_any_more(store: MonitorStore) -> None:
    store.add(monitor(), NOTE)
    made(store, 1, result(1))
    store.change(monitor(removed_at=NOW, updated_at=NOW), NOW, NOTE)
    assert store.standing({ORDERS: version()}) == ()
    assert [one.id for one in store.results(monitor_id="m")] == ["r1.1"]  # but its history stays
