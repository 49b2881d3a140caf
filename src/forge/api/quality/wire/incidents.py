"""Wire models of tracked incidents with timelines, alerts, mutes and deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from forge.api.quality.wire.health import IncidentView, JudgedByView
from forge.api.quality.wire.monitors import CauseView
from forge.api.wire import Moment, Name, SeverityWord, Text, Wire

ChannelWord = Literal["slack", "email", "pagerduty", "webhook"]
IncidentWord = Literal["open", "acknowledged", "resolved"]
AlertWord = Literal["ok", "failing", "recovered"]
DeliveryWord = Literal["waiting", "sending", "sent", "dropped", "refused", "given up"]
EntryWord = Literal[
    "opened",
    "failed again",
    "worse",
    "reopened",
    "acknowledged",
    "assigned",
    "note",
    "muted",
    "alert queued",
    "alert sent",
    "alert failed",
    "remediation",
    "recovered",
    "resolved",
]


class TimelineEntry(Wire):
    """`count` failures that followed one another are one line, the last of them at `until`."""

    time: datetime
    kind: EntryWord
    text: str
    by: str | None  # None: Forge itself
    commit: str | None = None
    run_id: str | None = None
    result_id: str | None = None
    count: int = 1
    until: datetime | None = None


class TrackedIncidentView(IncidentView):
    """What is wrong, and what is done about it. `id` is for life; `incident_id` is the same, null where nothing is
    tracked of it yet."""

    incident_id: str | None = None
    status: IncidentWord = "open"
    origin_kind: Literal["run", "hand", "monitor"] = "run"  # who judged
    monitor_id: str | None = None
    monitor_name: str | None = None
    monitor_run_id: str | None = None
    result_id: str | None = None  # the newest failing result
    commit: str | None = None
    seen: int = 1  # failures
    seen_at: datetime | None = None
    reopened: int = 0
    assignee: str | None = None
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    cause: CauseView | None = None


class IncidentDetail(TrackedIncidentView):
    judged_by: JudgedByView  # the newest failure
    timeline: list[TimelineEntry] = []
    deliveries: list[DeliveryView] = []


class IncidentChange(Wire):
    """What is left out stays as it is; `assignee: null` takes it from whoever has it."""

    status: IncidentWord | None = None
    assignee: Name | None = None
    note: Annotated[Text, Field(min_length=1)] | None = None


class MuteView(Wire):
    """No messages about what it names until its end; alerts and incidents go on being kept."""

    id: str
    monitor_id: str | None
    check_id: str | None
    dataset: str | None
    until: datetime
    reason: str
    by: str
    created_at: datetime


class MuteCreate(Wire):
    """At least one of monitor, check and dataset; where several are given, all must fit."""

    monitor_id: Name | None = None
    check_id: Annotated[Text, Field(max_length=1000)] | None = None
    dataset: Name | None = None
    until: Moment | None = None
    hours: Annotated[float, Field(gt=0, le=24 * 366)] | None = None  # instead of `until`
    reason: Text = ""


class AlertView(Wire):
    """How one check stands under one monitor, or on one branch for runs."""

    scope: str  # monitor:<id>, run:<branch>, hand:<branch>
    monitor_id: str | None
    check_id: str
    check_type: str
    dataset: str
    branch: str
    status: AlertWord
    severity: SeverityWord
    message: str
    since: datetime
    seen_at: datetime
    failures: int  # in a row
    told: list[str]  # channels that know of the present failure
    muted_until: datetime | None
    incident_id: str | None
    commit: str | None
    run_id: str | None
    monitor_run_id: str | None


class AttemptView(Wire):
    time: datetime
    ok: bool
    detail: str
    ms: float


class DeliveryView(Wire):
    """One notice on its way to one channel. Those of one `message_id` were sent in one message."""

    id: str
    channel: str
    type: ChannelWord | None  # None: the channel is no longer in forge.yaml
    kind: Literal["failing", "reminder", "recovered", "note"]
    state: DeliveryWord
    reason: str  # why it waits, was dropped or given up
    severity: SeverityWord
    dataset: str
    branch: str
    monitor_id: str | None
    check_ids: list[str]
    incident_ids: list[str]
    created_at: datetime
    next_try_at: datetime | None
    sent_at: datetime | None
    message_id: str | None
    attempts: list[AttemptView]


class ChannelTrial(Wire):
    channel: str
    ok: bool
    detail: str


IncidentDetail.model_rebuild()
