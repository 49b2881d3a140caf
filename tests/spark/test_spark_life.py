"""A queue on real Spark: progress while it works, and a cancel that Spark obeys."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from shop_project import MakeProject, assert_nothing_staged, head

from forge.api.site import work_on
from forge.connection import Connection
from forge.flows.runs.jobs import JobQueue, JobRecord
from forge.flows.runs.run_jobs import RunSpec
from forge.model.names import RunId
from forge.stores.sql.runs.jobs import SqlJobs

pytestmark = pytest.mark.spark

FILES = {
    "transforms/slow/total.py": """
        from forge import transform

        @transform(output="slow.total")
        def total(ctx):
            return ctx.spark.range(0, 10**14, 1, 4).selectExpr("sum(id % 7) AS total")  # days of work
    """,
    "transforms/core/one.sql": "SELECT 1 AS one",
}


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60  # the work itself would take days
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def submit(queue: JobQueue, table: str) -> JobRecord:
    return queue.submit(RunSpec(branch="main", selection=(table,)).to_dict())


def status(queue: JobQueue, job: JobRecord) -> str:
    known = queue.store.job(job.id)
    return str(known.status) if known else ""


def open_queue(project: Connection) -> JobQueue:
    wiring = project.wiring
    queue = JobQueue(SqlJobs(wiring.database), work_on(wiring), wiring.clock)
    queue.start()
    return queue


def test_a_cancel_interrupts_a_long_spark_job_and_the_next_run_works(make_project: MakeProject) -> None:
    project = make_project(FILES)
    wiring = project.wiring
    queue = open_queue(project)
    try:
        slow = submit(queue, "slow.total")
        until(lambda: "slow.total" in queue.progress(slow.id) and queue.progress(slow.id)["slow.total"].tasks_known)
        queue.cancel(slow.id)
        until(lambda: status(queue, slow) == "cancelled")
        run = wiring.metadata.run(RunId(slow.id))
        assert run is not None
        assert (str(run.status), run.commit_id) == ("cancelled", None)
        assert [str(output.status) for output in run.outputs] == ["skipped"]
        assert head(project) is None
        assert_nothing_staged(project)
        after = submit(queue, "core.one")
        until(lambda: status(queue, after) == "done")
        assert head(project) is not None
    finally:
        queue.stop()


def test_a_stop_interrupts_spark_within_seconds(make_project: MakeProject) -> None:
    project = make_project(FILES)
    wiring = project.wiring
    queue = open_queue(project)
    slow = submit(queue, "slow.total")
    until(lambda: "slow.total" in queue.progress(slow.id) and queue.progress(slow.id)["slow.total"].tasks_known)
    queue.stop(patience=30)
    assert queue.running == ()
    run = wiring.metadata.run(RunId(slow.id))
    assert run is not None
    assert (str(run.status), status(queue, slow)) == ("interrupted", "interrupted")
    assert_nothing_staged(project)
