"""Traps in which federated queries give wrong answers elsewhere, over a real PostgreSQL whose reads are split into tiny
parts and a real MariaDB whose collation ignores case: whatever is pushed down, and whoever computes, the rows are
Spark's.

The PostgreSQL of the tests is built without ICU and finds no locale of the system, so that all its collations sort by
code point. Texts that sort as ICU sorts them, by the Unicode Collation Algorithm, are MariaDB's: `unordered` is in
uca1400_as_cs, where letters of another case and accent are others, as under ICU, and 'a' < 'B' < 'é' < 'z' < 'Z'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from mariadb_server import PASSWORD, USER, MariadbServer
from migrated import lay_database

from forge.engines.spark.engine import SparkEngine
from forge.engines.spark.federation.executor import SparkExecutor
from forge.engines.spark.session.session import LazySession, SparkSettings
from forge.federation.planner import splits
from forge.flows.federation.query import FederationPorts, QueryRequest, ask
from forge.flows.versioning.read import QueryCaller
from forge.model.time import utc_now
from forge.stores.connectors import postgresql
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.services("postgres", "mariadb")

MOST = Decimal("99999999.99")
ROWS = 20_000
PAY = f"""
CREATE TABLE pay (id bigint PRIMARY KEY, person int, amount numeric(10,2), at timestamptz, wall timestamp,
  word text COLLATE "pg_unicode_fast");
INSERT INTO pay SELECT n, n % 5, {MOST}, timestamptz '2024-03-10 06:30:00+00' + n * interval '1 minute',
  timestamp '2024-03-10 02:30:00' + n * interval '1 minute', (ARRAY['a', 'B', 'é', 'z', 'Z'])[n % 5 + 1]
  FROM generate_series(1, {ROWS}) n;
ANALYZE pay;
"""
PEOPLE = (
    "CREATE TABLE people (id int PRIMARY KEY, name varchar(20)) COLLATE utf8mb4_general_ci",
    "INSERT INTO people VALUES (0, 'a'), (1, 'B'), (2, 'é'), (3, 'z'), (4, 'Z'), (9, NULL)",
    "CREATE TABLE unordered (id int PRIMARY KEY, name varchar(20)) COLLATE utf8mb4_uca1400_as_cs",
    "INSERT INTO unordered SELECT * FROM people",
)


@pytest.fixture(scope="module")
def ports(
    tmp_path_factory: pytest.TempPathFactory, new_postgres: Callable[[], str], mariadb_server: MariadbServer
) -> Iterator[FederationPorts]:
    root, url = tmp_path_factory.mktemp("traps"), new_postgres().replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(PAY)
        # Sessions of this database are in a zone where 2:30 of this day does not exist.
        connection.execute(f"ALTER DATABASE {url.rsplit('/', 1)[1]} SET timezone = 'America/New_York'")
    with mariadb_server.connect() as server, server.cursor() as cursor:
        cursor.execute("CREATE DATABASE traps CHARACTER SET utf8mb4")
    with mariadb_server.connect("traps") as server, server.cursor() as cursor:
        for statement in PEOPLE:
            cursor.execute(statement)
        server.commit()
    _write_project(root, url.replace("postgres@", ""), mariadb_server.port)
    lay_database(root / ".forge" / "forge.db")
    wiring = Wiring.of(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "SPLIT_ROWS", 1)
        patch.setattr(postgresql, "PART_BLOCKS", 8)
        yield wiring.federation.query_ports()
    wiring.database.dispose()


def _write_project(root: Path, postgres: str, mariadb: int) -> None:
    for name, text in {
        "postgres": "postgres",
        "user": USER,
        "password": PASSWORD,
        "forge.yaml": "user: {name: Ada, email: ada@example.com}\n",
        "sources/all.yaml": f"""sources:
  - {{name: crm, connector: postgresql, url: "jdbc:{postgres}", user: "file:{root}/postgres"}}
  - name: shop
    connector: mysql
    url: jdbc:mariadb://127.0.0.1:{mariadb}/traps
    user: "file:{root}/user"
    password: "file:{root}/password"
""",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def on_spark(ports: FederationPorts, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> FederationPorts:
    """In the session of all tests; no table of the lake is read."""
    root = tmp_path_factory.mktemp("traps on spark")
    session = LazySession(settings=SparkSettings("local[2]", {}, {}, root / "spark.log"))
    session._session = spark.newSession()
    engine = SparkEngine(session, root)
    return replace(ports, spark=lambda pins: SparkExecutor(engine, pins, root / "queries"))


@pytest.fixture(
    params=[
        pytest.param(("in-process", True), id="in-process, pushed down"),
        pytest.param(("in-process", False), id="in-process, not pushed down"),
        pytest.param(("spark", True), id="spark, pushed down", marks=pytest.mark.spark),
        pytest.param(("spark", False), id="spark, not pushed down", marks=pytest.mark.spark),
    ]
)
def rows(request: pytest.FixtureRequest) -> Callable[[str], list[tuple[object, ...]]]:
    executor, pushdown = request.param
    ports: FederationPorts = request.getfixturevalue("on_spark" if executor == "spark" else "ports")

    def asked(sql: str) -> list[tuple[object, ...]]:
        query = QueryRequest(sql, executor=executor, pushdown=pushdown, cache=False)
        found = ask(ports, query, QueryCaller("ada@example.com", "test", utc_now))
        assert found.table is not None
        assert found.executor == executor
        return list(zip(*(column.to_pylist() for column in found.table.columns), strict=True))

    return asked


Rows = Callable[[str], list[tuple[object, ...]]]


def test_a_sum_of_decimals_has_room_for_all_parts(rows: Rows) -> None:
    assert rows("SELECT sum(amount), count(*) FROM crm.pay") == [(MOST * ROWS, ROWS)]
    text = "SELECT p.name, sum(y.amount) AS s FROM crm.pay y JOIN shop.people p ON p.id = y.person GROUP BY p.name"
    assert sorted(rows(text), key=str) == sorted([(one, MOST * ROWS // 5) for one in "aBézZ"], key=str)
    assert rows("SELECT sum(y.amount) FROM crm.pay y JOIN shop.people p ON p.id = y.person + 100") == [(None,)]


def test_strings_compare_and_sort_by_bytes_whatever_the_collation(rows: Rows) -> None:
    assert sorted(rows("SELECT name FROM shop.people WHERE name > 'Z'")) == [("a",), ("z",), ("é",)]
    assert rows("SELECT name FROM shop.people ORDER BY name LIMIT 3") == [(None,), ("B",), ("Z",)]
    assert rows("SELECT name FROM shop.people ORDER BY name DESC LIMIT 2") == [("é",), ("z",)]
    assert rows("SELECT name FROM shop.people WHERE name = 'z'") == [("z",)]
    assert rows("SELECT min(name), max(name), count(DISTINCT name) FROM shop.people") == [("B", "é", 5)]
    assert rows("SELECT count(*) FROM crm.pay WHERE word > 'Z'") == [(ROWS * 3 // 5,)]
    assert rows("SELECT word FROM crm.pay ORDER BY word, id LIMIT 1") == [("B",)]
    text = "SELECT count(*), sum(y.amount) FROM crm.pay y JOIN shop.people p ON p.name = y.word WHERE p.name = 'Z'"
    assert rows(text) == [(ROWS // 5, MOST * ROWS // 5)]


def test_texts_that_a_language_sorts_compare_and_sort_by_bytes(rows: Rows) -> None:
    assert sorted(rows("SELECT name FROM shop.unordered WHERE name > 'B'")) == [("Z",), ("a",), ("z",), ("é",)]
    assert sorted(rows("SELECT name FROM shop.unordered WHERE name BETWEEN 'A' AND 'Z'")) == [("B",), ("Z",)]
    assert rows("SELECT name FROM shop.unordered WHERE name IS NOT NULL ORDER BY name LIMIT 3") == [
        ("B",),
        ("Z",),
        ("a",),
    ]
    assert rows("SELECT name FROM shop.unordered ORDER BY name DESC LIMIT 1") == [("é",)]
    assert rows("SELECT min(name), max(name) FROM shop.unordered") == [("B", "é")]


def test_the_collation_of_the_trap_sorts_in_another_way(mariadb_server: MariadbServer, ports: FederationPorts) -> None:
    with mariadb_server.connect("traps") as server, server.cursor() as cursor:
        cursor.execute("SELECT name FROM unordered WHERE name > 'B' ORDER BY name")
        assert [name for (name,) in cursor.fetchall()] == ["é", "z", "Z"]


def test_times_are_those_that_were_written_whatever_the_zone_of_the_session(rows: Rows) -> None:
    (found,) = rows("SELECT at, wall FROM crm.pay WHERE id = 1")
    assert found == (datetime(2024, 3, 10, 6, 31, tzinfo=UTC), datetime(2024, 3, 10, 2, 31))
    assert rows("SELECT count(*) FROM crm.pay WHERE wall = TIMESTAMP_NTZ '2024-03-10 02:31:00'") == [(1,)]
    assert rows("SELECT count(*) FROM crm.pay WHERE at <= TIMESTAMP '2024-03-10 06:35:00'") == [(5,)]
    joined = (
        "SELECT max(y.wall) AS w, max(y.at) AS a FROM crm.pay y JOIN shop.people p ON p.id = y.person WHERE p.id = 0"
    )
    assert rows(joined) == [(datetime(2024, 3, 23, 23, 50), datetime(2024, 3, 24, 3, 50, tzinfo=UTC))]


def test_limits_hold_inside_and_outside_of_one_another(rows: Rows) -> None:
    assert rows("SELECT count(*) FROM (SELECT * FROM (SELECT id FROM crm.pay LIMIT 50) LIMIT 20)") == [(20,)]
    assert rows("SELECT count(*) FROM (SELECT * FROM (SELECT id FROM crm.pay LIMIT 5) LIMIT 20)") == [(5,)]
    assert len(rows("SELECT id FROM crm.pay LIMIT 7")) == 7
    text = (
        "SELECT count(*) FROM (SELECT person FROM crm.pay ORDER BY id LIMIT 10) y JOIN shop.people p ON p.id = y.person"
    )
    assert rows(text) == [(10,)]


def test_conditions_at_an_outer_join_keep_their_place(rows: Rows) -> None:
    outer = "FROM shop.people p LEFT JOIN crm.pay y ON y.person = p.id"
    assert rows(f"SELECT p.id, count(*) {outer} WHERE y.id IS NULL GROUP BY p.id") == [(9, 1)]
    assert rows(f"SELECT count(*), count(y.id) {outer} AND y.id < 3") == [(6, 2)]
    assert rows(f"SELECT count(*), count(y.id) {outer} WHERE y.id < 3") == [(2, 2)]
    assert rows("SELECT count(*) FROM crm.pay y LEFT JOIN shop.people p ON p.id = y.person AND p.id = 1") == [(ROWS,)]
    assert rows("SELECT count(*), count(p.id) FROM crm.pay y FULL JOIN shop.people p ON p.id = y.person") == [
        (ROWS + 1, ROWS + 1)
    ]
