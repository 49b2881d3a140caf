"""Telling: takes what waits, sends it, and records what became of it. Each channel is worked on by itself, so that one
that is dead or slow holds up no other; what it did not take is tried again, later each time."""

from __future__ import annotations

import logging
import random
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import uuid4

from forge.flows.quality.incidents.alerts import refuse_unknown, trial
from forge.flows.quality.incidents.ports import AlertPorts, NotSent, Outgoing, Result
from forge.flows.quality.incidents.root_cause import cause_now
from forge.model.duration import duration_text
from forge.model.errors import ForgeError
from forge.quality.alerts.alert import AlertStatus
from forge.quality.alerts.delivery import (
    Attempt,
    Delivery,
    DeliveryStatus,
    Message,
    PagerEvent,
    Plan,
    backoff,
    is_over,
    pager_events,
    plan_messages,
)
from forge.quality.alerts.message import Links, document_of, told
from forge.quality.alerts.notice import Notice, NoticeKind

SPARE = timedelta(seconds=20)  # beyond the longest try; after it, what a dead worker held is taken up by another
LOOK_SECONDS = 1.0
STOP_SECONDS = 5.0
_LONGEST_DETAIL = 500
_log = logging.getLogger("forge.alerts")


@dataclass(frozen=True, slots=True)
class Delivered:
    """What a round did, in messages."""

    sent: int = 0
    failed: int = 0
    given_up: int = 0
    dropped: int = 0

    def __add__(self, other: Delivered) -> Delivered:
        return Delivered(
            self.sent + other.sent,
            self.failed + other.failed,
            self.given_up + other.given_up,
            self.dropped + other.dropped,
        )


def new_worker() -> str:
    """Told apart from any other, also from one that died."""
    return f"{socket.gethostname()}/{uuid4().hex[:12]}"


def deliver_due(ports: AlertPorts, worker: str | None = None, *, at_once: bool = False) -> Delivered:
    """Everything that is due now, channel by channel; of a channel that does not take it, every message is tried once.
    `at_once`: also what waits for its next try or for others of the same cause, but not for a mute or the morning."""
    worker = worker or new_worker()
    done = Delivered()
    for channel in _channels(ports, at_once):
        tried: set[str] = set()
        while True:
            round_, more = _one_message(ports, channel, worker, tried, at_once=at_once)
            done += round_
            if not more:
                break
    return done


def _channels(ports: AlertPorts, at_once: bool) -> Sequence[str]:
    if not at_once:
        return ports.store.due(ports.clock())
    waiting = ports.store.deliveries(statuses=(DeliveryStatus.WAITING,), limit=10_000)
    return sorted({one.channel for one in waiting})


def deliver_channel(ports: AlertPorts, channel: str, worker: str) -> Delivered:
    """What is due for one channel, one message after the other. After one that it does not take it is left alone for
    now: the next would fare no better, and is tried when the channel is looked at again."""
    done = Delivered()
    while True:
        round_, more = _one_message(ports, channel, worker, set())
        done += round_
        if not more or done.failed:
            return done


def _one_message(
    ports: AlertPorts, channel: str, worker: str, tried: set[str], *, at_once: bool = False
) -> tuple[Delivered, bool]:
    """One at a time, so that none is held while another one is tried."""
    plan = _claim(ports, channel, worker, tried, at_once)
    done = Delivered(dropped=len(plan.dropped))
    for message in plan.messages:
        tried.add(message.id)
        done += deliver_message(ports, message, worker)
    return done, bool(plan.messages)


def _claim(ports: AlertPorts, channel: str, worker: str, tried: set[str], at_once: bool) -> Plan:
    now = ports.clock()
    states = ports.store.states(statuses=(AlertStatus.FAILING,), limit=100_000)
    failing = {(state.scope, state.check_id) for state in states}

    def plan(waiting: Sequence[Delivery]) -> Plan:
        if at_once:
            waiting = [one if _is_held_back(one) else replace(one, next_at=min(one.next_at, now)) for one in waiting]
        planned = plan_messages(waiting, now, lambda scope, check_id: (scope, check_id) in failing)
        left = [message for message in planned.messages if message.id not in tried]
        return replace(planned, messages=tuple(left[:1]))

    known = ports.channels.get(channel)
    lease = timedelta(seconds=known.timeout if known else 0) + SPARE
    return ports.store.claim(channel, now, worker, now + lease, plan)


def _is_held_back(one: Delivery) -> bool:
    """By quiet hours or a mute, which the reason says; one that was tried has another."""
    return one.attempts == 0 and bool(one.reason)


def deliver_message(ports: AlertPorts, message: Message, worker: str) -> Delivered:
    began = time.monotonic()
    try:
        detail, keys, skipped = _send(ports, message)
    except NotSent as error:
        return _not_sent(ports, message, worker, error, began)
    except Exception as error:  # of a message, of a library: it is a failed try like any other, and is told
        _log.warning("The message %s to %s could not be sent", message.id, message.channel, exc_info=error)
        return _not_sent(ports, message, worker, NotSent(f"{type(error).__name__}: {error}"), began)
    status = DeliveryStatus.DROPPED if skipped else DeliveryStatus.SENT
    result = Result(_attempt(ports, began, True, detail), status, detail if skipped else "", keys=keys)
    ports.store.record(message, worker, result)
    return Delivered(dropped=1) if skipped else Delivered(sent=1)


def _send(ports: AlertPorts, message: Message) -> tuple[str, dict[str, str], bool]:
    """What the other side said, the pager's keys, and whether there was nothing to send."""
    channel = ports.channels.get(message.channel)
    if channel is None:
        raise NotSent(f"there is no channel '{message.channel}' in alerts.channels of forge.yaml")
    message = _with_causes(ports, message)
    events: tuple[PagerEvent, ...] = ()
    if channel.type == "pagerduty":
        known = ports.store.keys(message.channel, {one.thread for one in message.deliveries})
        events = pager_events(message, known, lambda key: ports.store.still_failing(message.channel, key))
        if not events:
            return _why_nothing(message), {}, True
    detail = channel.send(outgoing(ports, message, events))
    keys = {one.id: event.key for event in events if event.action == "trigger" for one in event.deliveries}
    return detail[:_LONGEST_DETAIL], keys, False


def _why_nothing(message: Message) -> str:
    if all(one.notice.kind is NoticeKind.RECOVERED for one in message.deliveries):
        return "nothing to resolve: the pager was not told, or something it was told of fails still"
    return "it was over before the pager was told"


def outgoing(ports: AlertPorts, message: Message, events: tuple[PagerEvent, ...] = ()) -> Outgoing:
    links = Links(ports.address)
    words = told(message.notices, links)
    document = document_of(message.id, message.notices, words, links)
    return Outgoing(message.id, words, document, links, ports.clock(), events)


def _with_causes(ports: AlertPorts, message: Message) -> Message:
    """What failed upstream may have been found out since the notice was written."""

    def with_cause(notice: Notice) -> Notice:
        if notice.cause is not None or notice.kind is NoticeKind.RECOVERED or not notice.upstream:
            return notice
        return replace(notice, cause=cause_now(ports, notice.branch, notice.upstream))

    return replace(message, deliveries=tuple(replace(d, notice=with_cause(d.notice)) for d in message.deliveries))


def _not_sent(ports: AlertPorts, message: Message, worker: str, error: NotSent, began: float) -> Delivered:
    now, first = ports.clock(), message.deliveries[0]
    timing = ports.timing_of(message.channel)
    detail = error.detail[:_LONGEST_DETAIL]
    attempt = _attempt(ports, began, False, detail)
    if error.final:
        status, reason = DeliveryStatus.REFUSED, detail
    elif all(is_over(one, timing, now) for one in message.deliveries):
        status, reason = (
            DeliveryStatus.GIVEN_UP,
            f"not taken for {duration_text((now - first.due_at).total_seconds())}: {detail}",
        )
    else:
        wait = backoff(first.attempts + 1, random.random(), error.wait)  # noqa: S311, no secret
        ports.store.record(message, worker, Result(attempt, DeliveryStatus.WAITING, f"try again: {detail}", now + wait))
        _log.info("%s did not take the message %s: %s", message.channel, message.id, detail)
        return Delivered(failed=1)
    ports.store.record(message, worker, Result(attempt, status, reason))
    _log.warning("The message %s to %s is %s: %s", message.id, message.channel, status, reason)
    return Delivered(given_up=1)


def _attempt(ports: AlertPorts, began: float, ok: bool, detail: str) -> Attempt:
    return Attempt(ports.clock(), ok, detail, round((time.monotonic() - began) * 1000, 1))


def retry_delivery(ports: AlertPorts, delivery_id: str) -> None:
    """One that was given up or refused is tried once more. E736."""
    if not ports.store.queue_again([delivery_id], ports.clock()):
        raise ForgeError(
            "E736",
            f"The delivery {delivery_id} does not wait for a retry",
            why="There is none of that id, or it was neither given up nor refused.",
            fix="`forge quality alerts deliveries` lists them.",
        )


def try_channel(ports: AlertPorts, name: str) -> tuple[bool, str]:
    """Sends a trial at once and past the outbox; whether it was taken, and what was said. E731: no such channel."""
    refuse_unknown(ports, [name])
    now = ports.clock()
    notice = trial(name, now)
    one = Delivery(id=uuid4().hex[:16], channel=name, notice=notice, created_at=now, due_at=now, next_at=now)
    message = Message(uuid4().hex[:24], name, (one,))
    channel = ports.channels[name]
    events: tuple[PagerEvent, ...] = ()
    if channel.type == "pagerduty":
        key = f"forge-test-{message.id}"
        events = (PagerEvent("trigger", key, (one,)), PagerEvent("resolve", key, (one,)))
    try:
        return True, channel.send(outgoing(ports, message, events))
    except NotSent as error:
        return False, error.detail
    except ForgeError as error:
        return False, f"{error.what} {error.fix or ''}".strip()


class DeliveryWorker:
    """Threads of the server that look for what is due: one that looks, and one for each channel at work."""

    def __init__(self, ports: AlertPorts) -> None:
        self._ports = ports
        self._worker = new_worker()
        self._stopping = threading.Event()
        self._busy: dict[str, threading.Thread] = {}
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="forge-alerts", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """What is being sent may end; what is not is taken up after the lease, by whoever is there."""
        self._stopping.set()
        until = time.monotonic() + STOP_SECONDS
        for thread in [self._thread, *self._busy.values()]:
            if thread is not None:
                thread.join(max(0.0, until - time.monotonic()))

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._start_due(self._ports.clock())
            except Exception as error:  # a database that is away now is there again later
                _log.warning("Deliveries could not be looked for: %s", error)
            self._stopping.wait(LOOK_SECONDS)

    def _start_due(self, now: datetime) -> None:
        self._busy = {name: thread for name, thread in self._busy.items() if thread.is_alive()}
        for channel in self._ports.store.due(now):
            if channel not in self._busy:
                thread = threading.Thread(
                    target=self._work, args=(channel,), name=f"forge-alerts-{channel}", daemon=True
                )
                self._busy[channel] = thread
                thread.start()

    def _work(self, channel: str) -> None:
        try:
            deliver_channel(self._ports, channel, self._worker)
        except Exception as error:
            _log.warning("Deliveries to %s could not be worked on: %s", channel, error, exc_info=error)


def delivery_records(ports: AlertPorts, deliveries: Sequence[Delivery]) -> list[dict[str, object]]:
    """The JSON form of deliveries with their attempts."""
    attempts, now = ports.store.attempts([one.id for one in deliveries]), ports.clock()
    types = {name: channel.type for name, channel in ports.channels.items()}
    return [one.to_dict(now, types.get(one.channel), attempts.get(one.id, ())) for one in deliveries]
