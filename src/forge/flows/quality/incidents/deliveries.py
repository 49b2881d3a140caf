"""Delivery of queued notices: claim, send, record the outcome. Channels are independent, so that a dead or slow one
delays no other; failed sends are retried with backoff."""

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
from forge.flows.quality.incidents.ports import AlertPorts, OutgoingMessage, SendError, SendResult
from forge.flows.quality.incidents.root_cause import cause_now
from forge.model.duration import duration_text
from forge.model.errors import ForgeError
from forge.quality.alerts.alert import AlertStatus
from forge.quality.alerts.delivery import (
    Attempt,
    ChannelMessage,
    Delivery,
    DeliveryPlan,
    DeliveryStatus,
    PagerEvent,
    backoff,
    is_over,
    pager_events,
    plan_messages,
)
from forge.quality.alerts.message import PageLinks, document_of, render_notices
from forge.quality.alerts.notice import Notice, NoticeKind

SPARE = timedelta(seconds=20)  # beyond the longest attempt; then claims of a dead worker are free
LOOK_SECONDS = 1.0
STOP_SECONDS = 5.0
_LONGEST_DETAIL = 500
_log = logging.getLogger("forge.alerts")


@dataclass(frozen=True, slots=True)
class DeliveryCounts:
    """Outcome of a round, in messages."""

    sent: int = 0
    failed: int = 0
    given_up: int = 0
    dropped: int = 0

    def __add__(self, other: DeliveryCounts) -> DeliveryCounts:
        return DeliveryCounts(
            self.sent + other.sent,
            self.failed + other.failed,
            self.given_up + other.given_up,
            self.dropped + other.dropped,
        )


def new_worker() -> str:
    """A unique id, also after a crash."""
    return f"{socket.gethostname()}/{uuid4().hex[:12]}"


def deliver_due(ports: AlertPorts, worker: str | None = None, *, at_once: bool = False) -> DeliveryCounts:
    """Sends all due messages, channel by channel; each message of a failing channel is tried once. `at_once`: also
    those waiting for a retry or for grouping, but not for a mute or quiet hours."""
    worker = worker or new_worker()
    done = DeliveryCounts()
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


def deliver_channel(ports: AlertPorts, channel: str, worker: str) -> DeliveryCounts:
    """Sends the due messages of one channel in turn. After a failure the channel is left alone until it is next looked
    at, as the next message would fail as well."""
    done = DeliveryCounts()
    while True:
        round_, more = _one_message(ports, channel, worker, set())
        done += round_
        if not more or done.failed:
            return done


def _one_message(
    ports: AlertPorts, channel: str, worker: str, tried: set[str], *, at_once: bool = False
) -> tuple[DeliveryCounts, bool]:
    """Claimed one at a time, so that none is held while another is being sent."""
    plan = _claim(ports, channel, worker, tried, at_once)
    done = DeliveryCounts(dropped=len(plan.dropped))
    for message in plan.messages:
        tried.add(message.id)
        done += deliver_message(ports, message, worker)
    return done, bool(plan.messages)


def _claim(ports: AlertPorts, channel: str, worker: str, tried: set[str], at_once: bool) -> DeliveryPlan:
    now = ports.clock()
    states = ports.store.states(statuses=(AlertStatus.FAILING,), limit=100_000)
    failing = {(state.scope, state.check_id) for state in states}

    def plan(waiting: Sequence[Delivery]) -> DeliveryPlan:
        if at_once:
            waiting = [one if _is_held_back(one) else replace(one, next_at=min(one.next_at, now)) for one in waiting]
        planned = plan_messages(waiting, now, lambda scope, check_id: (scope, check_id) in failing)
        left = [message for message in planned.messages if message.id not in tried]
        return replace(planned, messages=tuple(left[:1]))

    known = ports.channels.get(channel)
    lease = timedelta(seconds=known.timeout if known else 0) + SPARE
    return ports.store.claim(channel, now, worker, now + lease, plan)


def _is_held_back(one: Delivery) -> bool:
    """By quiet hours or a mute, by its reason; one that was attempted has another reason."""
    return one.attempts == 0 and bool(one.reason)


def deliver_message(ports: AlertPorts, message: ChannelMessage, worker: str) -> DeliveryCounts:
    began = time.monotonic()
    try:
        detail, keys, skipped = _send(ports, message)
    except SendError as error:
        return _not_sent(ports, message, worker, error, began)
    except Exception as error:  # of a message, of a library: a failed attempt like any other
        _log.warning("The message %s to %s could not be sent", message.id, message.channel, exc_info=error)
        return _not_sent(ports, message, worker, SendError(f"{type(error).__name__}: {error}"), began)
    status = DeliveryStatus.DROPPED if skipped else DeliveryStatus.SENT
    result = SendResult(_attempt(ports, began, True, detail), status, detail if skipped else "", keys=keys)
    ports.store.record(message, worker, result)
    return DeliveryCounts(dropped=1) if skipped else DeliveryCounts(sent=1)


def _send(ports: AlertPorts, message: ChannelMessage) -> tuple[str, dict[str, str], bool]:
    """The receiver's answer, the pager's keys, and whether there was nothing to send."""
    channel = ports.channels.get(message.channel)
    if channel is None:
        raise SendError(f"there is no channel '{message.channel}' in alerts.channels of forge.yaml")
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


def _why_nothing(message: ChannelMessage) -> str:
    if all(one.notice.kind is NoticeKind.RECOVERED for one in message.deliveries):
        return "nothing to resolve: the pager was not told, or something it was told of fails still"
    return "it was over before the pager was told"


def outgoing(ports: AlertPorts, message: ChannelMessage, events: tuple[PagerEvent, ...] = ()) -> OutgoingMessage:
    links = PageLinks(ports.address)
    words = render_notices(message.notices, links)
    document = document_of(message.id, message.notices, words, links)
    return OutgoingMessage(message.id, words, document, links, ports.clock(), events)


def _with_causes(ports: AlertPorts, message: ChannelMessage) -> ChannelMessage:
    """Adds upstream causes found since the notice was written."""

    def with_cause(notice: Notice) -> Notice:
        if notice.cause is not None or notice.kind is NoticeKind.RECOVERED or not notice.upstream:
            return notice
        return replace(notice, cause=cause_now(ports, notice.branch, notice.upstream))

    return replace(message, deliveries=tuple(replace(d, notice=with_cause(d.notice)) for d in message.deliveries))


def _not_sent(
    ports: AlertPorts, message: ChannelMessage, worker: str, error: SendError, began: float
) -> DeliveryCounts:
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
        ports.store.record(
            message, worker, SendResult(attempt, DeliveryStatus.WAITING, f"try again: {detail}", now + wait)
        )
        _log.info("%s did not take the message %s: %s", message.channel, message.id, detail)
        return DeliveryCounts(failed=1)
    ports.store.record(message, worker, SendResult(attempt, status, reason))
    _log.warning("The message %s to %s is %s: %s", message.id, message.channel, status, reason)
    return DeliveryCounts(given_up=1)


def _attempt(ports: AlertPorts, began: float, ok: bool, detail: str) -> Attempt:
    return Attempt(ports.clock(), ok, detail, round((time.monotonic() - began) * 1000, 1))


def retry_delivery(ports: AlertPorts, delivery_id: str) -> None:
    """Retries a delivery that was given up or refused. E736."""
    if not ports.store.queue_again([delivery_id], ports.clock()):
        raise ForgeError(
            "E736",
            f"The delivery {delivery_id} does not wait for a retry",
            why="There is none of that id, or it was neither given up nor refused.",
            fix="`forge quality alerts deliveries` lists them.",
        )


def try_channel(ports: AlertPorts, name: str) -> tuple[bool, str]:
    """Sends a test message at once, bypassing the outbox; whether it was accepted, and the answer. E731: no such
    channel."""
    refuse_unknown(ports, [name])
    now = ports.clock()
    notice = trial(name, now)
    one = Delivery(id=uuid4().hex[:16], channel=name, notice=notice, created_at=now, due_at=now, next_at=now)
    message = ChannelMessage(uuid4().hex[:24], name, (one,))
    channel = ports.channels[name]
    events: tuple[PagerEvent, ...] = ()
    if channel.type == "pagerduty":
        key = f"forge-test-{message.id}"
        events = (PagerEvent("trigger", key, (one,)), PagerEvent("resolve", key, (one,)))
    try:
        return True, channel.send(outgoing(ports, message, events))
    except SendError as error:
        return False, error.detail
    except ForgeError as error:
        return False, f"{error.what} {error.fix or ''}".strip()


class DeliveryWorker:
    """Server threads for due deliveries: one that polls, and one for each busy channel."""

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
        """Sends in progress may end; the others are claimed again after the lease, by any worker."""
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
