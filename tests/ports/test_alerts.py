"""Every store of alerts: states, incidents and deliveries change together, and of two workers one gets a message."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from alert_world import HOURLY, NOON, delivery, notice, verdict
from migrated import open_migrated

from forge.flows.quality.incidents.ports import AlertStore, AlertWrite, KnownAlerts, SendResult
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope, AlertState, AlertStatus, Sighting, move
from forge.quality.alerts.delivery import Attempt, Delivery, DeliveryPlan, DeliveryStatus, plan_messages
from forge.quality.alerts.incident import (
    EntryKind,
    FailureContext,
    IncidentEntry,
    IncidentStatus,
    IncidentUpdate,
    follow,
    resolve,
)
from forge.quality.alerts.notice import NoticeKind
from forge.quality.alerts.quiet import Mute
from forge.stores.memory.quality.alerts import MemoryAlerts
from forge.stores.sql.quality.alerts import SqlAlerts

LATER = NOON + timedelta(minutes=1)
LEASE = NOON + timedelta(minutes=5)


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AlertStore]:
    match request.param:
        case "memory":
            yield MemoryAlerts()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlAlerts(engine)
            engine.dispose()
        case _:
            make: Callable[[], str] = request.getfixturevalue("new_postgres")
            engine = open_migrated(make())
            yield SqlAlerts(engine)
            engine.dispose()


def fail(
    store: AlertStore, at: datetime = NOON, *, scope: AlertScope = HOURLY, told: Sequence[str] = ("ops",)
) -> AlertWrite:
    """A failed check, as a judgement writes it: its state, its incident, what is to be told."""

    def decide(known: KnownAlerts) -> AlertWrite:
        name = "core.orders.amount.range"
        one = move(known.states.get(name), verdict(), AlertPolicy(tuple(told)), Sighting(scope, "main", at, "c1"))
        assert one
        change = follow(known.incidents.get(name), one, FailureContext(columns=("amount",)), worth=True)
        assert change
        state = replace(one.after, incident_id=change.incident.id)
        number = len(store.deliveries()) + 1
        checks = (replace(notice().checks[0], incident_id=change.incident.id),)
        said = replace(notice(scope=scope), checks=checks)
        queued = tuple(replace(delivery(number, said, channel=c), id=f"d{number}{c}") for c in one.notify)
        return AlertWrite((state,), (change,), queued)

    return store.observe(scope, "core.orders", decide)


def take(store: AlertStore, worker: str = "a", now: datetime = NOON, until: datetime = LEASE) -> DeliveryPlan:
    return store.claim("ops", now, worker, until, lambda waiting: plan_messages(waiting, now, lambda *_: True))


def sent(at: datetime = NOON) -> SendResult:
    return SendResult(Attempt(at, True, "taken", 3.5), DeliveryStatus.SENT)


def test_a_judgement_is_written_whole_and_read_by_the_next(store: AlertStore) -> None:
    first = fail(store)
    (state,) = store.states()
    assert state == first.states[0]
    assert store.incident(first.incidents[0].incident.id) == first.incidents[0].incident
    second = fail(store, LATER)
    assert (second.incidents[0].is_new, second.incidents[0].incident.seen) == (False, 2)
    assert store.states()[0].failures == 2
    assert [one.channel for one in store.deliveries()] == ["ops"]


def test_a_judgement_that_breaks_leaves_nothing(store: AlertStore) -> None:
    def broken(known: KnownAlerts) -> AlertWrite:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        store.observe(HOURLY, "core.orders", broken)
    assert store.states() == ()


def test_a_judgement_knows_its_own_table_and_scope_only(store: AlertStore) -> None:
    fail(store)
    seen: list[KnownAlerts] = []

    def look(known: KnownAlerts) -> AlertWrite:
        seen.append(known)
        return AlertWrite()

    store.observe(AlertScope(AlertOrigin.RUN, "main"), "core.orders", look)
    store.observe(HOURLY, "core.other", look)
    store.observe(HOURLY, "core.orders", look)
    assert [len(known.states) for known in seen] == [0, 0, 1]
    assert [len(known.incidents) for known in seen] == [0, 0, 1]


def test_states_are_found_by_what_is_asked_those_that_fail_first(store: AlertStore) -> None:
    fail(store)
    fail(store, scope=AlertScope(AlertOrigin.RUN, "main"))
    ended = replace(store.states(scope=HOURLY)[0], status=AlertStatus.RECOVERED, seen_at=LATER)
    store.observe(HOURLY, "core.orders", lambda known: AlertWrite((ended,)))
    assert [state.status for state in store.states()] == [AlertStatus.FAILING, AlertStatus.RECOVERED]
    assert len(store.states(statuses=(AlertStatus.FAILING,))) == 1
    assert store.states(scope=HOURLY) == (ended,)
    assert store.states(branch="dev") == store.states(table="core.other") == ()
    assert len(store.states(branch="main", table="core.orders", limit=1)) == 1


def test_failures_that_follow_one_another_are_one_line_of_the_timeline(store: AlertStore) -> None:
    incident_id = fail(store).incidents[0].incident.id
    for minutes in range(1, 4):
        fail(store, NOON + timedelta(minutes=minutes))
    lines = [(entry.kind, entry.count) for entry in store.timeline(incident_id)]
    assert lines == [(EntryKind.OPENED, 1), (EntryKind.SEEN, 3)]
    store.add_entry([incident_id], IncidentEntry(at=LATER, kind=EntryKind.NOTE, text="looked at it", by="ada"))
    fail(store, NOON + timedelta(minutes=9))
    assert [entry.kind for entry in store.timeline(incident_id)][-2:] == [EntryKind.NOTE, EntryKind.SEEN]


def test_a_change_is_made_of_what_is_there_and_its_mark_moves(store: AlertStore) -> None:
    incident_id, mark = fail(store).incidents[0].incident.id, store.mark()

    def state(incident: object, known: AlertState | None) -> AlertWrite:
        assert known is not None
        return AlertWrite((replace(known, status=AlertStatus.RECOVERED),))

    def decide(incident: object) -> tuple[IncidentUpdate, ...]:
        change = resolve(incident, "ada", LATER)  # type: ignore[arg-type]
        return (change,) if change else ()

    changed = store.change_incident(incident_id, decide, state)
    assert changed is not None
    assert (changed.status, changed.resolved_by) == (IncidentStatus.RESOLVED, "ada")
    assert store.incident(incident_id) == changed
    assert store.states()[0].status is AlertStatus.RECOVERED
    assert store.mark() != mark
    assert store.change_incident("nothing", decide) is None


def test_incidents_are_found_by_what_is_asked(store: AlertStore) -> None:
    one = fail(store).incidents[0].incident
    fail(store, LATER, scope=AlertScope(AlertOrigin.RUN, "main"))
    assert [found.opened_at for found in store.incidents()] == [LATER, NOON]
    assert store.incidents(scope=HOURLY) == (one,)
    assert store.incidents(statuses=(IncidentStatus.RESOLVED,)) == ()
    assert len(store.incidents(check_ids=[one.check_id], table="core.orders", branch="main")) == 2
    assert len(store.incidents(limit=1)) == 1


def test_an_incident_is_put_once(store: AlertStore) -> None:
    one = replace(fail(store).incidents[0], is_new=True)
    assert store.put_incident(one) is False
    other = replace(one, incident=replace(one.incident, id="another"))
    assert store.put_incident(other) is True
    assert store.incident("another") == other.incident


def test_of_two_workers_one_gets_a_message(store: AlertStore) -> None:
    fail(store)
    assert store.due(NOON) == ("ops",)
    (message,) = take(store).messages
    assert message.deliveries[0].claimed_by == "a"
    assert store.due(NOON) == ()
    assert take(store, "b").messages == ()
    (again,) = take(store, "b", LEASE).messages
    assert again.id == message.id


def test_workers_at_once_send_each_message_once(store: AlertStore) -> None:
    scopes = [AlertScope(AlertOrigin.MONITOR, f"m{n}") for n in range(8)]
    for scope in scopes:
        fail(store, scope=scope)
    got: list[str] = []
    barrier = threading.Barrier(4)

    def one_each(waiting: Sequence[Delivery]) -> DeliveryPlan:
        free = [one for one in waiting if one.claimed_by is None][:1]
        return plan_messages(free, NOON, lambda *_: True)

    def work(name: str) -> None:
        barrier.wait()
        while messages := store.claim("ops", NOON, name, LEASE, one_each).messages:
            got.extend(one.id for message in messages for one in message.deliveries)

    threads = [threading.Thread(target=work, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == sorted(one.id for one in store.deliveries())


def test_a_try_is_kept_and_the_timeline_tells_of_its_end(store: AlertStore) -> None:
    incident_id = fail(store).incidents[0].incident.id
    (message,) = take(store).messages
    failed = SendResult(Attempt(NOON, False, "503", 12.0), DeliveryStatus.WAITING, "try again: 503", LATER)
    assert store.record(message, "a", failed) is True
    (waiting,) = store.deliveries()
    assert (waiting.status, waiting.attempts, waiting.next_at, waiting.claimed_by) == (
        DeliveryStatus.WAITING,
        1,
        LATER,
        None,
    )
    assert [entry.kind for entry in store.timeline(incident_id)] == [EntryKind.OPENED]
    (message,) = take(store, now=LATER).messages
    store.record(message, "a", sent(LATER))
    (done,) = store.deliveries()
    assert (done.status, done.sent_at, done.attempts) == (DeliveryStatus.SENT, LATER, 2)
    tries = store.attempts([done.id])[done.id]
    assert [(one.ok, one.detail) for one in tries] == [(False, "503"), (True, "taken")]
    assert store.timeline(incident_id)[-1].kind is EntryKind.ALERT_SENT
    assert store.due(LATER) == ()


def test_a_worker_that_lost_its_message_changes_nothing_unless_it_was_taken(store: AlertStore) -> None:
    fail(store)
    (message,) = take(store, "a").messages
    take(store, "b", LEASE, LEASE + timedelta(minutes=5))
    late = SendResult(Attempt(LEASE, False, "slow", 1.0), DeliveryStatus.GIVEN_UP, "slow")
    assert store.record(message, "a", late) is False
    assert store.deliveries()[0].claimed_by == "b"
    assert store.record(message, "a", sent(LEASE)) is True
    assert store.deliveries()[0].status is DeliveryStatus.SENT


def test_what_was_given_up_is_kept_shown_and_can_be_queued_again(store: AlertStore) -> None:
    incident_id = fail(store).incidents[0].incident.id
    (message,) = take(store).messages
    store.record(
        message, "a", SendResult(Attempt(NOON, False, "gone", 1.0), DeliveryStatus.GIVEN_UP, "not taken for 24 h")
    )
    (given_up,) = store.deliveries(statuses=(DeliveryStatus.GIVEN_UP,))
    assert given_up.reason == "not taken for 24 h"
    assert "not taken for 24 h" in store.timeline(incident_id)[-1].text
    assert store.deliveries(incident_id=incident_id) == (given_up,)
    assert store.queue_again([given_up.id], LATER) == 1
    assert store.queue_again([given_up.id], LATER) == 0
    assert store.due(LATER) == ("ops",)


def test_what_the_plan_drops_is_marked_so(store: AlertStore) -> None:
    fail(store)
    store.claim("ops", NOON, "a", LEASE, lambda waiting: DeliveryPlan((), tuple((one, "over") for one in waiting)))
    (dropped,) = store.deliveries()
    assert (dropped.status, dropped.reason) == (DeliveryStatus.DROPPED, "over")


def test_the_pager_s_key_is_the_one_of_the_last_word(store: AlertStore) -> None:
    fail(store, told=("ops",))
    (message,) = take(store).messages
    thread = message.deliveries[0].thread
    assert store.keys("ops", [thread]) == {}
    store.record(message, "a", replace(sent(), keys={message.deliveries[0].id: "key-1"}))
    assert store.keys("ops", [thread, "other"]) == {thread: "key-1"}
    assert store.keys("mail", [thread]) == {}
    assert store.still_failing("ops", "key-1") is True
    assert store.still_failing("ops", "key-2") is False
    ended = replace(store.states()[0], status=AlertStatus.RECOVERED, notified=())
    store.observe(HOURLY, "core.orders", lambda known: AlertWrite((ended,)))
    assert store.still_failing("ops", "key-1") is False


def test_mutes_hold_until_their_end_and_change_what_waits(store: AlertStore) -> None:
    fail(store)
    mute = Mute(
        id="m1",
        until=NOON + timedelta(hours=1),
        by="ada",
        created_at=NOON,
        scope=HOURLY,
        check_id=None,
        table="core.orders",
        reason="we know",
    )
    store.add_mute(mute, lambda one, mutes: replace(one, next_at=mutes[0].until, reason="muted", muted=True))
    assert store.mutes(NOON) == (mute,)
    assert store.mutes(mute.until) == ()
    assert store.due(LATER) == ()
    (held,) = store.deliveries()
    assert (held.muted, held.reason) == (True, "muted")
    ended = store.end_mute("m1", LATER, lambda one, mutes: replace(one, next_at=LATER) if not mutes else None)
    assert ended is not None
    assert ended.until == LATER
    assert store.due(LATER) == ("ops",)
    assert store.end_mute("m1", LATER, lambda one, mutes: None) is None
    assert store.mutes() == (ended,)


def test_what_was_tried_already_is_not_changed_by_a_mute(store: AlertStore) -> None:
    fail(store)
    take(store)
    mute = Mute(id="m1", until=NOON + timedelta(hours=1), by="ada", created_at=NOON, table="core.orders")
    store.add_mute(mute, lambda one, mutes: replace(one, reason="muted"))
    assert store.deliveries()[0].reason == ""


def test_deliveries_are_found_by_what_is_asked_the_newest_first(store: AlertStore) -> None:
    store.add_deliveries([delivery(1, notice()), delivery(2, notice(NoticeKind.RECOVERED), channel="mail")])
    store.add_deliveries([delivery(3, notice(scope=AlertScope(AlertOrigin.RUN, "main")))])
    assert [one.id for one in store.deliveries()] == ["d003", "d002", "d001"]
    assert [one.id for one in store.deliveries(channel="mail")] == ["d002"]
    assert [one.id for one in store.deliveries(scope=HOURLY, limit=1)] == ["d002"]
    assert [one.id for one in store.deliveries(ids=["d001", "x"])] == ["d001"]
    assert [one.id for one in store.deliveries(incident_id="i-amount.range")] == ["d003", "d002", "d001"]
    assert store.deliveries(incident_id="other") == ()
