"""Virtual tables, from their definition to rows, without a JVM: what they are made of, and what nobody gets through
them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest
from asked_plan import explain
from migrated import lay_database
from pyiceberg.catalog.sql import SqlCatalog

from forge.federation.source import SourceOrigin
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.query import QueryAnswer, QueryRequest, ask
from forge.flows.federation.sources import change_source, create_source, drop_source
from forge.flows.federation.virtual_tables import (
    VirtualTablePorts,
    change_virtual_table,
    create_virtual_table,
    drop_virtual_table,
    find_virtual_table,
    find_virtual_table_drift,
    list_virtual_tables,
    probe_virtual_table,
)
from forge.flows.lineage.reader import GraphReader, open_graph
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError, errors_of
from forge.settings import load_settings
from forge.stores.sql.upkeep.audit import SqlAudit
from forge.wiring import Wiring

pytestmark = pytest.mark.slow

SOURCES = """
sources:
  - {name: crm, connector: sqlite, path: data/crm.db, hidden: [people.mail]}
  - {name: vault, connector: sqlite, path: data/crm.db, readers: [eve@example.com]}
  - name: rates
    connector: files
    format: csv
    path: data/rates.csv
    columns: {country: string, rate: "decimal(6,2)"}
    options: {header: "true"}
"""
ORDERS = pa.table(
    {
        "id": pa.array([1, 2, 3, 4], pa.int64()),
        "person": pa.array([1, 1, 2, None], pa.int64()),
        "amount": pa.array([Decimal("10.00"), Decimal("2.50"), None, Decimal("7.00")], pa.decimal128(10, 2)),
        "day": pa.array([date(2026, 11, day) for day in (14, 15, 15, 16)], pa.date32()),
    }
)
PEOPLE: dict[str, Any] = {
    "name": "people",
    "sources": [{"alias": "p", "connector_id": "crm", "table_name": "people", "column_mappings": {"land": "country"}}],
    "columns": [
        {"name": "id", "source_column": "p.id"},
        {"name": "who", "source_column": "name"},
        {"name": "country", "source_column": "p.land"},
        {"name": "mail", "source_column": "p.mail"},
        {"name": "shout", "expression": "upper(p.mail || '!')", "data_type": "string"},
    ],
}
BOUGHT: dict[str, Any] = {
    "name": "bought",
    "sources": [
        {"alias": "o", "connector_id": "lake", "schema_name": "core", "table_name": "orders"},
        {"alias": "p", "connector_id": "crm", "table_name": "people"},
        {"alias": "r", "connector_id": "rates"},
    ],
    "joins": [
        {"left_alias": "o", "right_alias": "p", "conditions": [{"left": "person", "right": "p.id"}]},
        {
            "left_alias": "p",
            "right_alias": "r",
            "join_type": "left",
            "conditions": [{"left": "country", "right": "country"}],
        },
    ],
    "columns": [
        {"name": "order_id", "source_column": "o.id", "nullable": False},
        {"name": "who", "source_column": "p.name"},
        {"name": "amount", "source_column": "o.amount"},
        {"name": "converted", "expression": "o.amount * r.rate", "data_type": "decimal(12,2)"},
    ],
    "default_filters": ["o.day < DATE '2026-11-16'"],
}


@pytest.fixture
def wiring(tmp_path: Path) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(SOURCES)
    (tmp_path / "data" / "rates.csv").write_text("country,rate\nDE,1.19\n")
    with closing(sqlite3.connect(tmp_path / "data" / "crm.db")) as crm, crm:
        crm.execute("CREATE TABLE people (id INTEGER NOT NULL, name TEXT, country TEXT, mail TEXT)")
        people = [(1, "Ada", "DE", "ada@x.example"), (2, "O'Neil", "FR", None), (3, "Zoë", None, "zoe@x.example")]
        crm.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", people)
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as made:
        url, warehouse = str(made.database.url), made.settings.warehouse_path()
        catalog = SqlCatalog("forge", uri=url, warehouse=str(warehouse))
        catalog.create_namespace("core")
        catalog.create_table(("core", "orders"), ORDERS.schema).append(ORDERS)
        yield made


def ports(wiring: Wiring, user: str | None = None, origin: SourceOrigin = SourceOrigin.COMMAND) -> VirtualTablePorts:
    return wiring.federation.virtual_ports(user, origin)


def create(wiring: Wiring, fields: dict[str, Any], **more: Any) -> Any:
    return create_virtual_table({**fields, **more}, ports(wiring))


def answer(wiring: Wiring, sql: str, *, user: str | None = None, hidden: Any = None, **more: Any) -> QueryAnswer:
    asked = wiring.federation.query_ports(user=user, hidden=hidden)
    caller = QueryCaller(user or "ada@example.com", "test", wiring.clock)
    found = ask(asked, QueryRequest(sql, executor="in-process", **more), caller)
    assert "session" not in wiring.__dict__, "a JVM was started"
    return found


def rows(wiring: Wiring, sql: str, **more: Any) -> list[tuple[object, ...]]:
    return list(answer(wiring, sql, **more).rows)


def refused(code: str, act: Any) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        act()
    assert {one.code for one in errors_of(caught.value)} == {code}, str(caught.value)
    return caught.value


def sql_refused(code: str, wiring: Wiring, sql: str, **more: Any) -> ForgeError:
    return refused(code, lambda: answer(wiring, sql, **more))


def test_a_virtual_table_is_read_like_a_table(wiring: Wiring) -> None:
    made = create(wiring, PEOPLE)
    assert (made.version, made.table.columns[0].data_type, made.created_by) == (1, "bigint", "ada@example.com")
    assert rows(wiring, "SELECT who, country FROM virtual.people WHERE id < 3 ORDER BY id") == [
        ("Ada", "DE"),
        ("O'Neil", "FR"),
    ]
    assert rows(wiring, "SELECT count(*) FROM `Virtual`.`PEOPLE`") == [(3,)]
    assert rows(wiring, "SELECT virtual.people.id FROM virtual.people WHERE people.who = 'Ada'") == [(1,)]
    named = "WITH people AS (SELECT 9 AS id) SELECT a.id, b.id FROM people a JOIN virtual.people b ON b.id < a.id - 7"
    assert rows(wiring, named) == [(9, 1)]


def test_sources_are_joined_filtered_and_computed(wiring: Wiring) -> None:
    create(wiring, BOUGHT)
    assert rows(wiring, "SELECT * FROM virtual.bought ORDER BY order_id") == [
        (1, "Ada", Decimal("10.00"), Decimal("11.90")),
        (2, "Ada", Decimal("2.50"), Decimal("2.98")),
        (3, "O'Neil", None, None),
    ]
    found = answer(wiring, "SELECT who, sum(amount) AS total FROM virtual.bought GROUP BY who ORDER BY who")
    assert list(found.rows) == [("Ada", Decimal("12.50")), ("O'Neil", None)]
    asked = next(one for one in SqlAudit(wiring.database).audit() if one.action == "query.run")
    assert asked.detail["tables"] == ["core.orders", "crm.people", "rates", "virtual.bought"]


@pytest.mark.parametrize(("side", "count"), [("inner", 3), ("left", 4), ("right", 4), ("full", 5)])
def test_each_kind_of_join(wiring: Wiring, side: str, count: int) -> None:
    fields = {**BOUGHT, "sources": BOUGHT["sources"][:2], "joins": [{**BOUGHT["joins"][0], "join_type": side}]}
    create(wiring, {**fields, "columns": BOUGHT["columns"][:2], "default_filters": []})
    assert rows(wiring, "SELECT count(*) FROM virtual.bought") == [(count,)]


def test_a_cte_of_the_query_does_not_take_the_place_of_a_source(wiring: Wiring) -> None:
    create(wiring, BOUGHT)
    fake = "WITH rates AS (SELECT 'DE' AS country, 1000 AS rate) SELECT max(converted) FROM virtual.bought"
    assert rows(wiring, f"{fake} WHERE EXISTS (SELECT 1 FROM rates)") == [(Decimal("11.90"),)]


def test_what_is_asked_of_it_is_asked_of_the_source(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    asked = wiring.federation.query_ports()
    found = explain(asked, QueryRequest("SELECT who FROM virtual.people WHERE country = 'DE' AND id = 1"))
    (source,) = cast("list[dict[str, Any]]", found.to_dict()["sources"])
    assert source["values"] == 2, source["asked"]
    assert "WHERE" in source["asked"]
    assert "mail" not in source["asked"]


def test_virtual_tables_stand_over_each_other(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    over = {"alias": "x", "connector_id": "virtual", "table_name": "people"}
    create(wiring, {"name": "names", "sources": [over], "columns": [{"name": "n", "source_column": "who"}]})
    assert find_virtual_table("names", ports(wiring)).table.columns[0].data_type == "string"
    assert rows(wiring, "SELECT n FROM virtual.names WHERE n LIKE 'A%'") == [("Ada",)]
    back = {"sources": [{**over, "table_name": "names"}], "columns": [{"name": "who", "source_column": "n"}]}
    wrong = refused("E894", lambda: change_virtual_table("people", back, ports(wiring)))
    assert "made of itself" in wrong.what
    bad = {"name": "more", "sources": [over], "columns": [{"name": "n", "source_column": "whom"}]}
    assert "Did you mean who" in (refused("E893", lambda: create(wiring, bad)).fix or "")


def test_a_tower_of_them_is_refused(wiring: Wiring) -> None:
    create(wiring, PEOPLE, name="t0")
    for number in range(1, 8):
        under = {"alias": "x", "connector_id": "virtual", "table_name": f"t{number - 1}"}
        create(wiring, {"name": f"t{number}", "sources": [under], "columns": [{"name": "id", "source_column": "id"}]})
    under = {"alias": "x", "connector_id": "virtual", "table_name": "t7"}
    fields = {"name": "t8", "sources": [under], "columns": [{"name": "id", "source_column": "id"}]}
    refused("E894", lambda: create(wiring, fields))


def test_it_never_gives_more_than_its_sources(wiring: Wiring) -> None:
    vault = {**PEOPLE, "sources": [{**PEOPLE["sources"][0], "connector_id": "vault"}]}
    refused("E885", lambda: create(wiring, vault))
    create_virtual_table({**vault, "readers": ["ada@example.com", "eve@example.com"]}, ports(wiring, "eve@example.com"))
    assert len(rows(wiring, "SELECT * FROM virtual.people", user="eve@example.com")) == 3
    wrong = sql_refused("E885", wiring, "SELECT * FROM virtual.people")  # a reader of it, and not of its source
    assert "vault" in wrong.what
    wrong = sql_refused("E885", wiring, "SELECT * FROM virtual.people", user="bob@example.com")
    assert "virtual table people" in wrong.what
    over = {"alias": "x", "connector_id": "virtual", "table_name": "people"}
    fields = {"name": "open", "sources": [over], "columns": [{"name": "id", "source_column": "id"}]}
    create_virtual_table(fields, ports(wiring, "eve@example.com"))
    sql_refused("E885", wiring, "SELECT * FROM virtual.open", user="bob@example.com")
    refused(
        "E885",
        lambda: explain(
            wiring.federation.query_ports(user="bob@example.com"), QueryRequest("SELECT 1 FROM virtual.open")
        ),
    )


def test_what_is_hidden_stays_hidden_through_it(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    found = answer(wiring, "SELECT mail, shout FROM virtual.people ORDER BY shout, id")
    assert set(found.rows) == {(None, None)}
    assert {"mail", "shout"} <= found.masked
    assert rows(wiring, "SELECT id FROM virtual.people WHERE shout LIKE 'ADA%' OR mail IS NOT NULL") == []
    assert rows(wiring, "SELECT count(DISTINCT shout) FROM virtual.people") == [(0,)]
    columns = [{**one, "data_type": "string"} if one["name"] == "who" else one for one in PEOPLE["columns"]]
    create(wiring, PEOPLE, name="shy", columns=columns, hidden=["WHO"])
    assert rows(wiring, "SELECT who FROM virtual.shy WHERE who = 'Ada'") == []
    assert answer(wiring, "SELECT DISTINCT who FROM virtual.shy").rows == ((None,),)


def test_personal_data_of_the_lake_stays_hidden_through_it(wiring: Wiring) -> None:
    create(wiring, BOUGHT)
    hidden = PersonalColumns(frozenset({("core.orders", "amount")}))
    found = answer(wiring, "SELECT amount, converted FROM virtual.bought", hidden=hidden)
    assert set(found.rows) == {(None, None)}
    assert {"amount", "converted"} <= found.masked
    assert rows(wiring, "SELECT who FROM virtual.bought WHERE converted > 0", hidden=hidden) == []


def test_drift_is_told_before_a_query_fails(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    assert find_virtual_table_drift("people", ports(wiring)).changes == ()
    with closing(sqlite3.connect(wiring.root / "data" / "crm.db")) as crm, crm:
        crm.execute("ALTER TABLE people RENAME COLUMN country TO land")
        crm.execute("ALTER TABLE people ADD COLUMN unread TEXT")
    drift = find_virtual_table_drift("people", ports(wiring))
    assert [(one.table, one.column, one.change) for one in drift.changes] == [("crm.people", "country", "removed")]
    wrong = sql_refused("E893", wiring, "SELECT id FROM virtual.people")
    assert "country of crm.people" in wrong.what
    refused("E893", lambda: probe_virtual_table("people", ports(wiring)))
    sources = [{**PEOPLE["sources"][0], "column_mappings": {}}]
    change_virtual_table("people", {"sources": sources}, ports(wiring))
    assert find_virtual_table_drift("people", ports(wiring)).changes == ()


def test_everything_that_its_sources_have_not_is_told_at_once(wiring: Wiring) -> None:
    columns = [{"name": "a", "source_column": "p.nam"}, {"name": "b", "expression": "p.idd + 1", "data_type": "int"}]
    with pytest.raises(ForgeError) as caught:
        create(wiring, {**PEOPLE, "columns": columns})
    found = errors_of(caught.value)
    assert [one.code for one in found] == ["E893", "E893"]
    assert [one.fix for one in found] == ["Did you mean name?", "Did you mean id?"]
    missing = {"sources": [{"alias": "p", "connector_id": "crm", "table_name": "peple"}]}
    refused("E887", lambda: create(wiring, {**PEOPLE, **missing}))
    refused("E881", lambda: create(wiring, {**PEOPLE, "sources": [{**PEOPLE["sources"][0], "connector_id": "crn"}]}))
    assert list_virtual_tables(ports(wiring)).tables == ()


def test_files_win_and_are_not_changed_here(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    folder = wiring.root / "virtual_tables"
    folder.mkdir()
    (folder / "all.yaml").write_text(
        "virtual_tables:\n"
        "  - name: people\n"
        "    sources: [{alias: p, connector_id: crm, table_name: people}]\n"
        "    columns: [{name: only, source_column: id}]\n"
        "  - {name: wrong, sources: [], columns: []}\n"
    )
    found = list_virtual_tables(ports(wiring))
    assert [(one.name, one.table.origin.value, one.table.where) for one in found.tables] == [
        ("people", "file", "virtual_tables/all.yaml:2")
    ]
    assert {one.code for one in found.errors} == {"E894", "E896"}
    assert rows(wiring, "SELECT * FROM virtual.people WHERE only = 2") == [(2,)]
    refused("E898", lambda: change_virtual_table("people", {"description": "x"}, ports(wiring)))
    refused("E898", lambda: drop_virtual_table("people", ports(wiring)))


def test_it_is_changed_where_it_was_made_and_at_its_version(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    changed = change_virtual_table("people", {"description": "People"}, ports(wiring), version=1)
    assert (changed.version, changed.table.description, changed.table.columns[0].data_type) == (2, "People", "bigint")
    assert change_virtual_table("people", {"description": "People"}, ports(wiring)).version == 2
    refused("E897", lambda: change_virtual_table("people", {"description": "x"}, ports(wiring), version=1))
    refused("E897", lambda: drop_virtual_table("people", ports(wiring), version=1))
    over_http = ports(wiring, "ada@example.com", SourceOrigin.HTTP)
    refused("E898", lambda: change_virtual_table("people", {"description": "x"}, over_http))
    refused("E896", lambda: create_virtual_table(PEOPLE, over_http))
    refused("E894", lambda: change_virtual_table("people", {"name": "other"}, ports(wiring)))
    drop_virtual_table("people", ports(wiring), version=2)
    refused("E895", lambda: find_virtual_table("people", ports(wiring)))


def test_a_schema_of_the_lake_of_that_name_is_not_shadowed(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    url, warehouse = str(wiring.database.url), wiring.settings.warehouse_path()
    catalog = SqlCatalog("forge", uri=url, warehouse=str(warehouse))
    catalog.create_namespace("virtual")
    catalog.create_table(("virtual", "people"), pa.schema([("x", pa.int64())])).append(pa.table({"x": [7]}))
    assert rows(wiring, "SELECT * FROM virtual.people") == [(7,)]
    (error,) = list_virtual_tables(ports(wiring)).errors
    assert (error.code, "schema of the lake" in (error.why or "")) == ("E896", True)


def test_lineage_is_hidden_once_a_source_below_is_not_for_everyone_and_shown_again(wiring: Wiring) -> None:
    sources = wiring.federation.source_ports()
    create_source({"name": "desk", "connector": "sqlite", "path": "data/crm.db"}, sources)
    below = [{"alias": "p", "connector_id": "desk", "table_name": "people"}]
    create(wiring, {"name": "inner", "sources": below, "columns": [{"name": "who", "source_column": "p.name"}]})
    above = [{"alias": "i", "connector_id": "virtual", "table_name": "inner"}]
    create(wiring, {"name": "outer", "sources": above, "columns": [{"name": "who", "source_column": "i.who"}]})

    def shown() -> list[bool]:
        walked = open_graph(wiring.lineage.graph)
        return [bool(_into(walked, f"virtual.{name}.who")) for name in ("inner", "outer")]

    assert shown() == [True, True]
    change_source("desk", {"readers": ["ada@example.com"]}, sources)
    assert shown() == [False, False]
    change_source("desk", {"readers": []}, sources)
    assert shown() == [True, True]
    change_virtual_table("inner", {"readers": ["ada@example.com"]}, ports(wiring))
    assert shown() == [False, False]
    change_virtual_table("inner", {"readers": []}, ports(wiring))
    drop_source("desk", sources)
    file = wiring.root / "sources" / "desk.yaml"
    source = "{name: desk, connector: sqlite, path: data/crm.db, readers: [ada@example.com]}"
    file.write_text(f"sources: [{source}]\n")
    wiring.federation.record_virtual_lineage_again()
    assert shown() == [False, False]


def test_lineage_is_hidden_once_a_table_of_the_lake_below_names_its_readers(wiring: Wiring) -> None:
    below = [{"alias": "o", "connector_id": "lake", "schema_name": "core", "table_name": "orders"}]
    create(wiring, {"name": "sold", "sources": below, "columns": [{"name": "id", "source_column": "o.id"}]})
    assert _into(open_graph(wiring.lineage.graph), "virtual.sold.id")
    with (wiring.root / "forge.yaml").open("a") as file:
        file.write("federation: {lake: {readers: {core.orders: [ada@example.com]}}}\n")
    with closing(Wiring(load_settings(wiring.root, {"PATH": "", "HOME": "/nowhere"}))) as again:
        again.federation.record_virtual_lineage_again()
        assert _into(open_graph(again.lineage.graph), "virtual.sold.id") == set()


def test_changes_are_in_the_audit_and_its_columns_in_the_lineage(wiring: Wiring) -> None:
    create(wiring, BOUGHT)
    walked = open_graph(wiring.lineage.graph)
    assert _into(walked, "virtual.bought.converted") == {"core.orders.amount", "rates.rate"}
    assert _into(walked, "virtual.bought.who") == {"crm.people.name"}
    change_virtual_table("bought", {"columns": BOUGHT["columns"][:3]}, ports(wiring))
    assert _into(open_graph(wiring.lineage.graph), "virtual.bought.converted") == set()
    drop_virtual_table("bought", ports(wiring))
    assert _into(open_graph(wiring.lineage.graph), "virtual.bought.who") == set()
    notes = [one for one in SqlAudit(wiring.database).audit() if one.action.startswith("vtable.")]
    assert [(one.action, one.subject) for one in reversed(notes)] == [
        (f"vtable.{action}", "bought") for action in ("create", "change", "drop")
    ]


def _into(view: GraphReader, name: str) -> set[str]:
    found = view.walk(name, depth=1)
    return {one.node.id for one in found.items if one.depth == 1}


def test_a_virtual_table_without_a_lake(tmp_path: Path, wiring: Wiring) -> None:
    other = replace(ports(wiring), schemas=lambda: {"virtual": "here"})
    refused("E896", lambda: create_virtual_table(PEOPLE, other))


def test_unknown_names_are_told_with_the_nearest(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    wrong = sql_refused("E108", wiring, "SELECT * FROM virtual.peple")
    assert wrong.fix == "Did you mean virtual.people?"
    wrong = sql_refused("E108", wiring, "SELECT whom FROM virtual.people")
    assert "who" in (wrong.fix or "")
    sql_refused("E216", wiring, "SELECT * FROM virtual.people VERSION AS OF 1")
    assert sql_refused("E108", wiring, "SELECT * FROM virtul.people").why == "Did you mean virtual.people?"
    change_virtual_table("people", {"readers": ["ada@example.com"]}, ports(wiring))
    assert sql_refused("E108", wiring, "SELECT * FROM virtul.people", user="eve@example.com").why is None


def test_what_it_says_of_the_cache_holds_for_queries_of_it(wiring: Wiring) -> None:
    create(wiring, {**BOUGHT, "sources": BOUGHT["sources"][:1], "joins": [], "columns": BOUGHT["columns"][:1]})
    request = QueryRequest("SELECT order_id FROM virtual.bought")
    assert explain(wiring.federation.query_ports(), request).cache == "miss"
    change_virtual_table("bought", {"cache_enabled": False}, ports(wiring))
    assert "bought says so" in str(explain(wiring.federation.query_ports(), request).cache)


def test_rows_and_masks_of_a_source_hold_through_it(wiring: Wiring) -> None:
    create(wiring, PEOPLE)
    create(wiring, BOUGHT)
    ruled = SOURCES.replace("hidden: [people.mail]", "hidden: [people.mail], rows: [{table: people, filter: id < 2}]")
    (wiring.root / "sources" / "all.yaml").write_text(ruled)
    assert rows(wiring, "SELECT who FROM virtual.people") == [("Ada",)]
    assert rows(wiring, "SELECT count(*) FROM virtual.people WHERE country = 'FR'") == [(0,)]
    assert {who for (who,) in rows(wiring, "SELECT who FROM virtual.bought")} == {"Ada"}
