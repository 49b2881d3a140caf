"""Saved queries from Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from migrated import lay_database
from sqlite_source import lay_shop

from forge.connection.runs.project import Connection
from forge.flows.federation.saved_queries import keep_query
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

SQL = "SELECT id, city FROM till.customers WHERE city = :city AND id < :below"
YAML = "project: x\nuser: {name: Ada, email: ada@example.com}\nparams: {below: {type: int, default: 10}}\n"


@pytest.fixture
def f(tmp_path: Path) -> Iterator[Connection]:
    (tmp_path / "forge.yaml").write_text(YAML)
    lay_database(tmp_path / ".forge" / "forge.db")
    lay_shop(tmp_path / "data" / "till.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        made = Connection(wiring, wiring.default_branch)
        made.sources.add("till", "sqlite", path="data/till.db")
        yield made


def refused(code: str, f: Connection, name: str) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        f.query(saved=name)
    assert caught.value.code == code
    return caught.value


def test_a_query_is_kept_by_a_name_and_asked_by_it(f: Connection) -> None:
    made = f.saved_queries.save("by city", SQL, {"city": "London"}, description="Who lives there")
    assert f.query(saved="by city").rows == f.query(saved=made.id).rows == ((1, "London"),)
    assert f.query(saved="by city", params={"city": "Rome"}).rows == ()
    assert f.query(saved="by city", params={"below": "1"}).rows == ()
    assert [one["name"] for one in f.saved_queries.list().rows()] == ["by city"]
    changed = f.saved_queries.edit("by city", name="london", is_shared=True)
    assert (changed.id, changed.version, changed.is_shared) == (made.id, 2, True)
    assert "Did you mean london" in str(refused("E875", f, "londn").why)
    assert f.saved_queries.delete("london").id == made.id
    refused("E875", f, "london")


def test_a_query_is_a_text_or_a_name(f: Connection) -> None:
    f.saved_queries.save("one", "SELECT 1 AS one")
    for wrong in ({}, {"sql": "SELECT 1", "saved": "one"}):
        with pytest.raises(ForgeError, match="saved=NAME"):
            f.query(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ForgeError, match="A saved query has no owner"):
        f.saved_queries.edit("one", owner="eve@example.com")


def test_the_own_query_goes_before_those_that_others_share(f: Connection) -> None:
    ports = f.wiring.federation.saved_query_ports("bob@example.com")
    theirs = keep_query({"name": "cities", "sql": "SELECT 'bob' AS who", "is_shared": True}, ports)
    keep_query({"name": "own", "sql": "SELECT 1"}, ports)
    assert f.query(saved="cities").rows == (("bob",),)
    with pytest.raises(ForgeError) as caught:
        f.saved_queries.delete("cities")
    assert caught.value.code == "E878"
    refused("E875", f, "own")
    more = replace(ports, user="eve@example.com")
    keep_query({"name": "cities", "sql": "SELECT 'eve' AS who", "is_shared": True}, more)
    assert theirs.id in str(refused("E105", f, "cities").why)
    assert f.query(saved=theirs.id).rows == (("bob",),)
    f.saved_queries.save("cities", "SELECT 'ada' AS who")
    assert f.query(saved="cities").rows == (("ada",),)
