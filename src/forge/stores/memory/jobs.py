"""Jobs in memory: passes the suite of the SQL one."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from forge.flows.runs.jobs import JobRecord, JobStatus


class MemoryJobs:
    def __init__(self) -> None:
        self._jobs: dict[str, JobRecord] = {}
        self._lock = threading.Lock()

    def add(self, job: JobRecord, *, limit: int | None, apart: frozenset[str] = frozenset()) -> bool:
        with self._lock:
            waiting = [
                one
                for one in self._jobs.values()
                if one.status is JobStatus.QUEUED
                and one.server == job.server
                and (one.kind in apart) == (job.kind in apart)
            ]
            if limit is not None and len(waiting) >= limit:
                return False
            self._jobs[job.id] = job
            return True

    def job(self, job_id: str) -> JobRecord | None:
        return self._jobs.get(job_id)

    def jobs(
        self,
        *,
        ids: Sequence[str] | None = None,
        statuses: tuple[JobStatus, ...] = (),
        never_began: bool = False,
        limit: int = 50,
    ) -> tuple[JobRecord, ...]:
        with self._lock:
            found = [
                job
                for job in self._jobs.values()
                if (ids is None or job.id in ids)
                and (not statuses or job.status in statuses)
                and (not never_began or job.started_at is None)
            ]
        return tuple(sorted(found, key=lambda job: (job.created_at, job.id), reverse=True)[:limit])

    def save(self, job: JobRecord) -> None:
        with self._lock:
            self._jobs[job.id] = job
