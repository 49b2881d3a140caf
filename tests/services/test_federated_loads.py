"""Tables of databases, loaded by the name of their source: the values and types that queries give."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mariadb_server import PASSWORD, USER, MariadbServer
from migrated import lay_database

from forge.flows.federation.query import QueryRequest, ask
from forge.flows.federation.source_files import read_project_loads
from forge.flows.versioning.read import QueryCaller
from forge.model.names import TableName
from forge.model.secret import resolve_secret
from forge.model.time import utc_now
from forge.stores.connectors.loads import ConnectorLoads
from forge.wiring import Wiring

pytestmark = pytest.mark.services
AT = datetime(2026, 1, 31, 23, 30)
TENTH = 0.10000000149011612  # the FLOAT that is written as 0.1


def test_a_load_has_the_values_and_types_of_a_query(
    tmp_path: Path, new_postgres: Callable[[], str], mariadb_server: MariadbServer
) -> None:
    url = new_postgres().replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (id int, f real, at timestamp, here timestamptz, paid numeric(10,2))")
        connection.execute("INSERT INTO t VALUES (1, 0.1, '2026-01-31 23:30', '2026-01-31 23:30+00', 12.5)")
    with mariadb_server.connect() as server, server.cursor() as cursor:
        cursor.execute("CREATE DATABASE loads CHARACTER SET utf8mb4")
    with mariadb_server.connect("loads") as server, server.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00'")
        cursor.execute("CREATE TABLE t (id int, f float, at datetime, here timestamp NULL, paid decimal(10,2))")
        cursor.execute("INSERT INTO t VALUES (1, 0.1, '2026-01-31 23:30', '2026-01-31 23:30', 12.5)")
        server.commit()
    _lay(tmp_path, url.replace("postgres@", ""), mariadb_server.port)
    reading, _ = read_project_loads(tmp_path)
    loads = ConnectorLoads(tmp_path, lambda reference, where: resolve_secret(reference, {}, where))
    wiring = Wiring.of(tmp_path)
    for source in ("crm", "shop"):
        load = reading.transforms[TableName("raw", source)]
        rows = loads.open(load, loads.state(load), "")
        with rows.until:
            found = rows.read().read_all()
        question = QueryRequest(f"SELECT * FROM {source}.t", executor="in-process")
        asked = ask(wiring.federation.query_ports(), question, QueryCaller("ada@example.com", "test", utc_now)).table
        assert asked is not None
        assert found.schema.types == asked.schema.types
        first: dict[str, Any] = {"id": 1, "at": AT, "here": AT.replace(tzinfo=UTC), "paid": Decimal("12.50")}
        assert found.to_pylist() == asked.to_pylist() == [{**first, "f": pytest.approx(TENTH, abs=1e-12)}]
    wiring.database.dispose()


def _lay(root: Path, postgres: str, mariadb: int) -> None:
    for name, text in {
        "postgres": "postgres",
        "user": USER,
        "password": PASSWORD,
        "forge.yaml": "user: {name: Ada, email: ada@example.com}\n",
        "sources/all.yaml": f"""sources:
  - {{name: crm, connector: postgresql, url: "jdbc:{postgres}", user: "file:{root}/postgres"}}
  - name: shop
    connector: mysql
    url: jdbc:mariadb://127.0.0.1:{mariadb}/loads
    user: "file:{root}/user"
    password: "file:{root}/password"
  - {{output: raw.crm, source: crm, table: t}}
  - {{output: raw.shop, source: shop, table: t}}
""",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    lay_database(root / ".forge" / "forge.db")
