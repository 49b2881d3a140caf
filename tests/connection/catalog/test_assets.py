"""Documenting assets from Python. No JVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from catalog_world import CatalogWorld, table
from migrated import lay_database

from forge.connection.catalog.assets import CatalogView
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[CatalogView]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        CatalogWorld(wiring.catalog.assets).crawl(
            table("core.sales", "id:bigint amount:double", domain="sales"),
            table("core.refunds", "id:bigint amount:double", domain="finance"),
            table("marts.staff", "fullName", domain="people"),
        )
        yield CatalogView(wiring)


def test_a_tag_that_was_crawled_is_not_taken_away_in_silence(catalog: CatalogView) -> None:
    CatalogWorld(catalog.wiring.catalog.assets).crawl(table("core.sales", "id", tags=("gold",)))
    catalog.tag("core.sales", ["new"])
    with pytest.raises(ForgeError, match="E852"):
        catalog.tag("core.sales", ["other"], ["gold"])
    assert catalog.tag("core.sales", ["other"], ["new"]).to_dict()["asset"]["tags"] == ["other", "gold"]  # type: ignore[index]
