"""From a verdict to a message: what a judgement changes, what goes out, and what people can do about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from alert_world import FAILED, HOURLY, NOON, NOT_MEASURED, PASSED, AlertWorld, Recorder, judged, verdict

from forge.flows.quality.incidents.alerts import forget_monitor, notify_channels
from forge.flows.quality.incidents.deliveries import deliver_due, try_channel
from forge.flows.quality.incidents.ports import SendError
from forge.flows.quality.incidents.tracker import (
    IncidentRequest,
    change_incident,
    find_incident,
    mute,
    note_remediation,
    unmute,
)
from forge.model.errors import ForgeError
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope
from forge.quality.alerts.delivery import ChannelTiming, DeliveryStatus
from forge.quality.alerts.incident import EntryKind, IncidentStatus
from forge.quality.alerts.quiet import QuietPeriod
from forge.quality.verdict import Severity

TWO = (verdict(), verdict(check="id.unique", message="id: 2 duplicates"))


@pytest.fixture
def alert_world() -> AlertWorld:
    return AlertWorld()


def paged() -> AlertWorld:
    return AlertWorld(channels={"pager": Recorder("pagerduty")}, policy=AlertPolicy(("pager",)))


def events(alert_world: AlertWorld) -> list[tuple[str, str]]:
    pager = alert_world.channels["pager"]
    assert isinstance(pager, Recorder)
    return [(event.action, event.key) for message in pager.got for event in message.events]


def test_a_failure_is_told_once_and_its_end_once(alert_world: AlertWorld) -> None:
    for outcome in (PASSED, FAILED, FAILED, PASSED, PASSED):
        alert_world.judge(verdict(outcome))
        deliver_due(alert_world.ports)
        alert_world.clock.forward(hours=1)
    assert alert_world.subjects() == [
        "[error] core.orders: range fails: amount: 3 of 10 rows (30%) are outside 0 … 5",
        "[recovered] core.orders: range passes again: amount: 3 of 10 rows (30%) are outside 0 … 5",
    ]


def test_several_checks_of_one_judgement_are_one_message(alert_world: AlertWorld) -> None:
    observed = alert_world.judge(*TWO)
    assert (observed.queued, len(observed.opened)) == (1, 2)
    deliver_due(alert_world.ports)
    assert alert_world.subjects() == ["[error] core.orders: 2 checks fail"]
    (message,) = alert_world.ops.got
    text = str(message.document["text"])
    assert "core.orders.amount.range" in text
    assert "core.orders.id.unique: id: 2 duplicates" in text
    assert "commit: 3f2a91bcd000" in text
    assert "monitor: Orders, hourly" in text
    assert f"https://forge.example.com/quality/incidents/{observed.opened[0]}" in text


def test_a_storm_over_many_monitors_within_the_window_is_one_message(alert_world: AlertWorld) -> None:
    alert_world.timing = ChannelTiming(timedelta(seconds=30))
    for number in range(12):
        scope = AlertScope(AlertOrigin.MONITOR, f"m{number}")
        alert_world.judge(verdict(table=f"s.t{number}"), scope=scope, table=f"s.t{number}")
        alert_world.clock.forward(seconds=2)
    assert deliver_due(alert_world.ports).sent == 0
    alert_world.clock.forward(seconds=30)
    assert deliver_due(alert_world.ports).sent == 1
    assert alert_world.subjects() == ["[error] 12 checks of 12 datasets fail, first s.t0"]
    assert {one.status for one in alert_world.store.deliveries()} == {DeliveryStatus.SENT}


def test_what_happens_at_night_is_told_in_the_morning_as_one(alert_world: AlertWorld) -> None:
    alert_world.timing = ChannelTiming(timedelta(0), (QuietPeriod(22 * 60, 7 * 60),))
    alert_world.clock.now = NOON.replace(hour=23)
    opened = alert_world.judge(verdict()).opened[0]
    alert_world.clock.forward(hours=4)
    alert_world.judge(verdict(PASSED))
    deliver_due(alert_world.ports)
    assert alert_world.ops.got == []
    assert "held back: quiet hours until" in alert_world.store.timeline(opened)[1].text
    alert_world.clock.forward(hours=4)
    deliver_due(alert_world.ports)
    (message,) = alert_world.ops.got
    assert [section.recovered for section in message.rendered.sections] == [False, True]


def test_a_channel_that_knows_no_quiet_hours_hears_at_night(alert_world: AlertWorld) -> None:
    alert_world.timing = ChannelTiming(timedelta(0), (QuietPeriod(22 * 60, 7 * 60),))
    alert_world.heedless = frozenset({"ops"})
    alert_world.clock.now = NOON.replace(hour=23)
    alert_world.judge(verdict())
    deliver_due(alert_world.ports)
    assert len(alert_world.ops.got) == 1


def test_the_critical_may_break_through(alert_world: AlertWorld) -> None:
    alert_world.timing = ChannelTiming(timedelta(0), (QuietPeriod(22 * 60, 7 * 60, break_through=Severity.CRITICAL),))
    alert_world.clock.now = NOON.replace(hour=23)
    alert_world.judge(verdict(severity=Severity.CRITICAL), verdict(check="id.unique"))
    deliver_due(alert_world.ports)
    assert len(alert_world.ops.got) == 1  # one notice, as severe as its worst check
    alert_world.judge(verdict(table="core.b"), table="core.b")
    deliver_due(alert_world.ports)
    assert len(alert_world.ops.got) == 1


def test_a_mute_hides_messages_and_keeps_incidents_and_what_still_fails_is_told_at_its_end(
    alert_world: AlertWorld,
) -> None:
    ports = alert_world.ports
    mute(ports, until=NOON + timedelta(hours=2), by="ada", table="core.orders", reason="we know")
    opened = alert_world.judge(*TWO).opened
    assert len(opened) == 2
    alert_world.clock.forward(hours=1)
    alert_world.judge(verdict(), verdict(PASSED, "id.unique"))
    assert deliver_due(ports).sent == 0
    alert_world.clock.forward(hours=1)
    deliver_due(ports)
    (message,) = alert_world.ops.got
    assert not message.rendered.recovered
    assert "core.orders.amount.range" in str(message.document["text"])


def test_what_came_and_went_while_it_was_muted_is_never_told(alert_world: AlertWorld) -> None:
    mute(alert_world.ports, until=NOON + timedelta(hours=2), by="ada", monitor_id=HOURLY.name)
    alert_world.judge(verdict())
    alert_world.clock.forward(hours=1)
    alert_world.judge(verdict(PASSED))
    alert_world.clock.forward(hours=2)
    assert deliver_due(alert_world.ports).dropped == 2
    assert alert_world.ops.got == []
    assert {one.status for one in alert_world.store.deliveries()} == {DeliveryStatus.DROPPED}


def test_a_mute_that_is_ended_early_lets_go_of_what_it_held(alert_world: AlertWorld) -> None:
    made = mute(alert_world.ports, until=NOON + timedelta(days=9), by="ada", check_id="core.orders.amount.range")
    alert_world.judge(*TWO)
    assert deliver_due(alert_world.ports).sent == 1  # the check that is not muted
    unmute(alert_world.ports, made.id)
    assert deliver_due(alert_world.ports).sent == 1
    with pytest.raises(ForgeError, match="no mute") as caught:
        unmute(alert_world.ports, made.id)
    assert caught.value.code == "E733"


def test_a_mute_made_while_a_message_waits_holds_it(alert_world: AlertWorld) -> None:
    alert_world.timing = ChannelTiming(timedelta(minutes=1))
    opened = alert_world.judge(verdict()).opened[0]
    mute(alert_world.ports, until=NOON + timedelta(hours=1), by="ada", table="core.orders")
    alert_world.clock.forward(minutes=5)
    assert deliver_due(alert_world.ports).sent == 0
    assert alert_world.store.timeline(opened)[-1].kind is EntryKind.MUTED


def test_a_mute_needs_an_end_to_come_and_something_to_mute(alert_world: AlertWorld) -> None:
    for facts in ({"until": NOON, "table": "core.orders"}, {"until": NOON + timedelta(hours=1)}):
        with pytest.raises(ForgeError) as caught:
            mute(alert_world.ports, by="ada", **facts)
        assert caught.value.code == "E732"
    assert alert_world.store.mutes() == ()


def test_a_dead_channel_is_tried_ever_later_and_given_up_but_never_lost(alert_world: AlertWorld) -> None:
    alert_world.timing = ChannelTiming(timedelta(0), give_up=timedelta(hours=2))
    alert_world.ops.broken = SendError("connection refused")
    opened = alert_world.judge(verdict()).opened[0]
    gaps = []
    for _ in range(40):
        deliver_due(alert_world.ports)
        (one,) = alert_world.store.deliveries()
        if one.status is not DeliveryStatus.WAITING:
            break
        gaps.append((one.next_at - alert_world.clock.now).total_seconds())
        alert_world.clock.now = one.next_at
    assert one.status is DeliveryStatus.GIVEN_UP
    assert gaps[0] <= 5
    assert gaps[-1] <= 900
    assert sum(gaps) >= 7200 - 900
    assert len(alert_world.store.attempts([one.id])[one.id]) == len(gaps) + 1
    assert "connection refused" in alert_world.store.timeline(opened)[-1].text
    alert_world.ops.broken = None
    alert_world.store.queue_again([one.id], alert_world.clock.now)
    deliver_due(alert_world.ports)
    assert len(alert_world.ops.got) == 1


def test_a_dead_channel_holds_up_no_other(alert_world: AlertWorld) -> None:
    alert_world.channels["mail"] = Recorder("email")
    alert_world.ops.broken = SendError("dead")
    alert_world.policy = AlertPolicy(("ops", "mail", "gone"))
    alert_world.judge(verdict())
    done = deliver_due(alert_world.ports)
    assert (done.sent, done.failed) == (1, 2)
    reasons = {one.channel: one.reason for one in alert_world.store.deliveries()}
    assert "there is no channel 'gone'" in reasons["gone"]


def test_a_message_that_is_refused_for_good_is_kept_and_shown(alert_world: AlertWorld) -> None:
    alert_world.ops.broken = SendError("400 invalid_blocks", final=True)
    alert_world.judge(verdict())
    deliver_due(alert_world.ports)
    (one,) = alert_world.store.deliveries()
    assert (one.status, one.reason) == (DeliveryStatus.REFUSED, "400 invalid_blocks")


def test_a_try_that_breaks_unforeseen_is_a_failed_try(alert_world: AlertWorld) -> None:
    class Broken(Recorder):
        def send(self, message: object) -> str:
            raise ZeroDivisionError("oops")

    alert_world.channels["ops"] = Broken()
    alert_world.judge(verdict())
    assert deliver_due(alert_world.ports).failed == 1
    assert "ZeroDivisionError: oops" in alert_world.store.deliveries()[0].reason


def test_the_pager_is_told_of_beginning_and_end_by_one_key_though_recoveries_are_not_told() -> None:
    alert_world = paged()
    alert_world.policy = replace(alert_world.policy, notify_on_recovery=False)
    alert_world.judge(verdict())
    deliver_due(alert_world.ports)
    alert_world.clock.forward(hours=1)
    alert_world.judge(verdict(PASSED))
    deliver_due(alert_world.ports)
    (first, key), (second, same) = events(alert_world)
    assert (first, second) == ("trigger", "resolve")
    assert key == same


def test_the_pager_is_resolved_when_the_last_check_of_its_dataset_passes() -> None:
    alert_world = paged()
    alert_world.judge(*TWO)
    deliver_due(alert_world.ports)
    for last in (FAILED, PASSED):
        alert_world.clock.forward(hours=1)
        alert_world.judge(verdict(last), verdict(PASSED, "id.unique"))
        deliver_due(alert_world.ports)
    assert [action for action, _ in events(alert_world)] == ["trigger", "resolve"]


def test_a_failing_check_that_is_no_longer_judged_is_over_unless_only_some_were_judged(alert_world: AlertWorld) -> None:
    alert_world.judge(*TWO)
    alert_world.clock.forward(hours=1)
    assert alert_world.judge(verdict(), whole=False).resolved == ()
    alert_world.clock.forward(hours=1)
    assert len(alert_world.judge(verdict()).resolved) == 1
    assert len(alert_world.judge().resolved) == 1


def test_a_monitor_that_is_gone_leaves_nothing_open_and_tells_the_pager() -> None:
    alert_world = paged()
    (opened,) = alert_world.judge(verdict()).opened
    deliver_due(alert_world.ports)
    alert_world.clock.forward(hours=1)
    assert forget_monitor(alert_world.ports, HOURLY.name, "ada") == 1
    deliver_due(alert_world.ports)
    assert [action for action, _ in events(alert_world)] == ["trigger", "resolve"]
    assert find_incident(alert_world.ports, opened).status is IncidentStatus.RESOLVED
    assert "switched off by ada" in alert_world.store.timeline(opened)[-2].text


def test_runs_hands_and_monitors_have_incidents_of_their_own(alert_world: AlertWorld) -> None:
    scopes = (HOURLY, AlertScope(AlertOrigin.RUN, "main"), AlertScope(AlertOrigin.HAND, "main"))
    ids = [alert_world.judge(verdict(), scope=scope).opened[0] for scope in scopes]
    assert len(set(ids)) == 3
    alert_world.clock.forward(hours=1)
    assert alert_world.judge(verdict(PASSED), scope=scopes[2]).resolved == (ids[2],)
    assert find_incident(alert_world.ports, ids[1]).is_open


def test_what_is_below_the_threshold_opens_no_incident_and_tells_nobody(alert_world: AlertWorld) -> None:
    alert_world.policy = AlertPolicy(("ops",), Severity.ERROR)
    observed = alert_world.judge(verdict(severity=Severity.WARNING), verdict(NOT_MEASURED, "x.query", blocks=False))
    assert (observed.queued, observed.opened) == (0, ())


def test_what_a_person_does_is_in_the_timeline(alert_world: AlertWorld) -> None:
    (opened,) = alert_world.judge(verdict()).opened
    ports = alert_world.ports
    change_incident(ports, opened, IncidentRequest(IncidentStatus.ACKNOWLEDGED, note="looking"), "ada")
    change_incident(ports, opened, IncidentRequest(assignee="bob"), "ada")
    change_incident(ports, opened, IncidentRequest(nobody=True), "ada")
    text = "quarantine of 3 rows proposed"
    assert note_remediation(ports, "core.orders", "main", ["core.orders.amount.range"], text, by="ada") == 1
    found = change_incident(ports, opened, IncidentRequest(IncidentStatus.RESOLVED), "bob")
    assert (found.status, found.resolved_by, found.assignee) == (IncidentStatus.RESOLVED, "bob", None)
    assert [(entry.kind, entry.by) for entry in alert_world.store.timeline(opened)] == [
        (EntryKind.OPENED, "forge"),
        (EntryKind.NOTE, "ada"),
        (EntryKind.ACKNOWLEDGED, "ada"),
        (EntryKind.ASSIGNED, "ada"),
        (EntryKind.ASSIGNED, "ada"),
        (EntryKind.REMEDIATION, "ada"),
        (EntryKind.RESOLVED, "bob"),
    ]


def test_one_that_was_resolved_by_hand_and_fails_again_is_opened_and_told_again() -> None:
    alert_world = paged()
    (opened,) = alert_world.judge(verdict()).opened
    deliver_due(alert_world.ports)
    change_incident(alert_world.ports, opened, IncidentRequest(IncidentStatus.RESOLVED), "ada")
    deliver_due(alert_world.ports)
    alert_world.clock.forward(hours=1)
    alert_world.judge(verdict())
    deliver_due(alert_world.ports)
    assert [action for action, _ in events(alert_world)] == ["trigger", "resolve", "trigger"]
    found = find_incident(alert_world.ports, opened)
    assert (found.status, found.reopened) == (IncidentStatus.OPEN, 1)


def test_an_incident_is_found_by_the_beginning_of_its_id(alert_world: AlertWorld) -> None:
    (opened,) = alert_world.judge(verdict()).opened
    assert find_incident(alert_world.ports, opened[:6]).id == opened
    for text in (opened[:3], "nothing"):
        with pytest.raises(ForgeError) as caught:
            find_incident(alert_world.ports, text)
        assert caught.value.code == "E730"
    with pytest.raises(ForgeError) as caught:
        change_incident(alert_world.ports, opened, IncidentRequest(), "ada")
    assert caught.value.code == "E734"
    assert len(alert_world.store.timeline(opened)) == 1


def test_a_note_of_a_workflow_goes_to_its_channels_and_an_unknown_one_is_refused(alert_world: AlertWorld) -> None:
    notify_channels(alert_world.ports, judged(verdict()), ["ops"], "rows were set aside", ["core.orders.amount.range"])
    deliver_due(alert_world.ports)
    assert alert_world.subjects() == ["[error] core.orders: rows were set aside"]
    with pytest.raises(ForgeError, match="no channel 'opps'") as caught:
        notify_channels(alert_world.ports, judged(verdict()), ["ops", "opps"], "x")
    assert (caught.value.code, caught.value.why) == ("E731", "Did you mean ops?")
    assert len(alert_world.store.deliveries()) == 1


def test_a_trial_goes_out_at_once_and_says_what_became_of_it(alert_world: AlertWorld) -> None:
    assert try_channel(alert_world.ports, "ops") == (True, "taken")
    alert_world.ops.broken = SendError("dead")
    assert try_channel(alert_world.ports, "ops") == (False, "dead")
    assert alert_world.store.deliveries() == ()


def test_lineage_that_cannot_be_read_costs_no_alert(alert_world: AlertWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError("disk")

    monkeypatch.setattr(alert_world.metadata, "tree", broken)
    observed = alert_world.judge(verdict())
    assert (observed.queued, observed.remarks) == (1, ("the lineage could not be read: disk",))


def test_samples_and_readings_never_leave_in_a_message(alert_world: AlertWorld) -> None:
    details = {"sample": [{"email": "ada@example.com"}], "readings": {"max": "secret-value"}}
    alert_world.judge(replace(verdict(), details=details))
    deliver_due(alert_world.ports)
    assert "ada@example.com" not in repr(alert_world.ops.got)
    assert "secret-value" not in repr(alert_world.ops.got)
    assert "ada@example.com" not in repr(alert_world.store.deliveries())
