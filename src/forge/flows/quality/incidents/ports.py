"""What alerts and incidents need of the world: a store of their records, and the channels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from forge.flows.ports import Metadata
from forge.model.names import BranchName, TableName
from forge.model.time import Clock
from forge.quality.alerts.alert import AlertPolicy, AlertState, AlertStatus, Scope
from forge.quality.alerts.delivery import Attempt, Delivery, DeliveryStatus, Message, PagerEvent, Plan, Timing
from forge.quality.alerts.incident import REOPENED_WITHIN, Change, Entry, EntryKind, IncidentStatus, TrackedIncident
from forge.quality.alerts.message import Links, Told
from forge.quality.alerts.quiet import Mute


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one table under one scope, read in the transaction that writes: the state of each check, the
    newest incident of each, and the mutes that hold."""

    states: Mapping[str, AlertState]
    incidents: Mapping[str, TrackedIncident]
    mutes: tuple[Mute, ...]


@dataclass(frozen=True, slots=True)
class Writing:
    """What one judgement changes, all in one transaction: an alert that is due is either queued or never happened."""

    states: tuple[AlertState, ...] = ()
    incidents: tuple[Change, ...] = ()
    deliveries: tuple[Delivery, ...] = ()


Retime = Callable[[Delivery, Sequence[Mute]], Delivery | None]
"""A delivery as it is to wait, given the mutes; None where it stays as it is."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a try of a message ended. `keys`: of a pager, by delivery."""

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
"""What the timeline says of a delivery once it has ended."""


def ended_entry(message: Message, result: Result, kind: EntryKind) -> Entry:
    what = "told" if kind is EntryKind.ALERT_SENT else "could not tell"
    reason = "" if kind is EntryKind.ALERT_SENT else f": {result.reason or result.attempt.detail}"
    details = {"channel": message.channel, "message_id": message.id}
    return Entry(at=result.attempt.at, kind=kind, text=f"{what} {message.channel}{reason}", details=details)


class AlertStore(Protocol):
    """Every method is one transaction."""

    def observe(self, scope: Scope, table: str, decide: Callable[[Known], Writing]) -> Writing:
        """Two that judge the same scope at once do so one after the other."""
        ...

    def states(
        self,
        *,
        scope: Scope | None = None,
        table: str | None = None,
        branch: str | None = None,
        statuses: Iterable[AlertStatus] | None = None,
        limit: int = 1000,
    ) -> tuple[AlertState, ...]:
        """Those that fail first, then the newest."""
        ...

    # incidents
    def mark(self) -> str:
        """Another one after every change of an incident."""
        ...

    def incident(self, incident_id: str) -> TrackedIncident | None: ...
    def incidents(
        self,
        *,
        statuses: Iterable[IncidentStatus] | None = None,
        scope: Scope | None = None,
        table: str | None = None,
        branch: str | None = None,
        check_ids: Iterable[str] | None = None,
        limit: int = 1000,
    ) -> tuple[TrackedIncident, ...]:
        """The one that was opened last first."""
        ...

    def timeline(self, incident_id: str) -> tuple[Entry, ...]:
        """The oldest first."""
        ...

    def change_incident(
        self,
        incident_id: str,
        decide: Callable[[TrackedIncident], tuple[Change, ...]],
        states: Callable[[TrackedIncident, AlertState | None], Writing] = lambda incident, state: Writing(),
    ) -> TrackedIncident | None:
        """The changes in order, each of what the one before left, and what they make of the alert; None where there is
        no such incident."""
        ...

    def put_incident(self, change: Change) -> bool:
        """One that was not tracked yet; False where its id is known."""
        ...

    # mutes
    def mutes(self, now: datetime | None = None) -> tuple[Mute, ...]:
        """Those that hold at `now`, or all that were made."""
        ...

    def add_mute(self, mute: Mute, retime: Retime) -> None:
        """`retime` says anew when what was not tried yet may go out."""
        ...

    def end_mute(self, mute_id: str, now: datetime, retime: Retime) -> Mute | None:
        """None: there is none, or it is over."""
        ...

    # deliveries
    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None: ...
    def add_entry(self, incident_ids: Iterable[str], entry: Entry) -> None: ...
    def deliveries(
        self,
        *,
        ids: Iterable[str] | None = None,
        channel: str | None = None,
        scope: Scope | None = None,
        incident_id: str | None = None,
        statuses: Iterable[DeliveryStatus] | None = None,
        limit: int = 1000,
    ) -> tuple[Delivery, ...]:
        """The newest first."""
        ...

    def attempts(self, ids: Iterable[str]) -> Mapping[str, tuple[Attempt, ...]]: ...
    def due(self, now: datetime) -> tuple[str, ...]:
        """The channels for which something may be tried now."""
        ...

    def claim(
        self, channel: str, now: datetime, worker: str, until: datetime, plan: Callable[[Sequence[Delivery]], Plan]
    ) -> Plan:
        """What to send now, held by `worker` until then: of two workers one gets it. `plan` is given all that waits for
        the channel. What it drops is marked so."""
        ...

    def record(self, message: Message, worker: str, result: Result) -> bool:
        """The try, what comes of it, and the line in the timeline of each incident it told of. False where another
        worker has taken the message since; the try is kept all the same."""
        ...

    def keys(self, channel: str, threads: Iterable[str]) -> Mapping[str, str]:
        """Under which key a pager was told of each thread last."""
        ...

    def still_failing(self, channel: str, key: str) -> bool:
        """Whether a check fails of which the pager was told under the key."""
        ...

    def queue_again(self, ids: Iterable[str], now: datetime) -> int:
        """Those that were given up or refused are tried once more."""
        ...


class NotSent(Exception):
    """The other side did not take it. `final`: it never will. `wait`: for so many seconds it wants to be left alone."""

    def __init__(self, detail: str, *, final: bool = False, wait: float | None = None) -> None:
        super().__init__(detail)
        self.detail, self.final, self.wait = detail, final, wait


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message as a channel gets it. `id` is the same in every try; `events` are for a pager."""

    id: str
    told: Told
    document: Mapping[str, object]
    links: Links
    at: datetime
    events: tuple[PagerEvent, ...] = ()


class Channel(Protocol):
    """`type` is slack, email, pagerduty or webhook."""

    @property
    def type(self) -> str: ...
    @property
    def timeout(self) -> float:
        """Seconds that a try takes at most."""
        ...

    def send(self, message: Outgoing) -> str:
        """What the other side said; NotSent where it did not take it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPorts:
    """`channels` are those of forge.yaml, built when needed; secrets are read when something is sent."""

    metadata: Metadata
    store: AlertStore
    clock: Clock
    default_branch: BranchName
    owner: Callable[[TableName], str | None]
    channels: Mapping[str, Channel] = field(default_factory=dict)
    runs: AlertPolicy = field(default_factory=AlertPolicy)
    timing: Timing = field(default_factory=Timing)
    heedless: frozenset[str] = frozenset()  # channels that know no quiet hours
    remind_after: timedelta | None = None
    reopen_within: timedelta = REOPENED_WITHIN
    address: str | None = None  # of the server, for links

    def timing_of(self, channel: str) -> Timing:
        if channel not in self.heedless:
            return self.timing
        return Timing(self.timing.group, (), self.timing.give_up)

    def is_pager(self, channel: str) -> bool:
        return channel in self.channels and self.channels[channel].type == "pagerduty"
