"""The state of a check under a monitor, and its transitions by verdicts; decides when channels are notified.

ok → failing → recovered → ok. A check that keeps failing sends nothing new, except for a higher severity, a channel not
yet notified, or a reminder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from forge.quality.verdict import Outcome, Severity, Verdict

RANKS = {severity: rank for rank, severity in enumerate(Severity)}


class AlertOrigin(StrEnum):
    RUN = "run"  # a governed run judged what it had made, published or not
    HAND = "hand"  # a person judged published data
    MONITOR = "monitor"


@dataclass(frozen=True, slots=True)
class AlertScope:
    """Who judged: `name` is the id of the monitor, else the branch. Runs judge staged output, people judge published
    data, so their alerts are separate."""

    origin: AlertOrigin
    name: str

    def __str__(self) -> str:
        return f"{self.origin}:{self.name}"

    @classmethod
    def parse(cls, text: str) -> AlertScope:
        origin, _, name = text.partition(":")
        return cls(AlertOrigin(origin), name)

    @property
    def monitor_id(self) -> str | None:
        return self.name if self.origin is AlertOrigin.MONITOR else None


class AlertStatus(StrEnum):
    OK = "ok"
    FAILING = "failing"
    RECOVERED = "recovered"  # it has passed once since it failed


@dataclass(frozen=True, slots=True)
class AlertPolicy:
    """Who is notified of which failures. `remind_after`: repeat while the failure lasts."""

    channels: tuple[str, ...] = ()
    severity_threshold: Severity = Severity.WARNING
    notify_on_recovery: bool = True
    remind_after: timedelta | None = None

    def hears(self, severity: Severity) -> bool:
        return at_least(severity, self.severity_threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertState:
    """The state of one check in one scope; a check that never failed has none. `notified`: the channels notified of the
    current failure, which are also notified of its end."""

    scope: AlertScope
    table: str
    branch: str
    check_id: str
    check_type: str
    status: AlertStatus
    severity: Severity
    message: str
    since: datetime  # when it got this status
    seen_at: datetime  # when it was judged last
    failures: int = 0  # in a row
    notified: tuple[str, ...] = ()
    told_at: datetime | None = None
    commit_id: str | None = None  # of the newest failure
    run_id: str | None = None
    monitor_run_id: str | None = None
    incident_id: str | None = None
    columns: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {
            "scope": str(self.scope),
            "monitor_id": self.scope.monitor_id,
            "check_id": self.check_id,
            "check_type": self.check_type,
            "dataset": self.table,
            "branch": self.branch,
            "status": str(self.status),
            "severity": str(self.severity),
            "message": self.message,
            "since": self.since,
            "seen_at": self.seen_at,
            "failures": self.failures,
            "told": list(self.notified),
            "incident_id": self.incident_id,
            "commit": self.commit_id,
            "run_id": self.run_id,
            "monitor_run_id": self.monitor_run_id,
        }

    @property
    def failing(self) -> bool:
        return self.status is AlertStatus.FAILING

    @property
    def key(self) -> tuple[str, str]:
        return str(self.scope), self.check_id


class MoveKind(StrEnum):
    FAILED = "failed"  # it passed before, or was never judged
    AGAIN = "failed again"
    WORSE = "worse"  # its severity rose
    RECOVERED = "recovered"
    PASSED = "passed"


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where and when a verdict was given."""

    scope: AlertScope
    branch: str
    at: datetime
    commit_id: str | None = None
    run_id: str | None = None
    monitor_run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertMove:
    """`notify`: the channels to notify now. `close`: channels notified of a failure that is over; a pager is resolved
    whatever the policy says of recoveries."""

    kind: MoveKind
    verdict: Verdict
    before: AlertState | None
    after: AlertState
    notify: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    reminder: bool = False


def at_least(severity: Severity, threshold: Severity) -> bool:
    return RANKS[severity] >= RANKS[threshold]


def is_bad(verdict: Verdict) -> bool:
    """Failed, or not measured where that blocks like a failure."""
    return verdict.outcome is Outcome.FAILED or (verdict.outcome is Outcome.NOT_MEASURED and verdict.blocks)


def move(state: AlertState | None, verdict: Verdict, policy: AlertPolicy, seen: Sighting) -> AlertMove | None:
    """The transition that a verdict causes; None where it causes none: a pass of a check that never failed, a verdict
    that was not measured, or one older than the known one."""
    if state is not None and seen.at < state.seen_at:
        return None
    if is_bad(verdict):
        return _failing(state, verdict, policy, seen)
    if state is None or verdict.outcome is Outcome.NOT_MEASURED:
        return None
    return _passing(state, verdict, policy, seen)


def _failing(state: AlertState | None, verdict: Verdict, policy: AlertPolicy, seen: Sighting) -> AlertMove:
    hears = policy.hears(verdict.severity)
    if state is None or not state.failing:
        after = _state(state, verdict, seen)
        channels = policy.channels if hears else ()
        return AlertMove(
            kind=MoveKind.FAILED,
            verdict=verdict,
            before=state,
            after=_with_channels(after, channels, seen.at),
            notify=channels,
        )
    worse = RANKS[verdict.severity] > RANKS[state.severity]
    after = replace(
        _state(state, verdict, seen),
        since=state.since,
        failures=state.failures + 1,
        notified=state.notified,
        told_at=state.told_at,
    )
    kind = MoveKind.WORSE if worse else MoveKind.AGAIN
    if not hears:
        return AlertMove(kind=kind, verdict=verdict, before=state, after=after)
    remind = _is_due(state, policy, seen.at)
    channels = policy.channels if worse or remind else tuple(c for c in policy.channels if c not in state.notified)
    return AlertMove(
        kind=kind,
        verdict=verdict,
        before=state,
        after=_with_channels(after, channels, seen.at),
        notify=channels,
        reminder=remind and not worse,
    )


def _passing(state: AlertState, verdict: Verdict, policy: AlertPolicy, seen: Sighting) -> AlertMove:
    if not state.failing:
        after = replace(state, status=AlertStatus.OK, seen_at=seen.at, message=verdict.message)
        if state.status is AlertStatus.RECOVERED:
            after = replace(after, since=seen.at)
        return AlertMove(kind=MoveKind.PASSED, verdict=verdict, before=state, after=after)
    after = replace(
        state,
        status=AlertStatus.RECOVERED,
        since=seen.at,
        seen_at=seen.at,
        failures=0,
        message=verdict.message,
        notified=(),
        told_at=None,
    )
    channels = state.notified if policy.notify_on_recovery else ()
    return AlertMove(
        kind=MoveKind.RECOVERED, verdict=verdict, before=state, after=after, notify=channels, close=state.notified
    )


def _state(state: AlertState | None, verdict: Verdict, seen: Sighting) -> AlertState:
    return AlertState(
        scope=seen.scope,
        table=verdict.table,
        branch=seen.branch,
        check_id=verdict.check_id,
        check_type=verdict.check_type,
        status=AlertStatus.FAILING,
        severity=verdict.severity,
        message=verdict.message,
        since=seen.at,
        seen_at=seen.at,
        failures=1,
        commit_id=seen.commit_id,
        run_id=seen.run_id,
        monitor_run_id=seen.monitor_run_id,
        incident_id=state.incident_id if state else None,
        columns=verdict.columns,
    )


def _with_channels(state: AlertState, channels: tuple[str, ...], at: datetime) -> AlertState:
    if not channels:
        return state
    return replace(state, notified=tuple(dict.fromkeys((*state.notified, *channels))), told_at=at)


def _is_due(state: AlertState, policy: AlertPolicy, now: datetime) -> bool:
    return policy.remind_after is not None and state.told_at is not None and now - state.told_at >= policy.remind_after


def thread_of(scope: AlertScope, table: str) -> str:
    """The thread of messages about one dataset under one monitor; also the pager's dedup key."""
    return "forge-" + hashlib.sha256(f"{scope}\n{table}".encode()).hexdigest()[:24]
