"""What people type finds first what they mean: the same list of queries for every search index."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from search_catalog import load_catalog

from forge.catalog.search.document import DocumentType
from forge.catalog.search.query import SearchQuery
from forge.flows.catalog.search.ports import AssetIndex
from forge.stores.memory.asset_index import MemoryAssetIndex
from forge.stores.opensearch.asset_index import OpenSearchAssetIndex
from forge.stores.opensearch.server import SearchServer
from forge.stores.tantivy.asset_index import TantivyAssetIndex

FOLDER = Path(__file__).resolve().parent.parent / "catalog" / "search" / "relevance"
CATALOG = load_catalog(FOLDER / "catalog.yaml")
QUERIES = yaml.safe_load((FOLDER / "queries.yaml").read_text("utf-8"))


@pytest.fixture(
    scope="module",
    params=["memory", "tantivy", pytest.param("opensearch", marks=pytest.mark.services("opensearch"))],
)
def shop_index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AssetIndex]:
    made: AssetIndex
    match request.param:
        case "memory":
            made = MemoryAssetIndex()
        case "tantivy":
            made = TantivyAssetIndex(tmp_path_factory.mktemp("relevance"))
        case _:
            url = request.getfixturevalue("opensearch_server")
            made = OpenSearchAssetIndex(SearchServer(url), f"r{uuid.uuid4().hex[:8]}")
    assert made.rebuild(CATALOG, 1)
    yield made
    made.close()


def test_the_catalogue_and_the_list_are_large_enough() -> None:
    assert sum(one.type is not DocumentType.SCHEMA for one in CATALOG) >= 150
    assert len(QUERIES) >= 60


@pytest.mark.slow
def test_what_is_meant_stands_first(shop_index: AssetIndex) -> None:
    wrong = []
    for asked in QUERIES:
        types = tuple(map(DocumentType, asked.get("types", ())))
        found = [hit.id for hit in shop_index.search(SearchQuery(text=asked["q"], types=types, limit=10)).hits]
        wanted = asked["top"]
        if found[: len(wanted)] != wanted or (not wanted and found):
            wrong.append(f"{asked['q']}: wanted {wanted}, found {found[:4]}")
    assert not wrong, "\n".join(wrong)
