"""Cursors come back from anybody: what was read of one is what an index is asked."""

from __future__ import annotations

import base64
import json

import pytest

from forge.catalog.search.cursor import OrderKey, SearchCursor, decode_search_cursor
from forge.catalog.search.plan import MatchStage
from forge.catalog.search.query import SearchQuery
from forge.model.errors import ForgeError

QUERY = SearchQuery(text="orders")
CURSOR = SearchCursor(typos=False, columns=False, stage=next(iter(MatchStage)), key=OrderKey(3, "6f0164"))


def _forged(order: object) -> SearchQuery:
    text = CURSOR.encode(QUERY)
    told = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    told[7] = order
    forged = base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")
    return SearchQuery(text="orders", cursor=forged)


def test_a_cursor_is_read_as_it_was_written() -> None:
    assert decode_search_cursor(SearchQuery(text="orders", cursor=CURSOR.encode(QUERY))) == CURSOR


@pytest.mark.parametrize("order", ["", " ", "6f OR name:x", "6", "zz", 7, None, ["6f"]])
def test_a_place_that_no_search_gave_is_refused(order: object) -> None:
    with pytest.raises(ForgeError, match="cursor"):
        decode_search_cursor(_forged(order))


@pytest.mark.parametrize("order", ["6F0164", "6f 01 64", " 6f0164\n"])
def test_only_hexadecimal_digits_reach_an_index(order: str) -> None:
    found = decode_search_cursor(_forged(order))
    assert found is not None
    assert found.key.order == "6f0164"
