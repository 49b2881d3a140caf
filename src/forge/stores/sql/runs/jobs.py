"""Jobs in SQL, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import select, update

from forge.flows.runs.jobs import JobEvent, JobRecord, JobStatus
from forge.flows.runs.processes import Process
from forge.stores.sql import tables
from forge.stores.sql.database import writing
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import only


class SqlJobs(SqlRecords):
    def add(self, job: JobRecord, *, limit: int | None, apart: frozenset[str] = frozenset()) -> bool:
        t = tables.jobs.c
        of_its_lane = t.kind.in_(apart) if job.kind in apart else t.kind.not_in(apart)
        queued = select(t.progress).where(t.status == JobStatus.QUEUED.value, of_its_lane)
        with writing(self._engine) as connection:
            waiting = connection.execute(queued).scalars().all() if limit is not None else ()
            if limit is not None and sum(_server(progress) == job.server for progress in waiting) >= limit:
                return False
            connection.execute(tables.jobs.insert(), [_row(job)])
            return True

    def job(self, job_id: str) -> JobRecord | None:
        found = self._first(select(tables.jobs).where(tables.jobs.c.id == job_id))
        return _job(found) if found else None

    def jobs(
        self,
        *,
        ids: Sequence[str] | None = None,
        statuses: tuple[JobStatus, ...] = (),
        never_began: bool = False,
        limit: int = 50,
    ) -> tuple[JobRecord, ...]:
        t = tables.jobs.c
        query = select(tables.jobs).order_by(t.created_at.desc(), t.id.desc())
        query = only(query, (t.status, statuses or None))
        if never_began:
            query = query.where(t.started_at.is_(None))
        if ids is None:
            return tuple(_job(row) for row in self._all(query.limit(limit)))
        found = [_job(row) for row in self._batched(query, t.id, ids)]
        return tuple(sorted(found, key=lambda job: (job.created_at, job.id), reverse=True)[:limit])

    def save(self, job: JobRecord) -> None:
        row = _row(job)
        with writing(self._engine) as connection:
            connection.execute(update(tables.jobs).where(tables.jobs.c.id == row.pop("id")).values(**row))


def _row(job: JobRecord) -> dict[str, Any]:
    events = [asdict(event) for event in job.events]
    progress = {"server": asdict(job.server), "tables": job.tables, "events": events}
    return {**columns_of(job, "server", "tables", "events"), "progress": progress}


def _server(progress: Mapping[str, Any]) -> Process:
    return Process(**progress["server"])


def _job(row: Mapping[str, Any]) -> JobRecord:
    progress = row["progress"]
    return record_of(
        JobRecord,
        row,
        status=JobStatus(row["status"]),
        server=_server(progress),
        tables=tuple(progress["tables"]),
        events=tuple(JobEvent(**{**event, "at": datetime.fromisoformat(event["at"])}) for event in progress["events"]),
    )
