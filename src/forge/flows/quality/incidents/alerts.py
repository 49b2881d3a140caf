"""Alerts of a judged dataset: new states, incidents opened or resolved, deliveries queued.

Written in one transaction; `deliveries.py` sends the messages, so that a dead or slow channel never delays a run."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from forge.flows.quality.incidents.ports import AlertPorts, AlertWrite, KnownAlerts
from forge.flows.quality.incidents.root_cause import FailureReach, read_lineage
from forge.flows.quality.judge import JudgedTable
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, RunId, TableName
from forge.quality.alerts.alert import (
    AlertMove,
    AlertOrigin,
    AlertPolicy,
    AlertScope,
    AlertState,
    AlertStatus,
    MoveKind,
    Sighting,
    is_bad,
    move,
)
from forge.quality.alerts.delivery import Delivery, first_try
from forge.quality.alerts.incident import (
    EntryKind,
    FailureContext,
    IncidentEntry,
    IncidentUpdate,
    TrackedIncident,
    follow,
)
from forge.quality.alerts.notice import CheckNotice, Notice, NoticeKind
from forge.quality.alerts.quiet import Mute, muted_until
from forge.quality.verdict import Outcome, Verdict

_log = logging.getLogger("forge.alerts")
GONE = "it is no longer judged, or said nothing when the rest was"


@dataclass(frozen=True, slots=True)
class AlertSource:
    """Who judged, and who is concerned. `whole`: all checks of the table were judged, so that a failing alert of any
    other check is over. `result_ids`: stored results, by check."""

    scope: AlertScope
    policy: AlertPolicy
    monitor_name: str | None = None
    monitor_run_id: str | None = None
    whole: bool = True
    result_ids: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AlertOutcome:
    """The outcome. `queued`: deliveries. `remarks`: what could not be determined."""

    queued: int = 0
    opened: tuple[str, ...] = ()
    resolved: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def observe_alerts(judged: JudgedTable, ports: AlertPorts, judging: AlertSource) -> AlertOutcome:
    """Moves alert states, opens and resolves incidents, queues deliveries."""
    seen = Sighting(
        judging.scope,
        judged.branch,
        judged.executed_at,
        judged.commit_id,
        judged.run_id,
        judging.monitor_run_id,
    )
    reaches, remarks = _find_reaches(judged, ports, judging)
    writer = _Writer(
        ports=ports,
        judging=judging,
        table=str(judged.table),
        seen=seen,
        reaches=reaches,
        remarks=remarks,
        now=ports.clock(),
    )
    written = ports.store.observe(judging.scope, str(judged.table), lambda known: writer.decide(known, judged.verdicts))
    opened = tuple(c.incident.id for c in written.incidents if c.is_new)
    resolved = tuple(c.incident.id for c in written.incidents if not c.incident.is_open)
    return AlertOutcome(len(written.deliveries), opened, resolved, remarks)


def _find_reaches(
    judged: JudgedTable, ports: AlertPorts, judging: AlertSource
) -> tuple[Mapping[str, FailureReach], tuple[str, ...]]:
    """For new failures only, so that lineage is not read for known ones. An alert without impact is better than
    none."""
    bad = [verdict for verdict in judged.verdicts if is_bad(verdict)]
    if not bad:
        return {}, ()
    known = {s.check_id: s for s in ports.store.states(scope=judging.scope, table=str(judged.table))}
    new = [verdict for verdict in bad if _is_news(known.get(verdict.check_id), verdict, judging.policy)]
    if not new:
        return {}, ()
    try:
        around = read_lineage(ports, judged.branch)
        return {verdict.check_id: around.of(verdict) for verdict in new}, ()
    except Exception as error:  # whatever it is, the alert goes out
        _log.warning("The lineage of %s could not be read for its alert: %s", judged.table, error, exc_info=error)
        return {}, (f"the lineage could not be read: {error}",)


def _is_news(state: AlertState | None, verdict: Verdict, policy: AlertPolicy) -> bool:
    if state is None or not state.failing:
        return True
    return policy.hears(verdict.severity) and any(channel not in state.notified for channel in policy.channels)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    ports: AlertPorts
    judging: AlertSource
    table: str
    seen: Sighting
    now: datetime
    reaches: Mapping[str, FailureReach] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def decide(self, known: KnownAlerts, verdicts: Sequence[Verdict]) -> AlertWrite:
        every = [*verdicts, *(self._gone(known, verdicts) if self.judging.whole else ())]
        moves = [m for v in every if (m := move(known.states.get(v.check_id), v, self.judging.policy, self.seen))]
        states, changes, followed = [], [], []
        for one in moves:
            change = self._follow(known.incidents.get(one.after.check_id), one)
            if change is not None:
                one = replace(one, after=replace(one.after, incident_id=change.incident.id))
                changes.append(change)
            states.append(one.after)
            followed.append(one)
        deliveries = tuple(self._deliveries(followed, known.mutes))
        return AlertWrite(
            tuple(states), tuple(_with_held(change, deliveries, self.now) for change in changes), deliveries
        )

    def end_all(self, why: str, known: KnownAlerts) -> AlertWrite:
        return self.decide(known, [passed(state, why) for state in known.states.values() if state.failing])

    def end(self, check_ids: Collection[str], why: str, known: KnownAlerts) -> AlertWrite:
        failing = (state for state in known.states.values() if state.failing and state.check_id in check_ids)
        return self.decide(known, [passed(state, why) for state in failing])

    def _gone(self, known: KnownAlerts, verdicts: Sequence[Verdict]) -> Iterable[Verdict]:
        judged = {verdict.check_id for verdict in verdicts}
        for state in known.states.values():
            if state.failing and state.check_id not in judged:
                yield passed(state, GONE)

    def _follow(self, incident: TrackedIncident | None, one: AlertMove) -> IncidentUpdate | None:
        reach = self.reaches.get(one.after.check_id, FailureReach())
        around = FailureContext(
            columns=one.verdict.columns,
            cause=reach.cause,
            hit=reach.hit,
            upstream=reach.upstream,
            monitor_name=self.judging.monitor_name,
            result_id=self.judging.result_ids.get(one.after.check_id),
        )
        worth = self.judging.policy.hears(one.verdict.severity)
        return follow(incident, one, around, worth=worth, window=self.ports.reopen_within)

    def _deliveries(self, moves: Sequence[AlertMove], mutes: Sequence[Mute]) -> Iterable[Delivery]:
        """The checks that one channel is notified of at one time are one delivery."""
        parts: dict[tuple[str, NoticeKind, datetime | None], list[AlertMove]] = {}
        for one in moves:
            kind = _kind(one)
            channels = one.notify if kind is not NoticeKind.RECOVERED else self._hear_of_the_end(one)
            until = muted_until(mutes, self.seen.scope, self.table, one.after.check_id, self.now)
            for channel in channels:
                parts.setdefault((channel, kind, until), []).append(one)
        for (channel, kind, until), group in parts.items():
            yield self._delivery(channel, self._notice(kind, group), until)

    def _hear_of_the_end(self, one: AlertMove) -> tuple[str, ...]:
        pagers = (channel for channel in one.close if self.ports.is_pager(channel))
        return tuple(dict.fromkeys((*one.notify, *pagers)))

    def _notice(self, kind: NoticeKind, group: Sequence[AlertMove]) -> Notice:
        reaches = [r for one in group if (r := self.reaches.get(one.after.check_id)) is not None]
        hit = {hit.column: hit for reach in reaches for hit in reach.hit}
        cause = next((reach.cause for reach in reaches if reach.cause is not None), None)
        upstream = dict.fromkeys(table for reach in reaches for table in reach.upstream)
        return Notice(
            kind=kind,
            scope=self.seen.scope,
            table=self.table,
            branch=self.seen.branch,
            at=self.seen.at,
            checks=tuple(_check_notice(one, self.judging.result_ids) for one in group),
            commit_id=self.seen.commit_id,
            run_id=self.seen.run_id,
            monitor_run_id=self.seen.monitor_run_id,
            monitor_name=self.judging.monitor_name,
            hit=tuple(hit.values()),
            hit_count=max(len(hit), max((reach.hit_count for reach in reaches), default=0)),
            cause=cause,
            upstream=tuple(upstream),
            remarks=self.remarks,
        )

    def _delivery(self, channel: str, notice: Notice, until: datetime | None) -> Delivery:
        return new_delivery(self.ports, channel, notice, self.now, until)


def new_delivery(
    ports: AlertPorts, channel: str, notice: Notice, now: datetime, muted: datetime | None = None
) -> Delivery:
    at, reason = first_try(notice, ports.timing_of(channel), now, muted)
    return Delivery(
        id=secrets.token_hex(8),
        channel=channel,
        notice=notice,
        created_at=now,
        due_at=at,
        next_at=at,
        reason=reason,
        muted=muted is not None,
    )


def passed(state: AlertState, message: str) -> Verdict:
    """A synthetic passed verdict, where a failure ends without one."""
    return Verdict(
        check_id=state.check_id,
        check_type=state.check_type,
        table=state.table,
        columns=state.columns,
        outcome=Outcome.PASSED,
        severity=state.severity,
        message=message,
        blocks=False,
    )


def _kind(one: AlertMove) -> NoticeKind:
    if one.kind is MoveKind.RECOVERED:
        return NoticeKind.RECOVERED
    return NoticeKind.REMINDER if one.reminder else NoticeKind.FAILING


def _check_notice(one: AlertMove, result_ids: Mapping[str, str]) -> CheckNotice:
    after = one.after
    began = one.before.since if one.kind is MoveKind.RECOVERED and one.before else after.since
    return CheckNotice(
        check_id=after.check_id,
        check_type=after.check_type,
        severity=after.severity,
        message=one.verdict.message,
        since=began,
        columns=one.verdict.columns,
        incident_id=after.incident_id,
        result_id=result_ids.get(after.check_id),
    )


def _with_held(change: IncidentUpdate, deliveries: Sequence[Delivery], now: datetime) -> IncidentUpdate:
    """Adds deliveries delayed by quiet hours or a mute to the timeline at once."""
    entries = [
        IncidentEntry(at=now, kind=EntryKind.ALERT_QUEUED, text=f"alert to {one.channel} is held back: {one.reason}")
        for one in deliveries
        if one.reason and any(check.incident_id == change.incident.id for check in one.notice.checks)
    ]
    return replace(change, entries=(*change.entries, *entries)) if entries else change


def forget_monitor(ports: AlertPorts, monitor_id: str, by: str) -> int:
    """Resolves the alerts of a deleted or disabled monitor, and its pages. Returns how many there were."""
    scope, now = AlertScope(AlertOrigin.MONITOR, monitor_id), ports.clock()
    failing = [state for state in ports.store.states(scope=scope) if state.failing]
    for table in {state.table for state in failing}:
        branch = next(state.branch for state in failing if state.table == table)
        policy = AlertPolicy(notify_on_recovery=False)
        judging = AlertSource(scope, policy)
        seen = Sighting(scope, branch, now)
        writer = _Writer(ports=ports, judging=judging, table=table, seen=seen, now=now)
        ports.store.observe(scope, table, partial(writer.end_all, f"the monitor was removed or switched off by {by}"))
    return len(failing)


def settle_run(ports: AlertPorts, branch: BranchName, run_id: RunId, outputs: Mapping[TableName, bool]) -> int:
    """For tables that a run settled without a verdict: `True` where it made them without checks, `False` where they
    were up to date. Blocked failures end either way; a published failure continues where the table is unchanged.
    Returns how many ended."""
    scope, now = AlertScope(AlertOrigin.RUN, branch), ports.clock()
    failing = [state for state in ports.store.states(scope=scope, statuses=(AlertStatus.FAILING,)) if state.failing]
    ended = 0
    for table, made in outputs.items():
        over = {s.check_id for s in failing if s.table == str(table) and (made or s.commit_id is None)}
        if over:
            ended += len(over)
            seen = Sighting(scope, branch, now, run_id=run_id)
            judging = AlertSource(scope, ports.runs, whole=False)
            writer = _Writer(ports=ports, judging=judging, table=str(table), seen=seen, now=now)
            why = f"the run {run_id} " + ("had nothing to say of it" if made else "found the table as it was before")
            ports.store.observe(scope, str(table), partial(writer.end, over, why))
    return ended


def notify_channels(
    ports: AlertPorts, judged: JudgedTable, channels: Sequence[str], text: str, check_ids: Sequence[str] = ()
) -> int:
    """Queues a note about a dataset to each channel; E731 for an unknown one."""
    refuse_unknown(ports, channels)
    scope = AlertScope(AlertOrigin.RUN if judged.run_id else AlertOrigin.HAND, judged.branch)
    wanted = set(check_ids)
    now = ports.clock()
    checks = tuple(
        CheckNotice(
            check_id=v.check_id,
            check_type=v.check_type,
            severity=v.severity,
            message=v.message,
            since=judged.executed_at,
            columns=v.columns,
        )
        for v in judged.verdicts
        if v.check_id in wanted
    )
    notice = Notice(
        kind=NoticeKind.NOTE,
        scope=scope,
        table=str(judged.table),
        branch=judged.branch,
        at=now,
        checks=checks,
        commit_id=judged.commit_id,
        run_id=judged.run_id,
        text=text,
    )
    ports.store.add_deliveries([new_delivery(ports, channel, notice, now) for channel in channels])
    return len(channels)


def refuse_unknown(ports: AlertPorts, channels: Iterable[str]) -> None:
    for name in channels:
        if name not in ports.channels:
            known = f"Known are {', '.join(sorted(ports.channels))}." if ports.channels else "There is none yet."
            raise ForgeError(
                "E731",
                f"There is no channel '{name}'",
                where="forge.yaml alerts.channels",
                why=did_you_mean(name, ports.channels),
                fix=f"{known} Add it to alerts.channels: {{{name}: {{type: slack, url: env:SLACK_URL}}}}",
            )


def trial(channel: str, now: datetime) -> Notice:
    """The message of `forge quality alerts test`."""
    text = f"This is a trial of the channel '{channel}'. Nothing is wrong."
    return Notice(kind=NoticeKind.NOTE, scope=AlertScope(AlertOrigin.HAND, ""), table="", branch="", at=now, text=text)
