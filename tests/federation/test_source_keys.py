"""Declared sources in files: what they say, and what is wrong with them."""

from __future__ import annotations

import pytest

from forge.federation.source import ConnectorKind, Source, SourceOrigin
from forge.federation.source_keys import find_clashes, load_named_sources, read_source, source_of_keys
from forge.model.errors import ForgeError, errors_of

GUIDE = """\
sources:
  - name: crm
    connector: postgresql
    url: jdbc:postgresql://db.example.com/crm
    user: env:CRM_USER
    password: env:CRM_PASSWORD
    schema: public
    readers: [ada@example.com]
    hidden: [Customers.Email]
    description: The customers
  - output: raw.customers
    source: crm
    table: customers
  - {name: Rates, connector: files, path: data/rates.csv, columns: {day: date, rate: "decimal(12,6)"}}
  - {name: till, connector: sqlite, url: "jdbc:sqlite:data/till.db"}
"""


def test_the_sources_of_a_file_are_read_and_its_loads_left_alone() -> None:
    (crm, rates, till), errors = load_named_sources(GUIDE, "sources/crm.yaml")
    assert errors == ()
    assert crm == Source(
        "crm",
        ConnectorKind.POSTGRESQL,
        url="jdbc:postgresql://db.example.com/crm",
        schema="public",
        user="env:CRM_USER",
        password="env:CRM_PASSWORD",
        readers=("ada@example.com",),
        hidden=frozenset({"customers.email"}),
        description="The customers",
        file="sources/crm.yaml",
        line=2,
    )
    assert (rates.name, rates.format, list(rates.columns)) == ("rates", "csv", ["day", "rate"])
    assert (till.path, till.url, till.where) == ("data/till.db", "jdbc:sqlite:data/till.db", "sources/crm.yaml:15")


PG = "sources:\n  - name: crm\n    connector: postgresql\n    url: jdbc:postgresql://h/d\n    {}\n"
FILES = "sources:\n  - name: rates\n    connector: files\n    path: d/*.parquet\n    {}\n"
LITE = "sources:\n  - name: till\n    connector: sqlite\n    path: d/till.db\n    {}\n"
DELTA = "sources:\n  - name: events\n    connector: delta\n    path: d/events\n    {}\n"
JDBC = "sources:\n  - name: crm\n    connector: jdbc\n    url: jdbc:h2:mem:d\n    {}\n"
WRONG = [
    (PG.format("onwer: ada"), "E104", 5, "name"),
    (PG.format("readres: [ada]"), "E104", 5, "readers"),
    (PG.format("shema: x"), "E104", 5, "schema"),
    (PG.replace("postgresql\n", "postgresq\n").format(""), "E880", 3, "postgresql"),
    (PG.replace("connector: postgresql", "connector: [mysql]").format(""), "E880", 3, "mysql"),
    (PG.replace("    connector: postgresql\n", "").format(""), "E880", 2, "no connector"),
    (PG.replace("url: jdbc:postgresql://h/d", "schema: x").format(""), "E880", 2, "url"),
    (PG.replace("jdbc:postgresql://h/d", "postgresql://h/d").format(""), "E880", 4, "jdbc:"),
    (PG.replace("jdbc:postgresql://h/d", "jdbc:mysql://h/d").format(""), "E880", 4, "jdbc:postgresql:"),
    (PG.replace("//h/d", "//sa:hunter2@h/d").format(""), "E106", 4, "env:"),
    (PG.replace("//h/d", "//h/d?password=hunter2").format(""), "E106", 4, "env:"),
    (PG.format("password: hunter2"), "E106", 5, "env:"),
    (PG.format("user: hunter2"), "E106", 5, "env:"),
    (PG.format("password: [hunter2]"), "E880", 5, "***"),
    (PG.format("user: {hunter2: x}"), "E880", 5, "***"),
    (PG.format("options: {ssl_secret: hunter2}"), "E106", 5, "env:"),
    (PG.format("path: x.csv"), "E880", 5, "no path"),
    (PG.format("readers: ada"), "E880", 5, "list"),
    (PG.format("readers: ['']"), "E880", 5, "reader"),
    (PG.format("hidden: [email]"), "E880", 5, "table.column"),
    (PG.replace("name: crm", "name: my-crm").format(""), "E880", 2, "letters"),
    (PG.replace("name: crm", "name: 7").format(""), "E880", 2, "string"),
    (PG.replace("name: crm", "name: Lake").format(""), "E882", 2, "lake"),
    (FILES.replace("*.parquet", "").format(""), "E880", 4, "format"),
    (FILES.replace("parquet", "csv").format(""), "E880", 2, "columns"),
    (FILES.replace("parquet", "csv").format("columns: {a: lng}"), "E880", 5, "long"),
    (FILES.format("format: parket"), "E880", 5, "parquet"),
    (FILES.format("password: env:X"), "E880", 5, "no password"),
    (FILES.replace("d/*", "s3a://key:hunter2@bucket/*").format(""), "E106", 4, "env:"),
    (LITE.format("url: jdbc:sqlite:x"), "E880", 4, "one path"),
    (LITE.replace("path: d/till.db", "url: 'jdbc:sqlite:'").format(""), "E880", 4, "file"),
    (LITE.replace("path: d/till.db", "url: 'jdbc:sqlite::memory:'").format(""), "E880", 4, "file"),
    (LITE.format("columns: {a: int}"), "E880", 5, "no columns"),
    (DELTA.replace("path: d/events", "description: x").format(""), "E880", 2, "a path"),
    (DELTA.replace("d/events", "d/*").format(""), "E880", 4, "a path"),
    (DELTA.replace("d/events", "gs://bucket/events").format(""), "E880", 4, "s3a://"),
    (DELTA.replace("d/events", "s3a://bucket/e").format("options: {endpoint: h:9000}"), "E880", 5, "https://"),
    (DELTA.replace("d/events", "s3a://bucket/e").format("options: {region: x.evil/}"), "E880", 5, "eu-central-1"),
    (DELTA.replace("d/events", "s3a://bucket/e").format("user: env:X"), "E880", 2, "both"),
    (DELTA.replace("d/events", "s3a://bucket/e").format("user: env:X\n    password: hunter2"), "E106", 6, "env:"),
    (DELTA.format("format: parquet"), "E880", 5, "no format"),
    (DELTA.format("columns: {a: int}"), "E880", 5, "no columns"),
    (DELTA.format("url: x"), "E880", 5, "no url"),
    (DELTA.format("options: {versionAsof: 1}"), "E880", 5, "versionAsOf"),
    (DELTA.format("options: {versionAsOf: -1}"), "E880", 5, "number"),
    (DELTA.format("options: {versionAsOf: 1.5}"), "E880", 5, "number"),
    (DELTA.format("options: {timestampAsOf: '2026-01-31'}"), "E880", 5, "zone"),
    (DELTA.format("options: {timestampAsOf: yesterday}"), "E880", 5, "zone"),
    (DELTA.format("options: {versionAsOf: 1, timestampAsOf: '2026-01-31T00:00:00Z'}"), "E880", 5, "two things"),
    (JDBC.replace("    url: jdbc:h2:mem:d\n", "").format(""), "E880", 2, "jdbc:sqlserver:"),
    (JDBC.replace("jdbc:h2:mem:d", "h2:mem:d").format(""), "E880", 4, "jdbc:sqlserver:"),
    (JDBC.replace("jdbc:h2:mem:d", "jdbc:sqlite:d.db").format(""), "E880", 4, "connector: sqlite"),
    (JDBC.replace("jdbc:h2:mem:d", "jdbc:h2:mem:d;PASSWORD=hunter2").format(""), "E106", 4, "env:"),
    (JDBC.replace("jdbc:h2:mem:d", "jdbc:oracle:thin:sa/hunter2@//h/x").format(""), "E106", 4, "env:"),
    (JDBC.format("password: hunter2"), "E106", 5, "env:"),
    (JDBC.replace("mem:d", "mem:d;trustStorePassword=hunter2").format(""), "E106", 4, "env:"),
    (JDBC.format("path: x.db"), "E880", 5, "no path"),
    (JDBC.format("columns: {a: int}"), "E880", 5, "no columns"),
    (JDBC.format("options: {driver: 'org.h2.Driver; x'}"), "E880", 5, "class"),
    (JDBC.format("options: {fetchsize: 0}"), "E880", 5, "whole number"),
    (JDBC.format("options: {query: SELECT 1}"), "E880", 5, "no option query"),
    (JDBC.format("options: {sessionInitStatement: DROP TABLE x}"), "E880", 5, "no option sessionInitStatement"),
    (JDBC.format("options: {pushDownPredicate: true}"), "E880", 5, "no option pushDownPredicate"),
]


@pytest.mark.parametrize(("text", "code", "line", "word"), WRONG)
def test_a_wrong_source_is_refused_with_its_line_and_shows_no_secret(
    text: str, code: str, line: int, word: str
) -> None:
    found, errors = load_named_sources(text, "s.yaml")
    assert found == ()
    (error,) = errors
    assert (error.code, error.where) == (code, f"s.yaml:{line}")
    told = f"{error.what} {error.why} {error.fix}"
    assert word in told
    assert "hunter2" not in told


def test_a_database_by_its_driver_is_declared_in_files_alone() -> None:
    oracle = "jdbc:oracle:thin:@//db.example.com:1521/crm"
    options = {"driver": "oracle.jdbc.OracleDriver", "fetchsize": 500, "oracle.net.CONNECT_TIMEOUT": 5000}
    fields = {"name": "crm", "connector": "jdbc", "url": oracle, "user": "env:A", "password": "env:B", "schema": "S"}
    found = read_source({**fields, "options": options})
    assert (found.connector, found.url, found.options["fetchsize"]) == (ConnectorKind.JDBC, oracle, "500")
    assert source_of_keys(found.keys, SourceOrigin.FILE) == found
    with pytest.raises(ForgeError) as raised:
        read_source({**fields, "options": options}, origin=SourceOrigin.COMMAND)
    assert (raised.value.code, raised.value.where) == ("E880", "connector")
    assert "sources/*.yaml" in str(raised.value.fix)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(ForgeError) as raised:
        read_source({"name": "a b", "connector": "postgresql", "url": "x", "path": "y", "password": "p"})
    assert [error.code for error in errors_of(raised.value)] == ["E880", "E106", "E880", "E880"]


def test_a_file_of_loads_or_of_nothing_declares_none_and_its_errors_are_told_by_the_loads() -> None:
    for text in ("", "sources: {}", "sources: [", "sources: [{output: raw.a}, 3]"):
        assert load_named_sources(text, "s.yaml") == ((), ())


def test_a_name_is_taken_once_with_both_places() -> None:
    text = GUIDE + "  - {name: CRM, connector: sqlite, path: x.db}\n"
    sources, _ = load_named_sources(text, "s.yaml")
    ((source, error),) = find_clashes(sources, {})
    assert (source.path, error.code, error.where) == ("x.db", "E882", "s.yaml:16")
    assert "s.yaml:2" in str(error.why)


def test_a_schema_of_the_lake_is_taken() -> None:
    sources, _ = load_named_sources(GUIDE, "s.yaml")
    ((source, error),) = find_clashes(sources, {"rates": "transforms/rates/day.sql:1 makes rates.day"})
    assert (source.name, error.where) == ("rates", "s.yaml:14")
    assert "transforms/rates/day.sql:1" in str(error.why)


def test_the_keys_of_a_source_give_the_source_again() -> None:
    for source in load_named_sources(GUIDE, "")[0]:
        again = source_of_keys(source.keys, SourceOrigin.FILE)
        assert again.keys == source.keys
        assert read_source(source.keys) == again
