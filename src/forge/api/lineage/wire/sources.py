"""JSON of source files read for lineage."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from forge.api.wire import Name, Page, Text, Wire


class GapView(Wire):
    """Something that was not understood; `code` is the line."""

    line: int | None
    reason: str
    code: str


class SourceView(Wire):
    """One file. `coverage`: the share of its statements that were understood whole."""

    id: str
    root: str
    path: str
    language: str
    read_at: datetime
    seconds: float
    statements: int
    understood: int
    queries: int
    coverage: float
    edges: int
    gaps: int


class SourceDetail(SourceView):
    """`tables`: those it speaks of."""

    gap_list: list[GapView]
    tables: list[str]


class LanguageTotal(Wire):
    language: str
    files: int
    statements: int
    understood: int
    edges: int
    gaps: int


class SourceTotals(Wire):
    files: int
    statements: int
    understood: int
    queries: int
    edges: int
    gaps: int
    languages: list[LanguageTotal]
    read_at: datetime | None


class SourcesView(Page[SourceView]):
    totals: SourceTotals


class GapItem(GapView):
    source_id: str
    path: str
    root: str


class DisagreementView(Wire):
    """An edge that only `code` or only `runs` tell; `id` is that of the edge."""

    id: str
    source: str
    target: str
    table: str
    said_by: str
    producer: str
    place: str
    expression: str


class DisagreementsView(Page[DisagreementView]):
    """`tables`: of which both speak; `agreed`: edges that both tell."""

    tables: int
    agreed: int


class IngestRequest(Wire):
    """`path` is a file or folder of the project. `db` and `default_schema` complete short names."""

    path: Text = Field(min_length=1, max_length=1000, examples=["jobs"])
    db: Name | None = None
    default_schema: Name | None = None
    dialect: Name = "spark"
    again: bool = False


class IngestedView(Wire):
    """What was read. `unchanged` files were not read again; `recorded` is what the graph gained."""

    root: str
    files: int
    read: int
    unchanged: int
    removed: list[str]
    statements: int
    understood: int
    queries: int
    edges: int
    gaps: int
    seconds: float
    recorded: dict[str, int]
