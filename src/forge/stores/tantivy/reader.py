"""One state of the index, as the stages of a search read it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from forge.catalog.search.clause import Clause
from forge.catalog.search.cursor import OrderKey
from forge.catalog.search.document import SearchDocument
from forge.catalog.search.page import FacetCount, FacetCounts
from forge.catalog.search.query import SearchFacet, SearchSort
from forge.catalog.search.stages import MOST_VALUES
from forge.stores.tantivy.clauses import QueryTranslator
from forge.stores.tantivy.schema import DOCUMENT, ORDER, PRIMARY

if TYPE_CHECKING:
    from tantivy import DocAddress, Index, Query, Searcher

_SLACK = 32  # read beyond a page, so that equals at its end rarely need a second look


class TantivyReader:
    """Tantivy orders by one field at a time: by the greatest primary key first, and then, of those equal in it, by the
    order of names."""

    def __init__(self, index: Index, searcher: Searcher, generation: int) -> None:
        self._index, self._schema, self._searcher, self._generation = index, index.schema, searcher, generation
        self._translate = QueryTranslator(index.schema)
        self._facets = lru_cache(maxsize=256)(self._count_values)

    @property
    def generation(self) -> int:
        return self._generation

    def take(
        self, clause: Clause, sort: SearchSort, after: OrderKey | None, limit: int, skipped: int = 0
    ) -> Sequence[SearchDocument]:
        query = self._translate(clause)
        field = PRIMARY.get(sort)
        limit += skipped
        if field is None:
            return self._loaded(self._by_order(query, after.order if after else None, limit)[skipped:])
        found: list[DocAddress] = []
        highest: int | None = None
        if after is not None:
            same = self._translate.both(query, self._between(field, after.primary, after.primary))
            found = self._by_order(same, after.order, limit)
            highest = after.primary - 1
        while len(found) < limit and (highest is None or highest >= 0):
            part, highest = self._by_primary(query, field, highest, limit - len(found))
            found += part
            if highest is None:
                break
        return self._loaded(found[skipped:limit])

    def _by_primary(
        self, query: Query, field: str, highest: int | None, limit: int
    ) -> tuple[list[DocAddress], int | None]:
        """In order, and the highest primary key that was not looked at; None: there are no more."""
        if highest is not None:
            query = self._translate.both(query, self._between(field, 0, highest))
        wanted = limit + _SLACK
        hits = self._searcher.search(query, wanted, count=False, order_by_field=field).hits
        last = hits[-1][0] if len(hits) == wanted else -1
        whole = [(primary, address) for primary, address in hits if primary > last]
        found = self._among_equals(whole)
        if last < 0:
            return found, None
        if len(found) < limit:  # of those equal at the end, not all were read
            same = self._translate.both(query, self._between(field, last, last))
            found += self._by_order(same, None, limit - len(found))
        return found, last - 1

    def _among_equals(self, hits: Sequence[tuple[int, DocAddress]]) -> list[DocAddress]:
        """Sorted by name where the primary keys are equal."""
        if len({primary for primary, _ in hits}) == len(hits):
            return [address for _, address in hits]
        keyed = [(-primary, self._order_at(address), address) for primary, address in hits]
        keyed.sort(key=lambda one: one[:2])
        return [address for *_, address in keyed]

    def _order_at(self, address: DocAddress) -> str:
        return str(self._searcher.doc(address)[ORDER][0])

    def _by_order(self, query: Query, after: str | None, limit: int) -> list[DocAddress]:
        from tantivy import Order

        if after is not None:
            # Only the parser can say a range of text; an order is hexadecimal digits, so nothing is to be escaped.
            query = self._translate.both(query, self._index.parse_query(f"{ORDER}:>{after}", [ORDER]))
        hits = self._searcher.search(query, limit, count=False, order_by_field=ORDER, order=Order.Asc).hits
        return [address for _, address in hits]

    def few(
        self, stages: Sequence[tuple[int, Clause]], filters: Clause, most: int
    ) -> Sequence[tuple[int, SearchDocument]] | None:
        """One search instead of one for each stage."""
        hits = self._searcher.search(self._translate.staged(stages, filters), most + 1, count=False).hits
        if len(hits) > most:
            return None
        return [(round(stage), self._document(address)) for stage, address in hits]

    def count(self, clause: Clause) -> int:
        found: int = self._searcher.search(self._translate(clause), 1, count=True).count  # type: ignore[attr-defined]
        return found

    def facets(self, clause: Clause, wanted: Sequence[SearchFacet]) -> FacetCounts:
        return self._facets(clause, tuple(wanted))

    def _count_values(self, clause: Clause, wanted: tuple[SearchFacet, ...]) -> FacetCounts:
        """Exact, over all that matches; kept as long as this state of the index is."""
        asked = {name.value: {"terms": {"field": f"facet_{name.value}", "size": MOST_VALUES}} for name in wanted}
        found: Mapping[str, Any] = self._searcher.aggregate(self._translate(clause), asked)
        counts = {}
        for name in wanted:
            values = [FacetCount(str(one["key"]), int(one["doc_count"])) for one in found[name.value]["buckets"]]
            counts[name] = tuple(sorted(values, key=lambda one: (-one.count, one.value)))
        return counts

    def _loaded(self, addresses: Sequence[DocAddress]) -> list[SearchDocument]:
        return [self._document(address) for address in addresses]

    def _document(self, address: DocAddress) -> SearchDocument:
        return SearchDocument.from_dict(json.loads(bytes(self._searcher.doc(address)[DOCUMENT][0])))

    def _between(self, field: str, lowest: int, highest: int) -> Query:
        from tantivy import FieldType, Query

        return Query.range_query(self._schema, field, FieldType.Unsigned, lowest, highest)
