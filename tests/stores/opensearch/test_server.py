"""A server that does not answer, or not as it should."""

from __future__ import annotations

import socket

import pytest

from forge.catalog.search.query import SearchQuery
from forge.model.errors import ForgeError
from forge.stores.opensearch.asset_index import OpenSearchAssetIndex
from forge.stores.opensearch.server import SearchServer


def test_a_server_that_is_away_is_told_with_its_address() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    index = OpenSearchAssetIndex(SearchServer(f"http://127.0.0.1:{port}", user="u", password="hidden", timeout=2))
    with pytest.raises(ForgeError) as caught:
        index.search(SearchQuery(text="x"))
    assert (caught.value.code, caught.value.where) == ("E859", f"http://127.0.0.1:{port}")
    assert "hidden" not in str(caught.value)
