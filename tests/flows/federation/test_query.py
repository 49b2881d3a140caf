"""Queries over the lake, a database and files, from text to rows, without a JVM."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pytest
from asked_plan import explain
from migrated import lay_database
from pyiceberg.catalog.sql import SqlCatalog

from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.query import QueryAnswer, QueryRequest, ask
from forge.flows.federation.sources import describe_source
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.model.names import RunId
from forge.model.schema import Column, Schema
from forge.settings import load_settings
from forge.wiring import Wiring
from forge.wiring.federation import FederationParts

if TYPE_CHECKING:
    from forge.flows.runs.engine import Engine

SOURCES = """
sources:
  - name: crm
    connector: sqlite
    path: data/crm.db
    hidden: [people.mail]
    rows: [{table: numbers, filter: "true"}, {table: seen, filter: "true"}]  # views of theirs
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


@pytest.fixture
def wiring(tmp_path: Path) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(SOURCES)
    (tmp_path / "data" / "rates.csv").write_text("country,rate\nDE,1.19\nFR,1.20\n")
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


def answer(wiring: Wiring, sql: str, *, user: str | None = None, hidden: Any = None, **more: Any) -> QueryAnswer:
    ports = wiring.federation.query_ports(user=user, hidden=hidden)
    caller = QueryCaller(user or "ada@example.com", "test", wiring.clock)
    found = ask(ports, QueryRequest(sql, executor="in-process", **more), caller)
    assert "session" not in wiring.__dict__, "a JVM was started"
    return found


def rows(wiring: Wiring, sql: str, **more: Any) -> list[tuple[object, ...]]:
    return list(answer(wiring, sql, **more).rows)


def refused(code: str, wiring: Wiring, sql: str, **more: Any) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        answer(wiring, sql, **more)
    assert caught.value.code == code, str(caught.value)
    return caught.value


JOINED = """
SELECT p.name, r.rate, count(*) AS n, sum(o.amount) AS total
FROM core.orders o JOIN crm.people p ON p.id = o.person JOIN rates r ON r.country = p.country
GROUP BY p.name, r.rate ORDER BY p.name
"""


def test_a_lake_a_database_and_a_file_are_one(wiring: Wiring) -> None:
    found = answer(wiring, JOINED)
    assert found.rows == (("Ada", Decimal("1.19"), 2, Decimal("12.50")), ("O'Neil", Decimal("1.20"), 1, None))
    types = [(one.name, one.type) for one in found.schema.columns]
    assert types == [("name", "string"), ("rate", "decimal(6,2)"), ("n", "bigint"), ("total", "decimal(20,2)")]


def test_pushing_down_changes_no_row_and_reads_fewer(wiring: Wiring) -> None:
    sql = (
        "SELECT o.id, p.name FROM core.orders o JOIN crm.people p ON p.id = o.person WHERE p.name = 'Ada' ORDER BY o.id"
    )
    pushed, plain = answer(wiring, sql), answer(wiring, sql, pushdown=False)
    assert pushed.rows == plain.rows == ((1, "Ada"), (2, "Ada"))
    assert sum(pushed.rows_read.values()) < sum(plain.rows_read.values())


def test_the_lake_alone_needs_no_source_and_no_jvm(wiring: Wiring) -> None:
    assert rows(wiring, "SELECT count(*) AS n, sum(amount) AS s FROM core.orders") == [(4, Decimal("19.50"))]
    assert rows(wiring, "SELECT id FROM core.orders ORDER BY amount, id") == [(3,), (2,), (4,), (1,)]
    assert rows(wiring, "SELECT 1 AS one") == [(1,)]


def test_parameters_are_values_whatever_is_in_them(wiring: Wiring) -> None:
    sql = "SELECT id FROM crm.people WHERE name = :name"
    assert rows(wiring, sql, parameters={"name": "O'Neil"}) == [(2,)]
    assert rows(wiring, sql, parameters={"name": "' OR 1=1 --"}) == []
    lake = "SELECT id FROM core.orders WHERE day >= :day ORDER BY id"
    assert rows(wiring, lake, parameters={"day": date(2026, 11, 15)}) == [(2,), (3,), (4,)]


def test_no_more_rows_than_asked_for(wiring: Wiring) -> None:
    assert len(rows(wiring, "SELECT id FROM core.orders", limit=2)) == 2
    assert len(rows(wiring, "SELECT id FROM crm.people", limit=2)) == 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT i FROM crm.numbers",
        "SELECT upper(i) AS i FROM crm.numbers LIMIT 500000",
        "SELECT q.i FROM (SELECT i, concat(i, 'x') AS part FROM crm.numbers) AS q",
    ],
)
def test_no_more_rows_than_asked_for_leave_the_source(wiring: Wiring, sql: str) -> None:
    with closing(sqlite3.connect(wiring.root / "data" / "crm.db")) as crm, crm:
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT i FROM n"
        crm.execute(f"CREATE VIEW numbers AS {numbers}")
    found = answer(wiring, sql, limit=101)
    assert (len(found.rows), sum(found.rows_read.values())) == (101, 101)


@pytest.mark.parametrize("limit", [None, 40_000])
def test_what_a_source_has_sorted_stays_in_its_order(wiring: Wiring, limit: int | None) -> None:
    with closing(sqlite3.connect(wiring.root / "data" / "crm.db")) as crm, crm:
        crm.execute("CREATE TABLE many (id INTEGER NOT NULL PRIMARY KEY)")
        crm.executemany("INSERT INTO many VALUES (?)", ((one,) for one in range(50_000)))
    found = answer(wiring, "SELECT id FROM crm.many ORDER BY id DESC", limit=limit)
    assert found.plan is not None
    assert found.plan.whole
    assert [one for (one,) in found.rows] == list(range(49_999, -1, -1))[:limit]


def test_a_limit_of_the_request_is_one_of_the_result(wiring: Wiring) -> None:
    sql = "SELECT country, count(*) AS n FROM crm.people GROUP BY country ORDER BY country"
    assert rows(wiring, sql, limit=2) == rows(wiring, sql)[:2]
    everyone = "SELECT id FROM core.orders UNION ALL SELECT id FROM crm.people ORDER BY id DESC"
    assert rows(wiring, everyone, limit=3) == rows(wiring, everyone)[:3] == [(4,), (3,), (3,)]
    joined = "SELECT o.id FROM core.orders o JOIN crm.people p ON p.id = o.person ORDER BY o.id OFFSET 1"
    assert rows(wiring, joined, limit=1) == [(2,)]


def test_a_hidden_column_reads_as_null_wherever_it_stands(wiring: Wiring) -> None:
    assert rows(wiring, "SELECT mail FROM crm.people") == [(None,)] * 3
    assert rows(wiring, "SELECT id FROM crm.people WHERE mail = 'ada@x.example'") == []
    assert rows(wiring, "SELECT id FROM crm.people WHERE mail IS NULL ORDER BY id") == [(1,), (2,), (3,)]
    assert rows(wiring, "SELECT count(mail) AS n, max(mail) AS m FROM crm.people") == [(0, None)]
    assert rows(wiring, "WITH x AS (SELECT upper(mail) AS m FROM crm.people) SELECT DISTINCT m FROM x") == [(None,)]
    asked = explain(wiring.federation.query_ports(), QueryRequest("SELECT * FROM crm.people")).text()
    assert "mail" not in asked.split("asks crm:")[1].splitlines()[1]


def test_personal_columns_of_the_lake_are_hidden_as_well(wiring: Wiring) -> None:
    hidden = PersonalColumns(frozenset({("core.orders", "amount")}))
    assert rows(wiring, "SELECT DISTINCT amount FROM core.orders", hidden=hidden) == [(None,)]
    assert rows(wiring, "SELECT id FROM core.orders WHERE amount > 5", hidden=hidden) == []


def test_a_source_is_for_its_readers(wiring: Wiring) -> None:
    assert len(rows(wiring, "SELECT id FROM vault.people", user="eve@example.com")) == 3
    for sql in ("SELECT id FROM vault.people", "SELECT id FROM vault.no_such_table", "SELECT v.id FROM VAULT.people v"):
        assert "vault" in refused("E885", wiring, sql).what


def test_unknown_names_are_answered_with_the_nearest(wiring: Wiring) -> None:
    assert "Did you mean crm.people?" in str(refused("E887", wiring, "SELECT * FROM crm.pepole"))
    refused("E108", wiring, "SELECT * FROM core.ordrs")
    assert "name" in str(refused("E108", wiring, "SELECT p.nam FROM crm.people p"))
    refused("E108", wiring, "SELECT * FROM crmm.people JOIN crm.people p")


@pytest.mark.parametrize("executor", ["auto", "in-process"])
def test_an_unknown_column_of_the_lake_is_told_without_spark(wiring: Wiring, executor: Any) -> None:
    caller = QueryCaller("ada@example.com", "test", wiring.clock)
    for sql, what, where in (
        ("SELECT amont\nFROM core.orders", "unknown column amont", "query:1:8"),
        ("SELECT id FROM core.orders o\nWHERE o.Amont > 1", "unknown column Amont", "query:2:9"),
    ):
        with pytest.raises(ForgeError) as caught:
            ask(wiring.federation.query_ports(), QueryRequest(sql, executor=executor), caller)
        error = caught.value
        assert (error.code, error.what, error.where, error.fix) == ("E108", what, where, "Did you mean amount?")
    assert "session" not in wiring.__dict__


def test_what_may_be_a_column_is_left_to_spark(wiring: Wiring) -> None:
    refused("E890", wiring, "SELECT current_schema FROM core.orders")
    refused("E890", wiring, "SELECT _file FROM core.orders")


def test_a_misspelt_source_is_answered_with_the_nearest_tables_of_sources(
    wiring: Wiring, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(user: str, source: str) -> None:
        describe_source(source, wiring.federation.source_ports(user))

    def near(sql: str, user: str = "ada@example.com") -> str | None:
        return refused("E108", wiring, sql, user=user).why

    assert near("SELECT * FROM cmr.people") == "Did you mean the source crm?"  # nobody looked at it yet
    look("ada@example.com", "crm")
    look("eve@example.com", "vault")
    look("ada@example.com", "rates")
    monkeypatch.setattr(FederationParts, "connector", None)  # nothing is asked of a source
    assert near("SELECT * FROM cmr.people") == "Did you mean crm.people?"
    assert near("SELECT * FROM CMR.People") == "Did you mean crm.people?"
    assert near("SELECT * FROM core.orders o JOIN cmr.people p ON p.id = o.id") == "Did you mean crm.people?"
    assert near("SELECT * FROM rats.x") == "Did you mean rates?"
    assert "vault" not in (near("SELECT * FROM valt.people") or "")
    assert "vault.people" in (near("SELECT * FROM valt.people", "eve@example.com") or "")


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM crm.people",
        "INSERT INTO crm.people SELECT 9, 'x', 'y', 'z'",
        "DROP TABLE crm.people",
        "UPDATE crm.people SET name = 'x'",
        "CREATE TABLE crm.x AS SELECT 1",
        "WITH x AS (SELECT 1) INSERT INTO crm.people SELECT * FROM x",
        "SELECT 1; DELETE FROM crm.people",
        "COPY crm.people TO 'x.csv'",
    ],
)
def test_what_writes_is_refused_and_nothing_changes(wiring: Wiring, sql: str) -> None:
    with pytest.raises(ForgeError):
        answer(wiring, sql)
    assert rows(wiring, "SELECT count(*) AS n FROM crm.people") == [(3,)]


def test_a_source_that_is_gone_is_named(wiring: Wiring) -> None:
    (wiring.root / "data" / "crm.db").unlink()
    assert "crm" in str(refused("E308", wiring, JOINED))


def test_the_plan_of_the_rest_names_a_source_that_is_gone(wiring: Wiring) -> None:
    (wiring.root / "data" / "crm.db").unlink()
    text = explain(wiring.federation.query_ports(), QueryRequest(JOINED)).text()
    assert "on crm unavailable: crm cannot be reached. There is no such file." in text
    assert "would ask crm:" in text
    assert "asks lake:" in text
    noted = wiring.metadata.audit(limit=1)[0]
    assert (noted.action, noted.detail["unavailable"]) == ("query.explain", ["crm"])


def test_every_query_leaves_a_row_in_the_audit(wiring: Wiring) -> None:
    answer(wiring, JOINED)
    refused("E885", wiring, "SELECT id FROM vault.people")
    ran, turned_away = wiring.metadata.audit(limit=2)[::-1]
    assert (ran.action, ran.detail["rows"], ran.detail["sources"]) == ("query.run", 2, ["crm", "lake", "rates"])
    assert ran.detail["tables"] == ["core.orders", "crm.people", "rates"]
    assert (turned_away.action, turned_away.detail["code"]) == ("query.refuse", "E885")


def test_what_only_spark_computes_says_so(wiring: Wiring) -> None:
    error = refused("E890", wiring, "SELECT regexp_extract(name, '(.)', 1) AS x FROM crm.people")
    assert "regexp_extract" in str(error)
    found = explain(wiring.federation.query_ports(), QueryRequest("SELECT uuid() AS x FROM crm.people"))
    assert found.executor == "spark"


def test_a_plan_says_what_each_source_is_asked_and_why_not_more(wiring: Wiring) -> None:
    found = explain(wiring.federation.query_ports(), QueryRequest(JOINED)).to_dict()
    asked: Any = found["sources"]
    assert {one["source"] for one in asked} == {"lake", "crm", "rates"}
    decisions: Any = found["decisions"]
    assert any(one["part"] == "join" and not one["pushed"] and one["why"] for one in decisions)


def test_joins_are_computed_in_the_order_that_leaves_the_fewest_rows(wiring: Wiring) -> None:
    with closing(sqlite3.connect(wiring.root / "data" / "crm.db")) as crm, crm:
        crm.execute("CREATE TABLE visits (person INTEGER, country TEXT)")
        crm.executemany("INSERT INTO visits VALUES (?, 'DE')", [(number % 7,) for number in range(1_000)])
    sql = (
        "SELECT count(*) AS n, max(r.rate) AS rate FROM core.orders o JOIN crm.visits v ON v.person = o.id "
        "JOIN rates r ON r.country = v.country JOIN core.orders p ON p.id = o.person"
    )
    explained = explain(wiring.federation.query_ports(), QueryRequest(sql))
    orders: Any = explained.to_dict()["join_orders"]
    (order,) = orders
    assert [one["table"] for one in order["tables"]] == ["core.orders", "core.orders", "crm.visits", "rates"]
    assert order["tables"][0] == {"table": "core.orders", "rows": 4}
    assert "Joined in the order core.orders, core.orders, crm.visits, rates" in explained.text()
    assert rows(wiring, sql) == rows(wiring, sql, pushdown=False) == [(429, Decimal("1.19"))]


def test_what_nobody_knows_the_size_of_is_named(wiring: Wiring) -> None:
    with closing(sqlite3.connect(wiring.root / "data" / "crm.db")) as crm, crm:
        crm.execute("CREATE VIEW seen AS SELECT * FROM people")

    def why(sql: str) -> str:
        return explain(wiring.federation.query_ports(), QueryRequest(sql)).why

    assert why("SELECT * FROM crm.people") == "it is small"
    assert why("SELECT * FROM rates") == "it is small"
    assert "how many rows crm.seen gives is unknown" in why(
        "SELECT * FROM crm.seen s JOIN rates r ON r.country = s.country"
    )
    assert why("SELECT id FROM crm.seen LIMIT 3") == "it is small"


def test_a_large_file_of_texts_is_large(wiring: Wiring) -> None:
    with (wiring.root / "data" / "rates.csv").open("a") as file:
        for _ in range(40):
            file.write("DE,1.19\n" * 100_000)
    found = explain(wiring.federation.query_ports(), QueryRequest("SELECT count(*) AS n FROM rates"))
    assert found.executor == "spark"
    assert "rows are read, more than 3,000,000" in found.why


def test_a_plan_says_which_columns_arrive_in_each_column_of_the_result(wiring: Wiring) -> None:
    explained = explain(wiring.federation.query_ports(), QueryRequest(JOINED))
    assert explained.lineage is not None
    found = {one.column: {(made.column, made.transformation) for made in one.sources} for one in explained.lineage}
    assert found == {
        "name": {("crm.people.name", "identity")},
        "rate": {("rates.rate", "identity")},
        "n": set(),
        "total": {("core.orders.amount", "aggregation")},
    }
    assert [one["column"] for one in explained.to_dict()["lineage"]] == ["name", "rate", "n", "total"]  # type: ignore[attr-defined]


def test_every_end_of_a_query_is_in_the_audit_with_what_it_cost(wiring: Wiring) -> None:
    answer(wiring, "SELECT name FROM crm.people")
    refused("E885", wiring, "SELECT * FROM vault.people")
    turned_away, ran = wiring.metadata.audit(limit=2)
    assert {"rows", "bytes", "ms", "executor", "sources", "rows_read"} <= ran.detail.keys()
    assert ran.detail["bytes"] > 0  # type: ignore[operator]
    assert turned_away.detail["ms"] >= 0  # type: ignore[operator]


class SparkOfOneRow:
    """Is given texts as they came."""

    def begin_read(self, read_id: RunId) -> None: ...

    def cancel(self, read_id: RunId) -> None: ...

    def end(self) -> None: ...

    def query(self, *asked: object) -> tuple[Schema, tuple[tuple[object, ...], ...]]:
        return Schema((Column("id", "bigint"),)), ((1,),)


def test_what_spark_computed_of_the_lake_has_its_plan_and_no_count_of_rows_read(wiring: Wiring) -> None:
    spark = cast("Engine", SparkOfOneRow())
    ports = replace(wiring.federation.query_ports(), engine=lambda: spark)
    request = QueryRequest("SELECT id FROM core.orders WHERE amount > 3", executor="spark")
    found = ask(ports, request, QueryCaller(ports.user, "test", wiring.clock))
    assert found.rows == ((1,),)
    told, explained = found.explained.to_dict(), explain(ports, request).to_dict()
    assert told["nodes"] == explained["nodes"]
    assert told["decisions"] == explained["decisions"] != []
    assert told["executor"] == {"name": "spark", "why": "it was asked for"}
    assert found.cache == "not cacheable (Spark computes the text as it came)"
    _, audited = wiring.metadata.audit(limit=2)
    assert audited.detail["sources"] == ["lake"]
    assert "rows_read" not in audited.detail  # nobody knows


def test_lineage_goes_through_subqueries_stars_and_joins(wiring: Wiring) -> None:
    ports = wiring.federation.query_ports()

    def made_of(sql: str) -> dict[str, list[str]]:
        explained = explain(ports, QueryRequest(sql))
        assert explained.lineage is not None
        return {one.column: [made.column for made in one.sources] for one in explained.lineage}

    assert made_of("WITH t AS (SELECT * FROM crm.people) SELECT upper(name) AS n, 1 AS one FROM t") == {
        "n": ["crm.people.name"],
        "one": [],
    }
    starred = made_of("SELECT * FROM crm.people JOIN rates USING (country)")
    assert starred["rate"] == ["rates.rate"]
    assert starred["name"] == ["crm.people.name"]
    union = made_of("SELECT id FROM core.orders UNION ALL SELECT id FROM crm.people")
    assert sorted(union["id"]) == ["core.orders.id", "crm.people.id"]
    assert "Columns come from:" in explain(ports, QueryRequest("SELECT id FROM crm.people")).text()


@pytest.fixture
def odd(wiring: Wiring) -> Wiring:
    """A table of SQLite whose types are advice, and one where they are not; each has what is no number where it can."""
    with closing(sqlite3.connect(wiring.root / "data" / "odd.db")) as connection, connection:
        for name, kind in (("loose", ""), ("firm", "STRICT")):
            connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, n INTEGER) {kind}")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", [(1, 3), (2, 7), (3, 9)])
        connection.execute("INSERT INTO loose VALUES (4, 'abc')")
    (wiring.root / "sources" / "odd.yaml").write_text("sources: [{name: odd, connector: sqlite, path: data/odd.db}]")
    return wiring


ODD = [
    "SELECT count(*) AS found FROM odd.{} WHERE n > 5",
    "SELECT count(*) AS found FROM odd.{} WHERE n <> 7",
    "SELECT count(n) AS found FROM odd.{}",
    "SELECT sum(n) AS found FROM odd.{}",
    "SELECT min(n) AS found FROM odd.{}",
    "SELECT count(DISTINCT n) AS found FROM odd.{}",
    "SELECT id FROM odd.{} ORDER BY n DESC LIMIT 1",
    "SELECT count(*) AS found FROM odd.{0} a JOIN odd.{0} b ON a.n = b.n",
]


@pytest.mark.parametrize("pushdown", [True, False])
@pytest.mark.parametrize("sql", ODD)
def test_what_is_no_number_is_an_error_and_in_no_answer_whoever_computes_it(
    odd: Wiring, sql: str, pushdown: bool
) -> None:
    refused("E310", odd, sql.format("loose"), pushdown=pushdown)
    assert rows(odd, sql.format("firm"), pushdown=pushdown)


def test_a_table_that_is_strict_is_asked_for_more(odd: Wiring) -> None:
    for sql, table, asked in (
        (ODD[0], "firm", "COUNT(*)"),
        (ODD[0], "loose", '"n" > ?'),
        ("SELECT count(*) AS found FROM odd.{} WHERE id > 2", "loose", "COUNT(*)"),
        ("SELECT count(*) AS found FROM odd.{} WHERE n = 7", "loose", "COUNT(*)"),
    ):
        text = explain(odd.federation.query_ports(), QueryRequest(sql.format(table))).text()
        assert asked in text.partition("f1 asks odd:")[2].partition("Not pushed")[0]
