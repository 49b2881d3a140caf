"""Wire models of usage, and of popular, similar and recommended assets."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from forge.api.catalog.wire.assets import AssetTypeWord
from forge.api.wire import Wire

PeriodWord = Literal["day", "week", "month"]


class AssetBrief(Wire):
    """An asset in a list; `id` is its qualified name."""

    id: str
    name: str
    qualified_name: str
    type: AssetTypeWord
    description: str
    domain: str | None
    owner: str | None
    tags: list[str]


class PopularAssetView(AssetBrief):
    """`users` are distinct people; `runs` are readings by runs."""

    asset: str
    views: int
    queries: int
    runs: int
    users: int
    last_at: datetime | None


class UsageDayView(Wire):
    day: date
    views: int
    queries: int
    runs: int
    users: int


class UsageView(Wire):
    """Every day of the period, in UTC, today the last."""

    asset: str
    period: PeriodWord
    views: int
    queries: int
    runs: int
    users: int
    last_at: datetime | None
    days: list[UsageDayView]


class SimilarAssetView(AssetBrief):
    """Scores are from 0 to 1; `schema_score` is the Jaccard index of the columns."""

    score: float
    schema_score: float
    text_score: float
    reasons: list[str]


class RecommendationReasonView(Wire):
    source: Literal["people", "lineage", "domain", "popular"]
    text: str


class RecommendedAssetView(AssetBrief):
    asset: str
    score: float
    reasons: list[RecommendationReasonView]
