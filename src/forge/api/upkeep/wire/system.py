"""The first page, the server itself, sessions and tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from forge.api.lineage.wire.graph import GraphView
from forge.api.quality.wire.health import IncidentView, TrendDay
from forge.api.runs.wire.runs import RunView
from forge.api.wire import ErrorView, Wire


class Counters(Wire):
    assets: int
    checks_failing: int
    contracts_broken: int
    branches_ahead: int


class RecentChange(Wire):
    table: str
    commit: str
    time: datetime
    author: str
    message: str
    rows_added: int
    rows_deleted: int


class Overview(Wire):
    project: str
    branch: str
    head: str | None
    counters: Counters
    incidents: list[IncidentView]  # the worst first
    picture: GraphView | None  # of the worst: its column from where it came in to whom it would have reached
    recent: list[RecentChange]
    trend: list[TrendDay]  # 30 days, oldest first, days without a check included
    pass_rate: float | None  # percent over the trend
    last_run: RunView | None


class SparkView(Wire):
    state: Literal["stopped", "starting", "ready", "failed"]
    master: str
    since: datetime | None = None
    error: ErrorView | None = None


class ReadsView(Wire):
    """Questions of requests that are worked on: how many there are, and may be (server.reads)."""

    running: int
    waiting: int
    tokens: int  # whose they are
    at_once: int
    per_token: int
    waiting_limit: int  # of a token
    seconds: float
    rows: int


class SystemView(Wire):
    version: str
    project: str
    started_at: datetime
    spark: SparkView
    jobs_running: int
    jobs_queued: int
    jobs_limit: int
    reads: ReadsView
    database: Literal["sqlite", "postgresql"]
    publish: str  # what a publish of more than one table is, in one line
    interrupted: list[str]  # runs that the last stop of the server cut off; they can be started again


class SessionView(Wire):
    user: str
    project: str
    version: str
    default_branch: str
    auth: Literal["cookie", "token"]
    scope: Literal["read", "write"]
    expires_at: datetime | None = None


class BrowserSessionView(Wire):
    id: str
    user: str
    scope: Literal["read", "write"]
    token_id: str | None  # the token it belongs to and ends with; null: the address that the server printed
    token_name: str | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    current: bool  # the one that asks


class TokenView(Wire):
    id: str
    name: str
    scope: Literal["read", "write"]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    state: Literal["active", "expired", "revoked"]


class TokenCreate(Wire):
    name: Annotated[str, Field(min_length=1, max_length=100)]
    scope: Literal["read", "write"] = "write"
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = 90


class TokenCreated(TokenView):
    token: str  # shown this once; only its hash is kept
