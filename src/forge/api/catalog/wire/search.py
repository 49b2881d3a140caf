"""What a search answers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from forge.api.catalog.wire.assets import AssetView
from forge.api.wire import Page, Wire

SearchTypeWord = Literal[
    "table",
    "view",
    "dataset",
    "pipeline",
    "dashboard",
    "model",
    "feature",
    "metric",
    "database",
    "schema",
    "term",
    "column",
]
SuggestionTypeWord = Literal[
    "table",
    "view",
    "dataset",
    "pipeline",
    "dashboard",
    "model",
    "feature",
    "metric",
    "database",
    "schema",
    "term",
    "column",
    "branch",
    "run",
]
StageWord = Literal["exact", "phrase", "prefix", "related", "fuzzy", "description", "browse"]


class MarkedTextView(Wire):
    """Plain text, and where it matched: from, to. Whoever shows it escapes it."""

    text: str
    marks: list[tuple[int, int]] = []


class HighlightView(Wire):
    name: MarkedTextView
    description: MarkedTextView


class MatchedColumnView(Wire):
    name: str
    marks: list[tuple[int, int]] = []


class BoostView(Wire):
    name: str
    points: int


class ExplanationView(Wire):
    """The stage goes before all points; these decide within it."""

    stage: StageWord
    points: int
    base: int
    boosts: list[BoostView] = []


class SearchHit(Wire):
    """What matches; the best first."""

    id: str
    type: SearchTypeWord
    name: str
    qualified_name: str
    table: str  # of a column, its table; else itself
    container: str = ""
    description: str = ""
    owner: str | None = None
    domain: str | None = None
    tags: list[str] = []
    classification: str | None = None
    pii: list[str] = []
    quality: float | None = None
    popularity: int = 0
    fresh_at: datetime | None = None
    deprecated: bool = False
    vanished: bool = False
    has_contract: bool = False
    stage: StageWord = "browse"
    highlight: HighlightView | None = None
    matched_columns: list[MatchedColumnView] = []
    explanation: ExplanationView | None = None
    asset: AssetView | None = None  # of assets, with their checks


class FacetCountView(Wire):
    value: str
    count: int


class SearchPageView(Page[SearchHit]):
    """`total_exact` is false where columns are asked for and more follow: at least so many match."""

    total_exact: bool = True
    facets: dict[str, list[FacetCountView]] = {}
    generation: int = 0


class Suggestion(Wire):
    text: str
    type: SuggestionTypeWord
    qualified_name: str
    marks: list[tuple[int, int]] = []  # in the text
    id: str | None = None  # of a glossary term


class ContextView(Wire):
    """Markdown for an assistant: the best assets, with columns and descriptions, without any values."""

    query: str
    text: str
    assets: list[str]
    left_out: int
    chars: int
