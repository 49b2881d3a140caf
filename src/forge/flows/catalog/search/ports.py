"""The port of the search index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from forge.catalog.search.document import SearchDocument
from forge.catalog.search.page import CatalogHit, SearchPage
from forge.catalog.search.query import SearchQuery


@dataclass(frozen=True, slots=True)
class IndexBatch:
    """What changed from one position in the log of changes to another."""

    after: int
    cursor: int
    documents: tuple[SearchDocument, ...] = ()
    removed: tuple[str, ...] = ()  # ids
    head: str | None = None  # the commit whose tables it has from now on; None: the same as before


class AssetIndex(Protocol):
    """The documents of the catalog, and up to which change it has them. Nothing in it is found only here: it can be
    thrown away and rebuilt."""

    def cursor(self) -> int | None:
        """The position in the log of changes. None: it was never built, or by another version of Forge."""

    def head(self) -> str:
        """The commit of the lake whose tables it has; empty: none."""

    def apply(self, batch: IndexBatch) -> bool:
        """All of it with its cursor, or nothing. False, and nothing written: the index is not at `after`, or another
        process writes it at this moment."""

    def rebuild(self, documents: Iterable[SearchDocument], cursor: int, head: str = "") -> bool:
        """Exactly these documents. Who searches meanwhile finds the old ones. False: another process writes it."""

    def search(self, query: SearchQuery) -> SearchPage: ...
    def suggest(self, prefix: str, limit: int) -> tuple[CatalogHit, ...]:
        """Names that begin so, the best first."""

    def close(self) -> None: ...
