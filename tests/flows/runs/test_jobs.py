"""The queue of a server, on memory adapters: bounded, in order, cancelled, restarted, stopped."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
from memory_world import MAIN, BusyJobs, MemoryWorld, order, until

from forge.flows.runs.jobs import JobQueue, JobRecord, JobStatus
from forge.flows.runs.processes import Process, process_started, this_process
from forge.flows.runs.records import RunRecord, RunStatus
from forge.flows.runs.run import STEPS, RunRequest, run
from forge.model.errors import ForgeError, errors_of
from forge.model.names import RunId, TableName


@pytest.fixture
def job_world() -> Iterator[MemoryWorld]:
    made = MemoryWorld()
    yield made
    made.close()


@pytest.fixture(scope="module")
def dead() -> Process:
    """A process of this host that has ended."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    mark = Process(socket.gethostname(), process.pid, process_started(process.pid))
    process.kill()
    process.communicate()
    return mark


@pytest.fixture
def neighbour() -> Process:
    """Another process of this host that lives."""
    parent = os.getppid()
    return Process(socket.gethostname(), parent, process_started(parent))


def busy(job_world: MemoryWorld) -> tuple[JobQueue, JobRecord]:
    """A queue whose only worker is held up by a run."""
    queue = job_world.queue()
    job = queue.submit(order())
    assert job_world.gate.reached.wait(20)
    return queue, job


def ended(job_world: MemoryWorld, job: JobRecord) -> str:
    until(lambda: job_world.job_status(job) not in ("queued", "running"))
    return job_world.job_status(job)


def test_a_job_runs_under_its_own_id_and_is_recorded(job_world: MemoryWorld) -> None:
    job_world.gate.open.set()
    job = job_world.queue().submit(order())
    assert job.status is JobStatus.QUEUED
    assert job.tables == ("raw.orders", "core.orders")
    assert ended(job_world, job) == "done"
    run = job_world.metadata.run(RunId(job.id))
    assert run is not None
    assert (run.status, len(run.outputs)) == (RunStatus.SUCCEEDED, 2)
    kept = job_world.store.job(job.id)
    assert kept is not None
    assert kept.started_at is not None
    assert kept.finished_at is not None


def test_every_event_is_kept_when_it_happens(job_world: MemoryWorld) -> None:
    queue, job = busy(job_world)
    kept = job_world.store.job(job.id)
    assert kept is not None
    assert [(e.table, e.step) for e in kept.events] == [("raw.orders", "started")]
    job_world.gate.open.set()
    assert ended(job_world, job) == "done"
    kept = job_world.store.job(job.id)
    assert kept is not None
    steps = [(e.table, e.step) for e in kept.events]
    assert steps[1:3] == [("raw.orders", "staged"), ("raw.orders", "passed")]
    assert [step for table, step in steps if table is None] == ["publishing", "published"]
    assert queue.running == ()


def test_those_that_wait_run_in_the_order_they_came(job_world: MemoryWorld) -> None:
    queue, first = busy(job_world)
    second, third = queue.submit(order()), queue.submit(order())
    assert [queue.position(job.id) for job in (first, second, third)] == [None, 0, 1]
    assert queue.running == (first.id,)
    job_world.gate.open.set()
    assert ended(job_world, third) == "done"
    began = [job_world.store.job(job.id) for job in (first, second, third)]
    times = [job.started_at for job in began if job is not None and job.started_at is not None]
    assert times == sorted(times)
    assert len(times) == 3


def test_a_full_queue_refuses_and_writes_nothing(job_world: MemoryWorld) -> None:
    queue = job_world.queue(limit=2)
    queue.submit(order())
    assert job_world.gate.reached.wait(20)
    waiting = [queue.submit(order()) for _ in range(2)]
    with pytest.raises(ForgeError) as caught:
        queue.submit(order())
    assert caught.value.code == "E906"
    assert len(job_world.store.jobs()) == 3
    queue.cancel(waiting[0].id)
    assert queue.submit(order()).status is JobStatus.QUEUED


def test_all_that_is_wrong_is_told_at_once_and_nothing_is_queued(job_world: MemoryWorld) -> None:
    queue = job_world.queue()
    with pytest.raises(ForgeError) as caught:
        queue.submit(order("core.oders", branch="mian", params={"dya": "x"}, start="2026-11-15T00:00:00+00:00"))
    assert [error.code for error in errors_of(caught.value)] == ["E602", "E108", "E105", "E108"]
    assert job_world.store.jobs() == ()


def test_errors_of_the_project_are_told_before_it_is_queued(job_world: MemoryWorld) -> None:
    queue = job_world.queue()
    job_world.broken = ForgeError("E201", "no SQL", where="a.sql:1")
    with pytest.raises(ForgeError, match="no SQL"):
        queue.submit(order())
    assert job_world.store.jobs() == ()


def test_a_project_that_breaks_while_the_run_waits_fails_the_run(job_world: MemoryWorld) -> None:
    queue, _ = busy(job_world)
    job = queue.submit(order())
    job_world.broken = ForgeError("E201", "no SQL", where="a.sql:1")
    job_world.gate.open.set()
    assert ended(job_world, job) == "done"
    run = job_world.metadata.run(RunId(job.id))
    assert run is not None
    assert run.status is RunStatus.FAILED
    assert run.error is not None
    assert run.error["code"] == "FORGE-E201"


def test_one_that_waits_is_cancelled_and_never_begins(job_world: MemoryWorld) -> None:
    queue, first = busy(job_world)
    second = queue.submit(order())
    assert queue.cancel(second.id).status is JobStatus.CANCELLED
    job_world.gate.open.set()
    assert ended(job_world, first) == "done"
    third = queue.submit(order())
    assert ended(job_world, third) == "done"
    assert job_world.job_status(second) == "cancelled"
    assert job_world.status(second) == "none"


def test_one_that_works_is_cancelled_and_publishes_nothing(job_world: MemoryWorld) -> None:
    queue, job = busy(job_world)
    queue.cancel(job.id)
    assert queue.stopping(job.id)
    assert job.id in job_world.engine.cancelled
    job_world.gate.open.set()
    assert ended(job_world, job) == "cancelled"
    run = job_world.metadata.run(RunId(job.id))
    assert run is not None
    assert run.status is RunStatus.CANCELLED
    assert run.error is not None
    assert run.error["code"] == "FORGE-E901"
    assert {str(output.status) for output in run.outputs} == {"skipped"}
    assert job_world.lake.tables() == ()
    assert job_world.lake.stages() == ()
    assert ended(job_world, queue.submit(order())) == "done"


def test_one_that_has_ended_cannot_be_cancelled_and_its_status_is_told(job_world: MemoryWorld) -> None:
    job_world.gate.open.set()
    queue = job_world.queue()
    job = queue.submit(order())
    assert ended(job_world, job) == "done"
    until(lambda: not queue.running)
    with pytest.raises(ForgeError, match="succeeded") as caught:
        queue.cancel(job.id)
    assert caught.value.code == "E909"


def test_a_run_of_the_terminal_is_not_ours_to_cancel(job_world: MemoryWorld, neighbour: Process) -> None:
    queue = job_world.queue()
    job_world.metadata.start_run(run_of(neighbour))
    with pytest.raises(ForgeError) as caught:
        queue.cancel("r-other")
    error = caught.value
    assert error.code == "E907"
    assert str(neighbour.pid) in str(error.where)
    assert neighbour.host in str(error.where)
    assert "Ctrl-C" in str(error.fix)


def test_an_unknown_run_answers_with_the_nearest(job_world: MemoryWorld, neighbour: Process) -> None:
    queue = job_world.queue()
    job_world.metadata.start_run(run_of(neighbour))
    with pytest.raises(ForgeError) as caught:
        queue.cancel("r-othr")
    assert caught.value.code == "E108"
    assert "r-other" in str(caught.value.why)


def run_of(process: Process) -> RunRecord:
    world_time = MemoryWorld().clock()
    return RunRecord(
        id=RunId("r-other"),
        branch=MAIN,
        status=RunStatus.RUNNING,
        started_at=world_time,
        user="a",
        host=process.host,
        pid=process.pid,
        process_started=process.process_started,
    )


def left_by(job_world: MemoryWorld, server: Process) -> tuple[JobRecord, JobRecord]:
    """What a server had when it was last seen: one run at work with something staged, one that waits."""
    before = job_world.queue(server=server, start=False)
    running, waiting = before.submit(order()), before.submit(order())
    job_world.store.save(replace(running, status=JobStatus.RUNNING, started_at=job_world.clock()))
    job_world.metadata.start_run(replace(run_of(server), id=RunId(running.id)))
    job_world.lake.open_stage(RunId(running.id), TableName("raw", "orders"), None, None)
    return running, waiting


def test_a_restart_marks_what_a_dead_server_left_and_starts_none_of_it(job_world: MemoryWorld, dead: Process) -> None:
    running, waiting = left_by(job_world, dead)
    queue = job_world.queue()
    assert (job_world.job_status(running), job_world.job_status(waiting)) == ("interrupted", "interrupted")
    assert job_world.status(running) == "interrupted"
    assert job_world.status(waiting) == "none"
    assert job_world.lake.stages() == ()
    assert set(queue.interrupted) == {running.id, waiting.id}
    assert (queue.queued, queue.running) == ((), ())


def test_what_was_cut_off_is_offered_until_it_is_started_again(job_world: MemoryWorld, dead: Process) -> None:
    running, _ = left_by(job_world, dead)
    queue = job_world.queue()
    job_world.gate.open.set()
    again = queue.submit(running.request)
    assert queue.interrupted == ()
    assert ended(job_world, again) == "done"


def test_what_happens_to_jobs_is_logged(
    job_world: MemoryWorld, dead: Process, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "forge.jobs")
    lost = left_by(job_world, dead)
    queue, working = busy(job_world)
    waiting = queue.submit(order())
    queue.cancel(waiting.id)
    job_world.gate.open.set()
    until(lambda: not queue.running)
    said = [getattr(record, "facts", {}) for record in caplog.records]
    heard = [(facts["run_id"], facts["event"], facts.get("status")) for facts in said if facts]
    assert {run for run, event, _ in heard if event == "was cut off by the last stop"} == {job.id for job in lost}
    assert [(event, status) for run, event, status in heard if run == waiting.id] == [
        ("queued", None),
        ("ended", "cancelled"),
    ]
    assert [(event, status) for run, event, status in heard if run == working.id] == [
        ("queued", None),
        ("started", None),
        ("ended", "succeeded"),
    ]


def test_a_run_that_had_ended_before_its_server_died_is_not_called_interrupted(
    job_world: MemoryWorld, dead: Process
) -> None:
    running, _ = left_by(job_world, dead)
    done = replace(run_of(dead), id=RunId(running.id), status=RunStatus.SUCCEEDED, finished_at=job_world.clock())
    job_world.metadata.finish_run(done, (), ())
    job_world.queue()
    assert job_world.job_status(running) == "done"
    assert job_world.status(running) == "succeeded"


def test_jobs_of_another_server_that_lives_are_left_alone(job_world: MemoryWorld, neighbour: Process) -> None:
    running, waiting = left_by(job_world, neighbour)
    queue = job_world.queue()
    assert (job_world.job_status(running), job_world.job_status(waiting)) == ("running", "queued")
    assert job_world.status(running) == "running"
    with pytest.raises(ForgeError) as caught:
        queue.cancel(waiting.id)
    assert caught.value.code == "E907"
    assert str(neighbour.pid) in str(caught.value.where)
    queue.stop()
    assert (job_world.job_status(running), job_world.job_status(waiting)) == ("running", "queued")


def test_a_stop_interrupts_what_works_and_what_waits(job_world: MemoryWorld) -> None:
    queue, working = busy(job_world)
    waiting = queue.submit(order())
    job_world.engine.lets_go = True
    queue.stop()
    assert (job_world.job_status(working), job_world.job_status(waiting)) == ("interrupted", "interrupted")
    assert job_world.status(working) == "interrupted"
    assert job_world.lake.tables() == ()
    with pytest.raises(ForgeError) as caught:
        queue.submit(order())
    assert caught.value.code == "E906"
    assert set(job_world.queue().interrupted) == {working.id, waiting.id}


def test_a_run_that_does_not_let_go_is_recorded_all_the_same_and_can_no_longer_publish(job_world: MemoryWorld) -> None:
    queue, working = busy(job_world)
    queue.stop(patience=0.05)
    assert job_world.status(working) == "interrupted"
    job_world.gate.open.set()
    until(lambda: not queue.running)
    assert job_world.status(working) == "interrupted"
    assert job_world.job_status(working) == "interrupted"
    assert job_world.lake.tables() == ()


@pytest.mark.slow
def test_a_locked_database_delays_the_end_of_a_job_and_loses_nothing() -> None:
    store = BusyJobs()
    job_world = MemoryWorld(store)
    queue, job = busy(job_world)
    store.locked = True
    job_world.gate.open.set()
    until(lambda: job_world.status(job) == "succeeded" and store.refused > 5)
    assert job_world.job_status(job) == "running"
    store.locked = False
    assert ended(job_world, job) == "done"
    kept = job_world.store.job(job.id)
    assert kept is not None
    assert [e.step for e in kept.events if e.table is None] == ["publishing", "published"]
    until(lambda: not queue.running)
    job_world.close()


@pytest.mark.slow
def test_a_run_whose_end_could_not_be_recorded_gets_one(job_world: MemoryWorld) -> None:
    queue, job = busy(job_world)
    job_world.metadata.refusals = 2
    queue.cancel(job.id)
    job_world.gate.open.set()
    assert ended(job_world, job) == "cancelled"
    assert job_world.status(job) == "cancelled"
    assert job_world.metadata.refusals == 0


def test_this_process_lives_and_one_that_ended_does_not(dead: Process) -> None:
    from forge.flows.runs.processes import is_alive

    assert is_alive(this_process())
    assert not is_alive(dead)


@pytest.mark.parametrize("step", STEPS)
def test_a_run_told_to_stop_at_a_step_publishes_nothing_unless_it_publishes_already(
    job_world: MemoryWorld, step: str
) -> None:
    job_world.gate.open.set()
    told: list[RunStatus] = []
    ports = replace(
        job_world.ports(lambda event: None),
        fault_point=lambda name: told.append(RunStatus.CANCELLED) if name == step else None,
        stopped=lambda: told[0] if told else None,
        parallel=1,
    )
    result = run(RunRequest(branch=MAIN, selection=("raw.orders",), run_id=RunId("r-mine")), job_world.project(), ports)
    recorded = job_world.metadata.run(RunId("r-mine"))
    assert recorded is not None
    stands = STEPS.index(step) >= STEPS.index("prepared")
    assert recorded.status is result.run.status
    assert recorded.status is (RunStatus.SUCCEEDED if stands else RunStatus.CANCELLED)
    assert bool(job_world.lake.tables()) is stands
    assert job_world.lake.stages() == ()
    assert recorded.finished_at is not None
