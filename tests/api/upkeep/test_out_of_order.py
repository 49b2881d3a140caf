"""One table whose metadata file cannot be read, over HTTP: its own pages say so, all others answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from sealed_lake import local
from version_site import API, ORDERS, open_version_site, problem

from forge.model.names import CatalogName


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """core.orders in two versions, of which the second one's metadata file is cut off; core.items beside it."""
    with open_version_site(tmp_path / "shop") as site:
        site.commit(ORDERS)
        site.commit(ORDERS, table="core.items")
        site.commit("id,name,amount\n4,d,1\n")
        state = site.wiring.lake.state(CatalogName("core", "orders"))
        assert state is not None
    file = local(state.location)
    file.write_bytes(file.read_bytes()[:50])
    return tmp_path / "shop"


@pytest.mark.slow
def test_pages_of_other_tables_answer_and_rows_are_committed_to_them(root: Path) -> None:
    with open_version_site(root) as site:
        for address in (
            f"{API}",
            f"{API}/main",
            f"{API}/main/commits",
            f"{API}/diff?base_commit=main~1&compare_commit=main",
            f"{API}/verify?level=tree",
            "/api/v1/overview",
            "/api/v1/catalog/search",
            "/api/v1/catalog/assets/core.items",
            "/api/v1/runs",
        ):
            answer = site.client.get(address)
            assert answer.status_code == 200, (address, answer.text)
        site.commit("id,name,amount\n4,d,1\n", table="core.items")
        assert len(site.rows(table="core.items")) == 4


@pytest.mark.slow
def test_what_asks_for_the_table_gets_its_code_and_the_way_out(root: Path) -> None:
    with open_version_site(root) as site:
        for answer in (
            site.client.get("/api/v1/catalog/assets/core.orders"),
            site.client.get(f"{API}/datasets/core.orders/commits/main/data"),
            site.upload("id,name,amount\n5,e,1\n"),
        ):
            assert answer.status_code < 500, answer.text
            told = problem(answer, answer.status_code, "E406")
            assert "core.orders is out of order" in str(told)
            assert "forge repair" in str(told)
