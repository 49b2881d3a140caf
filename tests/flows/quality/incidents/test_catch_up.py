"""A server that dies between keeping what checks said and telling of it loses no alert."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from alert_world import AlertWorld, Recorder, SetClock
from monitor_world import MonitorWorld

from forge.flows.quality.incidents.catch_up import GRACE, catch_up_alerts
from forge.flows.quality.incidents.observer import alert_observer
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.monitors.store import change_monitor
from forge.flows.runs.processes import Process, this_process
from forge.quality.monitors.monitor import Monitor

DEAD = replace(this_process(), pid=2**22 + 7)  # no such process
ELSEWHERE = Process("elsewhere", 1, "1")


def failed_and_died(process: Process) -> tuple[MonitorWorld, Monitor, AlertPorts]:
    """A monitor whose run failed; whoever made it told nobody."""
    world = MonitorWorld(process=process)
    world.publish(1, None)
    monitor = world.monitor(channels=["ops"])
    assert str(world.run(monitor).run.status) == "failed"
    alerts = AlertWorld(metadata=world.metadata, clock=SetClock(world.now), channels={"ops": Recorder()})
    return world, monitor, alerts.ports


def test_a_failure_that_was_kept_and_not_told_is_told_at_the_next_start() -> None:
    world, monitor, ports = failed_and_died(DEAD)
    (told,) = catch_up_alerts(world.store, ports)
    assert told == world.store.runs(monitor_id=monitor.id)[0].id
    assert [one.channel for one in ports.store.deliveries()] == ["ops"]
    assert [one.is_open for one in ports.store.incidents()] == [True]
    assert catch_up_alerts(world.store, ports) == ()  # once


def test_an_end_that_was_not_told_is_told_too() -> None:
    world, monitor, ports = failed_and_died(DEAD)
    catch_up_alerts(world.store, ports)
    world.later(minutes=5)
    world.publish(1, 2)
    world.run(monitor)
    assert len(catch_up_alerts(world.store, ports)) == 1
    assert [one.is_open for one in ports.store.incidents()] == [False]


def test_what_was_told_or_is_no_longer_watched_is_left_alone() -> None:
    world, _, ports = failed_and_died(DEAD)
    alert_observer(ports).observe(world.seen[-1])
    assert catch_up_alerts(world.store, ports) == ()
    other, paused, none = failed_and_died(DEAD)
    change_monitor(paused.id, {"enabled": False}, other.ports)
    assert catch_up_alerts(other.store, none) == ()


@pytest.mark.parametrize(("after", "told"), [(timedelta(0), 0), (GRACE, 1)])
def test_a_server_elsewhere_has_some_time_to_tell_it_itself(after: timedelta, told: int) -> None:
    world, _, ports = failed_and_died(ELSEWHERE)
    later = replace(ports, clock=SetClock(world.now + after))
    assert len(catch_up_alerts(world.store, later)) == told


def test_a_process_that_lives_tells_it_itself() -> None:
    world, _, ports = failed_and_died(this_process())
    assert catch_up_alerts(world.store, ports) == ()
