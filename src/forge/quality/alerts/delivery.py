"""A delivery: one notice for one channel. Retry times, grouping into messages and giving up are decided here,
without a clock, a network or a store."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from forge.model import retry
from forge.quality.alerts.alert import RANKS, AlertScope, thread_of
from forge.quality.alerts.notice import Notice, NoticeKind
from forge.quality.alerts.quiet import QuietPeriod, quiet_until

FIRST_SECONDS, LONGEST_SECONDS = 5.0, 900.0
STORM = 5  # more messages than that at once to one channel become one


class DeliveryStatus(StrEnum):
    WAITING = "waiting"
    SENT = "sent"
    DROPPED = "dropped"  # it was over before it could be sent
    REFUSED = "refused"  # the receiver will never accept it
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """`message_id` is assigned at the first attempt and stays, so that retries can be recognised. The worker holds
    `claimed_by` until `claimed_until`. `key` is the pager's, once notified."""

    id: str
    channel: str
    notice: Notice
    created_at: datetime
    due_at: datetime  # when it may be tried first
    next_at: datetime  # when it is tried next
    status: DeliveryStatus = DeliveryStatus.WAITING
    reason: str = ""
    muted: bool = False  # it waits for the end of a mute
    attempts: int = 0
    message_id: str | None = None
    claimed_by: str | None = None
    claimed_until: datetime | None = None
    sent_at: datetime | None = None
    key: str | None = None
    number: int = 0  # the order in which they were queued

    def state_at(self, now: datetime) -> str:
        """Its status, or `sending` while someone tries it."""
        is_tried = self.status is DeliveryStatus.WAITING and self.claimed_until is not None and self.claimed_until > now
        return "sending" if is_tried else str(self.status)

    def to_dict(self, now: datetime, channel_type: str | None, attempts: Sequence[Attempt]) -> dict[str, object]:
        """`channel_type` None: the channel is no longer in forge.yaml."""
        notice = self.notice
        return {
            "id": self.id,
            "channel": self.channel,
            "type": channel_type,
            "kind": str(notice.kind),
            "state": self.state_at(now),
            "reason": self.reason,
            "severity": str(notice.severity),
            "dataset": notice.table,
            "branch": notice.branch,
            "monitor_id": notice.scope.monitor_id,
            "check_ids": [check.check_id for check in notice.checks],
            "incident_ids": list(dict.fromkeys(c.incident_id for c in notice.checks if c.incident_id)),
            "created_at": self.created_at,
            "next_try_at": self.next_at if self.status is DeliveryStatus.WAITING else None,
            "sent_at": self.sent_at,
            "message_id": self.message_id,
            "attempts": [attempt.to_dict() for attempt in attempts],
        }

    @property
    def thread(self) -> str:
        return thread_of(self.notice.scope, self.notice.table)

    @property
    def begins(self) -> bool:
        """Whether it announces a failure, not its end."""
        return self.notice.kind in (NoticeKind.FAILING, NoticeKind.REMINDER)


@dataclass(frozen=True, slots=True)
class Attempt:
    at: datetime
    ok: bool
    detail: str
    ms: float = 0.0

    def to_dict(self) -> dict[str, object]:
        return {"time": self.at, "ok": self.ok, "detail": self.detail, "ms": self.ms}


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """Deliveries sent together. `id` is the same in every attempt."""

    id: str
    channel: str
    deliveries: tuple[Delivery, ...]

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(delivery.notice for delivery in self.deliveries)


@dataclass(frozen=True, slots=True)
class DeliveryPlan:
    """What to do with a channel's deliveries now; those in neither list wait."""

    messages: tuple[ChannelMessage, ...] = ()
    dropped: tuple[tuple[Delivery, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelTiming:
    """Delivery settings of a channel. `group`: how long a notice waits to be grouped with others."""

    group: timedelta = timedelta(seconds=30)
    quiet: tuple[QuietPeriod, ...] = ()
    give_up: timedelta = timedelta(hours=24)


IsFailing = Callable[[AlertScope, str], bool]


def first_try(notice: Notice, timing: ChannelTiming, now: datetime, muted: datetime | None) -> tuple[datetime, str]:
    """When a new delivery may be sent, and the reason for a delay."""
    at, reason = now + timing.group, ""
    if muted is not None and muted > at:
        at, reason = muted, f"muted until {muted:%Y-%m-%d %H:%M} UTC"
    end = quiet_until(timing.quiet, at, notice.severity)
    if end is not None:
        at, reason = end, f"quiet hours until {end:%Y-%m-%d %H:%M} UTC"
    return at, reason


def backoff(attempts: int, jitter: float, asked: float | None = None) -> timedelta:
    """Delay after that many attempts: exponential, at most a quarter of an hour. `jitter`, from 0 to 1, removes up to
    half of it, so that failed deliveries do not retry in step. `asked`: the receiver's Retry-After."""
    seconds = retry.backoff(max(attempts, 1), FIRST_SECONDS, LONGEST_SECONDS) * (1 - jitter / 2)
    return timedelta(seconds=max(seconds, min(asked or 0.0, 3600.0)))


def is_over(delivery: Delivery, timing: ChannelTiming, now: datetime) -> bool:
    """Whether retries are exhausted; time in which it was held back does not count."""
    return now - delivery.due_at >= timing.give_up


def plan_messages(waiting: Sequence[Delivery], now: datetime, is_failing: IsFailing) -> DeliveryPlan:
    """`waiting`: all deliveries waiting for one channel, oldest first. A message that was attempted is retried
    unchanged; the end of a failure is never sent before the failure."""
    tried = _tried(waiting)
    busy = {one.thread for one in waiting if one.message_id is not None}
    held = _unannounced([one for one in waiting if one.message_id is None and one.next_at > now])
    fresh = [
        one
        for one in waiting
        if one.message_id is None
        and one.next_at <= now
        and one.thread not in busy
        and (one.begins or not held & _checks(one))
    ]
    dropped = _overtaken(fresh, is_failing)
    gone = {one.id for one, _ in dropped}
    groups = group_by_cause([one for one in fresh if one.id not in gone])
    again = tuple(m for m in tried if all(one.next_at <= now and not _held_by(one, now) for one in m.deliveries))
    return DeliveryPlan((*again, *(_message(group) for group in groups)), tuple(dropped))


def _checks(delivery: Delivery) -> set[tuple[str, str]]:
    return {(delivery.thread, check.check_id) for check in delivery.notice.checks}


def _unannounced(deliveries: Iterable[Delivery]) -> set[tuple[str, str]]:
    """Checks whose failure is not announced yet."""
    return {check for one in deliveries if one.begins for check in _checks(one)}


def _held_by(delivery: Delivery, now: datetime) -> bool:
    return delivery.claimed_until is not None and delivery.claimed_until > now


def _tried(waiting: Iterable[Delivery]) -> tuple[ChannelMessage, ...]:
    found: dict[str, list[Delivery]] = {}
    for one in waiting:
        if one.message_id is not None:
            found.setdefault(one.message_id, []).append(one)
    return tuple(ChannelMessage(key, group[0].channel, tuple(group)) for key, group in found.items())


def _message(group: Sequence[Delivery]) -> ChannelMessage:
    first = min(one.id for one in group)
    identity = hashlib.sha256(f"{group[0].channel}\n{first}".encode()).hexdigest()[:24]
    return ChannelMessage(identity, group[0].channel, tuple(group))


def _overtaken(fresh: Sequence[Delivery], is_failing: IsFailing) -> list[tuple[Delivery, str]]:
    """A failure that began and ended while muted is not announced."""
    dropped: list[tuple[Delivery, str]] = []
    ended: set[tuple[AlertScope, str]] = set()
    for one in fresh:
        checks = [(one.notice.scope, check.check_id) for check in one.notice.checks]
        if one.muted and one.begins and not any(is_failing(*check) for check in checks):
            dropped.append((one, "it was over before the mute ended"))
            ended |= set(checks)
        elif one.notice.kind is NoticeKind.RECOVERED and checks and all(check in ended for check in checks):
            dropped.append((one, "its failure was not told"))
    return dropped


def group_by_cause(deliveries: Sequence[Delivery]) -> tuple[tuple[Delivery, ...], ...]:
    """Groups deliveries into messages: the same dataset, a dataset and those downstream of it, those with the same
    cause. Too many groups at once are a storm and become one. Within a group the cause comes first."""
    if not deliveries:
        return ()
    groups = _joined(deliveries)
    if len(groups) > STORM:
        groups = [list(deliveries)]
    return tuple(tuple(_causes_first(group)) for group in groups)


def _joined(deliveries: Sequence[Delivery]) -> list[list[Delivery]]:
    parent = list(range(len(deliveries)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    at: dict[tuple[str, str], int] = {}
    for number, one in enumerate(deliveries):
        for table in (one.notice.table, one.notice.cause.table if one.notice.cause else one.notice.table):
            first = at.setdefault((one.notice.branch, table), number)
            parent[root(number)] = root(first)
    for number, one in enumerate(deliveries):
        for table in one.notice.upstream:
            other = at.get((one.notice.branch, table))
            if other is not None:
                parent[root(number)] = root(other)
    found: dict[int, list[Delivery]] = {}
    for number, one in enumerate(deliveries):
        found.setdefault(root(number), []).append(one)
    return list(found.values())


def _causes_first(group: Sequence[Delivery]) -> list[Delivery]:
    tables = {one.notice.table for one in group}

    def place(one: Delivery) -> tuple[int, int, datetime, int]:
        depth = len(tables.intersection(one.notice.upstream) - {one.notice.table})
        return depth, -RANKS[one.notice.severity], one.notice.at, one.number

    return sorted(group, key=place)


@dataclass(frozen=True, slots=True)
class PagerEvent:
    """An event for a pager: `trigger` for a failure, `resolve` for its end, with the same key."""

    action: Literal["trigger", "resolve"]
    key: str
    deliveries: tuple[Delivery, ...]


def pager_events(
    message: ChannelMessage, keys: Mapping[str, str], still_failing: Callable[[str], bool]
) -> tuple[PagerEvent, ...]:
    """`keys`: the key last used for each thread. `still_failing`: whether anything announced under a key still fails. A
    failure that began and ended in the same message pages nobody."""
    last: dict[tuple[str, str], Delivery] = {}
    for one in sorted(message.deliveries, key=lambda each: each.number):
        last |= {(one.thread, check.check_id): one for check in one.notice.checks}
    lasting = {id(one) for one in last.values() if one.begins}
    failing = tuple(one for one in message.deliveries if id(one) in lasting or one.notice.kind is NoticeKind.NOTE)
    events = []
    if failing:
        known = keys.get(failing[0].thread)
        key = known if known is not None and still_failing(known) else failing[0].thread
        events.append(PagerEvent("trigger", key, failing))
    over: dict[str, list[Delivery]] = {}
    for one in message.deliveries:
        if one.notice.kind is NoticeKind.RECOVERED and one.thread in keys:
            over.setdefault(keys[one.thread], []).append(one)
    events += [PagerEvent("resolve", key, tuple(group)) for key, group in over.items() if not still_failing(key)]
    return tuple(events)
