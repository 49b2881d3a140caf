"""Searching the catalog from Python and in the terminal: the words of a person as a query, and what it found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from forge.catalog.search.document import DocumentType, QualityBand
from forge.catalog.search.page import CatalogHit, SearchPage
from forge.catalog.search.query import SearchFacet, SearchFilter, SearchQuery, SearchSort
from forge.connection.tabular import Row, Tabular, TabularTuple
from forge.flows.catalog.search.suggest import SearchSuggestion
from forge.model.classification import ClassificationLevel
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

WordType = TypeVar("WordType", bound=StrEnum)
Words = str | Iterable[str]


class SearchSuggestions(TabularTuple[SearchSuggestion]):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SearchResult(Tabular):
    """One page; `next_cursor` leads to the next."""

    page: SearchPage

    @property
    def hits(self) -> tuple[CatalogHit, ...]:
        return self.page.hits

    @property
    def total(self) -> int:
        return self.page.total

    @property
    def next_cursor(self) -> str | None:
        return self.page.next_cursor

    @property
    def facets(self) -> dict[str, dict[str, int]]:
        """How many results have each value: `{"type": {"table": 12}}`."""
        return {facet.value: {one.value: one.count for one in counts} for facet, counts in self.page.facets.items()}

    def rows(self) -> list[Row]:
        return [hit.to_dict() for hit in self.hits]

    def to_dict(self) -> Row:
        return self.page.to_dict()

    def __len__(self) -> int:
        return len(self.hits)


def search_query_of(
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
) -> SearchQuery:
    """E105 for a word that is none, with those there are."""
    levels = tuple(str(level) for level in ClassificationLevel)
    return SearchQuery(
        text=text,
        types=tuple(_word(DocumentType, one, "type") for one in words(types)),
        filters={
            SearchFilter.DOMAIN: words(domains),
            SearchFilter.TAG: words(tags),
            SearchFilter.OWNER: words(owners),
            SearchFilter.CLASSIFICATION: tuple(_known(one, levels, "classification") for one in words(classification)),
            SearchFilter.PII: words(pii),
            SearchFilter.QUALITY: tuple(_word(QualityBand, one, "quality").value for one in words(quality)),
            SearchFilter.CONTAINER: words(containers),
        },
        sort=_word(SearchSort, sort, "sort"),
        facets=tuple(_word(SearchFacet, one, "facet") for one in words(facets)),
        explain=explain,
        limit=limit,
        cursor=cursor,
        offset=offset,
    )


def words(given: Words) -> tuple[str, ...]:
    """One word is a list of one."""
    return (given,) if isinstance(given, str) else tuple(given)


def _word(known: type[WordType], text: str, what: str) -> WordType:
    return known(_known(text, [one.value for one in known], what))


def _known(text: str, known: Iterable[str], what: str) -> str:
    allowed = list(known)
    if text not in allowed:
        near = did_you_mean(text, allowed)
        raise ForgeError("E105", f"{what} is no '{text[:100]}'", why=near, fix=f"One of: {', '.join(allowed)}.")
    return text
