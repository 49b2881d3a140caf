"""The scheduler: what is due is done once, whoever looks, whatever died."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from memory_world import until
from monitor_world import MAIN, MONDAY, MonitorWorld, ids

from forge.flows.quality.monitors.run import carry_out, end_run
from forge.flows.quality.monitors.scheduler import SILENT, Scheduler, end_dead_runs, next_run_at
from forge.flows.quality.monitors.store import change_monitor, remove_monitor
from forge.flows.runs.processes import Process, this_process
from forge.model.errors import DatabaseBusyError, ForgeError
from forge.quality.monitors.monitor import Monitor, MonitorRun, MonitorRunStatus, Trigger

HOURLY: dict[str, object] = {"type": "cron", "cron": "0 * * * *"}
CHANGES: dict[str, object] = {"type": "on_change"}
DEAD, DEAD_TOO = (replace(this_process(), pid=2**22 + number) for number in (7, 8))  # no such processes
ELSEWHERE = Process("elsewhere", 1, "1")


@pytest.fixture
def scheduled_world() -> MonitorWorld:
    scheduled_world = MonitorWorld()
    scheduled_world.publish(1)
    scheduled_world.now = MONDAY + timedelta(minutes=30)
    return scheduled_world


def at(hours: float) -> datetime:
    return MONDAY + timedelta(hours=hours)


# by time


def test_a_time_that_has_come_is_run_once(scheduled_world: MonitorWorld) -> None:
    monitor, scheduler = scheduled_world.monitor(HOURLY), scheduled_world.scheduler()
    assert scheduler.tick() == ()
    scheduled_world.now = MONDAY + timedelta(hours=1, seconds=3)
    (run,) = scheduler.tick()
    assert (run.due, run.trigger, run.by) == (at(1), Trigger.SCHEDULE, "schedule")
    assert scheduler.tick() == ()
    assert scheduled_world.statuses(monitor) == ["passed"]


def test_an_interval_runs_at_once_and_then_again_and_again(scheduled_world: MonitorWorld) -> None:
    monitor, scheduler = (
        scheduled_world.monitor({"type": "interval", "interval_minutes": 10}),
        scheduled_world.scheduler(),
    )
    for _ in range(31):
        scheduler.tick()
        scheduled_world.later(minutes=1)
    assert scheduled_world.statuses(monitor) == ["passed"] * 4


def test_one_that_rests_or_was_removed_or_has_no_schedule_is_not_run(scheduled_world: MonitorWorld) -> None:
    scheduled_world.monitor(HOURLY, enabled=False)
    scheduled_world.monitor()
    remove_monitor(scheduled_world.monitor(HOURLY).id, scheduled_world.ports)
    scheduled_world.later(hours=1)
    assert scheduled_world.scheduler().tick() == ()


def test_one_that_is_woken_up_does_not_make_up_for_its_rest(scheduled_world: MonitorWorld) -> None:
    monitor = scheduled_world.monitor({**HOURLY, "missed": "catch_up"}, enabled=False)
    scheduled_world.later(hours=5)
    change_monitor(monitor.id, {"enabled": True}, scheduled_world.ports)
    assert scheduled_world.scheduler().tick() == ()
    scheduled_world.later(hours=1)
    assert len(scheduled_world.scheduler().tick()) == 1


def test_two_servers_never_make_the_same_run(scheduled_world: MonitorWorld) -> None:
    for _ in range(5):
        scheduled_world.monitor(HOURLY)
    scheduled_world.now = MONDAY + timedelta(hours=1)
    made: list[MonitorRun] = []
    servers = [scheduled_world.scheduler(made, carries_out=False) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda server: server.tick(), servers))
    assert sum(map(len, found)) == len(made) == 5
    assert len({run.monitor_id for run in made}) == 5


# missed


def test_missed_times_are_skipped_and_written_down(scheduled_world: MonitorWorld) -> None:
    monitor = scheduled_world.monitor(HOURLY)
    scheduled_world.now = MONDAY + timedelta(hours=9, minutes=30)
    assert scheduled_world.scheduler().tick() == ()
    (skipped,) = scheduled_world.store.runs(monitor_id=monitor.id)
    assert (skipped.status, skipped.due) == (MonitorRunStatus.SKIPPED, at(9))
    assert skipped.notes == ("9 due times passed while no server kept the schedule",)
    scheduled_world.now = MONDAY + timedelta(hours=10)
    assert len(scheduled_world.scheduler().tick()) == 1


def test_missed_times_are_caught_up_by_one_run(scheduled_world: MonitorWorld) -> None:
    monitor = scheduled_world.monitor({**HOURLY, "missed": "catch_up"})
    scheduled_world.now = MONDAY + timedelta(hours=9, minutes=30)
    (run,) = scheduled_world.scheduler().tick()
    assert (run.due, run.notes) == (at(9), ("9 due times passed before it while no server kept the schedule",))
    assert scheduled_world.scheduler().tick() == ()
    assert scheduled_world.statuses(monitor) == ["passed"]


def test_a_restart_that_takes_a_minute_misses_nothing(scheduled_world: MonitorWorld) -> None:
    scheduled_world.monitor(HOURLY)
    scheduled_world.now = MONDAY + timedelta(hours=1, seconds=90)
    assert len(scheduled_world.scheduler().tick()) == 1


def test_what_is_due_while_the_run_before_still_works_is_skipped(scheduled_world: MonitorWorld) -> None:
    monitor, made = scheduled_world.monitor(HOURLY), list[MonitorRun]()
    scheduler = scheduled_world.scheduler(made, carries_out=False)
    scheduled_world.now = MONDAY + timedelta(hours=1)
    scheduler.tick()
    scheduled_world.now = MONDAY + timedelta(hours=2)
    assert scheduler.tick() == ()
    assert scheduled_world.statuses(monitor) == ["queued", "skipped"]
    carry_out(monitor, made[0], scheduled_world.judging)
    scheduled_world.now = MONDAY + timedelta(hours=3)
    scheduler.tick()
    assert scheduled_world.statuses(monitor) == ["passed", "skipped", "queued"]


# changes


def test_a_change_of_the_table_is_judged_once(scheduled_world: MonitorWorld) -> None:
    monitor, scheduler = scheduled_world.monitor(CHANGES), scheduled_world.scheduler()
    (first,) = scheduler.tick()  # what is there when it is made
    assert first.trigger is Trigger.CHANGE
    assert scheduler.tick() == ()
    scheduled_world.later(minutes=5)
    scheduled_world.publish(1, None)
    assert len(scheduler.tick()) == 1
    assert scheduler.tick() == ()
    assert scheduled_world.statuses(monitor) == ["passed", "failed"]


def test_a_version_that_comes_back_is_judged_again(scheduled_world: MonitorWorld) -> None:
    monitor, scheduler = scheduled_world.monitor(CHANGES), scheduled_world.scheduler()
    scheduler.tick()
    first = scheduled_world.metadata.branch(MAIN)
    assert first is not None
    scheduled_world.later(minutes=1)
    scheduled_world.publish(1, None)
    scheduler.tick()
    scheduled_world.later(minutes=1)
    real = scheduled_world.metadata.branch
    scheduled_world.metadata.branch = lambda name: first if name == MAIN else real(name)  # type: ignore[method-assign]
    assert len(scheduler.tick()) == 1
    assert len(scheduled_world.statuses(monitor)) == 3


def test_a_version_that_was_passed_over_and_comes_back_is_judged(scheduled_world: MonitorWorld) -> None:
    monitor, made = scheduled_world.monitor(CHANGES), list[MonitorRun]()
    scheduler = scheduled_world.scheduler(made, carries_out=False)
    scheduler.tick()
    first = scheduled_world.metadata.branch(MAIN)
    scheduled_world.later(minutes=1)
    scheduled_world.publish(1, None)
    carry_out(monitor, made[0], scheduled_world.judging)  # claimed for the first version, it meets the second
    assert scheduler.tick() == ()
    real = scheduled_world.metadata.branch
    scheduled_world.metadata.branch = lambda name: first if name == MAIN else real(name)  # type: ignore[method-assign]
    assert len(scheduler.tick()) == 1


def test_two_servers_judge_a_change_once(scheduled_world: MonitorWorld) -> None:
    scheduled_world.monitor(CHANGES)
    made: list[MonitorRun] = []
    servers = [scheduled_world.scheduler(made, carries_out=False) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda server: server.tick(), servers))
    assert len(made) == 1


def test_a_change_while_a_run_works_is_judged_when_it_has_ended(scheduled_world: MonitorWorld) -> None:
    monitor, made = scheduled_world.monitor(CHANGES), list[MonitorRun]()
    scheduler = scheduled_world.scheduler(made, carries_out=False)
    scheduler.tick()
    done = carry_out(monitor, made[0], scheduled_world.judging)
    scheduled_world.later(minutes=1)
    scheduled_world.publish(1, 2)
    assert done.run.is_over
    scheduler.tick()
    scheduled_world.later(minutes=1)
    scheduled_world.publish(1, 2, 3)
    assert scheduler.tick() == ()  # it waits
    scheduled_world.later(minutes=1)
    scheduled_world.publish(1, 2, 3, 4)
    carry_out(monitor, made[1], scheduled_world.judging)  # and judges what is there then
    assert scheduler.tick() == ()
    assert len(made) == 2


def test_a_table_that_is_not_there_yet_is_waited_for() -> None:
    scheduled_world = MonitorWorld()
    monitor = scheduled_world.monitor(CHANGES)
    assert scheduled_world.scheduler().tick() == ()
    scheduled_world.publish(1)
    scheduled_world.scheduler().tick()
    assert scheduled_world.statuses(monitor) == ["passed"]


# processes that die


def cut_off(scheduled_world: MonitorWorld, process: Process) -> MonitorRun:
    """A run that another server began."""
    made: list[MonitorRun] = []
    other = replace(scheduled_world.judging, process=process)
    Scheduler(other, scheduled_world.metadata, lambda monitor, run: made.append(run)).tick()
    return made[0]


def test_a_run_whose_process_died_is_ended_and_made_again_once(scheduled_world: MonitorWorld) -> None:
    monitor = scheduled_world.monitor(HOURLY)
    scheduled_world.now = MONDAY + timedelta(hours=1)
    dead = cut_off(scheduled_world, DEAD)
    scheduled_world.later(seconds=20)
    (again,) = scheduled_world.scheduler().tick()
    assert (again.due, again.notes) == (dead.due, (f"run {dead.id} was cut off",))
    assert scheduled_world.statuses(monitor) == ["interrupted", "passed"]
    ended = scheduled_world.store.run(dead.id)
    assert ended is not None
    assert ended.error is not None
    assert ended.error["why"] == "its process died"
    assert scheduled_world.scheduler().tick() == ()


def test_a_run_that_kills_its_process_each_time_is_not_tried_for_ever(scheduled_world: MonitorWorld) -> None:
    monitor = scheduled_world.monitor(HOURLY)
    scheduled_world.now = MONDAY + timedelta(hours=1)
    cut_off(scheduled_world, DEAD)
    scheduled_world.later(seconds=1)
    cut_off(scheduled_world, DEAD_TOO)
    scheduled_world.later(seconds=1)
    assert scheduled_world.scheduler().tick() == ()
    assert scheduled_world.statuses(monitor) == ["interrupted", "interrupted"]


def test_a_change_whose_run_was_cut_off_is_judged_again_once(scheduled_world: MonitorWorld) -> None:
    monitor = scheduled_world.monitor(CHANGES)
    cut_off(scheduled_world, DEAD)
    scheduled_world.later(seconds=1)
    cut_off(scheduled_world, DEAD_TOO)
    scheduled_world.later(seconds=1)
    assert scheduled_world.scheduler().tick() == ()
    scheduled_world.later(minutes=1)
    scheduled_world.publish(1, 2)
    scheduled_world.scheduler().tick()
    assert scheduled_world.statuses(monitor) == ["interrupted", "interrupted", "passed"]


@pytest.mark.parametrize(("missed", "statuses"), [("skip", ["interrupted"]), ("catch_up", ["interrupted", "passed"])])
def test_what_was_cut_off_hours_ago_is_missed_like_any_other(
    scheduled_world: MonitorWorld, missed: str, statuses: list[str]
) -> None:
    monitor = scheduled_world.monitor({"type": "cron", "cron": "0 7 * * *", "missed": missed})
    scheduled_world.now = MONDAY + timedelta(hours=1)
    cut_off(scheduled_world, DEAD)
    scheduled_world.later(hours=5)
    scheduled_world.scheduler().tick()
    assert scheduled_world.statuses(monitor) == statuses


def test_a_run_of_another_host_is_given_up_when_it_gives_no_sign(scheduled_world: MonitorWorld) -> None:
    monitor = scheduled_world.monitor(HOURLY)
    scheduled_world.now = MONDAY + timedelta(hours=1)
    run = cut_off(scheduled_world, ELSEWHERE)
    scheduled_world.later(seconds=100)
    scheduled_world.scheduler().tick()
    assert scheduled_world.statuses(monitor) == ["queued"]
    scheduled_world.store.beat([run.id], scheduled_world.now)
    scheduled_world.now += SILENT
    scheduled_world.scheduler().tick()
    assert scheduled_world.statuses(monitor) == ["queued"]  # it gave a sign
    scheduled_world.later(seconds=1)
    assert ids(end_dead_runs(scheduled_world.judging)) == [run.id]
    assert scheduled_world.statuses(monitor) == ["interrupted"]


def test_what_waits_in_this_process_gives_signs(scheduled_world: MonitorWorld) -> None:
    scheduled_world.monitor(HOURLY)
    made: list[MonitorRun] = []
    scheduler = Scheduler(
        replace(scheduled_world.judging, process=ELSEWHERE),
        scheduled_world.metadata,
        lambda monitor, run: made.append(run),
        waiting=lambda: ids(made),
    )
    scheduled_world.now = MONDAY + timedelta(hours=1)
    scheduler.tick()
    scheduled_world.later(minutes=10)
    scheduler.tick()
    assert end_dead_runs(scheduled_world.judging) == ()


def test_a_queue_that_is_full_is_told_in_the_run_and_harms_no_other(scheduled_world: MonitorWorld) -> None:
    first, second = scheduled_world.monitor(HOURLY), scheduled_world.monitor(HOURLY)

    def submit(monitor: Monitor, run: MonitorRun) -> None:
        if monitor.id == min(first.id, second.id):
            error = ForgeError("E906", "20 runs wait already")
            end_run(run, MonitorRunStatus.NOT_MEASURED, scheduled_world.judging, error)
            raise error

    scheduled_world.now = MONDAY + timedelta(hours=1)
    assert len(Scheduler(scheduled_world.judging, scheduled_world.metadata, submit).tick()) == 1
    assert sorted([*scheduled_world.statuses(first), *scheduled_world.statuses(second)]) == ["not measured", "queued"]


def test_a_monitor_that_cannot_be_looked_at_stands_in_nobodys_way(scheduled_world: MonitorWorld) -> None:
    first, second = scheduled_world.monitor(HOURLY, name="A"), scheduled_world.monitor(HOURLY, name="B")

    def submit(monitor: Monitor, run: MonitorRun) -> None:
        if monitor.id == first.id:
            raise KeyError("a fault of ours")

    def sync() -> None:
        raise ForgeError("E103", "A file of quality cannot be read")

    scheduled_world.now = MONDAY + timedelta(hours=1)
    scheduler = Scheduler(scheduled_world.judging, scheduled_world.metadata, submit, sync=sync)
    assert [run.monitor_id for run in scheduler.tick()] == [second.id]
    assert scheduled_world.statuses(first) == ["not measured"]  # it is not open for ever, and the next time is kept
    scheduled_world.now = MONDAY + timedelta(hours=2)
    assert scheduler.tick() == ()
    assert scheduled_world.statuses(first) == ["not measured", "not measured"]


def test_when_a_monitor_runs_next(scheduled_world: MonitorWorld) -> None:
    assert next_run_at(scheduled_world.monitor(HOURLY), scheduled_world.now) == at(1)
    assert next_run_at(scheduled_world.monitor(CHANGES), scheduled_world.now) is None
    assert next_run_at(scheduled_world.monitor(HOURLY, enabled=False), scheduled_world.now) is None
    assert next_run_at(scheduled_world.monitor(), scheduled_world.now) is None


def test_the_thread_goes_on_after_an_error_and_stops_when_told(scheduled_world: MonitorWorld) -> None:
    asked: list[int] = []

    def sync() -> None:
        asked.append(1)
        if len(asked) == 1:
            raise DatabaseBusyError("The database is busy")
        if len(asked) == 2:
            raise KeyError("x")

    scheduler = Scheduler(
        scheduled_world.judging, scheduled_world.metadata, lambda monitor, run: None, sync=sync, every=0.001
    )
    scheduler.start()
    until(lambda: len(asked) > 3)
    scheduler.stop()
    number = len(asked)
    assert not any(thread.name == "forge-scheduler" for thread in threading.enumerate())
    assert len(asked) == number
