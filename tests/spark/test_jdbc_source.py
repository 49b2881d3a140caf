"""Databases by their JDBC driver as sources of queries: the rows of the same tables through Forge's own connectors,
beside the lake, and with what is not for who asks kept back by Forge. Derby, which comes with Spark, is a database
that Forge has no connector for."""

from __future__ import annotations

import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow as pa
import pytest
from asked_plan import explain

from forge.connection import Connection
from forge.engines.spark.federation import jdbc
from forge.federation.plan import Scan
from forge.federation.relation import RelationName
from forge.flows.federation.query import ExecutorChoice, QueryAnswer, QueryRequest, ask
from forge.flows.federation.sources import describe_source_table, probe_source
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import CancellationError, ForgeError
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MakeProject = Callable[..., Connection]
pytestmark = pytest.mark.spark

RULES = """
    hidden: [people.mail]
    masks: [{column: people.phone, as: hash, except: [boss]}]
    rows: [{table: people, filter: "country = 'DE' OR id > 90", except: [boss]}]
"""
SOURCES = f"""
sources:
  - {{name: own, connector: sqlite, path: data/shop.db}}
  - {{name: shop, connector: jdbc, url: "jdbc:derby:memory:NAME"}}
  - name: kept
    connector: jdbc
    url: jdbc:derby:memory:NAME
    readers: [ada@example.com, eve@example.com]{RULES}
  - {{name: gone, connector: jdbc, url: "jdbc:derby:memory:nowhere"}}
  - {{name: strange, connector: jdbc, url: "jdbc:strange://h/d"}}
  - {{name: unknown, connector: jdbc, url: "jdbc:strange://h/d", options: {{driver: com.example.Driver}}}}
  - {{output: core.countries, connector: files, format: csv, path: data/countries.csv,
     columns: {{code: string, label: string}}, options: {{header: "true"}}}}
"""
PEOPLE = [
    (1, "Ada", "DE", 5_000_000_000, "12.34", 0.1, "2024-03-31 02:30:00.000", "ada@x.example", "+49 30 1"),
    (2, "O'Neil", "FR", -1, "-0.05", 1e300, "1999-12-31 23:59:59.999", None, "+33 1 2"),
    (3, 'Zoë "Z"', None, None, None, None, None, "zoe@x.example", None),
    (91, "", "US", 0, "99999999.99", -0.5, "1582-10-15 00:00:00.000", "", ""),
]


def lay_shop(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as shop, shop:
        shop.execute(
            "CREATE TABLE people (id INTEGER NOT NULL PRIMARY KEY, name TEXT, country TEXT, big INTEGER,"
            " paid DECIMAL(10,2), score REAL, seen TIMESTAMP, mail TEXT, phone TEXT)"
        )
        shop.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", PEOPLE)
        shop.execute('CREATE TABLE "Odd ""names""" ("a ""b""" TEXT, "select" INTEGER, "c`d" TEXT)')
        shop.execute('INSERT INTO "Odd ""names""" VALUES (?, ?, ?)', ("x", 7, "y"))
        shop.execute("CREATE VIEW germans AS SELECT name FROM people WHERE country = 'DE'")


class Derby:
    """A database in the memory of Spark's Java."""

    def __init__(self, spark: SparkSession, name: str) -> None:
        jvm: Any = spark._jvm
        jvm.java.lang.System.setProperty("derby.stream.error.file", "/dev/null")  # else a file where the tests run
        self.name = name
        driver = jvm.org.apache.derby.iapi.jdbc.AutoloadedDriver()
        self._statements = driver.connect(f"jdbc:derby:memory:{name};create=true", jvm.java.util.Properties())

    def execute(self, *statements: str) -> None:
        for one in statements:
            statement = self._statements.createStatement()
            statement.execute(one)
            statement.close()


def derby_value(value: object) -> str:
    if value is None:
        return "NULL"
    quoted = str(value).replace("'", "''")
    return f"'{quoted}'" if isinstance(value, str) and not quoted.replace(".", "").lstrip("-").isdigit() else quoted


@pytest.fixture
def derby(spark: SparkSession) -> Iterator[Derby]:
    made = Derby(spark, f"shop{uuid.uuid4().hex}")
    made.execute(
        'CREATE TABLE "people" ("id" INT NOT NULL PRIMARY KEY, "name" VARCHAR(40), "country" VARCHAR(2), "big" BIGINT,'
        ' "paid" DECIMAL(10,2), "score" DOUBLE, "seen" TIMESTAMP, "mail" CLOB, "phone" VARCHAR(20))',
        *(f'INSERT INTO "people" VALUES ({", ".join(map(derby_value, one))})' for one in PEOPLE),
        'CREATE TABLE "Odd ""names""" ("a ""b""" VARCHAR(9), "select" SMALLINT, "c`d" VARCHAR(9))',
        'INSERT INTO "Odd ""names""" VALUES (\'x\', 7, \'y\')',
        """CREATE VIEW "germans" AS SELECT "name" FROM "people" WHERE "country" = 'DE'""",
        'CREATE TABLE "real" ("r" REAL, "s" SMALLINT)',
    )
    yield made
    with suppress(Exception):  # it says by an error that it is gone
        Derby(spark, f"{made.name};drop=true")


@pytest.fixture
def project(make_project: MakeProject, derby: Derby) -> Connection:
    return laid(make_project, SOURCES.replace("NAME", derby.name))


def laid(make_project: MakeProject, sources: str) -> Connection:
    yaml = "user: {name: Ada, email: ada@example.com}\nroles: {boss: [ada@example.com]}\n"
    countries = "code,label\nDE,Germany\nFR,France\n"
    made = make_project({"forge.yaml": yaml, "sources/all.yaml": sources, "data/countries.csv": countries})
    lay_shop(made.wiring.root / "data" / "shop.db")
    return made


def answer(
    wiring: Wiring, sql: str, *, user: str = "ada@example.com", executor: ExecutorChoice = "auto", **more: Any
) -> QueryAnswer:
    ports = wiring.federation.query_ports(user=user)
    return ask(ports, QueryRequest(sql, executor=executor, **more), QueryCaller(user, "test", wiring.clock))


def rows(wiring: Wiring, sql: str, **more: Any) -> list[tuple[object, ...]]:
    return sorted(answer(wiring, sql, **more).rows, key=repr)


def refused(code: str, wiring: Wiring, sql: str, **more: Any) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        answer(wiring, sql, **more)
    assert caught.value.code == code, str(caught.value)
    return caught.value


SAME = [
    "SELECT * FROM {0}.people",
    "SELECT id, big, paid, score, seen FROM {0}.people WHERE big > 4000000000 OR seen < TIMESTAMP_NTZ '2000-01-01'",
    "SELECT count(*), count(country), sum(paid), min(score), max(seen) FROM {0}.people",
    "SELECT count(*) FROM {0}.people WHERE paid IS NULL",
    "SELECT country, count(*) AS n FROM {0}.people GROUP BY country HAVING count(*) > 0",
    "SELECT DISTINCT country FROM {0}.people WHERE name LIKE '%e%' OR name = 'ADA'",
    "SELECT a.id, b.id FROM {0}.people a JOIN {0}.people b ON a.country < b.country",
    "SELECT p.name, c.label FROM {0}.people p LEFT JOIN core.countries c ON c.code = p.country",
    "SELECT name FROM {0}.people ORDER BY paid DESC NULLS LAST, id LIMIT 2",
    'SELECT `a "b"`, `select`, `c``d` FROM {0}.`Odd "names"`',
    "SELECT * FROM {0}.germans",
]


def test_rows_are_those_of_the_own_connector(project: Connection) -> None:
    wiring = project.wiring
    assert project.run().status == "succeeded"
    for sql in SAME:
        assert rows(wiring, sql.format("shop")) == rows(wiring, sql.format("own")), sql
    assert rows(wiring, "SELECT big, paid, score FROM shop.people WHERE id = 1") == [
        (5_000_000_000, Decimal("12.34"), 0.1)
    ]
    assert len(answer(wiring, "SELECT id FROM shop.people", limit=2).rows) == 2
    mixed = "SELECT a.name FROM shop.people a JOIN own.people b ON a.id = b.id WHERE b.country = :c"
    assert rows(wiring, mixed, parameters={"c": "FR"}) == [("O'Neil",)]


def test_only_spark_reads_it_and_it_is_asked_for_columns_alone(project: Connection) -> None:
    wiring = project.wiring
    sql = "SELECT country, count(*) FROM shop.people WHERE id = 1 AND mail IS NULL GROUP BY country ORDER BY 1"
    found = answer(wiring, sql)
    assert (found.executor, found.why) == ("spark", "only Spark reads shop")
    assert "not cacheable" in found.cache
    error = refused("E890", wiring, sql, executor="in-process")
    assert error.why == "only Spark reads shop."
    told: dict[str, Any] = explain(wiring.federation.query_ports(), QueryRequest(sql)).to_dict()
    (source,) = told["sources"]
    assert source["asked"] == "scan shop.APP.people (id, country, mail)"
    filters = [one for one in told["decisions"] if one["part"] == "filter"]
    assert len(filters) == 2
    assert {(one["pushed"], one["why"]) for one in filters} == {(False, "what this database means by it is not known")}


def test_what_is_not_for_who_asks_is_kept_back_by_forge(project: Connection) -> None:
    wiring, eve = project.wiring, "eve@example.com"
    everything = rows(wiring, "SELECT id, mail, phone FROM kept.people")
    assert [one[0] for one in everything] == [1, 2, 3, 91]
    assert {one[1] for one in everything} == {None}  # hidden from everyone
    seen: dict[Any, Any] = {one[0]: one[1] for one in rows(wiring, "SELECT id, phone FROM kept.people", user=eve)}
    assert seen.keys() == {1, 91}
    assert "+49" not in seen[1]
    assert rows(wiring, "SELECT count(*) FROM kept.people", user=eve) == [(2,)]
    tries = [
        "SELECT id FROM kept.people WHERE 1 / (id - 2) > 5",
        "SELECT id FROM kept.people WHERE phone = '+49 30 1' OR mail = 'ada@x.example'",
        "SELECT k.id FROM kept.people k JOIN own.people o ON o.mail = k.mail",
        "SELECT id FROM kept.people WHERE country = 'FR' OR name LIKE 'O%'",
        "SELECT id FROM (SELECT * FROM kept.people) WHERE id = 2",
    ]
    for sql in tries:
        assert rows(wiring, sql, user=eve) == [], sql
    refused("E885", wiring, "SELECT id FROM kept.people", user="mallory@example.com")
    told = explain(wiring.federation.query_ports(user=eve), QueryRequest("SELECT name FROM kept.people")).text()
    assert "'DE'" not in told
    assert "90" not in told


def test_another_name_of_a_table_with_rules_is_refused(project: Connection, derby: Derby) -> None:
    derby.execute('CREATE SYNONYM "folk" FOR "people"')
    for name in ("germans", "folk"):
        assert len(rows(project.wiring, f"SELECT name FROM shop.{name}")) in (1, 4)
        refused("E892", project.wiring, f"SELECT name FROM kept.{name}")
    assert rows(project.wiring, "SELECT count(*) FROM kept.real") == [(0,)]


def test_unknown_names_are_answered_with_the_nearest(project: Connection) -> None:
    error = refused("E887", project.wiring, "SELECT * FROM shop.peopel")
    assert "people" in f"{error.why} {error.fix}"
    error = refused("E108", project.wiring, "SELECT nmae FROM shop.people")
    assert "name" in f"{error.why} {error.fix}"
    refused("E887", project.wiring, "SELECT * FROM shop.`people; DROP TABLE people`")
    refused("E887", project.wiring, 'SELECT * FROM shop.`people" UNION SELECT * FROM "people`')
    assert rows(project.wiring, "SELECT count(*) FROM SHOP.PEOPLE") == [(4,)]


def test_a_source_that_is_down_is_named_with_the_rest_of_the_plan(project: Connection) -> None:
    wiring = project.wiring
    error = refused("E308", wiring, "SELECT * FROM shop.people p JOIN gone.people g ON g.id = p.id")
    assert "gone cannot be reached" in error.what
    told = explain(wiring.federation.query_ports(), QueryRequest("SELECT p.id, g.id FROM shop.people p, gone.people g"))
    assert set(told.unavailable) == {"gone"}
    assert told.plan is not None
    assert {one.source for one in told.plan.fragments} == {"shop", "gone"}
    for name in ("strange", "unknown"):
        error = refused("E308", wiring, f"SELECT * FROM {name}.people")
        assert "driver" in str(error.fix)


def test_a_test_says_what_answered_and_a_table_has_its_columns(project: Connection) -> None:
    ports = project.wiring.federation.source_ports()
    found = probe_source("shop", ports)
    assert found.answered.startswith("Apache Derby ")
    assert ", by Apache Derby Embedded JDBC Driver " in found.answered
    assert found.tables == 4
    columns = describe_source_table("shop", "people", ports).columns
    kinds = "bigint string string bigint decimal(10,2) double timestamp_ntz string string"
    assert [str(one.type) for one in columns] == kinds.split()
    found_columns = describe_source_table("shop", "app.real", ports).columns
    assert [str(one.type) for one in found_columns] == ["double", "bigint"]


def test_a_value_that_arrives_as_another_is_an_error(project: Connection, derby: Derby) -> None:
    derby.execute("""INSERT INTO "people" ("id", "seen") VALUES (99, '1066-10-14 09:00:00')""")
    error = refused("E310", project.wiring, "SELECT seen FROM shop.people")
    assert "calendar" in str(error.why)
    assert (99,) in rows(project.wiring, "SELECT id FROM shop.people")


def test_times_without_a_zone_are_not_read_where_java_is_not_in_utc(
    project: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jdbc, "_is_in_utc", lambda spark: False)
    error = refused("E310", project.wiring, "SELECT seen FROM shop.people")
    assert "user.timezone=UTC" in str(error.fix)
    assert len(rows(project.wiring, "SELECT id FROM shop.people")) == 4


def test_a_cancelled_read_ends_and_leaves_no_rows_behind(project: Connection, derby: Derby) -> None:
    many = ", ".join(f"({number})" for number in range(400))
    derby.execute(
        'CREATE TABLE "n" ("x" INT)',
        f'INSERT INTO "n" VALUES {many}',
        'CREATE VIEW "endless" AS SELECT a."x" FROM "n" a, "n" b, "n" c, "n" d',
    )
    wiring = project.wiring
    (shop,) = [one for one in wiring.federation.sources() if one.name == "shop"]
    connector = wiring.federation.connector(shop)
    assert connector.describe(("endless",)) is not None
    timer = threading.Timer(3, connector.cancel)
    timer.start()
    with pytest.raises(CancellationError):
        connector.read(Scan(RelationName("shop", ("APP", "endless")), ("x",)), pa.schema([("x", pa.int64())]))
    assert list((wiring.root / ".forge" / "queries").iterdir()) == []
    assert len(rows(wiring, "SELECT x FROM shop.endless LIMIT 2")) == 2


PG = """
sources:
  - {{name: own, connector: postgresql, url: "{url}", user: "env:CRM_USER", password: "env:CRM_PASSWORD"}}
  - name: crm
    connector: jdbc
    url: {url}
    user: env:CRM_USER
    password: env:CRM_PASSWORD
    options: {{fetchsize: 100, ApplicationName: forge}}
  - name: masked
    connector: jdbc
    url: {url}
    user: env:CRM_USER
    hidden: [bad.name]
  - {{name: closed, connector: jdbc, url: "{url}", user: "env:NOBODY", password: "env:CRM_PASSWORD"}}
"""
SECRET = "hush-hush-7"


@pytest.fixture
def crm(make_project: MakeProject, new_postgres: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> Connection:
    url = new_postgres()
    monkeypatch.setenv("CRM_USER", "postgres")
    monkeypatch.setenv("CRM_PASSWORD", SECRET)
    monkeypatch.setenv("NOBODY", "nobody_of_that_name")
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA sales")
        connection.execute(
            "CREATE TABLE customers (id int PRIMARY KEY, small smallint, name text, paid numeric(12,3), free numeric,"
            " born date, seen timestamptz, noted timestamp, ok boolean, raw bytea)"
        )
        connection.execute(
            "INSERT INTO customers VALUES (1, 7, 'Ada', 10.005, 0.5, '1815-12-10', '2024-03-31 01:30:00+00',"
            " '2024-03-31 02:30:00.123456', true, '\\x00ff'), (2, null, null, null, null, null, null, null, null, null)"
        )
        connection.execute("CREATE VIEW bad AS SELECT id, name, name::int AS number FROM customers")
        connection.execute("CREATE TABLE sales.customers (id bigint, amount numeric(10,2))")
        connection.execute("INSERT INTO sales.customers SELECT n, n / 4.0 FROM generate_series(1, 5000) n")
    return laid(make_project, PG.format(url="jdbc:" + url.replace("+psycopg", "").replace("postgres@", "")))


@pytest.mark.services("postgres")
def test_rows_of_postgresql_are_those_of_the_own_connector(crm: Connection) -> None:
    for sql in (
        "SELECT * FROM {0}.customers",
        "SELECT * FROM {0}.public.customers WHERE paid = 10.005 AND born < DATE '1900-01-01' AND ok",
        "SELECT count(*), sum(amount), max(id) FROM {0}.sales.customers WHERE id % 7 = 0",
        "SELECT c.name, s.amount FROM {0}.customers c JOIN {0}.sales.customers s ON s.id = c.id",
    ):
        assert rows(crm.wiring, sql.format("crm")) == rows(crm.wiring, sql.format("own")), sql
    found = probe_source("crm", crm.wiring.federation.source_ports())
    assert found.answered.startswith("PostgreSQL ")
    assert found.tables == 3


@pytest.mark.services("postgres")
def test_an_error_of_the_database_quotes_no_value_where_some_are_not_for_who_asks(crm: Connection) -> None:
    sql = "SELECT number FROM {}.bad"
    assert "Ada" in str(refused("E309", crm.wiring, sql.format("crm")))
    assert "Ada" not in str(refused("E309", crm.wiring, sql.format("masked")))


@pytest.mark.services("postgres")
def test_where_partitions_are_listed_as_tables_each_needs_a_rule_of_its_own(crm: Connection) -> None:
    assert len(rows(crm.wiring, "SELECT name FROM crm.customers")) == 2
    refused("E892", crm.wiring, "SELECT name FROM masked.customers")


@pytest.mark.services("postgres")
def test_no_secret_is_told_anywhere(crm: Connection) -> None:
    wiring = crm.wiring
    answer(wiring, "SELECT count(*) FROM crm.customers")
    told = [explain(wiring.federation.query_ports(), QueryRequest("SELECT name FROM crm.customers")).text()]
    error = refused("E308", wiring, "SELECT * FROM closed.customers")
    told += [str(error), f"{error.what} {error.why} {error.fix}", repr(wiring.federation.sources())]
    assert not any(SECRET in one or "nobody_of_that_name" in one for one in told), told
    kept = [one for one in wiring.root.rglob("*") if one.is_file()]
    assert not [one for one in kept if SECRET.encode() in one.read_bytes()]
