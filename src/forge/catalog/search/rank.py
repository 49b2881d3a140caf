"""The order of what matches equally well: usage, quality, ownership and deprecation, as bounded points.

The stage of a match goes before all points, so that no amount of usage lifts a typo above a name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from forge.catalog.search.document import DocumentType, SearchDocument
from forge.catalog.search.query import SearchSort
from forge.catalog.search.text import fold, words_of

BASE, MOST_POINTS = 400, 1023
USAGE, QUALITY, OWNER, DESCRIBED, CONTRACT = 300, 100, 40, 20, 60
DEPRECATED, VANISHED = -250, -400
PIPELINE = -150  # more than owner, description and some use: what it makes has its name and is what is meant
_ORDER_LETTERS = 1000


@dataclass(frozen=True, slots=True)
class RankBoost:
    name: str
    points: int

    def to_dict(self) -> dict[str, object]:
        return {"name": self.name, "points": self.points}


def usage_points(uses: int) -> int:
    """The more there are, the more it takes for the next point."""
    return round(USAGE * min(1.0, math.log10(1 + max(0, uses)) / 5))


def boosts_of(document: SearchDocument) -> tuple[RankBoost, ...]:
    """Those that are not zero."""
    found = (
        RankBoost("usage", usage_points(document.popularity)),
        RankBoost("quality", 0 if document.quality is None else round(QUALITY * min(100.0, document.quality) / 100)),
        RankBoost("owner", OWNER if document.owner else 0),
        RankBoost("description", DESCRIBED if document.description else 0),
        RankBoost("contract", CONTRACT if document.has_contract else 0),
        RankBoost("deprecated", DEPRECATED if document.deprecated else 0),
        RankBoost("pipeline", PIPELINE if document.type is DocumentType.PIPELINE else 0),
        RankBoost("vanished", VANISHED if document.vanished else 0),
    )
    return tuple(boost for boost in found if boost.points)


def points_of(document: SearchDocument) -> int:
    return max(0, min(MOST_POINTS, BASE + sum(boost.points for boost in boosts_of(document))))


def rank_of(document: SearchDocument) -> int:
    """The points; of equal ones, fewer words and letters in the name go first."""
    words, letters = min(15, len(words_of(document.name))), min(0xFFFF, len(document.name))
    return points_of(document) << 20 | (15 - words) << 16 | (0xFFFF - letters)


@lru_cache(maxsize=10_000)
def order_of(document_id: str, qualified_name: str) -> str:
    """By name, and different for any two documents. As hexadecimal digits: every index compares them the same way."""
    return f"{fold(qualified_name)[:_ORDER_LETTERS]}\x01{document_id[:_ORDER_LETTERS]}".encode().hex()


def id_of_order(order: str) -> str:
    return bytes.fromhex(order).decode(errors="replace").partition("\x01")[2]


def primary_of(document: SearchDocument, sort: SearchSort) -> int:
    """What the greatest of goes first; the name decides between equals."""
    match sort:
        case SearchSort.RELEVANCE:
            return rank_of(document)
        case SearchSort.POPULARITY:
            return max(0, document.popularity)
        case SearchSort.FRESHNESS:
            return freshness_of(document)
        case SearchSort.NAME:
            return 0


def freshness_of(document: SearchDocument) -> int:
    """In seconds; 0: unknown."""
    return 0 if document.fresh_at is None else max(1, int(document.fresh_at.timestamp()))
