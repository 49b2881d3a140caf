"""Queries over Delta tables beside a database, without a JVM."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from migrated import lay_database
from sqlite_source import lay_shop

from forge.flows.federation.query import QueryAnswer, QueryRequest, ask, explain_query
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

SOURCES = """
sources:
  - {name: lake_d, connector: delta, path: data/lake, hidden: [events.note]}
  - {name: events, connector: delta, path: data/lake/events, hidden: [events.note], readers: [ada@example.com]}
  - {name: first, connector: delta, path: data/lake/events, options: {versionAsOf: 0}}
  - {name: secret, connector: delta, path: data/lake/events, readers: [eve@example.com]}
  - {name: till, connector: sqlite, path: data/till.db}
"""


@pytest.fixture
def wiring(tmp_path: Path) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(SOURCES)
    lay_shop(tmp_path / "data" / "till.db")
    lay_database(tmp_path / ".forge" / "forge.db")
    for number in range(3):
        days = [date(2026, 1, number + 1)] * 10
        ids = pa.array(range(number * 10, number * 10 + 10), pa.int64())
        table = pa.table({"id": ids, "day": days, "city": ["London", "Paris"] * 5, "note": ["x"] * 10})
        write_deltalake(tmp_path / "data" / "lake" / "events", table, mode="append", partition_by=["day"])
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as made:
        yield made


def answer(wiring: Wiring, sql: str, **more: Any) -> QueryAnswer:
    caller = QueryCaller("ada@example.com", "test", wiring.clock)
    found = ask(wiring.federation.query_ports(), QueryRequest(sql, executor="in-process", **more), caller)
    assert "session" not in wiring.__dict__, "a JVM was started"
    return found


def test_a_table_is_the_source_or_in_its_folder_and_joined(wiring: Wiring) -> None:
    for name in ("events", "lake_d.events", "LAKE_D.Events"):
        sql = f"SELECT c.email, count(*) AS n FROM {name} e JOIN till.customers c ON c.city = e.city GROUP BY c.email"
        assert answer(wiring, sql).rows == (("ada@example.com", 15),)
    assert answer(wiring, "SELECT count(*) FROM first").rows == ((10,),)


@pytest.mark.slow
def test_filters_and_projections_are_pushed_and_change_no_row(wiring: Wiring) -> None:
    for condition, count in (
        ("day = '2026-01-02'", 10),
        ("id BETWEEN 8 AND 12 AND city = 'Paris'", 2),
        ("day > '2026-01-01' AND id IN (3, 15)", 1),
        ("note = 'x'", 0),
        ("note IS NULL", 30),
        ("day IS NULL", 0),
    ):
        sql = f"SELECT id, city FROM events WHERE {condition} ORDER BY id"
        pushed, plain = answer(wiring, sql), answer(wiring, sql, pushdown=False)
        assert pushed.rows == plain.rows
        assert len(pushed.rows) == count, condition
        assert sum(plain.rows_read.values()) == 30
        # What is hidden is never asked for.
        assert sum(pushed.rows_read.values()) == (30 if "note" in condition else count), condition


def test_a_table_that_only_spark_reads_is_described_and_left_to_it(wiring: Wiring) -> None:
    log = max((wiring.root / "data" / "lake" / "events" / "_delta_log").glob("*.json"))
    marked = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"]}
    protocol = json.dumps({"protocol": marked | {"writerFeatures": ["deletionVectors"]}})
    log.write_text(f"{protocol}\n{log.read_text()}")
    with pytest.raises(ForgeError) as caught:
        answer(wiring, "SELECT id FROM events")
    assert (caught.value.code, caught.value.why) == ("E890", "events has deletion vectors, which only Spark reads.")
    caller = QueryCaller("ada@example.com", "test", wiring.clock)
    explained = explain_query(wiring.federation.query_ports(), QueryRequest("SELECT id FROM events"), caller)
    assert (explained.executor, explained.why) == ("spark", "events has deletion vectors, which only Spark reads")


def test_who_may_not_read_it_learns_nothing(wiring: Wiring) -> None:
    with pytest.raises(ForgeError) as caught:
        answer(wiring, "SELECT * FROM secret")
    assert caught.value.code == "E885"
