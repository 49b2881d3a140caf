"""Answers of queries as Arrow streams, read by a plain client with pyarrow."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from sqlite_source import lay_shop
from version_site import VersionSite, open_version_site

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/federation/query"
ARROW = "application/vnd.apache.arrow.stream"
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
SOURCES = """\
sources:
  - name: till
    connector: sqlite
    path: data/till.db
    hidden: [customers.email]
    rows: [{table: long, filter: "true"}]  # a view of the tests
  - {name: tagged, connector: files, path: data/tagged.parquet}
"""
TAGGED = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "price": pa.array([Decimal("1.50"), None, Decimal("-0.01")], pa.decimal128(12, 2)),
        "at": pa.array([datetime(2026, 11, 14, 6, tzinfo=UTC)] * 3, pa.timestamp("us", "UTC")),
        "wall": pa.array([datetime(2026, 11, 14, 6)] * 3, pa.timestamp("us")),
        "day": pa.array([date(2026, 11, 14)] * 3, pa.date32()),
        "tags": pa.array([["a", "b"], [], None], pa.list_(pa.string())),
        "home": pa.array(
            [{"city": "Rome", "floor": 2}, None, {"city": None, "floor": 1}],
            pa.struct([("city", pa.string()), ("floor", pa.int32())]),
        ),
    }
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("arrow") / "shop", YAML) as opened:
        (opened.root / "sources").mkdir()
        (opened.root / "sources" / "all.yaml").write_text(SOURCES)
        till = lay_shop(opened.root / "data" / "till.db")
        parquet.write_table(TAGGED, opened.root / "data" / "tagged.parquet")
        with closing(sqlite3.connect(till)) as connection, connection:
            connection.execute("INSERT INTO customers VALUES (2, 'bob@example.com', 'Rome')")
            connection.execute("CREATE TABLE numbers (i INTEGER NOT NULL)")
            connection.executemany("INSERT INTO numbers VALUES (?)", ((one,) for one in range(1, 20_001)))
            numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            connection.execute(f"CREATE VIEW long AS {numbers} SELECT max(i) AS i FROM n")
        yield opened


@pytest.fixture(scope="module")
def reader(site: VersionSite) -> dict[str, str]:
    return site.token_of("eve@example.com", TokenScope.READ)


def post(site: VersionSite, sql: str, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    asked = {"sql": sql, "engine": "in-process", **body}
    found: httpx.Response = site.client.post(API, json=asked, headers=headers)
    return found


def ask(site: VersionSite, sql: str, as_: dict[str, str], **body: Any) -> dict[str, Any]:
    answer = post(site, sql, as_, **body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def stream(site: VersionSite, sql: str, as_: dict[str, str] | None = None, **body: Any) -> pa.Table:
    headers = {**(as_ or {}), "accept": ARROW}
    answer = post(site, sql, headers, **body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == ARROW
    assert "accept" in answer.headers["vary"]
    with pa.ipc.open_stream(answer.content) as reader:
        return reader.read_all()


def told(table: pa.Table) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(table.schema.metadata[b"forge"])
    return found


TYPED = "SELECT price, at, wall, day, tags, home FROM tagged ORDER BY id"


def test_an_arrow_stream_has_exact_types(site: VersionSite, reader: dict[str, str]) -> None:
    table = stream(site, TYPED, reader)
    assert [(one.name, str(one.type)) for one in table.schema] == [
        ("price", "decimal128(12, 2)"),
        ("at", "timestamp[us, tz=UTC]"),
        ("wall", "timestamp[us]"),
        ("day", "date32[day]"),
        ("tags", "list<item: string>"),
        ("home", "struct<city: string, floor: int32>"),
    ]
    assert table.to_pylist() == TAGGED.drop_columns("id").to_pylist()


def test_an_arrow_stream_tells_what_the_json_answer_tells(site: VersionSite, reader: dict[str, str]) -> None:
    asked: dict[str, Any] = {"limit": 1, "explain": True, "cache": False}
    sql = "SELECT id, email, id FROM till.customers ORDER BY city"
    table, answer = stream(site, sql, reader, **asked), ask(site, sql, reader, **asked)
    about = told(table)
    assert about["columns"] == answer["columns"]
    assert [one["masked"] for one in about["columns"]] == [False, True, False]
    assert table.to_pylist() == answer["items"] == [{"id": 1, "email": None, "id_2": 1}]
    assert (about["truncated"], about["engine"], about["cache"]) == (True, "in-process", "off")
    assert about.keys() == answer.keys() - {"rows", "items"}
    assert {**about, "ms": 0} == {**{key: answer[key] for key in about}, "ms": 0}
    assert told(stream(site, sql, reader))["truncated"] is False


def test_an_arrow_stream_without_rows_has_its_columns(site: VersionSite, reader: dict[str, str]) -> None:
    table = stream(site, "SELECT id, city FROM till.customers WHERE id < 0", reader)
    assert (table.num_rows, table.column_names) == (0, ["id", "city"])


def test_an_arrow_stream_comes_in_batches(site: VersionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.site.executor, "limits", replace(site.site.executor.limits, rows=50_000))
    headers = {"accept": ARROW}
    answer = post(site, "SELECT i FROM till.numbers", headers, limit=50_000)
    with pa.ipc.open_stream(answer.content) as reader:
        batches = list(reader)
    assert max(one.num_rows for one in batches) <= 8192
    assert sorted(pa.Table.from_batches(batches).column("i").to_pylist()) == list(range(1, 20_001))


def test_json_is_what_comes_where_it_is_preferred(site: VersionSite, reader: dict[str, str]) -> None:
    for accept in (f"application/json, {ARROW}", "*/*", "text/html"):
        answer = post(site, "SELECT 1 AS one", {**reader, "accept": accept})
        assert answer.json()["rows"] == [[1]]


def test_what_fails_or_takes_long_is_said_in_json(
    site: VersionSite, reader: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arrow = {**reader, "accept": ARROW}
    refused = post(site, "SELECT nothing FROM till.customers", arrow)
    assert refused.headers["content-type"] == "application/problem+json"
    sql = "SELECT i FROM till.long"
    monkeypatch.setattr(site.site.executor, "patience", 0.3)
    ticket = post(site, sql, arrow)
    assert (ticket.status_code, ticket.headers["content-type"]) == (202, "application/json")
    assert site.client.delete(f"{API}/{ticket.json()['run_id']}", headers=reader).status_code == 202
    ends = time.monotonic() + 60
    while any(not task.is_over for task in site.site.executor.reads()):
        assert time.monotonic() < ends
        time.sleep(0.02)
