"""Runs of monitors in the server's queue, beside governed runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from memory_world import MemoryWorld, until
from monitor_world import MonitorWorld

from forge.flows.quality.monitors.jobs import KIND, MonitorWork, WorkByKind, start_by_hand, submit
from forge.flows.quality.monitors.scheduler import Scheduler
from forge.flows.quality.monitors.store import remove_monitor
from forge.flows.runs.jobs import JobQueue, JobStatus
from forge.flows.runs.run_jobs import RunSpec
from forge.model.errors import ForgeError
from forge.quality.monitors.monitor import MonitorRun
from forge.stores.memory.jobs import MemoryJobs


class Both:
    """A queue over a project whose runs stop at a gate, and over monitors of another."""

    def __init__(self, limit: int = 20) -> None:
        self.runs, self.monitors = MemoryWorld(), MonitorWorld()
        usual = self.runs.work()
        work = WorkByKind(usual, {KIND: MonitorWork(self.monitors.judging, usual)})
        self.store = MemoryJobs()
        self.queue = JobQueue(self.store, work, self.runs.clock, limit=limit, apart=frozenset({KIND}))
        self.monitors.publish(1)

    def start_monitor(self, name: str = "Orders") -> MonitorRun:
        return start_by_hand(self.monitors.monitor(name=name), self.queue, self.monitors.judging)

    def status(self, run: MonitorRun) -> tuple[str, str]:
        job, found = self.store.job(run.id), self.monitors.store.run(run.id)
        assert job is not None
        assert found is not None
        return str(job.status), str(found.status)

    def close(self) -> None:
        self.runs.gate.open.set()
        self.queue.stop()


@pytest.fixture
def both() -> Iterator[Both]:
    made = Both()
    yield made
    made.close()


def test_a_monitor_does_not_wait_behind_a_long_run(both: Both) -> None:
    both.queue.start()
    long = both.queue.submit(RunSpec(branch="main").to_dict())
    until(both.runs.gate.reached.is_set)
    run = both.start_monitor()
    until(lambda: both.status(run) == ("done", "passed"))
    assert long.id in both.queue.running
    job = both.store.job(run.id)
    assert job is not None
    assert (job.kind, job.tables, [event.step for event in job.events]) == (
        KIND,
        ("core.orders",),
        ["started", "checked", "passed"],
    )
    both.runs.gate.open.set()
    until(lambda: both.store.job(long.id).status is JobStatus.DONE)  # type: ignore[union-attr]
    assert both.runs.status(long) == "succeeded"


def test_one_that_waits_is_cancelled_in_both_records(both: Both) -> None:
    run = both.start_monitor()
    both.queue.cancel(run.id)
    assert both.status(run) == ("cancelled", "cancelled")


def test_a_queue_that_stops_leaves_nothing_open(both: Both) -> None:
    run = both.start_monitor()
    both.queue.stop()
    assert both.status(run) == ("interrupted", "interrupted")


def test_one_that_has_ended_cannot_be_cancelled(both: Both) -> None:
    both.queue.start()
    run = both.start_monitor()
    until(lambda: both.status(run) == ("done", "passed"))
    with pytest.raises(ForgeError) as error:
        both.queue.cancel(run.id)
    assert error.value.code == "E909"


def test_a_monitor_that_was_removed_while_its_run_waited_is_not_run(both: Both) -> None:
    run = both.start_monitor()
    assert run.monitor_id is not None
    remove_monitor(run.monitor_id, both.monitors.ports)
    both.queue.start()
    until(lambda: both.status(run) == ("cancelled", "cancelled"))
    assert both.monitors.store.results() == ()


def test_all_monitors_that_are_due_at_once_are_run_and_keep_no_other_run_out() -> None:
    both = Both(limit=1)
    world = both.monitors
    schedule: dict[str, object] = {"type": "interval", "interval_minutes": 10}
    monitors = [world.monitor(schedule, name=f"M{number}") for number in range(5)]
    judging = world.judging
    scheduler = Scheduler(judging, world.metadata, lambda one, run: submit(one, run, both.queue, judging))
    assert len(scheduler.tick()) == 5
    assert [world.statuses(one) for one in monitors] == [["queued"]] * 5
    both.queue.submit(RunSpec(branch="main").to_dict())  # it has its own place
    with pytest.raises(ForgeError):
        both.start_monitor("By hand")
    both.close()


def test_a_queue_that_is_full_refuses_and_the_run_says_why() -> None:
    both = Both(limit=1)
    both.start_monitor()
    with pytest.raises(ForgeError) as error:
        both.start_monitor(name="second")
    assert error.value.code == "E906"
    (refused,) = (run for run in both.monitors.store.runs() if run.is_over)
    assert refused.error is not None
    assert (str(refused.status), refused.error["code"]) == ("not measured", "FORGE-E906")
    both.close()


def test_a_fault_of_the_store_does_not_leave_a_run_without_an_end(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(run: MonitorRun) -> None:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(both.monitors.store, "save", broken)
    both.queue.start()
    run = both.start_monitor()
    until(lambda: both.status(run) == ("done", "not measured"))
    found = both.monitors.store.run(run.id)
    assert found is not None
    assert found.error is not None
    assert "on fire" in str(found.error["what"])
