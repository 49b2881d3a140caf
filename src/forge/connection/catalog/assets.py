"""`forge.connect().catalog`: crawl, show, list and document assets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forge.catalog.approval import ProposalState
from forge.catalog.asset import AssetState, AssetType
from forge.connection.catalog.discovery import (
    PopularAssets,
    RecommendedAssets,
    SimilarMatches,
    asset_usage,
    popular_assets,
    recommended_assets,
    similar_assets,
)
from forge.connection.catalog.glossary import GlossaryBook
from forge.connection.catalog.items import (
    AssetItem,
    AssetLine,
    AssetLines,
    Crawls,
    EditHistory,
    EditItem,
    EditProposals,
    LabelCounts,
)
from forge.connection.catalog.pii import PiiView
from forge.connection.catalog.profiles import ProfileBook
from forge.connection.catalog.search import SearchResult, SearchSuggestions, Words, search_query_of, words
from forge.flows.catalog.asset_sheet import NOW, AssetSheet, find_asset_sheet
from forge.flows.catalog.asset_store import AssetFilter
from forge.flows.catalog.crawl import crawl
from forge.flows.catalog.edit import EditOutcome, EditPorts, decide_proposal, edit_asset, find_asset, lacks, undo_edit
from forge.flows.catalog.search.context import ContextPack, find_context
from forge.flows.catalog.search.suggest import find_suggestions
from forge.model.errors import ForgeError
from forge.wiring import Wiring
from forge.wiring.asset_sheets import asset_sheet_ports

if TYPE_CHECKING:
    from forge.catalog.asset import CatalogAsset
    from forge.catalog.discovery.usage import UsageHistory


@dataclass(frozen=True, slots=True)
class CatalogView:
    """An asset is named by its qualified name, or by one that it had before a rename."""

    wiring: Wiring

    @property
    def _ports(self) -> EditPorts:
        return self.wiring.catalog.edit_ports()

    @property
    def pii(self) -> PiiView:
        """Personal data: scans, findings and reviews."""
        return PiiView(self.wiring)

    @property
    def profile(self) -> ProfileBook:
        """What the values of tables look like: `f.catalog.profile("core.orders")`, `.show`, `.diff`, `.history`."""
        return ProfileBook(self.wiring)

    def scan(self, *sources: str, dry_run: bool = False) -> Crawls:
        """Crawl all sources, or these. A source that fails says why, and keeps its assets."""
        return Crawls(crawl(self.wiring.catalog.crawl_ports(), sources, dry_run=dry_run))

    def search(
        self,
        text: str = "",
        *,
        types: Words = (),
        domains: Words = (),
        tags: Words = (),
        owners: Words = (),
        classification: Words = (),
        pii: Words = (),
        quality: Words = (),
        containers: Words = (),
        sort: str = "relevance",
        facets: Words = (),
        explain: bool = False,
        limit: int = 50,
        cursor: str | None = None,
        offset: int = 0,
    ) -> SearchResult:
        """The best first; without words, browse. Values of one filter are OR, different ones AND. `offset`: how many
        are left out, without a cursor."""
        query = search_query_of(
            text,
            types=types,
            domains=domains,
            tags=tags,
            owners=owners,
            classification=classification,
            pii=pii,
            quality=quality,
            containers=containers,
            sort=sort,
            facets=facets,
            explain=explain,
            limit=limit,
            cursor=cursor,
            offset=offset,
        )
        return SearchResult(self.wiring.catalog.search.catalog.search(query))

    def suggest(self, prefix: str, limit: int = 10) -> SearchSuggestions:
        """Assets, schemas, terms, columns, branches and runs whose names begin so."""
        suggest = self.wiring.catalog.search.catalog.suggest
        return SearchSuggestions(find_suggestions(suggest, self.wiring.metadata, prefix, limit))

    def context(self, text: str, max_chars: int = 8000) -> ContextPack:
        """The best assets for a question, as Markdown of at most so many letters, for an assistant."""
        search, user = self.wiring.catalog.search, self.wiring.author.email
        return find_context(search.catalog.search, text, max_chars, search.closed_to(user))

    def reindex(self) -> int:
        """Rebuild the index of the search from the records; how many documents it has."""
        return self.wiring.catalog.search.catalog.reindex()

    def get(self, name: str, at: str = NOW) -> AssetSheet:
        """An asset as it is now, or at a branch, tag, commit or time. E850. A program that reads is no view of it."""
        return find_asset_sheet(name, asset_sheet_ports(self.wiring), at=at)

    def show(self, name: str, at: str = NOW) -> AssetSheet:
        """The same as `get`, by the word of the terminal."""
        return self.get(name, at)

    def list(
        self,
        *,
        domains: Words = (),
        tags: Words = (),
        owners: Words = (),
        types: Words = (),
        sources: Words = (),
        vanished: bool = False,
        limit: int = 500,
    ) -> AssetLines:
        """By name. Values of one filter are OR, different ones AND."""
        wanted = AssetFilter(
            domains=words(domains),
            tags=words(tags),
            owners=words(owners),
            types=tuple(AssetType(one) for one in words(types)),
            sources=words(sources),
            states=() if vanished else (AssetState.ACTIVE,),
        )
        return AssetLines(AssetLine(asset) for asset in self.wiring.catalog.assets.assets(wanted, limit=limit))

    def edit(self, name: str, *, expected_version: int | None = None, **fields: Any) -> EditItem:
        """`f.catalog.edit("core.orders", owner="ada", columns={"amount": {"description": "net"}})`; None takes a field
        away. E853 where the documentation is not at `expected_version`."""
        return self._edited(edit_asset(name, fields, self._ports, expected_version=expected_version))

    def tag(
        self, name: str, add: Iterable[str] = (), remove: Iterable[str] = (), column: str | None = None
    ) -> EditItem:
        """Add and remove tags of an asset, or of one of its columns."""
        asset, gone = find_asset(self.wiring.catalog.assets, name), set(remove)
        if crawled := sorted(gone.intersection(() if column else asset.crawled.tags)):
            raise ForgeError(
                "E852",
                f"{', '.join(crawled)} cannot be taken from {asset.qualified_name}",
                why=f"Such tags come from {asset.crawled.source}; only there they are changed. Nothing was changed.",
            )
        now = asset.edited.columns.get(column.lower()) if column else asset.edited
        tags = [tag for tag in (*(now.tags if now else ()), *add) if tag not in gone]
        fields: Mapping[str, Any] = {"columns": {column: {"tags": tags}}} if column else {"tags": tags}
        return self._edited(edit_asset(name, fields, self._ports, expected_version=asset.version))

    def history(self, name: str, limit: int = 100) -> EditHistory:
        """Newest first."""
        store = self.wiring.catalog.assets
        return EditHistory(store.history(find_asset(store, name).uid, limit))

    def undo(self, name: str, version: int | None = None, *, expected_version: int | None = None) -> EditItem:
        """A new edit that restores what was before one; without a version, before the last. E853 where the
        documentation is not at `expected_version`."""
        return self._edited(undo_edit(name, self._ports, version=version, expected_version=expected_version))

    def proposals(self, state: str | None = "open", limit: int = 100) -> EditProposals:
        """Edits that wait for someone else; `state=None`: decided ones, too."""
        wanted = ProposalState(state) if state else None
        return EditProposals(self.wiring.catalog.assets.proposals(state=wanted, limit=limit))

    def approve(self, proposal_id: str, comment: str = "") -> EditItem:
        """E855 for who proposed it, and for who may not."""
        return self._edited(decide_proposal(proposal_id, self._ports, approve=True, comment=comment))

    def reject(self, proposal_id: str, comment: str = "") -> EditItem:
        return self._edited(decide_proposal(proposal_id, self._ports, approve=False, comment=comment))

    def register(self, *items: Mapping[str, Any]) -> AssetLines:
        """What no crawler sees: `{"qualified_name": "bi:weekly", "type": "dashboard", "description": "…"}`. Upserts."""
        from forge.flows.catalog.register import register_assets

        parts = self.wiring.catalog
        found = register_assets(items, parts.register_ports(), self._ports)
        return AssetLines(AssetLine(one.outcome.asset) for one in found)

    def domains(self) -> LabelCounts:
        return LabelCounts(self.wiring.catalog.assets.domains())

    def tags(self, prefix: str = "", limit: int = 100) -> LabelCounts:
        """The most used first."""
        return LabelCounts(self.wiring.catalog.assets.tags(prefix, limit))

    @property
    def glossary(self) -> GlossaryBook:
        """Terms of the business."""
        return GlossaryBook(self.wiring)

    def popular(self, *, domain: str | None = None, time_range: str = "month", limit: int = 20) -> PopularAssets:
        """Most used first: by how many people, then how often; `time_range` is day, week or month."""
        return popular_assets(self.wiring, domain, time_range, limit)

    def usage(self, name: str, time_range: str = "month") -> UsageHistory:
        """Views, queries and readings by runs, in sum and by day."""
        return asset_usage(self.wiring, name, time_range)

    def similar(self, name: str, limit: int = 10) -> SimilarMatches:
        """By columns, words and domain, each with its reasons."""
        return similar_assets(self.wiring, name, limit)

    def recommend(self, context: str | None = None, limit: int = 10) -> RecommendedAssets:
        """What you have not used yet, each with its reasons; `context`: the asset that you are looking at."""
        return recommended_assets(self.wiring, context, limit)

    def _item(self, asset: CatalogAsset) -> AssetItem:
        name = asset.qualified_name
        return AssetItem(asset, lacks(asset, self._ports), self.wiring.catalog.classifications([name])[name])

    def _edited(self, outcome: EditOutcome) -> EditItem:
        return EditItem(self._item(outcome.asset), outcome.edit, outcome.proposal)
