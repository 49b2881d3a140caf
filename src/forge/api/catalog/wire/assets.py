"""Assets."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, Field

from forge.api.catalog.wire.profiles import Cell
from forge.api.versioning.wire.refs import CommitView
from forge.api.wire import Wire
from forge.contracts.lifecycle import ContractState

AssetTypeWord = Literal["table", "view", "dataset", "pipeline", "dashboard", "model", "feature", "metric"]
ClassificationWord = Literal["public", "internal", "confidential", "restricted"]


class AssetView(Wire):
    id: str
    name: str
    qualified_name: str
    type: AssetTypeWord
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


class ColumnStatisticsView(Wire):
    """Of the stored profile of the rows, of which `rows` were looked at. `masked`: values of personal data are left
    out."""

    rows: int
    sampled: bool = False
    nulls: int
    distinct: int | None = None
    distinct_exact: bool = True
    minimum: Cell = None
    maximum: Cell = None
    mean: float | None = None
    median: float | None = None
    masked: bool = False


class AssetColumn(Wire):
    name: str
    type: str
    nullable: bool = True
    description: str = ""
    pii: bool = False
    upstream: list[str] = []  # the nearest columns it comes from
    failing: bool = False
    tags: list[str] = []
    term: str | None = None  # the id of a glossary term
    pii_type: str | None = None  # email, phone, …, where it is known
    statistics: ColumnStatisticsView | None = None  # None: its rows were not profiled


class AssetContractView(Wire):
    id: str
    version: str
    state: ContractState


class AssetUseView(Wire):
    """Of the last thirty days."""

    views: int = 0
    queries: int = 0
    runs: int = 0
    users: int = 0
    last_at: datetime | None = None


class AssetDetail(AssetView):
    """Of an asset outside the lake, `commit` is empty and `version` 0: it has no commits."""

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
    downstream_count: int = 0
    team: str | None = None
    stewards: list[str] = []
    domain: str | None = None
    classification: ClassificationWord | None = None  # that holds: never below its columns or what it derives from
    classification_why: str = ""
    deprecated: str | None = None  # why, and what to use instead
    terms: list[str] = []
    primary_key: list[str] = []
    source: str = ""  # the crawler that saw it; empty: none has, yet
    source_system: str = ""
    location: str = ""
    backed_by: list[str] = []  # assets that hold its data or that it writes
    catalog_state: Literal["active", "vanished"] = "active"
    created_at: datetime | None = None  # when the catalog first saw it
    former_names: list[str] = []
    documentation_version: int = 0  # expected by the next edit
    origins: dict[str, str] = {}  # of each field that has a value: crawl, edit, or file and its place
    missing: list[str] = []  # what its domain requires and nobody has filled in
    quality_score: float | None = None  # percentage of its checks that passed
    contract: AssetContractView | None = None
    usage: AssetUseView | None = None

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
