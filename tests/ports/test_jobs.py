"""What every store of jobs does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from migrated import open_migrated

from forge.flows.runs.jobs import JobEvent, JobRecord, JobStatus, JobStore
from forge.flows.runs.processes import Process
from forge.stores.memory.jobs import MemoryJobs
from forge.stores.sql.runs.jobs import SqlJobs

NOW = datetime(2026, 11, 15, 12, 30, 15, 123456, tzinfo=UTC)
HERE, THERE = Process("here", 7, "100"), Process("there", 7, "100")


def sql_jobs(url: str) -> Iterator[JobStore]:
    engine = open_migrated(url)
    yield SqlJobs(engine)
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def jobs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[JobStore]:
    match request.param:
        case "memory":
            yield MemoryJobs()
        case "sqlite":
            yield from sql_jobs(f"sqlite:///{tmp_path}/forge.db")
        case _:
            make: Callable[[], str] = request.getfixturevalue("new_postgres")
            yield from sql_jobs(make())


def job(name: str, minute: int = 0, **changes: Any) -> JobRecord:
    made = JobRecord(
        id=name,
        kind="run",
        status=JobStatus.QUEUED,
        request={"branch": "main"},
        created_at=NOW + timedelta(minutes=minute),
        server=HERE,
    )
    return replace(made, **changes)


def test_a_job_comes_back_as_it_was_kept(jobs: JobStore) -> None:
    kept = job(
        "r1",
        request={"branch": "main", "selection": ["+core.orders"], "params": {"day": "2026-11-15"}, "force": True},
        tables=("raw.orders", "core.orders"),
        events=(JobEvent(NOW, "raw.orders", "started"), JobEvent(NOW, None, "publishing", "2 tables")),
    )
    assert jobs.add(kept, limit=1)
    assert jobs.job("r1") == kept
    assert jobs.job("r2") is None


def test_what_is_saved_is_what_it_is_now(jobs: JobStore) -> None:
    jobs.add(job("r1"), limit=1)
    done = job("r1", status=JobStatus.DONE, started_at=NOW, finished_at=NOW + timedelta(seconds=3))
    jobs.save(done)
    assert jobs.job("r1") == done


def test_only_so_many_may_wait_and_nothing_is_written_of_the_next(jobs: JobStore) -> None:
    assert jobs.add(job("r1"), limit=2)
    assert jobs.add(job("r2"), limit=2)
    assert not jobs.add(job("r3"), limit=2)
    assert jobs.job("r3") is None
    jobs.save(job("r1", status=JobStatus.RUNNING))
    assert jobs.add(job("r3"), limit=2)


def test_kinds_that_stand_apart_are_counted_by_themselves(jobs: JobStore) -> None:
    apart = frozenset({"monitor"})
    assert jobs.add(job("m1", kind="monitor"), limit=1, apart=apart)
    assert jobs.add(job("r1"), limit=1, apart=apart)
    assert not jobs.add(job("m2", kind="monitor"), limit=1, apart=apart)
    assert not jobs.add(job("r2"), limit=1, apart=apart)
    assert jobs.add(job("m2", kind="monitor"), limit=None, apart=apart)


def test_the_queue_of_another_server_does_not_count(jobs: JobStore) -> None:
    assert jobs.add(job("r1", server=THERE), limit=1)
    assert jobs.add(job("r2"), limit=1)


def test_the_newest_come_first_and_only_those_asked_for(jobs: JobStore) -> None:
    jobs.add(job("r1", 1), limit=9)
    jobs.add(job("r3", 3, status=JobStatus.RUNNING, started_at=NOW), limit=9)
    jobs.add(job("r2", 2, status=JobStatus.CANCELLED), limit=9)
    assert [j.id for j in jobs.jobs()] == ["r3", "r2", "r1"]
    assert [j.id for j in jobs.jobs(limit=2)] == ["r3", "r2"]
    assert [j.id for j in jobs.jobs(statuses=(JobStatus.QUEUED, JobStatus.RUNNING))] == ["r3", "r1"]
    assert [j.id for j in jobs.jobs(never_began=True)] == ["r2", "r1"]
    assert [j.id for j in jobs.jobs(ids=("r1", "r3", "r9"))] == ["r3", "r1"]
    assert jobs.jobs(ids=()) == ()
