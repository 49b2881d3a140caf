"""Searching the catalog from Python. No JVM."""

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


def names(found: object) -> list[str]:
    return [str(row["id"]) for row in found.rows()]  # type: ignore[attr-defined]


def test_the_same_words_as_over_http(catalog: CatalogView) -> None:
    assert names(catalog.search("amount")) == ["core.sales", "core.refunds"]
    assert names(catalog.search(domains=["sales", "people"])) == ["core.sales", "marts.staff"]
    assert names(catalog.search("full name", types="column")) == ["marts.staff.fullName"]
    assert [(row["container"], row["table"]) for row in catalog.search("amount", types="column").rows()] == [
        ("core.sales", "core.sales"),
        ("core.refunds", "core.refunds"),
    ]
    assert catalog.search("sales").rows()[0]["table"] == "core.sales"
    assert catalog.search(facets="domain").facets == {"domain": {"finance": 1, "people": 1, "sales": 1}}
    assert [one.qualified_name for one in catalog.suggest("sal")] == ["core.sales"]
    assert catalog.context("where is the amount of refunds?").assets == ("core.refunds",)
    assert catalog.show("core.sales").to_dict() == catalog.get("core.sales").to_dict()
    assert catalog.reindex() == len(catalog.search(types=("table", "schema")))


def test_pages_follow_each_other(catalog: CatalogView) -> None:
    first = catalog.search(limit=2)
    assert (len(first), first.total) == (2, 3)
    assert names(catalog.search(limit=2, cursor=first.next_cursor)) == ["marts.staff"]


@pytest.mark.parametrize("word", ["types", "sort", "facets", "quality", "classification"])
def test_a_word_that_is_none_is_refused_with_those_there_are(catalog: CatalogView, word: str) -> None:
    with pytest.raises(ForgeError, match="E105") as told:
        catalog.search(**{word: "luck"})  # type: ignore[arg-type]
    assert "One of: " in (told.value.fix or "")


def test_what_files_say_is_found_before_anybody_opens_them(catalog: CatalogView) -> None:
    root = catalog.wiring.root
    (root / "glossary").mkdir()
    (root / "glossary" / "shop.yaml").write_text("terms: [{id: turnover, name: Turnover, synonyms: [takings]}]")
    (root / "catalog").mkdir()
    said = "assets: {core.sales: {description: Every receipt, columns: {amount: {term: turnover}}}}"
    (root / "catalog" / "shop.yaml").write_text(said)
    assert names(catalog.search("receipt")) == ["core.sales"]
    assert names(catalog.search("takings")) == ["core.sales"]
    assert names(catalog.search("takings", types="term")) == ["term:turnover"]
