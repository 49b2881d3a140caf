"""/api/v1/catalog: searching, suggesting, context for assistants. An empty search browses."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request

from forge.api.auth import ThePrincipal
from forge.api.catalog.search_views import hit_view
from forge.api.catalog.wire.search import ContextView, SearchPageView, SearchTypeWord, Suggestion
from forge.api.paging import FARTHEST, best_of
from forge.api.site import TheSite
from forge.api.wire import Page
from forge.catalog.search.document import DocumentType
from forge.catalog.search.query import SearchFacet, SearchFilter, SearchQuery, SearchSort
from forge.flows.catalog.assets import AssetCatalog
from forge.flows.catalog.search.context import LEAST_CHARS, LONGEST_QUESTION, MOST_CHARS, find_context
from forge.flows.catalog.search.suggest import find_suggestions

router = APIRouter(prefix="/api/v1/catalog", tags=["catalog"])

Value = Annotated[str, Query(max_length=300)]
Values = Annotated[tuple[Value, ...], Query(max_length=20)]
SortWord = Literal["relevance", "popularity", "freshness", "name"]
FacetWord = Literal["type", "domain", "tag", "owner", "classification", "pii", "quality"]


async def _catalog(request: Request, site: TheSite) -> AssetCatalog:
    """One per server: it keeps what checks say about assets."""
    state = request.app.state
    if not hasattr(state, "catalog"):
        wiring = site.wiring
        state.catalog = AssetCatalog(
            wiring.metadata, wiring.default_branch, wiring.quality.monitors.standing, site.current_checks
        )
    found: AssetCatalog = state.catalog
    return found


TheCatalog = Annotated[AssetCatalog, Depends(_catalog)]


@router.get("/search")
def search(
    site: TheSite,
    catalog: TheCatalog,
    q: Annotated[str, Query(max_length=200)] = "",
    types: Annotated[tuple[SearchTypeWord, ...], Query(max_length=20, description="Default: all of assets.")] = (),
    domains: Values = (),
    tags: Values = (),
    owners: Values = (),
    classification: Annotated[
        tuple[Literal["public", "internal", "confidential", "restricted"], ...], Query(max_length=4)
    ] = (),
    pii: Values = (),
    quality: Annotated[tuple[Literal["excellent", "good", "fair", "poor", "unknown"], ...], Query(max_length=5)] = (),
    containers: Values = (),
    state: Annotated[tuple[Literal["ok", "failing", "unchecked"], ...], Query(max_length=3)] = (),
    sort: SortWord = "relevance",
    facets: Annotated[tuple[FacetWord, ...], Query(max_length=7, description="What to count results by.")] = (),
    explain: Annotated[bool, Query(description="Why each result is where it is.")] = False,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=6000, description="`next_cursor` of the page before.")] = None,
    offset: Annotated[int, Query(ge=0, le=FARTHEST, description="How many to leave out, without a cursor.")] = 0,
) -> SearchPageView:
    """Filters repeat: values of one are OR, different ones AND. A facet counts as if its own filter were not set."""
    filters: dict[SearchFilter, tuple[str, ...]] = {
        SearchFilter.DOMAIN: domains,
        SearchFilter.TAG: tags,
        SearchFilter.OWNER: owners,
        SearchFilter.CLASSIFICATION: classification,
        SearchFilter.PII: pii,
        SearchFilter.QUALITY: quality,
        SearchFilter.CONTAINER: containers,
    }
    if state:  # verdicts change more often than documents
        of_lake = catalog.assets().items()
        filters[SearchFilter.ID] = tuple(name for name, one in of_lake if one.standing.state in state) or ("",)
    query = SearchQuery(
        text=q,
        types=tuple(map(DocumentType, types)),
        filters=filters,
        sort=SearchSort(sort),
        limit=limit,
        cursor=cursor,
        offset=offset,
        facets=tuple(map(SearchFacet, facets)),
        explain=explain,
    )
    page = site.wiring.catalog.search.catalog.search(query)
    now, assets = site.wiring.clock(), catalog.named(hit.document.qualified_name for hit in page.hits)
    view = {**page.to_dict(), "items": [hit_view(hit, assets, now) for hit in page.hits]}
    return SearchPageView.model_validate(view)


@router.get("/suggest")
def suggest(
    site: TheSite,
    prefix: Annotated[str, Query(max_length=200)],
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> Page[Suggestion]:
    """For the search box: assets, schemas, terms, columns, branches and runs, the best first."""
    wiring = site.wiring
    found = find_suggestions(wiring.catalog.search.catalog.suggest, wiring.metadata, prefix, limit)
    return best_of([Suggestion.model_validate(one.to_dict()) for one in found])


@router.get("/context")
def context(
    site: TheSite,
    caller: ThePrincipal,
    q: Annotated[str, Query(min_length=1, max_length=LONGEST_QUESTION, description="Words, or a sentence.")],
    max_chars: Annotated[int, Query(ge=LEAST_CHARS, le=MOST_CHARS)] = 8000,
) -> ContextView:
    """The best assets for a question, as Markdown of at most so many letters; none of a source that names its readers
    to anybody else."""
    parts = site.wiring.catalog.search
    pack = find_context(parts.catalog.search, q, max_chars, parts.closed_to(caller.user))
    return ContextView.model_validate(pack.to_dict())
