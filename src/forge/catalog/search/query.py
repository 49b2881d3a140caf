"""What is asked: words, filters, an order, a page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from forge.catalog.search.document import ASSET_TYPES, DocumentType
from forge.catalog.search.text import fold, words_of
from forge.model.errors import ForgeError

MOST_WORDS = 16
MOST_LETTERS = 200
MOST_HITS = 500
FARTHEST_HIT = 10_000


class SearchSort(StrEnum):
    RELEVANCE = "relevance"
    POPULARITY = "popularity"
    FRESHNESS = "freshness"
    NAME = "name"


class SearchFacet(StrEnum):
    """What results are counted by, and can be filtered by."""

    TYPE = "type"
    DOMAIN = "domain"
    TAG = "tag"
    OWNER = "owner"
    CLASSIFICATION = "classification"
    PII = "pii"
    QUALITY = "quality"


class SearchFilter(StrEnum):
    """All that results can be filtered by, but their type."""

    DOMAIN = "domain"
    TAG = "tag"
    OWNER = "owner"
    CLASSIFICATION = "classification"
    PII = "pii"
    QUALITY = "quality"
    CONTAINER = "container"
    ID = "id"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """Values of one filter are OR, different filters AND. No types: assets of every type. An empty text browses, by
    name unless another order is asked for."""

    text: str = ""
    types: tuple[DocumentType, ...] = ()
    filters: Mapping[SearchFilter, tuple[str, ...]] = field(default_factory=dict)
    sort: SearchSort = SearchSort.RELEVANCE
    limit: int = 50
    cursor: str | None = None
    offset: int = 0  # how many are left out, without a cursor
    facets: tuple[SearchFacet, ...] = ()
    explain: bool = False

    def __post_init__(self) -> None:
        if len(self.text) > MOST_LETTERS or len(self.words) > MOST_WORDS:
            raise ForgeError("E105", f"A search has at most {MOST_WORDS} words and {MOST_LETTERS} letters")
        if not 1 <= self.limit <= MOST_HITS:
            raise ForgeError("E105", f"A page has 1 to {MOST_HITS} results")
        if not 0 <= self.offset <= FARTHEST_HIT:
            raise ForgeError("E105", f"At most {FARTHEST_HIT} results are left out", fix="Go on with next_cursor.")

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(words_of(self.text)))

    @property
    def browses(self) -> bool:
        return not self.text.strip()

    @property
    def order(self) -> SearchSort:
        """Nothing is relevant to no words."""
        return SearchSort.NAME if self.browses and self.sort is SearchSort.RELEVANCE else self.sort

    @property
    def document_types(self) -> tuple[DocumentType, ...]:
        """Of documents: columns are found in those of their assets."""
        return tuple(kind for kind in self.types or ASSET_TYPES if kind is not DocumentType.COLUMN)

    @property
    def wants_columns(self) -> bool:
        return DocumentType.COLUMN in self.types

    @property
    def fingerprint(self) -> str:
        """Of what determines the list, so that a cursor is used for the list it came from."""
        filters = sorted((key.value, sorted(map(fold, values))) for key, values in self.filters.items() if values)
        payload = json.dumps([self.text, sorted(self.types), filters, self.order.value])
        return hashlib.sha256(payload.encode()).hexdigest()[:12]
