"""A SELECT that becomes a virtual table has the rows that it had; what its asker may not read stays so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from migrated import lay_database
from pyiceberg.catalog.sql import SqlCatalog

from forge.flows.federation.query import QueryAnswer, QueryRequest, ask
from forge.flows.federation.virtual_draft import draft_from_sql
from forge.flows.federation.virtual_tables import create_virtual_table
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError, errors_of
from forge.settings import load_settings
from forge.wiring import Wiring

pytestmark = pytest.mark.slow

SOURCES = """
sources:
  - {name: crm, connector: sqlite, path: data/crm.db}
  - {name: vault, connector: sqlite, path: data/crm.db, readers: [eve@example.com]}
"""
ORDERS = pa.table({"id": pa.array([1, 2, 3, 4], pa.int64()), "person": pa.array([1, 1, 2, None], pa.int64())})


@pytest.fixture(scope="module")
def wiring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wiring]:
    root = tmp_path_factory.mktemp("shop")
    lay_project(root)
    with closing(Wiring(load_settings(root, {"PATH": "", "HOME": "/nowhere"}))) as made:
        url, warehouse = str(made.database.url), made.settings.warehouse_path()
        catalog = SqlCatalog("forge", uri=url, warehouse=str(warehouse))
        catalog.create_namespace("core")
        catalog.create_table(("core", "orders"), ORDERS.schema).append(ORDERS)
        yield made


def lay_project(root: Path) -> None:
    (root / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    for name in ("data", "sources"):
        (root / name).mkdir()
    (root / "sources" / "all.yaml").write_text(SOURCES)
    with closing(sqlite3.connect(root / "data" / "crm.db")) as crm, crm:
        crm.execute("CREATE TABLE people (id INTEGER NOT NULL, name TEXT, country TEXT)")
        people = [(1, "Ada", "DE"), (2, "O'Neil", "FR"), (3, "Zoe", None)]
        crm.executemany("INSERT INTO people VALUES (?, ?, ?)", people)
    lay_database(root / ".forge" / "forge.db")


def answer(wiring: Wiring, sql: str) -> QueryAnswer:
    caller = QueryCaller("ada@example.com", "test", wiring.clock)
    return ask(wiring.federation.query_ports(), QueryRequest(sql, executor="in-process"), caller)


@pytest.fixture(scope="module")
def saved(wiring: Wiring) -> list[str]:
    """The names of those that were made before."""
    people = draft_from_sql("SELECT * FROM crm.people", wiring.federation.query_ports()).to_dict()
    create_virtual_table({**people, "name": "people"}, wiring.federation.virtual_ports())
    return ["people"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM crm.people",
        "SELECT id, upper(name) AS shout, country IS NULL AS no FROM crm.people p WHERE name LIKE '%''%' OR id > 2",
        "SELECT o.id, p.name FROM core.orders o JOIN crm.people p ON p.id = o.person AND p.country = 'DE'",
        "SELECT o.id, p.name FROM core.orders o LEFT JOIN crm.people p ON o.person = p.id WHERE o.id <> 2",
        "SELECT o.id, p.name FROM core.orders o FULL JOIN crm.people p ON o.person = p.id AND o.id < p.id",
        "SELECT p.id, b.name AS other FROM virtual.people p RIGHT JOIN crm.people b ON p.id > b.id",
    ],
)
def test_it_has_the_rows_that_the_select_had(wiring: Wiring, saved: list[str], sql: str) -> None:
    before = answer(wiring, sql)
    types = {one.name: one.type for one in before.schema.columns}
    draft = draft_from_sql(sql, wiring.federation.query_ports(), types)
    name = f"made_{len(saved)}"
    saved.append(name)
    create_virtual_table({"name": name, **draft.to_dict()}, wiring.federation.virtual_ports())
    after = answer(wiring, f"SELECT * FROM virtual.{name}")
    assert after.schema == before.schema
    assert sorted(after.rows, key=repr) == sorted(before.rows, key=repr)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT id FROM vault.people", "E885"),
        ("SELECT id FROM crm.nobody", "E887"),
        ("SELECT id FROM a.b.c JOIN crm.people p ON p.id = c.id", "E108"),
        ("SELECT id FROM virtual.nothing", "E108"),
        ("DELETE FROM crm.people", "E213"),
        ("SELECT FROM FROM", "E201"),
        ("VALUES (1)", "E889"),
        ("SELECT 1 AS `a b` FROM crm.people", "E889"),
    ],
)
def test_what_cannot_be_asked_is_no_draft(wiring: Wiring, sql: str, code: str) -> None:
    with pytest.raises(ForgeError) as refused:
        draft_from_sql(sql, wiring.federation.query_ports())
    assert refused.value.code == code, refused.value


def test_the_place_of_what_is_wrong_is_told(wiring: Wiring) -> None:
    with pytest.raises(ForgeError) as refused:
        draft_from_sql("SELECT id,\n  nme\nFROM crm.people", wiring.federation.query_ports())
    assert [(one.where, one.fix) for one in errors_of(refused.value)] == [("query:2:3", "Did you mean name?")]
