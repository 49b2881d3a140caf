"""Large tables of PostgreSQL are read in parts: each row once, of one moment, and all parts end together."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest
from source_worlds import SourceWorld, postgres_world

from forge.federation.plan import SourceQuery, SplitQuery
from forge.flows.federation.ports import SourceConnector
from forge.model.errors import CancellationError, ForgeError
from forge.stores.connectors import open_connector, parts, postgresql

pytestmark = pytest.mark.services("postgres")

ROWS = 60_000
SCHEMA = pa.schema([("i", pa.int64()), ("v", pa.int64())])


@pytest.fixture(scope="module")
def goods_world(new_postgres: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> SourceWorld:
    found = postgres_world(new_postgres(), tmp_path_factory.mktemp("shop"))
    found.execute(f"CREATE TABLE goods AS SELECT n AS i, 1 AS v FROM generate_series(1, {ROWS}) n")
    return found


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "PART_BLOCKS", 16)
    monkeypatch.setattr("os.cpu_count", lambda: 4)


def query(v: str = "g.v", table: str = "goods", where: str = "g.i > $1", *values: object) -> SourceQuery:
    text = f"SELECT g.i, {v} AS v FROM public.goods AS g WHERE {where}"
    given = values or (0,)
    bounds = [f"CAST(${len(given) + place} AS tid)" for place in (1, 2)]
    split = f"{text} AND g.ctid >= {bounds[0]} AND g.ctid < {bounds[1]}"
    return SourceQuery(text, given, SplitQuery(split, ("public", table)))


def wait_until(true: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.02)


def sessions(goods_world: SourceWorld, connector: SourceConnector) -> int:
    asked = "SELECT count(*) AS i FROM pg_stat_activity WHERE application_name = 'forge' AND pid <> pg_backend_pid()"
    text = f"{asked} AND datname = current_database()"
    return int(connector.read(SourceQuery(text), SCHEMA.remove(1)).read_all()["i"][0].as_py())


def test_each_row_comes_once_over_several_connections(goods_world: SourceWorld) -> None:
    connector = goods_world.open()
    reader = connector.read(query(), SCHEMA, batch_rows=500)
    first = reader.read_next_batch()
    wait_until(
        lambda: sessions(goods_world, goods_world.open()) == parts.MOST_PARTS
    )  # each connects when its thread begins
    found = [*first["i"].to_pylist(), *reader.read_all()["i"].to_pylist()]
    assert sorted(found) == list(range(1, ROWS + 1))
    wait_until(lambda: sessions(goods_world, goods_world.open()) == 0)


def test_values_are_bound_in_every_part(goods_world: SourceWorld) -> None:
    found = goods_world.open().read(query("g.v", "goods", "g.i > $1 AND g.i <= $2", 100, ROWS - 100), SCHEMA).read_all()
    assert found.num_rows == ROWS - 200


def test_all_parts_see_one_moment(goods_world: SourceWorld) -> None:
    reader = goods_world.open().read(query(), SCHEMA, batch_rows=200)
    found = [reader.read_next_batch()]
    goods_world.execute(
        "UPDATE goods SET v = v + 1000; DELETE FROM goods WHERE i % 2 = 0; INSERT INTO goods VALUES (-1, 5)"
    )
    found += list(reader)
    goods_world.execute("TRUNCATE goods")
    goods_world.execute(f"INSERT INTO goods SELECT n, 1 FROM generate_series(1, {ROWS}) n")
    table = pa.Table.from_batches(found)
    assert sorted(table["i"].to_pylist()) == list(range(1, ROWS + 1))
    assert set(table["v"].to_pylist()) == {1}


def test_rows_without_a_reader_wait_in_the_source(goods_world: SourceWorld) -> None:
    reader = goods_world.open().read(query(), SCHEMA, batch_rows=100)
    reader.read_next_batch()
    before = pa.total_allocated_bytes()
    time.sleep(0.5)
    assert pa.total_allocated_bytes() - before < 1_000_000
    assert reader.read_all().num_rows == ROWS - 100


def test_the_error_of_one_part_ends_the_others(goods_world: SourceWorld) -> None:
    with pytest.raises(ForgeError, match="shop refused the query") as caught:
        goods_world.open().read(query(f"1 / (g.i - {ROWS})"), SCHEMA, batch_rows=100).read_all()
    assert (caught.value.code, caught.value.why) == ("E309", "division by zero")
    wait_until(lambda: sessions(goods_world, goods_world.open()) == 0)


@pytest.mark.parametrize("end", ["cancel", "close"])
def test_cancel_ends_all_parts_in_the_source(goods_world: SourceWorld, end: str) -> None:
    connector = goods_world.open()
    reader = connector.read(query("(SELECT 1 FROM pg_sleep(0.01 * (g.i % 2)))"), SCHEMA, batch_rows=1)
    reader.read_next_batch()
    getattr(connector, end)()
    with pytest.raises(CancellationError):
        reader.read_all()
    wait_until(lambda: sessions(goods_world, goods_world.open()) == 0)


def test_cancel_ends_parts_that_have_no_row_yet(goods_world: SourceWorld) -> None:
    connector = goods_world.open()
    errors: list[BaseException] = []

    def read() -> None:
        try:
            connector.read(query("(SELECT 1 FROM pg_sleep(600))"), SCHEMA).read_all()
        except ForgeError as error:
            errors.append(error)

    thread = Thread(target=read)
    thread.start()
    wait_until(lambda: goods_world.running() == parts.MOST_PARTS)
    connector.cancel()
    thread.join(60)
    assert [type(error) for error in errors] == [CancellationError]
    wait_until(lambda: goods_world.running() == 0)


def test_letting_go_of_the_reader_ends_all_parts(goods_world: SourceWorld) -> None:
    reader = goods_world.open().read(query("(SELECT 1 FROM pg_sleep(0.01))"), SCHEMA, batch_rows=1)
    assert reader.read_next_batch().num_rows
    reader.close()
    del reader
    wait_until(lambda: sessions(goods_world, goods_world.open()) == 0)


def test_what_cannot_be_split_is_one_read(goods_world: SourceWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    original = postgresql.PostgresConnector._open

    def counted(self: Any) -> Any:
        opened.append(self)
        return original(self)

    monkeypatch.setattr(postgresql.PostgresConnector, "_open", counted)
    assert goods_world.open().read(query(table="gone"), SCHEMA).read_all().num_rows == ROWS
    assert goods_world.open(options={"statement_timeout": "60 s"}).read(query(), SCHEMA).read_all().num_rows == ROWS
    monkeypatch.setattr(postgresql, "PART_BLOCKS", 1_000_000)
    assert goods_world.open().read(query(), SCHEMA).read_all().num_rows == ROWS
    assert len(opened) == 3


def test_where_nobody_else_may_connect_one_connection_reads_all_parts(
    goods_world: SourceWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Any, snapshot: str) -> Any:
        raise self._login.unreachable(OSError("too many clients"))

    monkeypatch.setattr(postgresql.PostgresConnector, "_joined", full)
    assert goods_world.open().read(query(), SCHEMA).read_all().num_rows == ROWS


def test_only_tables_that_are_read_as_a_whole_are_split(goods_world: SourceWorld, tmp_path: Path) -> None:
    goods_world.execute("CREATE VIEW some_goods AS SELECT * FROM goods; CREATE TABLE salaries (id int, pay int)")
    goods_world.execute("DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN; GRANT SELECT (id) ON salaries TO clerk")
    clerk = open_connector(replace(goods_world.source, user="env:CLERK"), tmp_path, {"env:CLERK": "clerk"}.__getitem__)
    described = [goods_world.open().describe((name,)) for name in ("goods", "some_goods", "salaries")]
    described.append(clerk.describe(("salaries",)))
    assert [one is not None and one.splits for one in described] == [True, False, True, False]
