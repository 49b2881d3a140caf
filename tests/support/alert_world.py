"""Verdicts, judgements and notices for tests of alerts, and a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from forge.flows.ports import Metadata
from forge.flows.quality.incidents.alerts import AlertOutcome, AlertSource, observe_alerts
from forge.flows.quality.incidents.ports import AlertPorts, AlertStore, Channel, ChannelType, OutgoingMessage, SendError
from forge.flows.quality.judge import JudgedTable
from forge.model.names import BranchName, CommitId, TableName
from forge.model.schema import Schema
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope
from forge.quality.alerts.delivery import ChannelTiming, Delivery
from forge.quality.alerts.notice import CheckNotice, Notice, NoticeKind
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.metadata import MemoryMetadata
from forge.stores.memory.quality.alerts import MemoryAlerts

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)  # a Monday
HOURLY = AlertScope(AlertOrigin.MONITOR, "orders-hourly")
FAILED, PASSED, NOT_MEASURED = Outcome.FAILED, Outcome.PASSED, Outcome.NOT_MEASURED


def verdict(
    outcome: Outcome = FAILED,
    check: str = "amount.range",
    *,
    table: str = "core.orders",
    severity: Severity = Severity.ERROR,
    message: str = "amount: 3 of 10 rows (30%) are outside 0 … 5",
    blocks: bool | None = None,
    columns: tuple[str, ...] = ("amount",),
) -> Verdict:
    blocking = severity in (Severity.ERROR, Severity.CRITICAL) and outcome is not PASSED
    held = blocking if blocks is None else blocks
    kind = check.rpartition(".")[2]
    return Verdict(
        check_id=f"{table}.{check}",
        check_type=kind,
        table=table,
        columns=columns,
        outcome=outcome,
        severity=severity,
        message=message,
        blocks=held,
    )


def judged(*verdicts: Verdict, at: datetime = NOON, table: str = "core.orders", branch: str = "main") -> JudgedTable:
    return JudgedTable(
        table=TableName.parse(table),
        branch=BranchName(branch),
        commit_id=CommitId("3f2a91bcd0001111"),
        snapshot_id=None,
        schema=Schema(()),
        checks=(),
        verdicts=verdicts,
        readings={},
        executed_at=at,
    )


@dataclass
class SetClock:
    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


@dataclass
class Recorder:
    """A channel that keeps what it gets; it fails while `broken` says why."""

    type: ChannelType = "webhook"
    timeout: float = 5.0
    got: list[OutgoingMessage] = field(default_factory=list)
    broken: SendError | None = None

    def send(self, message: OutgoingMessage) -> str:
        if self.broken is not None:
            raise self.broken
        self.got.append(message)
        return "taken"


@dataclass
class AlertWorld:
    """A monitor whose checks are judged as a test says."""

    store: AlertStore = field(default_factory=MemoryAlerts)
    metadata: Metadata = field(default_factory=lambda: MemoryMetadata(MemoryCatalog()))
    clock: SetClock = field(default_factory=SetClock)
    channels: dict[str, Channel] = field(default_factory=lambda: {"ops": Recorder()})
    timing: ChannelTiming = field(default_factory=lambda: ChannelTiming(timedelta(0)))
    policy: AlertPolicy = field(default_factory=lambda: AlertPolicy(("ops",)))
    heedless: frozenset[str] = frozenset()
    reopen_within: timedelta = timedelta(hours=24)

    @property
    def ports(self) -> AlertPorts:
        return AlertPorts(
            metadata=self.metadata,
            store=self.store,
            clock=self.clock,
            default_branch=BranchName("main"),
            owner=lambda table: {"marts": "fin@example.com"}.get(table.schema),
            channels=self.channels,
            timing=self.timing,
            heedless=self.heedless,
            reopen_within=self.reopen_within,
            address="https://forge.example.com",
        )

    @property
    def ops(self) -> Recorder:
        channel = self.channels["ops"]
        assert isinstance(channel, Recorder)
        return channel

    def judge(
        self, *verdicts: Verdict, scope: AlertScope = HOURLY, table: str = "core.orders", whole: bool = True
    ) -> AlertOutcome:
        judging = AlertSource(scope, self.policy, "Orders, hourly", "run-1", whole)
        return observe_alerts(judged(*verdicts, at=self.clock(), table=table), self.ports, judging)

    def subjects(self) -> list[str]:
        return [message.rendered.subject for message in self.ops.got]


def notice(
    kind: NoticeKind = NoticeKind.FAILING,
    *,
    table: str = "core.orders",
    checks: Iterable[str] = ("amount.range",),
    severity: Severity = Severity.ERROR,
    scope: AlertScope = HOURLY,
    upstream: tuple[str, ...] = (),
    at: datetime = NOON,
    branch: str = "main",
) -> Notice:
    told = tuple(
        CheckNotice(
            check_id=f"{table}.{c}",
            check_type="range",
            severity=severity,
            message=f"{c} is off",
            since=at,
            columns=("amount",),
            incident_id=f"i-{c}",
        )
        for c in checks
    )
    return Notice(
        kind=kind,
        scope=scope,
        table=table,
        branch=branch,
        at=at,
        checks=told,
        commit_id="3f2a91bcd0001111",
        run_id=None,
        monitor_run_id="run-1",
        monitor_name="Orders",
        upstream=upstream,
    )


def delivery(number: int, told: Notice, *, channel: str = "ops", **facts: object) -> Delivery:
    base = Delivery(
        id=f"d{number:03d}", channel=channel, notice=told, created_at=NOON, due_at=NOON, next_at=NOON, number=number
    )
    from dataclasses import replace

    return replace(base, **facts)  # type: ignore[arg-type]
