"""The parts of the catalog's search: its index, and where its documents come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.names import CommitId, TableName
from forge.model.secret import resolve_secret

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from forge.flows.catalog.assets import AssetCatalog
    from forge.flows.catalog.search.catalog_search import CatalogSearch
    from forge.flows.catalog.search.documents import SearchFacts
    from forge.flows.catalog.search.ports import AssetIndex
    from forge.flows.runs.records import AssetRecord
    from forge.wiring import Wiring


@dataclass(frozen=True)
class SearchParts:
    wiring: Wiring

    @cached_property
    def index(self) -> AssetIndex:
        keys = self.wiring.settings.catalog.search
        if keys.engine == "tantivy":
            from forge.stores.tantivy.asset_index import TantivyAssetIndex

            return TantivyAssetIndex(self.wiring.root / ".forge" / "search")
        return self._server_index()

    def _server_index(self) -> AssetIndex:
        from forge.stores.opensearch.asset_index import OpenSearchAssetIndex
        from forge.stores.opensearch.server import SearchServer

        keys, environ = self.wiring.settings.catalog.search, self.wiring.environ
        if keys.url is None:
            raise ForgeError(
                "E105",
                "catalog.search.engine is opensearch, and catalog.search.url is not set",
                where="forge.yaml",
                fix="Set catalog.search.url to an address like https://search.example:9200.",
            )
        password = resolve_secret(keys.password, environ, "catalog.search.password") if keys.password else ""
        api_key = resolve_secret(keys.api_key, environ, "catalog.search.api_key") if keys.api_key else None
        ca_file = str(self.wiring.root / keys.ca_file) if keys.ca_file else None
        server = SearchServer(
            keys.url,
            user=keys.user,
            password=password,
            api_key=api_key,
            timeout=keys.timeout_seconds,
            ca_file=ca_file,
        )
        return OpenSearchAssetIndex(server, keys.index)

    @cached_property
    def catalog(self) -> CatalogSearch:
        """Searches, and follows the records."""
        from forge.flows.catalog.search.catalog_search import CatalogSearch, SearchSources

        return CatalogSearch(
            self.index,
            SearchSources(
                assets=self.wiring.catalog.assets,
                read_files=self._read_files,
                derived=lambda names: self.wiring.catalog.classification_flow().below(names),
                terms=lambda: self.wiring.catalog.discovery.glossary.terms(),
                facts=self._facts,
                head=lambda: self.wiring.branch_head(self.wiring.default_branch) or "",
                published=self._published,
                changed=self._changed,
            ),
        )

    def _read_files(self) -> None:
        """Those of catalog/ and glossary/, where one has changed."""
        self.wiring.catalog.asset_files.look()
        self.wiring.catalog.discovery.glossary_files.look()

    def closed_to(self, user: str) -> frozenset[str]:
        """How the catalog names databases, folders and files of the sources that this user may not read."""
        from forge.federation.rights import may_read
        from forge.stores.crawlers.declared_source import catalog_name

        closed = [one for one in self.wiring.federation.sources() if not may_read(one, user)]
        names = {f"files:{one.path}".rstrip("/") for one in closed if one.path}
        databases = [catalog_name(one, self.wiring.root) for one in closed]
        return frozenset(names | {name for name in databases if name is not None})

    def refresh_tables(self, tables: Sequence[TableName]) -> int:
        """After a publication, a scan or a profile of these."""
        return self.catalog.refresh([str(table) for table in tables])

    def _standing(self) -> AssetCatalog:
        """A new one for each batch: what it keeps may be seconds old, and a document would have that until the next
        change."""
        from forge.flows.catalog.assets import AssetCatalog

        return AssetCatalog(self.wiring.metadata, self.wiring.default_branch, self.wiring.quality.monitors.standing)

    def _published(self, head: str, names: Collection[str] | None) -> Mapping[str, AssetRecord]:
        from forge.flows.catalog.assets import records_of, tree_of

        metadata = self.wiring.metadata
        if not head:
            return {}
        tree = metadata.tree(CommitId(head))
        part = tree if names is None else tree_of(tree, names)
        return {str(record.table): record for record in records_of(metadata, part)}

    def _changed(self, old: str, new: str) -> Iterable[str]:
        tree = self.wiring.metadata.tree
        before, after = tree(CommitId(old)) if old else {}, tree(CommitId(new)) if new else {}
        return [str(table) for table in {*before, *after} if before.get(table) != after.get(table)]

    def _facts(self, names: Sequence[str]) -> Mapping[str, SearchFacts]:
        from forge.flows.catalog.search.documents import SearchFacts
        from forge.quality.score import score_of

        standing, used = self._standing().named(names), self._usage(names)
        found = self.wiring.catalog.pii.types_of(names)
        levels = self.wiring.catalog.classifications(names, found)
        shown = self.wiring.catalog.pii.shown_types(names, found)
        governed = self._governed()
        facts = {}
        for name in names:
            known = standing.get(name)
            facts[name] = SearchFacts(
                quality=score_of(verdict.outcome for verdict in known.standing.verdicts) if known else None,
                popularity=used.get(name, 0),
                pii=shown.get(name, {}),
                has_contract=name.lower() in governed,
                classification=levels[name].level,
            )
        return facts

    def _usage(self, names: Sequence[str]) -> dict[str, int]:
        from forge.catalog.discovery.usage import UsagePeriod

        today = self.wiring.clock().date()
        usage = self.wiring.catalog.discovery.usage
        totals = usage.totals(UsagePeriod.MONTH.since(today), today, assets=names, limit=max(1, len(names)))
        return {one.asset: one.uses for one in totals}

    def _governed(self) -> frozenset[str]:
        heads = self.wiring.contracts.registry.heads()
        return frozenset(table.lower() for head in heads for table in head.newest.tables)
