"""/api/v1/lineage/sources: source files read for lineage, and their gaps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as File
from typing import Annotated, Literal

from fastapi import Path, Query

from forge.api.lineage.wire.sources import (
    DisagreementsView,
    DisagreementView,
    GapItem,
    GapView,
    IngestedView,
    IngestRequest,
    LanguageTotal,
    SourceDetail,
    SourcesView,
    SourceTotals,
    SourceView,
)
from forge.api.paging import AWindow
from forge.api.site import Site, TheSite
from forge.api.versioning.paths import lineage_router
from forge.api.wire import Page
from forge.connection.lineage.code import ingest_code, options_of
from forge.flows.lineage.code.records import SourceRecord
from forge.flows.lineage.disagreements import find_disagreements
from forge.flows.lineage.reader import open_graph
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

router = lineage_router()
Sorting = Literal["path", "coverage", "gaps", "edges"]
_KEYS = {
    "path": lambda one: (one.root, one.path),
    "coverage": lambda one: (one.coverage, -len(one.gaps), one.path),
    "gaps": lambda one: (-len(one.gaps), one.path),
    "edges": lambda one: (-one.edges, one.path),
}


def _all(site: Site) -> tuple[SourceRecord, ...]:
    return site.wiring.lineage.sources.sources()


@router.get("/sources")
def lineage_sources(
    site: TheSite,
    window: AWindow,
    query: Annotated[str, Query(max_length=255, description="Part of a path.")] = "",
    language: Annotated[str | None, Query(max_length=16, description="sql, python, dbt, …")] = None,
    gaps: Annotated[bool, Query(description="Only files of which something was not understood.")] = False,
    sort: Annotated[Sorting, Query(description="coverage: the least understood first.")] = "coverage",
    reverse: Annotated[bool, Query(description="The other way round.")] = False,
) -> SourcesView:
    """Files that were read, how much of each was understood, and the sums of all."""
    every = _all(site)
    chosen = [
        one
        for one in every
        if query.lower() in one.id.lower() and (not language or one.language == language) and (not gaps or one.gaps)
    ]
    found = sorted(chosen, key=_KEYS[sort], reverse=reverse)
    page = window.page(found, source_view, total=len(found))
    return SourcesView(**dict(page), totals=_totals(every))


@router.get("/sources/gaps")
def lineage_gaps(
    site: TheSite,
    window: AWindow,
    query: Annotated[str, Query(max_length=255, description="Part of a path, of the reason or of the line.")] = "",
) -> Page[GapItem]:
    """Everything that was not understood, with its line of code."""
    found = [
        GapItem(source_id=one.id, path=one.path, root=one.root, line=gap.line or None, reason=gap.reason, code=gap.code)
        for one in _all(site)
        for gap in one.gaps
        if any(query.lower() in text.lower() for text in (one.id, gap.reason, gap.code))
    ]
    return window.page(found, lambda gap: gap, total=len(found))


@router.get("/sources/disagreements")
def lineage_disagreements(site: TheSite, window: AWindow) -> DisagreementsView:
    """Edges on which code and runs do not agree, of the tables of which both speak."""
    found = find_disagreements(open_graph(site.wiring.lineage.graph).store)
    every = found.disagreements
    page = window.page(every, lambda one: DisagreementView.model_validate(one.to_dict()), total=len(every))
    return DisagreementsView.of(found, **dict(page))


@router.get("/sources/{source_id:path}")
def lineage_source(
    site: TheSite, source_id: Annotated[str, Path(max_length=1000, examples=["jobs/daily.sql"])]
) -> SourceDetail:
    """One file with all that was not understood."""
    every = {one.id: one for one in _all(site)}
    found = every.get(source_id)
    if found is None:
        fix = did_you_mean(source_id, every) or "Read it: forge ingest PATH"
        raise ForgeError("E816", f"No code was read from {source_id}", fix=fix)
    gaps = [GapView(line=gap.line or None, reason=gap.reason, code=gap.code) for gap in found.gaps]
    return SourceDetail(**dict(source_view(found)), gap_list=gaps, tables=sorted(found.uses))


@router.post("/ingest")
def ingest(site: TheSite, body: IngestRequest) -> IngestedView:
    """Read a file or folder of the project into the graph. What did not change since the last time is not read
    again."""
    root = site.wiring.root.resolve()
    place = (root / body.path).resolve()
    if not place.is_relative_to(root):
        raise ForgeError("E816", f"{body.path} is not in the project", why="The server reads code of its project only.")
    options = options_of(body.db, body.default_schema, None, body.dialect, again=body.again)
    done = ingest_code(site.wiring, File(place), options).to_dict()
    return IngestedView.model_validate({name: done[name] for name in IngestedView.model_fields})


def source_view(one: SourceRecord) -> SourceView:
    return SourceView.model_validate({**one.to_dict(), "gaps": len(one.gaps)})


def _totals(every: Sequence[SourceRecord]) -> SourceTotals:
    languages = sorted({one.language for one in every})
    by_language = {word: [one for one in every if one.language == word] for word in languages}
    return SourceTotals(
        **_counts(every),
        queries=sum(one.queries for one in every),
        languages=[LanguageTotal(language=word, **_counts(some)) for word, some in by_language.items()],
        read_at=max((one.read_at for one in every), default=None),
    )


def _counts(some: Sequence[SourceRecord]) -> dict[str, int]:
    return {
        "files": len(some),
        "statements": sum(one.statements for one in some),
        "understood": sum(one.understood for one in some),
        "edges": sum(one.edges for one in some),
        "gaps": sum(len(one.gaps) for one in some),
    }
