"""The search index in memory: every document is looked at."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from forge.catalog.search.clause import Clause, Tokens, holds
from forge.catalog.search.cursor import OrderKey
from forge.catalog.search.document import SearchDocument
from forge.catalog.search.fields import facet_values, tokens_of
from forge.catalog.search.page import CatalogHit, FacetCount, FacetCounts, SearchPage
from forge.catalog.search.query import SearchFacet, SearchQuery, SearchSort
from forge.catalog.search.stages import MOST_VALUES, key_of, search_stages, suggest_names
from forge.flows.catalog.search.ports import IndexBatch


@dataclass(frozen=True)
class _MemoryState:
    cursor: int | None = None
    generation: int = 0
    documents: Mapping[str, tuple[SearchDocument, Tokens]] = field(default_factory=dict)
    head: str = ""

    def take(
        self, clause: Clause, sort: SearchSort, after: OrderKey | None, limit: int, skipped: int = 0
    ) -> Sequence[SearchDocument]:
        keyed = ((key_of(document, sort).ascending, document) for document in self._matching(clause))
        behind = (one for one in keyed if after is None or one[0] > after.ascending)
        return [document for _, document in sorted(behind, key=lambda one: one[0])[skipped : skipped + limit]]

    def few(
        self, stages: Sequence[tuple[int, Clause]], filters: Clause, most: int
    ) -> Sequence[tuple[int, SearchDocument]] | None:
        return None

    def count(self, clause: Clause) -> int:
        return sum(1 for _ in self._matching(clause))

    def facets(self, clause: Clause, wanted: Sequence[SearchFacet]) -> FacetCounts:
        counters: dict[SearchFacet, Counter[str]] = {name: Counter() for name in wanted}
        for document in self._matching(clause):
            values = facet_values(document)
            for name, counter in counters.items():
                counter.update(values[name])
        return {
            name: tuple(
                FacetCount(value, count)
                for value, count in sorted(counter.items(), key=lambda one: (-one[1], one[0]))[:MOST_VALUES]
            )
            for name, counter in counters.items()
        }

    def _matching(self, clause: Clause) -> Iterable[SearchDocument]:
        return (document for document, tokens in self.documents.values() if holds(clause, tokens))


class MemoryAssetIndex:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state = _MemoryState()

    def cursor(self) -> int | None:
        return self._state.cursor

    def head(self) -> str:
        return self._state.head

    def apply(self, batch: IndexBatch) -> bool:
        with self._lock:
            state = self._state
            if state.cursor != batch.after:
                return False
            kept = {key: one for key, one in state.documents.items() if key not in batch.removed}
            kept |= _tokened(batch.documents)
            self._state = _MemoryState(
                batch.cursor, state.generation + 1, kept, state.head if batch.head is None else batch.head
            )
            return True

    def rebuild(self, documents: Iterable[SearchDocument], cursor: int, head: str = "") -> bool:
        with self._lock:
            self._state = _MemoryState(cursor, self._state.generation + 1, _tokened(documents), head)
            return True

    def search(self, query: SearchQuery) -> SearchPage:
        return search_stages(self._state, query)

    def suggest(self, prefix: str, limit: int) -> tuple[CatalogHit, ...]:
        return suggest_names(self._state, prefix, limit)

    def close(self) -> None:
        """Nothing is open."""


def _tokened(documents: Iterable[SearchDocument]) -> dict[str, tuple[SearchDocument, Tokens]]:
    """Kept as the other indices keep them: texts are searched whole and shown in part."""
    return {one.id: (SearchDocument.from_dict(one.to_dict()), tokens_of(one)) for one in documents}
