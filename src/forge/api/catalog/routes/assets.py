"""/api/v1/catalog: what there is. Searching with an empty query browses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request

from forge.api.catalog.asset_views import search_hit, table_of
from forge.api.catalog.wire.assets import SearchHit, Suggestion
from forge.api.paging import AWindow
from forge.api.site import TheSite
from forge.api.wire import Page
from forge.catalog.search import MatchRank, fold
from forge.flows.catalog.assets import Asset, AssetCatalog
from forge.flows.runs.ports import Runs
from forge.flows.versioning.record_ports import Refs

router = APIRouter(prefix="/api/v1/catalog", tags=["catalog"])

Words = Annotated[tuple[str, ...], Query(max_length=20)]
Sort = Literal["relevance", "freshness", "name"]
_RUN = re.compile(r"r\d*(_[0-9a-f]*)*")
_RUNS = 200  # the newest, looked through for one that begins so
_ORDER = {"table": 0, "view": 0, "column": 1, "branch": 2, "run": 3}


async def _catalog(request: Request, site: TheSite) -> AssetCatalog:
    """One per server: it keeps what is prepared for searching."""
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
    window: AWindow,
    q: Annotated[str, Query(max_length=200)] = "",
    types: Annotated[tuple[Literal["table", "view", "column"], ...], Query()] = ("table", "view"),
    tags: Words = (),
    owners: Words = (),
    state: Annotated[tuple[Literal["ok", "failing", "unchecked"], ...], Query()] = (),
    sort: Sort = "relevance",
) -> Page[SearchHit]:
    """Filters repeat: values of one are OR, different ones AND."""
    index, assets, now = catalog.index(), catalog.assets(), site.wiring.clock()
    wanted = _filter(tags, owners, state)
    tables = {name for name, asset in assets.items() if wanted(asset)}
    found = [hit.entry for hit in index.find(q, types) if table_of(hit.entry) in tables]
    if sort == "name":
        found.sort(key=lambda entry: fold(entry.qualified_name))
    elif sort == "freshness":
        found.sort(key=lambda entry: fold(entry.qualified_name))
        found.sort(key=lambda entry: assets[table_of(entry)].record.updated_at, reverse=True)
    return window.page(found, lambda entry: search_hit(entry, assets, now), total=len(found))


@router.get("/suggest")
def suggest(
    site: TheSite,
    catalog: TheCatalog,
    prefix: Annotated[str, Query(max_length=200)],
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> list[Suggestion]:
    """For the search box: tables, columns, branches and runs, the best first."""
    found = [
        (max(hit.ranks, default=MatchRank.PREFIX), Suggestion.of(hit.entry, text=hit.entry.qualified_name))
        for hit in catalog.index().find(prefix)[:limit]
    ]
    found += [(_rank(name, prefix), _suggestion("branch", name)) for name in _branches(site.wiring.metadata, prefix)]
    found += [(_rank(run, prefix), _suggestion("run", run)) for run in _runs(site.wiring.metadata, prefix)]
    found.sort(key=lambda one: (one[0], _ORDER[one[1].type]))  # stable: what came first stays first
    return [suggestion for _, suggestion in found[:limit]]


def _filter(tags: Iterable[str], owners: Iterable[str], states: Iterable[str]) -> Callable[[Asset], bool]:
    tagged, owned, standing = {fold(tag) for tag in tags}, {fold(owner) for owner in owners}, set(states)

    def wanted(asset: Asset) -> bool:
        record = asset.record
        return (
            (not tagged or not tagged.isdisjoint(map(fold, record.tags)))
            and (not owned or fold(record.owner or "") in owned)
            and (not standing or asset.standing.state in standing)
        )

    return wanted


def _suggestion(kind: Literal["branch", "run"], name: str) -> Suggestion:
    return Suggestion(text=name, type=kind, qualified_name=name)


def _rank(name: str, prefix: str) -> MatchRank:
    return MatchRank.EXACT if fold(name) == fold(prefix.strip()) else MatchRank.PREFIX


def _branches(metadata: Refs, prefix: str) -> list[str]:
    return [branch.name for branch in metadata.branches() if fold(branch.name).startswith(fold(prefix.strip()))]


def _runs(metadata: Runs, prefix: str) -> list[str]:
    """Newest first; only for what looks like the beginning of a run's id."""
    begin = prefix.strip().lower()
    if len(begin) < 2 or not _RUN.fullmatch(begin):
        return []
    return [run.id for run in metadata.runs(limit=_RUNS) if run.id.startswith(begin)]
