"""Searching the catalog: the index is brought up to date, then asked.

The records are the truth. The index follows the log of changes from the position that it keeps itself, and the tables
of the default branch from commit to commit; whoever searches first after a change pays for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from forge.catalog.asset import CatalogAsset
from forge.catalog.glossary.term import GlossaryTerm
from forge.catalog.search.document import DocumentType, SearchDocument
from forge.catalog.search.page import CatalogHit, SearchPage
from forge.catalog.search.query import SearchFilter, SearchQuery
from forge.flows.catalog.asset_store import AssetFilter, AssetStore
from forge.flows.catalog.search.documents import (
    TERM,
    FactsOf,
    SearchFacts,
    asset_document,
    container_documents,
    container_ids,
    containers_of,
    term_document,
)
from forge.flows.catalog.search.ports import AssetIndex, IndexBatch
from forge.flows.runs.records import AssetRecord

_BATCH = 500
PublishedTables = Callable[[str, Collection[str] | None], Mapping[str, AssetRecord]]


def _no_facts(names: Sequence[str]) -> Mapping[str, SearchFacts]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSources:
    """Where documents come from. `published`: the tables of a commit of the default branch, by name, with what their
    publication wrote, all or those of some names; `changed`: those that differ between two commits, the names of those
    that are gone included. `derived`: these and the assets that get values of them, whose classification follows.
    `read_files`: takes in what files of the project say of assets and terms, where one has changed."""

    assets: AssetStore
    read_files: Callable[[], object] = lambda: None
    derived: Callable[[Sequence[str]], Iterable[str]] = lambda names: names
    terms: Callable[[], Sequence[GlossaryTerm]] = lambda: ()
    facts: FactsOf = _no_facts
    head: Callable[[], str] = lambda: ""
    published: PublishedTables = field(default=lambda head, names: {})
    changed: Callable[[str, str], Iterable[str]] = field(default=lambda old, new: ())


class CatalogSearch:
    """Safe for threads and processes: one brings the index up to date, the others read what is there."""

    def __init__(self, index: AssetIndex, sources: SearchSources) -> None:
        self._index, self._sources = index, sources
        self._lock = threading.Lock()

    def search(self, query: SearchQuery) -> SearchPage:
        self.sync()
        return self._index.search(query)

    def suggest(self, prefix: str, limit: int) -> tuple[CatalogHit, ...]:
        self.sync()
        return self._index.suggest(prefix, limit)

    def sync(self) -> int:
        """How many documents were written. Another process at it means that it is done there."""
        return self._sync([])

    def refresh(self, names: Sequence[str]) -> int:
        """The documents of these assets once more, after what changed outside the records, like quality or usage."""
        made: list[str] = []
        written = self._sync(made)
        rest = sorted(set(names).difference(made))
        with self._lock:
            cursor = self._index.cursor()
            for start in range(0, len(rest), _BATCH):
                documents, removed = self._documents(rest[start : start + _BATCH])
                if cursor is not None and self._index.apply(IndexBatch(cursor, cursor, documents, removed)):
                    written += len(documents)
            return written

    def _sync(self, made: list[str]) -> int:
        """`made` takes in the names of the assets whose documents were made."""
        if not self._lock.acquire(timeout=5):
            return 0
        try:
            self._sources.read_files()
            cursor = self._index.cursor()
            if cursor is None:
                return self._rebuild()
            return self._follow_changes(cursor, made) + self._follow_head(made)
        finally:
            self._lock.release()

    def reindex(self) -> int:
        """All documents from the records; who searches meanwhile finds the old ones."""
        with self._lock:
            self._sources.read_files()
            return self._rebuild()

    def _follow_changes(self, cursor: int, made: list[str]) -> int:
        written = 0
        derived: set[str] = set()
        while changes := self._sources.assets.changes(cursor, limit=_BATCH):
            names = [change.name for change in changes if change.kind == "asset"]
            names += sorted(set(self._sources.derived(names)) - derived.union(names))
            derived.update(names)
            names = list(dict.fromkeys([*names, *(change.name for change in changes if change.kind == "facts")]))
            terms = {change.name for change in changes if change.kind == "term"}
            documents, removed = self._documents(names)
            if terms:
                more, gone, linked = self._terms(terms)
                again, _ = self._documents(linked)
                documents, removed = (*documents, *again, *more), (*removed, *gone)
            last = changes[-1].id
            if not self._index.apply(IndexBatch(cursor, last, _last_of_each(documents), removed)):
                break
            made += names
            written, cursor = written + len(documents), last
        return written

    def _follow_head(self, made: list[str]) -> int:
        """What differs from the commit that the index has; the last batch carries the new one."""
        sources, known = self._sources, self._index.head()
        head = sources.head()
        cursor = self._index.cursor()
        if head == known or cursor is None:
            return 0
        names = sorted(sources.changed(known, head))
        written = 0
        for start in range(0, max(len(names), 1), _BATCH):
            part = names[start : start + _BATCH]
            documents, removed = self._documents(part, head)
            reached = head if start + _BATCH >= len(names) else None
            if not self._index.apply(IndexBatch(cursor, cursor, documents, removed, reached)):
                return written
            made += part
            written += len(documents)
        return written

    def _documents(
        self, names: Sequence[str], head: str | None = None
    ) -> tuple[tuple[SearchDocument, ...], tuple[str, ...]]:
        """Of these assets and of what holds them, by a commit of the default branch, else by its newest one; and the
        ids of what is gone."""
        if not names:
            return (), ()
        published = self._sources.published(self._sources.head() if head is None else head, names)
        known = self._sources.assets.assets_named(names)
        facts, terms = self._sources.facts(names), self._terms_by_id()
        found, removed = [], []
        for name in dict.fromkeys(names):
            asset = known.get(name)
            if asset is not None and asset.qualified_name != name:
                asset = None  # it is called otherwise now, and comes by that name
            document = asset_document(asset, published.get(name), facts.get(name, SearchFacts()), terms)
            if document is None:
                removed.append(name)
            else:
                found.append(document)
        holders = container_documents(one for document in found for one in containers_of(document.qualified_name))
        return (*found, *holders), (*removed, *self._empty_holders(removed))

    def _empty_holders(self, removed: Sequence[str]) -> Iterator[str]:
        gone = set(removed)
        for name in dict.fromkeys(one for child in removed for one in containers_of(child)):
            query = SearchQuery(
                types=tuple(kind for kind in DocumentType if kind is not DocumentType.COLUMN),
                filters={SearchFilter.CONTAINER: (name,)},
                limit=500,
            )
            if all(hit.document.id in gone for hit in self._index.search(query).hits):
                gone.update(container_ids(name))
                yield from container_ids(name)

    def _terms(self, changed: set[str]) -> tuple[tuple[SearchDocument, ...], tuple[str, ...], tuple[str, ...]]:
        """Documents of changed terms, the ids of those that are gone, and the assets that are linked with one."""
        known = self._terms_by_id()
        linked = self._sources.assets.assets(AssetFilter(terms=tuple(sorted(changed))), limit=10_000)
        documents = tuple(term_document(known[one]) for one in sorted(changed) if one in known)
        gone = tuple(f"{TERM}{one}" for one in sorted(changed) if one not in known)
        return documents, gone, tuple(asset.qualified_name for asset in linked)

    def _terms_by_id(self) -> dict[str, GlossaryTerm]:
        return {term.id: term for term in self._sources.terms()}

    def _rebuild(self) -> int:
        """The cursor first: what changes meanwhile is read again."""
        cursor = 0
        while changes := self._sources.assets.changes(cursor, limit=10_000):
            cursor = changes[-1].id
        head, counted = self._sources.head(), [0]

        def counting() -> Iterator[SearchDocument]:
            for document in self._all_documents(head):
                counted[0] += 1
                yield document

        return counted[0] if self._index.rebuild(counting(), cursor, head) else 0

    def _all_documents(self, head: str) -> Iterator[SearchDocument]:
        published = dict(self._sources.published(head, None))
        terms = self._terms_by_id()
        holders: dict[str, None] = {}
        for part in self._all_assets():
            named = {asset.qualified_name: asset for asset in part}
            yield from self._made(named, {name: published.pop(name, None) for name in named}, terms, holders)
        names = sorted(published)
        for start in range(0, len(names), _BATCH):
            some = names[start : start + _BATCH]
            yield from self._made({}, {name: published[name] for name in some}, terms, holders)
        yield from container_documents(holders)
        yield from map(term_document, terms.values())

    def _made(
        self,
        assets: Mapping[str, CatalogAsset],
        records: Mapping[str, AssetRecord | None],
        terms: Mapping[str, GlossaryTerm],
        holders: dict[str, None],
    ) -> Iterator[SearchDocument]:
        facts = self._sources.facts(list(records))
        for name, record in records.items():
            document = asset_document(assets.get(name), record, facts.get(name, SearchFacts()), terms)
            if document is not None:
                holders.update(dict.fromkeys(containers_of(name)))
                yield document

    def _all_assets(self) -> Iterator[tuple[CatalogAsset, ...]]:
        after = ""
        while part := self._sources.assets.assets(after=after, limit=_BATCH):
            yield part
            after = part[-1].qualified_name


def _last_of_each(documents: Iterable[SearchDocument]) -> tuple[SearchDocument, ...]:
    return tuple({document.id: document for document in documents}.values())
