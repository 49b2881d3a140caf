"""Who hears of a judgement: those of the monitor, those of runs, and of what a person judges by hand nobody."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from alert_world import NOON, PASSED, AlertWorld, Recorder, judged, verdict

from forge.flows.quality.incidents.observer import alert_observer, judging_of
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.observers import JudgementEvent, ObserverChain
from forge.model.names import RunId
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope
from forge.quality.monitors.monitor import Monitor
from forge.quality.verdict import Severity

MONITOR = Monitor(
    id="hourly",
    name="Hourly",
    dataset="core.orders",
    channels=("ops",),
    severity_threshold=Severity.INFO,
    notify_on_recovery=False,
)


def ports() -> AlertPorts:
    runs = AlertPolicy(("ops",), Severity.CRITICAL)
    return replace(AlertWorld(channels={"ops": Recorder()}).ports, runs=runs, remind_after=timedelta(hours=4))


def test_a_monitor_tells_its_own_channels() -> None:
    found = judging_of(JudgementEvent(judged(verdict()), (), MONITOR, "mr-1", whole=False), ports())
    assert (found.scope, found.monitor_name, found.monitor_run_id) == (
        AlertScope(AlertOrigin.MONITOR, "hourly"),
        "Hourly",
        "mr-1",
    )
    assert found.policy == AlertPolicy(("ops",), Severity.INFO, False, timedelta(hours=4))
    assert found.whole is False


def test_a_run_tells_those_of_runs_and_a_hand_nobody() -> None:
    run = replace(judged(verdict()), run_id=RunId("r1"))
    of_run = judging_of(JudgementEvent(run, ()), ports())
    assert (of_run.scope, of_run.policy.channels) == (AlertScope(AlertOrigin.RUN, "main"), ("ops",))
    by_hand = judging_of(JudgementEvent(judged(verdict()), (), None, "q-1"), ports())
    assert (by_hand.scope, by_hand.policy.channels) == (AlertScope(AlertOrigin.HAND, "main"), ())
    assert by_hand.monitor_run_id == "q-1"


def test_what_the_contract_holds_back_is_an_incident_until_it_says_nothing_more() -> None:
    world = ports()
    observers = ObserverChain((alert_observer(world),))
    gate = verdict(check="schema", columns=(), severity=Severity.CRITICAL, message="the column id is gone")
    run = replace(judged(verdict(PASSED)), run_id=RunId("r1"), gate=(gate,), commit_id=None)
    assert observers.notify(JudgementEvent(run, ())) == ()
    (incident,) = world.store.incidents()
    assert (incident.message, incident.run_id, incident.commit_id) == ("the column id is gone", "r1", None)
    assert len(world.store.deliveries()) == 1
    later = replace(run, gate=(), run_id=RunId("r2"), executed_at=NOON + timedelta(hours=1))
    observers.notify(JudgementEvent(later, ()))
    assert not world.store.incidents()[0].is_open
