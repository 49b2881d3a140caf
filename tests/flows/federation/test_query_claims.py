"""Who asks which columns, in the lineage graph: of asked texts, of saved queries, of virtual tables of files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from migrated import lay_database

from forge.flows.federation.query import QueryRequest, ask
from forge.flows.federation.query_claims import MOST_COLUMNS, PRODUCER, digest_of, node_of
from forge.flows.federation.saved_queries import change_saved_query, drop_saved_query, keep_query
from forge.flows.federation.sources import change_source, create_source
from forge.flows.federation.virtual_tables import record_file_tables
from forge.flows.lineage.reader import open_graph
from forge.flows.versioning.read import QueryCaller
from forge.settings import load_settings
from forge.wiring import Wiring

SOURCES = """
sources:
  - {name: crm, connector: sqlite, path: data/crm.db}
  - {name: vault, connector: sqlite, path: data/crm.db, readers: [eve@example.com]}
"""
TABLES = """
virtual_tables:
  - name: people
    sources: [{alias: p, connector_id: crm, table_name: people}]
    columns: [{name: who, source_column: p.name, data_type: string}]
"""
EVE = "eve@example.com"
SECRET = "zoe@x.example"


@pytest.fixture
def wiring(tmp_path: Path) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    for folder, text in (("sources", SOURCES), ("virtual_tables", TABLES)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "all.yaml").write_text(text)
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "crm.db")) as crm, crm:
        crm.execute("CREATE TABLE people (id INTEGER NOT NULL, name TEXT, mail TEXT)")
        crm.execute("INSERT INTO people VALUES (1, 'Ada', 'zoe@x.example')")
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as made:
        yield made


def put(wiring: Wiring, sql: str, user: str = EVE) -> str:
    """Its node in the graph."""
    ports = replace(wiring.federation.query_ports(user=user), cache=None)
    ask(ports, QueryRequest(sql, executor="in-process"), QueryCaller(user, "test", wiring.clock))
    return f"{PRODUCER}{digest_of(sql)}"


def below(wiring: Wiring, name: str) -> set[str]:
    found = open_graph(wiring.lineage.graph).walk(name, depth=1)
    return {one.node.id for one in found.items if one.depth == 1}


def ends(wiring: Wiring, name: str) -> set[str]:

    view = open_graph(wiring.lineage.graph)
    if name not in view.store.numbers([name]):
        return set()
    found = view.walk(name, depth=1, direction="downstream")
    return {one.node.id for one in found.items if one.depth == 1}


def revision(wiring: Wiring) -> int:
    return wiring.lineage.graph.store.revision()


def test_who_asks_a_column_is_downstream_of_it_and_no_value_is_kept(wiring: Wiring) -> None:
    name = put(wiring, f"SELECT upper(mail) AS m, count(*) AS n FROM crm.people WHERE mail <> '{SECRET}' GROUP BY 1")
    assert ends(wiring, "crm.people.mail") == {f"{name}.m"}
    view = open_graph(wiring.lineage.graph)
    (number,) = view.store.numbers([name]).values()
    details = view.store.nodes([number])[number].details
    assert details["asked_by"] == EVE
    file = Path(str(wiring.database.url.database)).read_bytes()
    graph = file.count(SECRET.encode())
    assert graph == file.count(f"mail <> '{SECRET}'".encode()), "the audit alone has the text"


def test_the_same_text_is_recorded_once_a_day(wiring: Wiring) -> None:
    put(wiring, "SELECT name FROM crm.people")
    first = revision(wiring)
    put(wiring, "SELECT  name\nFROM crm.people")
    del wiring.federation.__dict__["recorder"]  # another process
    put(wiring, "SELECT name FROM crm.people")
    assert revision(wiring) == first
    put(wiring, "SELECT id FROM crm.people")
    assert revision(wiring) > first


def test_columns_of_one_query_are_bounded_and_it_says_so(wiring: Wiring) -> None:
    """Their names are those that a reading token gives them."""
    long = "x" * 256
    many = ", ".join(f"name AS c{number}" for number in range(250))
    name = put(wiring, f"SELECT id AS {long}, {many} FROM crm.people")
    assert ends(wiring, "crm.people.name") == {f"{name}.c{number}" for number in range(MOST_COLUMNS)}
    assert ends(wiring, "crm.people.id") == set()
    assert name in ends(wiring, "crm.people")
    view = open_graph(wiring.lineage.graph)
    (number,) = view.store.numbers([name]).values()
    assert view.store.nodes([number])[number].details["columns_left_out"] == 51


def test_columns_that_are_made_of_many_have_edges_up_to_a_bound(
    wiring: Wiring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forge.flows.federation.query_claims.MOST_COLUMN_EDGES", 3)
    name = put(wiring, "SELECT concat(name, mail) AS a, concat(name, mail) AS b FROM crm.people")
    made = ends(wiring, "crm.people.name") | ends(wiring, "crm.people.mail")
    assert made == {f"{name}.a", f"{name}.b"}
    assert len(list(open_graph(wiring.lineage.graph).store.edge_facts(producer=name))) == 3 + 1


def test_what_names_its_readers_is_not_in_the_graph(wiring: Wiring) -> None:
    put(wiring, "SELECT name FROM vault.people")
    put(wiring, "SELECT p.name FROM crm.people p JOIN vault.people v ON p.id = v.id")
    assert ends(wiring, "vault.people.name") == set()
    assert ends(wiring, "crm.people.name") == set()


def test_what_gets_readers_later_leaves_the_graph(wiring: Wiring) -> None:
    create_source({"name": "later", "connector": "sqlite", "path": "data/crm.db"}, wiring.federation.source_ports())
    put(wiring, "SELECT name FROM later.people")
    put(wiring, "SELECT who FROM virtual.people")
    assert len(ends(wiring, "later.people.name")) == len(ends(wiring, "crm.people.name")) == 1
    change_source("later", {"readers": [EVE]}, wiring.federation.source_ports())
    assert ends(wiring, "later.people.name") == set()
    assert len(ends(wiring, "crm.people.name")) == 1
    file = wiring.root / "virtual_tables" / "all.yaml"
    file.write_text(file.read_text() + f"    readers: [{EVE}]\n")
    wiring.federation.record_virtual_lineage_again()
    assert ends(wiring, "crm.people.name") == set()


def test_it_can_be_left_out(wiring: Wiring) -> None:
    settings = wiring.settings.root / "forge.yaml"
    settings.write_text(settings.read_text() + "federation: {record_lineage: false}\n")
    with closing(Wiring(load_settings(wiring.root, {"PATH": "", "HOME": "/nowhere"}))) as quiet:
        put(quiet, "SELECT name FROM crm.people")
        assert ends(quiet, "crm.people.name") == set()


def test_a_saved_query_that_is_shared_has_its_name(wiring: Wiring) -> None:
    ports = wiring.federation.saved_query_ports(EVE)
    made = keep_query({"name": "All names", "sql": "SELECT name FROM crm.people"}, ports)
    assert ends(wiring, "crm.people.name") == set()  # his own
    made = change_saved_query(made.id, {"is_shared": True}, ports)
    assert node_of(made).startswith("query:all_names_")
    assert ends(wiring, "crm.people.name") == {f"{node_of(made)}.name"}
    change_saved_query(made.id, {"sql": "SELECT mail FROM crm.people"}, ports)
    assert ends(wiring, "crm.people.name") == set()
    assert ends(wiring, "crm.people.mail") == {f"{node_of(made)}.mail"}
    change_saved_query(made.id, {"sql": "SELECT name FROM vault.people"}, ports)
    assert ends(wiring, "crm.people.mail") == ends(wiring, "vault.people.name") == set()
    change_saved_query(made.id, {"sql": "SELECT nothing FROM nowhere.at_all"}, ports)  # saved all the same
    change_saved_query(made.id, {"sql": "SELECT mail FROM crm.people"}, ports)
    drop_saved_query(made.id, ports)
    assert ends(wiring, "crm.people.mail") == set()


def test_virtual_tables_of_files_are_in_the_graph_without_a_test(wiring: Wiring) -> None:
    assert record_file_tables(wiring.federation.virtual_ports()) == 1
    assert ends(wiring, "crm.people.name") == {"virtual.people.who"}
    name = put(wiring, "SELECT who FROM virtual.people")
    assert ends(wiring, "crm.people.name") == {"virtual.people.who", f"{name}.who"}
