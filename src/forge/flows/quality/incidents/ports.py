"""Ports of alerts and incidents: the store of their records, and the channels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, Protocol

from forge.flows.ports import Metadata
from forge.model.names import BranchName, TableName
from forge.model.time import Clock
from forge.quality.alerts.alert import AlertPolicy, AlertScope, AlertState, AlertStatus
from forge.quality.alerts.delivery import (
    Attempt,
    ChannelMessage,
    ChannelTiming,
    Delivery,
    DeliveryPlan,
    DeliveryStatus,
    PagerEvent,
)
from forge.quality.alerts.incident import (
    REOPENED_WITHIN,
    EntryKind,
    IncidentEntry,
    IncidentStatus,
    IncidentUpdate,
    TrackedIncident,
)
from forge.quality.alerts.message import PageLinks, RenderedNotice
from forge.quality.alerts.quiet import Mute


@dataclass(frozen=True, slots=True)
class KnownAlerts:
    """Alerts of one table in one scope, read in the writing transaction: the state and newest incident of each check,
    and the active mutes."""

    states: Mapping[str, AlertState]
    incidents: Mapping[str, TrackedIncident]
    mutes: tuple[Mute, ...]


@dataclass(frozen=True, slots=True)
class AlertWrite:
    """All changes of one judgement, in one transaction: an alert that is due is either queued or never happened."""

    states: tuple[AlertState, ...] = ()
    incidents: tuple[IncidentUpdate, ...] = ()
    deliveries: tuple[Delivery, ...] = ()


Retime = Callable[[Delivery, Sequence[Mute]], Delivery | None]
"""A delivery as it is to wait, given the mutes; None where it stays as it is."""


@dataclass(frozen=True, slots=True)
class SendResult:
    """Outcome of an attempt to send a message. `keys`: of a pager, by delivery."""

    attempt: Attempt
    status: DeliveryStatus
    reason: str = ""
    next_at: datetime | None = None
    keys: Mapping[str, str] = field(default_factory=dict)


ENDED = {
    DeliveryStatus.SENT: EntryKind.ALERT_SENT,
    DeliveryStatus.REFUSED: EntryKind.ALERT_FAILED,
    DeliveryStatus.GIVEN_UP: EntryKind.ALERT_FAILED,
}
"""The timeline entry for a delivery that has ended."""


def ended_entry(message: ChannelMessage, result: SendResult, kind: EntryKind) -> IncidentEntry:
    what = "told" if kind is EntryKind.ALERT_SENT else "could not tell"
    reason = "" if kind is EntryKind.ALERT_SENT else f": {result.reason or result.attempt.detail}"
    details = {"channel": message.channel, "message_id": message.id}
    return IncidentEntry(at=result.attempt.at, kind=kind, text=f"{what} {message.channel}{reason}", details=details)


class AlertStore(Protocol):
    """Every method is one transaction."""

    def observe(self, scope: AlertScope, table: str, decide: Callable[[KnownAlerts], AlertWrite]) -> AlertWrite:
        """Concurrent judgements of one scope are serialized."""

    def states(
        self,
        *,
        scope: AlertScope | None = None,
        table: str | None = None,
        branch: str | None = None,
        statuses: Iterable[AlertStatus] | None = None,
        limit: int = 1000,
    ) -> tuple[AlertState, ...]:
        """Failing ones first, then the newest."""

    # incidents
    def mark(self) -> str:
        """A value that changes with every change of an incident."""

    def incident(self, incident_id: str) -> TrackedIncident | None: ...
    def incidents(
        self,
        *,
        statuses: Iterable[IncidentStatus] | None = None,
        scope: AlertScope | None = None,
        table: str | None = None,
        branch: str | None = None,
        check_ids: Iterable[str] | None = None,
        limit: int = 1000,
    ) -> tuple[TrackedIncident, ...]:
        """By opening time, newest first."""

    def timeline(self, incident_id: str) -> tuple[IncidentEntry, ...]:
        """The oldest first."""

    def change_incident(
        self,
        incident_id: str,
        decide: Callable[[TrackedIncident], tuple[IncidentUpdate, ...]],
        states: Callable[[TrackedIncident, AlertState | None], AlertWrite] = lambda incident, state: AlertWrite(),
    ) -> TrackedIncident | None:
        """Applies the changes in order, each to the result of the one before, and to the alert; None where there is no
        such incident."""

    def put_incident(self, change: IncidentUpdate) -> bool:
        """Inserts an untracked incident; False where its id exists."""

    # mutes
    def mutes(self, now: datetime | None = None) -> tuple[Mute, ...]:
        """Those active at `now`, or all."""

    def add_mute(self, mute: Mute, retime: Retime) -> None:
        """`retime` recomputes the send time of deliveries not attempted yet."""

    def end_mute(self, mute_id: str, now: datetime, retime: Retime) -> Mute | None:
        """None: there is none, or it has ended."""

    # deliveries
    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None: ...
    def add_entry(self, incident_ids: Iterable[str], entry: IncidentEntry) -> None: ...
    def deliveries(
        self,
        *,
        ids: Iterable[str] | None = None,
        channel: str | None = None,
        scope: AlertScope | None = None,
        incident_id: str | None = None,
        statuses: Iterable[DeliveryStatus] | None = None,
        limit: int = 1000,
    ) -> tuple[Delivery, ...]:
        """The newest first."""

    def attempts(self, ids: Iterable[str]) -> Mapping[str, tuple[Attempt, ...]]: ...
    def due(self, now: datetime) -> tuple[str, ...]:
        """The channels with deliveries that may be attempted now."""

    def claim(
        self,
        channel: str,
        now: datetime,
        worker: str,
        until: datetime,
        plan: Callable[[Sequence[Delivery]], DeliveryPlan],
    ) -> DeliveryPlan:
        """Claims what to send now for `worker` until then, exclusively. `plan` gets all deliveries waiting for the
        channel; those it drops are marked so."""

    def record(self, message: ChannelMessage, worker: str, result: SendResult) -> bool:
        """Stores the attempt, its outcome, and a timeline entry in each incident concerned. False where another worker
        has claimed the message since; the attempt is stored all the same."""

    def keys(self, channel: str, threads: Iterable[str]) -> Mapping[str, str]:
        """The pager key last used for each thread."""

    def still_failing(self, channel: str, key: str) -> bool:
        """Whether a check announced to the pager under the key still fails."""

    def queue_again(self, ids: Iterable[str], now: datetime) -> int:
        """Requeues deliveries that were given up or refused."""


class SendError(Exception):
    """The receiver did not accept it. `final`: it never will. `wait`: seconds until it may be retried."""

    def __init__(self, detail: str, *, final: bool = False, wait: float | None = None) -> None:
        super().__init__(detail)
        self.detail, self.final, self.wait = detail, final, wait


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A message as a channel receives it. `id` is the same in every attempt; `events` are for a pager."""

    id: str
    rendered: RenderedNotice
    document: Mapping[str, object]
    links: PageLinks
    at: datetime
    events: tuple[PagerEvent, ...] = ()


ChannelType = Literal["slack", "email", "pagerduty", "webhook"]


class Channel(Protocol):
    @property
    def type(self) -> ChannelType: ...
    @property
    def timeout(self) -> float:
        """Maximum seconds of an attempt."""

    def send(self, message: OutgoingMessage) -> str:
        """The receiver's answer; raises where it does not accept it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPorts:
    """`channels` of forge.yaml, built on use; secrets are read when something is sent."""

    metadata: Metadata
    store: AlertStore
    clock: Clock
    default_branch: BranchName
    owner: Callable[[TableName], str | None]
    channels: Mapping[str, Channel] = field(default_factory=dict)
    runs: AlertPolicy = field(default_factory=AlertPolicy)
    timing: ChannelTiming = field(default_factory=ChannelTiming)
    heedless: frozenset[str] = frozenset()  # channels that know no quiet hours
    remind_after: timedelta | None = None
    reopen_within: timedelta = REOPENED_WITHIN
    address: str | None = None  # of the server, for links

    def timing_of(self, channel: str) -> ChannelTiming:
        if channel not in self.heedless:
            return self.timing
        return ChannelTiming(self.timing.group, (), self.timing.give_up)

    def is_pager(self, channel: str) -> bool:
        return channel in self.channels and self.channels[channel].type == "pagerduty"
