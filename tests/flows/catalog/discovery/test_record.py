"""Usage is counted in memory and written in batches; whatever happens, the caller does not notice."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from run_site import until

from forge.catalog.discovery.usage import UsageCount, UsageKind, UsagePrivacy
from forge.flows.catalog.discovery import record
from forge.flows.catalog.discovery.record import UsageRecorder
from forge.flows.runs.records import AuditRecord, OutputRecord, OutputStatus, RunRecord, RunStatus
from forge.model.errors import DatabaseBusyError
from forge.model.names import BranchName, RunId, SnapshotId, TableName
from forge.stores.memory.usage import MemoryUsage

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
ALWAYS = (date.min, date.max)


class AwayUsage(MemoryUsage):
    """A store that can be out of reach."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.faded: list[tuple[date, date]] = []
        self.refused = 0
        self.writes: list[int] = []
        self.writers: set[str] = set()

    def fade(self, since: date, until: date) -> int:
        if self.away:
            self.refused += 1
            raise DatabaseBusyError("busy")
        self.faded.append((since, until))
        return super().fade(since, until)

    def add(self, counts: Sequence[UsageCount]) -> None:
        if self.away:
            raise DatabaseBusyError("busy")
        self.writes.append(len(counts))
        self.writers.add(threading.current_thread().name)
        super().add(counts)


class Site:
    def __init__(self, privacy: UsagePrivacy = UsagePrivacy.NAMED) -> None:
        self.store, self.now = AwayUsage(), NOW
        self._keys = itertools.count()
        self.recorder = UsageRecorder(
            lambda: self.store, lambda: self.now, privacy, lambda: str(next(self._keys)).encode()
        )

    def actors(self) -> set[str]:
        return {one.actor for one in self.store.cells(*ALWAYS)}


def test_without_a_server_it_is_written_at_once() -> None:
    site = Site()
    site.recorder.record(UsageKind.VIEW, ["core.orders"], "eve")
    (total,) = site.store.totals(*ALWAYS)
    assert (total.asset, total.views, total.users) == ("core.orders", 1, 1)


def test_a_server_writes_many_as_one_row() -> None:
    site = Site()
    site.recorder.start()
    for _ in range(100):
        site.recorder.record(UsageKind.VIEW, ["a", "b"], "eve")
    assert site.store.writes == []
    site.recorder.stop()
    assert site.store.writes == [2]
    assert [one.views for one in site.store.totals(*ALWAYS)] == [100, 100]


def test_many_threads_lose_nothing() -> None:
    site = Site()
    site.recorder.start()

    def use() -> None:
        for _ in range(200):
            site.recorder.record(UsageKind.QUERY, ["a"], "eve")
            site.recorder.flush()

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    site.recorder.stop()
    assert site.store.totals(*ALWAYS)[0].queries == 800


def test_a_server_notes_once_a_day_what_is_less_popular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "FLUSH_SECONDS", 0.01)
    site = Site()
    site.recorder.start()
    until(lambda: site.store.faded == [(NOW.date() - timedelta(days=30), NOW.date())])
    site.store.away = True
    site.now += timedelta(days=2)
    until(lambda: site.store.refused > 1)  # it is tried again
    site.store.away = False
    until(lambda: site.store.faded[1:] == [(NOW.date(), site.now.date())])
    site.recorder.stop()
    assert len(site.store.faded) == 2


def test_who_records_never_waits_for_the_store() -> None:
    site = Site()
    site.recorder.start()

    def use() -> None:
        for _ in range(2000):
            site.recorder.record(UsageKind.VIEW, ["a"], "eve")

    thread = threading.Thread(target=use, name="who records")
    thread.start()
    thread.join()
    site.recorder.stop()
    assert "who records" not in site.store.writers
    assert site.store.totals(*ALWAYS)[0].views == 2000


def test_what_cannot_be_written_waits_and_nobody_notices() -> None:
    site = Site()
    site.store.away = True
    for _ in range(3):
        site.recorder.record(UsageKind.VIEW, ["a"], "eve")
    site.store.away = False
    site.recorder.flush()
    assert site.store.totals(*ALWAYS)[0].views == 3


@pytest.mark.slow
def test_a_database_that_stays_away_does_not_fill_the_memory() -> None:
    site = Site()
    site.store.away = True
    limit = record.MOST_BUFFERED
    site.recorder.start()
    site.recorder.record(UsageKind.VIEW, (f"t{n}" for n in range(limit + 500)), "eve")
    site.recorder.record(UsageKind.VIEW, ["t0"], "eve")
    site.recorder.stop()
    site.store.away = False
    site.recorder.flush()
    assert sum(site.store.writes) == limit
    assert site.store.totals(*ALWAYS, assets=["t0"])[0].views == 2


def test_a_broken_clock_or_store_is_no_error() -> None:
    def broken() -> datetime:
        raise RuntimeError

    recorder = UsageRecorder(lambda: MemoryUsage(), broken, UsagePrivacy.NAMED, lambda: b"")
    recorder.record(UsageKind.VIEW, ["a"], "eve")


def test_off_counts_nothing() -> None:
    site = Site(UsagePrivacy.OFF)
    site.recorder.start()
    site.recorder.record(UsageKind.VIEW, ["a"], "eve")
    site.recorder.stop()
    assert site.store.totals(*ALWAYS) == ()


def test_an_anonymous_user_is_one_on_a_day_and_another_the_next() -> None:
    site = Site(UsagePrivacy.ANONYMOUS)
    for user in ("eve@example.com", "eve@example.com", "bob@example.com"):
        site.recorder.record(UsageKind.VIEW, ["a"], user)
    first = site.actors()
    assert len(first) == 2
    assert site.recorder.actor_of("eve@example.com") in first
    assert not any("eve" in actor or "bob" in actor for actor in first)
    site.now += timedelta(days=1)
    site.recorder.record(UsageKind.VIEW, ["a"], "eve@example.com")
    assert len(site.actors()) == 3


def test_answered_queries_count_and_refused_ones_do_not() -> None:
    site = Site()
    tables = {"tables": ["core.orders", "core.refunds"], "rows": 3}
    site.recorder.record_query(AuditRecord(NOW, "eve", "query.run", "http", tables))
    site.recorder.record_query(AuditRecord(NOW, "eve", "query.refuse", "http", tables))
    site.recorder.record_query(AuditRecord(NOW, "eve", "query.run", "http", {}))
    site.recorder.record_query(AuditRecord(NOW, "eve", "branch.create", "dev"))
    assert [(one.asset, one.queries) for one in site.store.totals(*ALWAYS)] == [("core.orders", 1), ("core.refunds", 1)]


def test_a_table_of_a_source_counts_as_the_asset_that_it_is() -> None:
    site = Site()
    names = {"crm.public.users": "postgresql:shop.public.users", "till.users": "postgresql:shop.public.users"}
    site.recorder = UsageRecorder(
        lambda: site.store, lambda: NOW, UsagePrivacy.NAMED, lambda: b"", assets_of=lambda tables: names
    )
    tables = {"tables": ["crm.public.users", "core.orders", "till.users"]}
    site.recorder.record_query(AuditRecord(NOW, "eve", "query.run", "http", tables))
    site.recorder.record(UsageKind.VIEW, ["till.users"], "eve")  # a page has the catalog's name already
    totals = {one.asset: (one.queries, one.views) for one in site.store.totals(*ALWAYS)}
    assert totals == {"postgresql:shop.public.users": (2, 0), "core.orders": (1, 0), "till.users": (0, 1)}


def test_uses_are_counted_where_the_names_of_the_catalog_cannot_be_told() -> None:
    site = Site()

    def broken(tables: Collection[str]) -> dict[str, str]:
        raise DatabaseBusyError("busy")

    site.recorder = UsageRecorder(lambda: site.store, lambda: NOW, UsagePrivacy.NAMED, lambda: b"", assets_of=broken)
    site.recorder.record_query(AuditRecord(NOW, "eve", "query.run", "http", {"tables": ["core.orders"]}))
    assert [one.asset for one in site.store.totals(*ALWAYS)] == ["core.orders"]


def test_a_table_at_a_branch_is_the_same_table() -> None:
    site = Site()
    tables = {"tables": ["core.orders", "core.orders@dev", "core.refunds@main@2026-01-31", "shop.a b"], "rows": 3}
    site.recorder.record_query(AuditRecord(NOW, "eve", "query.run", "http", tables))
    found = {one.asset: one.queries for one in site.store.totals(*ALWAYS)}
    assert found == {"core.orders": 1, "core.refunds": 1, "shop.a b": 1}


def test_a_run_uses_what_it_read_and_did_not_make() -> None:
    site = Site()
    made: dict[str, dict[str, SnapshotId | None]] = {
        "core.orders": {"raw.orders": SnapshotId(1)},
        "marts.revenue": {"core.orders": SnapshotId(2), "raw.rates": None},
    }
    run = RunRecord(
        id=RunId("r1"),
        branch=BranchName("main"),
        status=RunStatus.SUCCEEDED,
        started_at=NOW,
        user="job",
        host="h",
        pid=1,
        process_started="",
        outputs=tuple(
            OutputRecord(table=TableName.parse(name), status=OutputStatus.PUBLISHED, inputs=inputs)
            for name, inputs in made.items()
        ),
    )
    site.recorder.record_run(run)
    assert [(one.asset, one.runs) for one in site.store.totals(*ALWAYS)] == [("raw.orders", 1), ("raw.rates", 1)]


def test_old_usage_is_forgotten_once_a_day() -> None:
    site = Site()
    old = NOW - timedelta(days=401)
    site.store.add([UsageCount(old.date(), "a", "eve", UsageKind.VIEW, 1, old)])
    site.recorder.record(UsageKind.VIEW, ["a"], "eve")
    assert site.store.totals(*ALWAYS)[0].views == 1
