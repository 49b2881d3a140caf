"""The index follows the records: changes, commits, terms, and what holds assets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count

import pytest

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import SeenAsset, plan_crawl
from forge.catalog.glossary.term import GlossaryTerm
from forge.catalog.search.document import DocumentType
from forge.catalog.search.query import SearchFilter, SearchQuery
from forge.flows.catalog.search.catalog_search import CatalogSearch, SearchSources
from forge.flows.catalog.search.documents import SearchFacts, containers_of
from forge.flows.runs.records import AssetRecord
from forge.model.names import TableName
from forge.stores.memory.asset_index import MemoryAssetIndex
from forge.stores.memory.asset_store import MemoryAssetStore

NOW = datetime(2026, 11, 18, tzinfo=UTC)
_NUMBERS = count(1)


class World:
    """A store of assets, a lake whose commits are numbers, terms and facts."""

    def __init__(self) -> None:
        self.store, self.index = MemoryAssetStore(), MemoryAssetIndex()
        self.terms: list[GlossaryTerm] = []
        self.facts: dict[str, SearchFacts] = {}
        self.derived: dict[str, list[str]] = {}
        self.commits: list[dict[str, AssetRecord]] = []
        self.read: list[tuple[str, ...]] = []  # the names of each reading of published tables
        self.search = CatalogSearch(
            self.index,
            SearchSources(
                assets=self.store,
                terms=lambda: tuple(self.terms),
                facts=self._facts,
                head=lambda: str(len(self.commits)) if self.commits else "",
                published=self._published,
                changed=self._changed,
                derived=self._derived,
            ),
        )

    def _published(self, head: str, names: Collection[str] | None) -> Mapping[str, AssetRecord]:
        tables = self.commits[int(head) - 1] if head else {}
        self.read.append(tuple(tables) if names is None else tuple(sorted(names)))
        return {name: one for name, one in tables.items() if names is None or name in names}

    def _facts(self, names: Sequence[str]) -> Mapping[str, SearchFacts]:
        return {name: self.facts[name] for name in names if name in self.facts}

    def _derived(self, names: Sequence[str]) -> list[str]:
        return [*names, *(one for name in names for one in self.derived.get(name, ()))]

    def _changed(self, old: str, new: str) -> list[str]:
        before, after = (self.commits[int(one) - 1] if one else {} for one in (old, new))
        return [name for name in {*before, *after} if before.get(name) != after.get(name)]

    def crawl(self, *names: str, key: str = "", **fields: object) -> None:
        seen = [
            SeenAsset(
                CrawledAsset(
                    qualified_name=name,
                    type=AssetType.TABLE,
                    source="lake",
                    key=key or name,
                    columns=(CrawledColumn("id", "bigint"),),
                    **fields,  # type: ignore[arg-type]
                )
            )
            for name in names
        ]
        marks = {mark.uid: mark for mark in (*self.store.marks("lake"), *self.store.marks_named(names))}
        plan = plan_crawl("lake", marks.values(), seen, lambda: f"{next(_NUMBERS):032x}", sources=("lake",))
        self.store.apply(plan, NOW)

    def publish(self, **tables: str) -> None:
        """`core__orders="Description"`: the tables of the next commit."""
        self.commits.append(
            {
                str(table): AssetRecord(
                    table=table,
                    kind="table",
                    description=text,
                    owner=None,
                    tags=(),
                    columns=({"name": "amount", "type": "bigint", "description": "", "pii": False},),
                    updated_at=NOW,
                )
                for name, text in tables.items()
                if (table := TableName(*name.split("__")))
            }
        )

    def found(self, text: str = "", *types: DocumentType) -> list[str]:
        return [hit.id for hit in self.search.search(SearchQuery(text=text, types=types)).hits]


@pytest.fixture
def search_world() -> World:
    return World()


def test_what_is_crawled_is_found_at_once_and_what_vanished_is_marked(search_world: World) -> None:
    assert search_world.found() == []
    search_world.crawl("core.orders", "core.refunds")
    assert search_world.found() == ["core.orders", "core.refunds"]
    search_world.crawl("core.orders")
    page = search_world.search.search(SearchQuery(text="refunds"))
    assert [(hit.id, hit.document.vanished) for hit in page.hits] == [("core.refunds", True)]


def test_a_renamed_asset_is_found_by_its_new_name_alone(search_world: World) -> None:
    search_world.crawl("core.orders", key="k")
    assert search_world.found() == ["core.orders"]
    search_world.crawl("core.sales", key="k")
    assert search_world.found() == ["core.sales"]
    assert search_world.found("orders") == []


def test_a_published_table_is_found_before_anything_is_crawled(search_world: World) -> None:
    search_world.publish(core__orders="All orders")
    assert search_world.found("all") == ["core.orders"]
    search_world.publish(core__orders="All orders", core__refunds="")
    assert search_world.found() == ["core.orders", "core.refunds"]
    search_world.publish(core__refunds="Now described")
    assert search_world.found() == ["core.refunds"]
    assert search_world.found("described") == ["core.refunds"]
    assert search_world.found("core", DocumentType.SCHEMA) == ["schema:core"]
    search_world.publish()
    assert search_world.found("core", DocumentType.SCHEMA) == []


def test_a_publication_gives_the_columns_and_the_catalog_the_words(search_world: World) -> None:
    search_world.crawl("core.orders", description="Of the crawl", owner="ada")
    search_world.publish(core__orders="Of the run")
    search_world.found()
    (hit,) = search_world.search.search(SearchQuery(text="orders")).hits
    assert (hit.document.description, hit.document.owner) == ("Of the crawl", "ada")
    assert [column.name for column in hit.document.columns] == ["amount"]


def test_terms_are_found_and_go_when_they_are_gone(search_world: World) -> None:
    search_world.crawl("core.orders")
    search_world.found()
    search_world.terms = [GlossaryTerm(id="net", name="Net revenue", synonyms=("turnover",))]
    search_world.store.touch("term", ["net"])
    assert search_world.found("turnover", DocumentType.TERM) == ["term:net"]
    search_world.terms = []
    search_world.store.touch("term", ["net"])
    assert search_world.found("turnover", DocumentType.TERM) == []


def test_facts_of_other_rooms_come_with_a_refresh(search_world: World) -> None:
    search_world.crawl("core.orders")
    search_world.found()
    search_world.facts["core.orders"] = SearchFacts(quality=97.0, popularity=12, pii={"id": "email"}, has_contract=True)
    assert search_world.search.refresh(["core.orders"]) >= 1
    document = search_world.search.search(SearchQuery(text="orders")).hits[0].document
    assert (document.quality, document.popularity, document.pii, document.has_contract) == (97.0, 12, ("email",), True)


def test_facts_in_the_log_of_changes_come_by_themselves_and_leave_what_derives_from_it(search_world: World) -> None:
    search_world.crawl("core.orders", "core.refunds")
    search_world.found()
    search_world.facts = dict.fromkeys(("core.orders", "core.refunds"), SearchFacts(quality=97.0))
    search_world.derived = {"core.orders": ["core.refunds"]}

    def judged() -> list[str]:
        return [hit.id for hit in search_world.search.search(SearchQuery()).hits if hit.document.quality]

    search_world.store.touch("facts", ["core.orders"])
    assert judged() == ["core.orders"]
    search_world.store.touch("asset", ["core.orders"])
    assert judged() == ["core.orders", "core.refunds"]


def test_following_a_change_reads_what_changed_and_nothing_else(search_world: World) -> None:
    names = [f"core__t{number}" for number in range(50)]
    search_world.publish(**dict.fromkeys(names, ""))
    search_world.crawl("core.t1", "core.t2")
    search_world.found()
    search_world.read.clear()
    search_world.store.touch("asset", ["core.t1"])
    search_world.found()
    search_world.publish(**(dict.fromkeys(names, "") | {"core__t7": "described"}))
    assert search_world.found("described") == ["core.t7"]
    search_world.search.refresh(["core.t9"])
    assert search_world.read == [("core.t1",), ("core.t7",), ("core.t9",)]


def test_a_rebuild_has_the_same_documents_as_following(search_world: World) -> None:
    search_world.crawl("core.orders", "pg:shop.public.users")
    search_world.publish(core__orders="x", raw__orders="y")
    search_world.terms = [GlossaryTerm(id="net", name="Net revenue")]
    search_world.store.touch("term", ["net"])
    every = tuple(kind for kind in DocumentType if kind is not DocumentType.COLUMN)
    search_world.found()
    search_world.publish(core__orders="x", raw__orders="z")
    followed = search_world.search.search(SearchQuery(types=every, limit=500)).hits
    search_world.search.reindex()
    assert search_world.search.search(SearchQuery(types=every, limit=500)).hits == followed
    assert [hit.id for hit in followed if hit.type in ("schema", "database")] == [
        "schema:core",
        "database:pg:shop",
        "schema:pg:shop.public",
        "schema:raw",
    ]


def test_nothing_is_written_where_nothing_changed(search_world: World) -> None:
    search_world.crawl("core.orders")
    search_world.publish(core__orders="x")
    search_world.search.sync()
    before = search_world.search.search(SearchQuery()).generation
    assert search_world.search.sync() == 0
    assert search_world.search.search(SearchQuery()).generation == before


def test_what_holds_an_asset() -> None:
    assert containers_of("pg:shop.public.users") == ("pg:shop.public", "pg:shop")
    assert containers_of("core.orders") == ("core",)
    assert containers_of("orders") == ()
    assert containers_of("files:raw/shop/orders.csv") == ("files:raw/shop", "files:raw", "files:")
    assert containers_of("files:raw/*.csv") == ("files:raw", "files:")
    assert containers_of("files:raw/") == containers_of("files:orders.csv") == ("files:",)
    assert containers_of("files:s3://lake/raw/x.csv") == ("files:s3://lake/raw", "files:s3://lake", "files:")


def test_files_are_in_folders(search_world: World) -> None:
    search_world.crawl("files:raw/shop/orders.csv")
    kinds = (DocumentType.SCHEMA, DocumentType.DATABASE)
    found = search_world.search.search(SearchQuery(types=kinds)).hits
    assert sorted((hit.id, hit.document.name, hit.document.container) for hit in found) == [
        ("database:files:", "files", ""),
        ("schema:files:raw", "raw", "files:"),
        ("schema:files:raw/shop", "shop", "files:raw"),
    ]
    inside = SearchQuery(filters={SearchFilter.CONTAINER: ("files:raw/shop",)})
    assert [hit.id for hit in search_world.search.search(inside).hits] == ["files:raw/shop/orders.csv"]
