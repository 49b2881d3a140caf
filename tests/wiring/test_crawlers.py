"""Which databases the catalog takes in: what it has, everyone may search."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlite_source import lay_shop

from forge.wiring import Wiring
from forge.wiring.crawlers import find_crawlers

SETTINGS = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
SOURCES = """\
sources:
  - {name: till, connector: sqlite, path: data/till.db}
  - {name: safe, connector: sqlite, path: data/safe.db, readers: [ada@example.com]}
  - {output: raw.customers, source: till, table: customers}
  - {output: raw.hidden, source: SAFE, table: customers}
"""


@pytest.mark.parametrize(
    ("more", "taken"),
    [
        ("", {"sqlite:till"}),
        ("catalog: {sources: {shop: {url: 'jdbc:sqlite:data/safe.db'}}}\n", {"sqlite:till", "shop"}),
    ],
)
def test_a_source_with_readers_is_taken_in_only_where_the_operator_names_it(
    tmp_path: Path, more: str, taken: set[str]
) -> None:
    (tmp_path / "forge.yaml").write_text(SETTINGS + more)
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(SOURCES)
    for name in ("till", "safe"):
        lay_shop(tmp_path / "data" / f"{name}.db")
    wiring = Wiring.of(tmp_path)
    try:
        found = {one.source for one in find_crawlers(wiring).every}
    finally:
        wiring.close()
    assert {one for one in found if one in ("sqlite:till", "sqlite:safe", "shop")} == taken
