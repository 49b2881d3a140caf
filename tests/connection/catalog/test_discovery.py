"""Usage, popular, similar and recommended assets from Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from catalog_world import CatalogWorld, table
from migrated import lay_database

from forge.catalog.discovery.usage import UsageKind
from forge.connection.catalog.assets import CatalogView
from forge.model.names import RunId
from forge.settings import load_settings
from forge.wiring import Wiring


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[CatalogView]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        CatalogWorld(wiring.catalog.assets).crawl(
            table("core.sales", "id:bigint amount:double", domain="sales"),
            table("core.refunds", "id:bigint amount:double", domain="sales"),
        )
        yield CatalogView(wiring)


def test_the_same_words_as_in_the_terminal(catalog: CatalogView) -> None:
    catalog.wiring.catalog.discovery.recorder.record(UsageKind.VIEW, ["core.sales"], "ada@example.com")
    assert [one.to_dict()["id"] for one in catalog.popular(domain="sales", time_range="week")] == ["core.sales"]
    assert catalog.usage("core.sales", "day").to_dict()["views"] == 1
    assert [one.to_dict()["reasons"] for one in catalog.similar("core.sales")] == [
        ["shares 2 of 2 columns: id, amount", "the same domain sales"]
    ]
    assert [row["id"] for row in catalog.recommend().rows()] == ["core.refunds"]


def test_an_unknown_run_is_no_use(catalog: CatalogView) -> None:
    catalog.wiring.catalog.discovery.record_run(RunId("nope"))
    assert catalog.popular() == ()
