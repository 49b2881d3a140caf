"""Profiles of tables: what the values of each column look like."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from forge.api.wire import Name, Wire

Cell = str | bool | int | float | None


class ProfileStart(Wire):
    """What to profile. Without a sample all rows are looked at."""

    at: Name | None = Field(default=None, description="Branch, tag, commit, HEAD~2 or time.")
    sample: float | None = Field(
        default=None, gt=0, le=1, allow_inf_nan=False, description="The share of rows to look at."
    )
    exact: bool = Field(default=False, description="Count distinct values also beyond a million rows.")


class TopValueView(Wire):
    value: Cell
    count: int


class HistogramView(Wire):
    edges: list[Cell]  # one more than counts
    counts: list[int]


class ProfiledColumnView(Wire):
    name: str
    type: str
    nulls: int
    distinct: int | None
    distinct_exact: bool
    minimum: Cell
    maximum: Cell
    mean: float | None
    stddev: float | None
    q1: float | None
    median: float | None
    q3: float | None
    zeros: int | None
    negatives: int | None
    not_finite: int | None
    empties: int | None
    min_length: int | None
    max_length: int | None
    avg_length: float | None
    histogram: HistogramView | None  # of a text: of its lengths
    top: list[TopValueView]  # values that occur more than once
    top_exact: bool
    masked: bool  # personal: no value is stored


class ProfileSummary(Wire):
    table: str
    state: str  # identifies the rows
    snapshot_id: str | None
    commit_id: str | None
    profiled_at: datetime
    row_count: int  # of the whole table, also where it is sampled
    sampled: bool
    sample_fraction: float | None
    sample_rows: int | None
    duplicate_rows: int | None
    quantile_error: float


class ProfileView(ProfileSummary):
    columns: list[ProfiledColumnView]


class StatisticChangeView(Wire):
    column: str | None  # None: of the table
    statistic: str
    before: Cell | list[TopValueView]
    after: Cell | list[TopValueView]
    by: float | None
    share: float | None


class ProfileDiffView(Wire):
    table: str
    before: ProfileSummary
    after: ProfileSummary
    columns_added: list[str]
    columns_removed: list[str]
    changes: list[StatisticChangeView]
