"""Kept results from Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from migrated import lay_database
from sqlite_source import lay_shop

from forge.connection.runs.project import Connection
from forge.settings import load_settings
from forge.wiring import Wiring

SQL = "SELECT id FROM till.customers WHERE id = :id"


@pytest.fixture
def f(tmp_path: Path) -> Iterator[Connection]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    lay_shop(tmp_path / "data" / "till.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        made = Connection(wiring, wiring.default_branch)
        made.sources.add("till", "sqlite", path="data/till.db")
        yield made


def test_a_result_is_kept_and_let_go_of(f: Connection) -> None:
    first, second = f.query(SQL, {"id": 1}), f.query(SQL, {"id": 1})
    assert (first.cache, second.cache) == ("miss", "hit")
    assert first == second
    assert first.to_arrow().equals(second.to_arrow())
    assert second.to_dict()["cache"] == "hit"
    assert f.query(SQL, {"id": 1}, cache=False).cache == "off"
    assert f.query(SQL, {"id": 2}).cache == "miss"
    assert (f.cache.stats().store, f.cache.stats().entries, f.cache.stats().hits) == ("disk", 2, 1)
    assert f.cache.invalidate("till", "orders") == 0
    assert f.cache.invalidate(table="customers") == 2
    f.query(SQL, {"id": 1})
    assert f.cache.clear() == 1
    assert f.explain("SELECT id FROM till.customers").to_dict()["cache"] == "miss"
