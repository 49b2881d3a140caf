"""Assets and what a search finds."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, Field

from forge.api.versioning.wire.refs import CommitView
from forge.api.wire import Wire


class AssetView(Wire):
    id: str
    name: str
    qualified_name: str
    type: Literal["table", "view"]
    description: str = ""
    owner: str | None = None
    tags: list[str] = []
    columns: int = 0
    row_count: int | None = None
    size_bytes: int | None = None
    updated_at: datetime | None = None
    freshness_hours: float | None = None
    checks_passed: int = 0
    checks_failed: int = 0
    checks_not_measured: int = 0
    state: Literal["ok", "failing", "unchecked"] = (
        "unchecked"  # failing: the newest attempt was held back or failed a check
    )


class AssetColumn(Wire):
    name: str
    type: str
    nullable: bool = True
    description: str = ""
    pii: bool = False
    upstream: list[str] = []  # the nearest columns it comes from
    failing: bool = False


class AssetDetail(AssetView):
    at: str  # the revision as asked for
    commit: str
    version: int
    snapshot_id: str | None
    key: list[str] = []  # what identifies its rows, where declared
    schema_: list[AssetColumn] = Field(alias="schema")
    last_commit: CommitView | None = None  # the newest one that changed it
    last_run: str | None = None
    upstream_tables: list[str] = []
    downstream_tables: list[str] = []

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class SearchHit(Wire):
    """A table, view or column whose name (or description) matches; the best first."""

    id: str
    type: Literal["table", "view", "column"]
    name: str
    qualified_name: str
    table: str
    description: str = ""
    owner: str | None = None
    tags: list[str] = []
    asset: AssetView | None = None  # of tables and views


class Suggestion(Wire):
    text: str
    type: Literal["table", "view", "column", "branch", "run"]
    qualified_name: str
