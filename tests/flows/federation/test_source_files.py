"""sources/*.yaml: sources that queries read, and loads that take their connection from one."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.flows.federation.source_files import read_file_sources, read_project_loads
from forge.flows.runs.project import load_project
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.transforms.transform import ConnectorSource, FileSource, JdbcSource

CRM = """\
sources:
  - {name: crm, connector: postgresql, url: "jdbc:postgresql://h/crm", user: env:U, password: env:P, options: {a: "1"}}
  - {name: rates, connector: files, path: data/rates.csv, columns: {day: date}, options: {header: "true"}}
  - {name: till, connector: sqlite, path: data/till.db}
  - {name: events, connector: delta, path: data/events}
  - {name: shop, connector: rest, url: "https://api.example.com", password: env:T,
     tables: {Orders: {path: /o, columns: {id: bigint}}}}
"""
LOADS = """\
sources:
  - {output: raw.customers, source: CRM, table: customers, options: {b: "2"}}
  - {output: raw.rates, source: rates, kind: append}
  - {output: raw.sales, source: till, query: SELECT 1}
  - {output: raw.events, source: events, kind: incremental_by_unique_key, unique_key: [id]}
  - {output: raw.orders, source: shop, table: orders}
  - {output: raw.tills, source: till, table: tills, kind: append}
"""


def write(root: Path, **files: str) -> Path:
    (root / "sources").mkdir(exist_ok=True)
    for name, text in files.items():
        (root / "sources" / f"{name}.yaml").write_text(text)
    return root


def loads(root: Path) -> dict[str, object]:
    reading, _ = read_project_loads(root)
    return {str(table): transform.body for table, transform in reading.transforms.items()}


def faults(root: Path, *known: str) -> list[ForgeError]:
    project = load_project(root, lambda table: None, [TableName.parse(name) for name in known])
    return [fault.error for fault in project.faults]


def test_a_load_takes_its_connection_from_the_source_that_it_names(tmp_path: Path) -> None:
    write(tmp_path, a_loads=LOADS, b_crm=CRM)
    assert loads(tmp_path) == {
        "raw.customers": JdbcSource(
            "jdbc:postgresql://h/crm", "customers", None, "env:U", "env:P", {"a": "1", "b": "2"}, source="CRM"
        ),
        "raw.rates": FileSource("csv", "data/rates.csv", {"day": "date"}, {"header": "true"}),
        "raw.sales": JdbcSource("jdbc:sqlite:data/till.db", None, "SELECT 1", source="till"),
        "raw.events": ConnectorSource("events", {"name": "events", "connector": "delta", "path": "data/events"}),
        "raw.orders": ConnectorSource(
            "shop",
            {
                "name": "shop",
                "connector": "rest",
                "url": "https://api.example.com",
                "tables": {"Orders": {"path": "/o", "columns": {"id": "bigint"}}},
                "password": "env:T",
            },
            "Orders",
            {"id": "bigint"},
        ),
        "raw.tills": ConnectorSource("till", {"name": "till", "connector": "sqlite", "path": "data/till.db"}, "tills"),
    }
    assert faults(tmp_path) == []
    project = load_project(tmp_path, lambda table: None)
    assert [source.name for source in project.sources] == ["crm", "rates", "till", "events", "shop"]


def test_a_load_of_a_database_by_its_driver_is_read_by_spark(tmp_path: Path) -> None:
    erp = '{name: erp, connector: jdbc, url: "jdbc:h2:mem:d", user: env:U, options: {driver: org.h2.Driver}}'
    write(tmp_path, erp=f"sources:\n  - {erp}\n  - {{output: raw.orders, source: erp, table: dbo.orders}}\n")
    assert loads(tmp_path) == {
        "raw.orders": JdbcSource(
            "jdbc:h2:mem:d", "dbo.orders", None, "env:U", None, {"driver": "org.h2.Driver"}, source="erp"
        )
    }
    assert faults(tmp_path) == []


def test_a_load_is_the_same_as_one_that_says_it_all_and_changes_with_its_source(tmp_path: Path) -> None:
    def code(load: str, source: str = CRM) -> str:
        write(tmp_path, loads=f"sources:\n  - {load}\n", crm=source)
        ((_, transform),) = read_project_loads(tmp_path)[0].transforms.items()
        return transform.code_hash

    named = code("{output: raw.c, source: crm, table: c}")
    whole = '{output: raw.c, connector: jdbc, url: "jdbc:postgresql://h/crm", table: c, options: {a: "1"}}'
    assert code(whole) == named
    assert code("{output: raw.c, source: crm, table: c}", CRM.replace("//h/crm", "//h/other")) != named
    assert code("{output: raw.c, source: crm, table: c}", CRM.replace("env:P", "env:Q")) == named


def test_what_a_connector_loads_is_what_its_source_says_but_not_who_asks_or_which_version(tmp_path: Path) -> None:
    def code(load: str, source: str) -> str:
        write(tmp_path, loads=f"sources:\n  - {load}\n", crm=source)
        ((_, transform),) = read_project_loads(tmp_path)[0].transforms.items()
        return transform.code_hash

    delta, rest = "{output: raw.e, source: events}", "{output: raw.o, source: shop, table: orders}"
    events, shop = code(delta, CRM), code(rest, CRM)
    assert code(delta, CRM.replace("path: data/events", "path: data/events, options: {versionAsOf: 1}")) == events
    assert code(delta, CRM.replace("data/events", "data/other")) != events
    assert code(rest, CRM.replace("env:T,", "env:OTHER, description: x, cache_ttl_seconds: 9,")) == shop
    assert code(rest, CRM.replace("path: /o,", "path: /p,")) != shop
    key = "{output: raw.e, source: events, kind: incremental_by_unique_key, unique_key: [id]}"
    assert code(key, CRM) != code(key.replace("[id]", "[nr]"), CRM)


@pytest.mark.parametrize(
    ("load", "code", "word"),
    [
        ("{output: raw.x, source: crn, table: t}", "E881", "Did you mean crm?"),
        ("{output: raw.x, source: crm}", "E206", "`table:`"),
        ("{output: raw.x, source: crm, table: t, query: SELECT 1}", "E206", "`table:`"),
        ("{output: raw.x, source: rates, table: t}", "E206", "Remove"),
        ("{output: raw.x, source: crm, table: t, url: x}", "E104", "source"),
        ("{output: raw.x, source: crm, table: t, options: {user: sa}}", "E106", "env:"),
        ("{output: raw.x, name: x, connector: files}", "E206", "Make two items"),
        ("{output: raw.x, source: events, kind: append}", "E206", "incremental_by_unique_key"),
        ("{output: raw.x, source: events, kind: incremental_by_unique_key}", "E206", "needs unique_key"),
        ("{output: raw.x, source: events, unique_key: [id]}", "E206", "has no unique_key"),
        ("{output: raw.x, source: events, query: SELECT 1}", "E206", "Remove `query:`"),
        ("{output: raw.x, source: events, options: {versionAsOf: 1}}", "E206", "where events is declared"),
        ("{output: raw.x, source: shop}", "E206", "Write `table: Orders`"),
        ("{output: raw.x, source: shop, table: order}", "E206", "Did you mean Orders?"),
        ("{output: raw.x, source: shop, table: orders, kind: append}", "E206", "`kind: full`"),
        ("{output: raw.x, source: crm, table: t, kind: incremental_by_unique_key, unique_key: [id]}", "E206", "feed"),
        (
            "{output: raw.x, connector: files, format: parquet, path: x, kind: incremental_by_unique_key}",
            "E206",
            "feed",
        ),
    ],
)
def test_a_load_that_cannot_be_joined_is_a_fault_of_its_line(tmp_path: Path, load: str, code: str, word: str) -> None:
    write(tmp_path, crm=CRM, loads=f"sources:\n  - {load}\n  - {{output: raw.y, source: till, table: t}}\n")
    (error,) = faults(tmp_path)
    assert (error.code, error.where) == (code, "sources/loads.yaml:2")
    assert word in f"{error.what} {error.fix} {error.why}"
    assert "raw.y" in loads(tmp_path)


def test_readers_of_a_table_whose_load_is_faulty_are_not_at_fault(tmp_path: Path) -> None:
    write(tmp_path, crm=CRM, loads="sources: [{output: raw.x, source: nope, table: t}]")
    (tmp_path / "transforms" / "core").mkdir(parents=True)
    (tmp_path / "transforms" / "core" / "x.sql").write_text("SELECT 1 AS one FROM raw.x")
    assert [error.code for error in faults(tmp_path)] == ["E881"]


def test_a_name_that_is_used_twice_or_is_a_schema_of_the_lake_is_a_fault_with_both_places(tmp_path: Path) -> None:
    write(
        tmp_path,
        a=CRM,
        b="sources:\n  - {name: Crm, connector: sqlite, path: x}\n  - {name: raw, connector: sqlite, path: x}\n",
        c="sources: [{output: raw.sales, source: till, table: t}, {name: old, connector: sqlite, path: x}]",
    )
    twice, schema, gone = faults(tmp_path, "old.orders")
    assert (twice.code, twice.where, twice.why) == (
        "E882",
        "sources/b.yaml:2",
        "sources/a.yaml:2 declares it too.",
    )
    assert (schema.where, schema.why) == (
        "sources/b.yaml:3",
        "It is a schema of the lake: sources/c.yaml:1 makes raw.sales.",
    )
    assert (gone.where, gone.why) == ("sources/c.yaml:1", "It is a schema of the lake: the lake has old.orders.")
    assert [one.name for one in read_file_sources(tmp_path).sources] == [
        "crm",
        "rates",
        "till",
        "events",
        "shop",
        "raw",
        "old",
    ]


def test_a_wrong_source_hides_no_other_and_is_told_once(tmp_path: Path) -> None:
    write(tmp_path, a=CRM + "  - {name: x, connector: ftp}\n", b="sources: [", c="sources: {}")
    (tmp_path / "sources" / "d.yaml").write_bytes(b"\xff")
    found = faults(tmp_path)
    assert sorted((error.code, error.where) for error in found) == [
        ("E103", "sources/b.yaml:1:11"),
        ("E103", "sources/d.yaml"),
        ("E206", "sources/c.yaml:1"),
        ("E880", "sources/a.yaml:8"),
    ]
    assert len(read_file_sources(tmp_path).sources) == 5
