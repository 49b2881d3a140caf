"""The glossary from Python."""

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
        CatalogWorld(wiring.catalog.assets).crawl(table("core.orders", "id:bigint net_rev:double"))
        yield CatalogView(wiring)


def test_a_term_from_its_making_to_its_end(catalog: CatalogView) -> None:
    glossary = catalog.glossary
    made = glossary.add("Net revenue", domain="sales", synonyms=["turnover"])
    assert (made.id, made.updated_by) == ("sales.net-revenue", "ada@example.com")
    assert glossary.edit("Net revenue", expected_version=1, state="approved").version == 2
    assert [term.id for term in glossary.list("turn", domain="sales", state="approved")] == [made.id]
    assert glossary.get(made.id).to_dict().keys() == made.to_dict().keys()
    assert [one.term for one in glossary.suggest("core.orders")] == [made.id]
    assert glossary.links(made.id) == ()
    with pytest.raises(ForgeError, match="has changed since"):
        glossary.edit(made.id, expected_version=1, owner="x")
    with pytest.raises(ForgeError, match="has changed since"):
        glossary.remove(made.id, expected_version=1)
    glossary.remove(made.id, expected_version=2)
    assert [one.version for one in glossary.history(made.id)] == [3, 2, 1]


@pytest.mark.parametrize("name", ["terms.csv", "terms.yaml"])
def test_files_are_a_round_trip(catalog: CatalogView, tmp_path: Path, name: str) -> None:
    catalog.glossary.add("Net revenue", definition="=1")
    assert catalog.glossary.export_file(tmp_path / name) == 1
    assert len(catalog.glossary.import_file(tmp_path / name).unchanged) == 1
    with pytest.raises(ForgeError):
        catalog.glossary.import_file("terms.txt")


@pytest.mark.slow
def test_a_list_is_a_table(catalog: CatalogView) -> None:
    catalog.glossary.add("<b>Net</b>")
    assert "<b>" not in catalog.glossary.list()._repr_html_()
    assert list(catalog.glossary.list().to_pandas()["name"]) == ["<b>Net</b>"]
