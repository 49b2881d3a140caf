"""Where a page ended. The next begins behind it in a fixed order, so that what is added meanwhile moves nothing."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass

from forge.catalog.search.plan import MatchStage
from forge.catalog.search.query import SearchQuery
from forge.model.errors import ForgeError

_VERSION = 1


@dataclass(frozen=True, slots=True)
class OrderKey:
    """The place of a document in a list: a greater `primary` goes first, then a smaller `order`."""

    primary: int
    order: str

    @property
    def ascending(self) -> tuple[int, str]:
        return -self.primary, self.order


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCursor:
    """Behind this result. `column`: its number in the document; -1 where documents are listed."""

    typos: bool  # whether they were forgiven on the first page
    columns: bool  # whether the list has come to the columns of this stage
    stage: MatchStage
    key: OrderKey
    column: int = -1
    generation: int = 0

    def encode(self, query: SearchQuery) -> str:
        fields = [
            _VERSION,
            query.fingerprint,
            self.generation,
            int(self.typos),
            int(self.columns),
            int(self.stage),
            self.key.primary,
            self.key.order,
            self.column,
        ]
        return base64.urlsafe_b64encode(json.dumps(fields, separators=(",", ":")).encode()).decode().rstrip("=")


def decode_search_cursor(query: SearchQuery) -> SearchCursor | None:
    """None: the first page."""
    text = query.cursor
    if not text:
        return None
    try:
        fields = json.loads(base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True))
        version, fingerprint, generation, typos, columns, stage, primary, order, column = fields
        numbers = (generation, typos, columns, stage, primary, column)
        if version != _VERSION or not all(type(number) is int and abs(number) < 1 << 62 for number in numbers):
            raise ValueError
        place = bytes.fromhex(order).hex()  # what is read is what an index is asked: spaces between digits are gone
        if not place:
            raise ValueError
        key = OrderKey(primary, place)
        found = SearchCursor(
            typos=bool(typos),
            columns=bool(columns),
            stage=MatchStage(stage),
            key=key,
            column=column,
            generation=generation,
        )
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise ForgeError(
            "E105", "The cursor is not one that a search gave", fix="Take next_cursor of the page before, as it is."
        ) from None
    if fingerprint != query.fingerprint:
        raise ForgeError(
            "E105",
            "The cursor belongs to another search",
            fix="Ask for the next page with the same words, filters and order.",
        )
    return found
