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
def world() -> Iterator[MemoryWorld]:
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


def busy(world: MemoryWorld) -> tuple[JobQueue, JobRecord]:
    """A queue whose only worker is held up by a run."""
    queue = world.queue()
    job = queue.submit(order())
    assert world.gate.reached.wait(20)
    return queue, job


def ended(world: MemoryWorld, job: JobRecord) -> str:
    until(lambda: world.job_status(job) not in ("queued", "running"))
    return world.job_status(job)


def test_a_job_runs_under_its_own_id_and_is_recorded(world: MemoryWorld) -> None:
    world.gate.open.set()
    job = world.queue().submit(order())
    assert job.status is JobStatus.QUEUED
    assert job.tables == ("raw.orders", "core.orders")
    assert ended(world, job) == "done"
    run = world.metadata.run(RunId(job.id))
    assert run is not None
    assert (run.status, len(run.outputs)) == (RunStatus.SUCCEEDED, 2)
    kept = world.store.job(job.id)
    assert kept is not None
    assert kept.started_at is not None
    assert kept.finished_at is not None


def test_every_event_is_kept_when_it_happens(world: MemoryWorld) -> None:
    queue, job = busy(world)
    kept = world.store.job(job.id)
    assert kept is not None
    assert [(e.table, e.step) for e in kept.events] == [("raw.orders", "started")]
    world.gate.open.set()
    assert ended(world, job) == "done"
    kept = world.store.job(job.id)
    assert kept is not None
    steps = [(e.table, e.step) for e in kept.events]
    assert steps[1:3] == [("raw.orders", "staged"), ("raw.orders", "passed")]
    assert [step for table, step in steps if table is None] == ["publishing", "published"]
    assert queue.running == ()


def test_those_that_wait_run_in_the_order_they_came(world: MemoryWorld) -> None:
    queue, first = busy(world)
    second, third = queue.submit(order()), queue.submit(order())
    assert [queue.position(job.id) for job in (first, second, third)] == [None, 0, 1]
    assert queue.running == (first.id,)
    world.gate.open.set()
    assert ended(world, third) == "done"
    began = [world.store.job(job.id) for job in (first, second, third)]
    times = [job.started_at for job in began if job is not None and job.started_at is not None]
    assert times == sorted(times)
    assert len(times) == 3


def test_a_full_queue_refuses_and_writes_nothing(world: MemoryWorld) -> None:
    queue = world.queue(limit=2)
    queue.submit(order())
    assert world.gate.reached.wait(20)
    waiting = [queue.submit(order()) for _ in range(2)]
    with pytest.raises(ForgeError) as caught:
        queue.submit(order())
    assert caught.value.code == "E906"
    assert len(world.store.jobs()) == 3
    queue.cancel(waiting[0].id)
    assert queue.submit(order()).status is JobStatus.QUEUED


def test_all_that_is_wrong_is_told_at_once_and_nothing_is_queued(world: MemoryWorld) -> None:
    queue = world.queue()
    with pytest.raises(ForgeError) as caught:
        queue.submit(order("core.oders", branch="mian", params={"dya": "x"}, start="2026-11-15T00:00:00+00:00"))
    assert [error.code for error in errors_of(caught.value)] == ["E602", "E108", "E105", "E108"]
    assert world.store.jobs() == ()


def test_errors_of_the_project_are_told_before_it_is_queued(world: MemoryWorld) -> None:
    queue = world.queue()
    world.broken = ForgeError("E201", "no SQL", where="a.sql:1")
    with pytest.raises(ForgeError, match="no SQL"):
        queue.submit(order())
    assert world.store.jobs() == ()


def test_a_project_that_breaks_while_the_run_waits_fails_the_run(world: MemoryWorld) -> None:
    queue, _ = busy(world)
    job = queue.submit(order())
    world.broken = ForgeError("E201", "no SQL", where="a.sql:1")
    world.gate.open.set()
    assert ended(world, job) == "done"
    run = world.metadata.run(RunId(job.id))
    assert run is not None
    assert run.status is RunStatus.FAILED
    assert run.error is not None
    assert run.error["code"] == "FORGE-E201"


def test_one_that_waits_is_cancelled_and_never_begins(world: MemoryWorld) -> None:
    queue, first = busy(world)
    second = queue.submit(order())
    assert queue.cancel(second.id).status is JobStatus.CANCELLED
    world.gate.open.set()
    assert ended(world, first) == "done"
    third = queue.submit(order())
    assert ended(world, third) == "done"
    assert world.job_status(second) == "cancelled"
    assert world.status(second) == "none"


def test_one_that_works_is_cancelled_and_publishes_nothing(world: MemoryWorld) -> None:
    queue, job = busy(world)
    queue.cancel(job.id)
    assert queue.stopping(job.id)
    assert job.id in world.engine.cancelled
    world.gate.open.set()
    assert ended(world, job) == "cancelled"
    run = world.metadata.run(RunId(job.id))
    assert run is not None
    assert run.status is RunStatus.CANCELLED
    assert run.error is not None
    assert run.error["code"] == "FORGE-E901"
    assert {str(output.status) for output in run.outputs} == {"skipped"}
    assert world.lake.tables() == ()
    assert world.lake.stages() == ()
    assert ended(world, queue.submit(order())) == "done"


def test_one_that_has_ended_cannot_be_cancelled_and_its_status_is_told(world: MemoryWorld) -> None:
    world.gate.open.set()
    queue = world.queue()
    job = queue.submit(order())
    assert ended(world, job) == "done"
    until(lambda: not queue.running)
    with pytest.raises(ForgeError, match="succeeded") as caught:
        queue.cancel(job.id)
    assert caught.value.code == "E909"


def test_a_run_of_the_terminal_is_not_ours_to_cancel(world: MemoryWorld, neighbour: Process) -> None:
    queue = world.queue()
    world.metadata.start_run(run_of(neighbour))
    with pytest.raises(ForgeError) as caught:
        queue.cancel("r-other")
    error = caught.value
    assert error.code == "E907"
    assert str(neighbour.pid) in str(error.where)
    assert neighbour.host in str(error.where)
    assert "Ctrl-C" in str(error.fix)


def test_an_unknown_run_answers_with_the_nearest(world: MemoryWorld, neighbour: Process) -> None:
    queue = world.queue()
    world.metadata.start_run(run_of(neighbour))
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


def left_by(world: MemoryWorld, server: Process) -> tuple[JobRecord, JobRecord]:
    """What a server had when it was last seen: one run at work with something staged, one that waits."""
    before = world.queue(server=server, start=False)
    running, waiting = before.submit(order()), before.submit(order())
    world.store.save(replace(running, status=JobStatus.RUNNING, started_at=world.clock()))
    world.metadata.start_run(replace(run_of(server), id=RunId(running.id)))
    world.lake.open_stage(RunId(running.id), TableName("raw", "orders"), None, None)
    return running, waiting


def test_a_restart_marks_what_a_dead_server_left_and_starts_none_of_it(world: MemoryWorld, dead: Process) -> None:
    running, waiting = left_by(world, dead)
    queue = world.queue()
    assert (world.job_status(running), world.job_status(waiting)) == ("interrupted", "interrupted")
    assert world.status(running) == "interrupted"
    assert world.status(waiting) == "none"
    assert world.lake.stages() == ()
    assert set(queue.interrupted) == {running.id, waiting.id}
    assert (queue.queued, queue.running) == ((), ())


def test_what_was_cut_off_is_offered_until_it_is_started_again(world: MemoryWorld, dead: Process) -> None:
    running, _ = left_by(world, dead)
    queue = world.queue()
    world.gate.open.set()
    again = queue.submit(running.request)
    assert queue.interrupted == ()
    assert ended(world, again) == "done"


def test_what_happens_to_jobs_is_logged(world: MemoryWorld, dead: Process, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "forge.jobs")
    lost = left_by(world, dead)
    queue, working = busy(world)
    waiting = queue.submit(order())
    queue.cancel(waiting.id)
    world.gate.open.set()
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
    world: MemoryWorld, dead: Process
) -> None:
    running, _ = left_by(world, dead)
    done = replace(run_of(dead), id=RunId(running.id), status=RunStatus.SUCCEEDED, finished_at=world.clock())
    world.metadata.finish_run(done, (), ())
    world.queue()
    assert world.job_status(running) == "done"
    assert world.status(running) == "succeeded"


def test_jobs_of_another_server_that_lives_are_left_alone(world: MemoryWorld, neighbour: Process) -> None:
    running, waiting = left_by(world, neighbour)
    queue = world.queue()
    assert (world.job_status(running), world.job_status(waiting)) == ("running", "queued")
    assert world.status(running) == "running"
    with pytest.raises(ForgeError) as caught:
        queue.cancel(waiting.id)
    assert caught.value.code == "E907"
    assert str(neighbour.pid) in str(caught.value.where)
    queue.stop()
    assert (world.job_status(running), world.job_status(waiting)) == ("running", "queued")


def test_a_stop_interrupts_what_works_and_what_waits(world: MemoryWorld) -> None:
    queue, working = busy(world)
    waiting = queue.submit(order())
    world.engine.lets_go = True
    queue.stop()
    assert (world.job_status(working), world.job_status(waiting)) == ("interrupted", "interrupted")
    assert world.status(working) == "interrupted"
    assert world.lake.tables() == ()
    with pytest.raises(ForgeError) as caught:
        queue.submit(order())
    assert caught.value.code == "E906"
    assert set(world.queue().interrupted) == {working.id, waiting.id}


def test_a_run_that_does_not_let_go_is_recorded_all_the_same_and_can_no_longer_publish(world: MemoryWorld) -> None:
    queue, working = busy(world)
    queue.stop(patience=0.05)
    assert world.status(working) == "interrupted"
    world.gate.open.set()
    until(lambda: not queue.running)
    assert world.status(working) == "interrupted"
    assert world.job_status(working) == "interrupted"
    assert world.lake.tables() == ()


def test_a_locked_database_delays_the_end_of_a_job_and_loses_nothing() -> None:
    store = BusyJobs()
    world = MemoryWorld(store)
    queue, job = busy(world)
    store.locked = True
    world.gate.open.set()
    until(lambda: world.status(job) == "succeeded" and store.refused > 5)
    assert world.job_status(job) == "running"
    store.locked = False
    assert ended(world, job) == "done"
    kept = world.store.job(job.id)
    assert kept is not None
    assert [e.step for e in kept.events if e.table is None] == ["publishing", "published"]
    until(lambda: not queue.running)
    world.close()


def test_a_run_whose_end_could_not_be_recorded_gets_one(world: MemoryWorld) -> None:
    queue, job = busy(world)
    world.metadata.refusals = 2
    queue.cancel(job.id)
    world.gate.open.set()
    assert ended(world, job) == "cancelled"
    assert world.status(job) == "cancelled"
    assert world.metadata.refusals == 0


def test_this_process_lives_and_one_that_ended_does_not(dead: Process) -> None:
    from forge.flows.runs.processes import is_alive

    assert is_alive(this_process())
    assert not is_alive(dead)


@pytest.mark.parametrize("step", STEPS)
def test_a_run_told_to_stop_at_a_step_publishes_nothing_unless_it_publishes_already(
    world: MemoryWorld, step: str
) -> None:
    world.gate.open.set()
    told: list[RunStatus] = []
    ports = replace(
        world.ports(lambda event: None),
        fault_point=lambda name: told.append(RunStatus.CANCELLED) if name == step else None,
        stopped=lambda: told[0] if told else None,
        parallel=1,
    )
    result = run(RunRequest(branch=MAIN, selection=("raw.orders",), run_id=RunId("r-mine")), world.project(), ports)
    recorded = world.metadata.run(RunId("r-mine"))
    assert recorded is not None
    stands = STEPS.index(step) >= STEPS.index("prepared")
    assert recorded.status is result.run.status
    assert recorded.status is (RunStatus.SUCCEEDED if stands else RunStatus.CANCELLED)
    assert bool(world.lake.tables()) is stands
    assert world.lake.stages() == ()
    assert recorded.finished_at is not None
