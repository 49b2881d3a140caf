"""What a load reads of a Delta table and of an API: all of it, or what has changed since the load before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from forge.flows.federation.source_files import read_project_loads
from forge.flows.runs.source_rows import AT_VERSION, CHANGE, DELETED, INSERTED, REPLACED, UPDATED, SourceRows
from forge.model.errors import ForgeError
from forge.stores.connectors.loads import ConnectorLoads
from forge.transforms.transform import Transform

FEED = {"delta.enableChangeDataFeed": "true"}
BY_KEY = "{output: raw.events, source: events, kind: incremental_by_unique_key, unique_key: [id]}"


def load(
    root: Path, load: str = BY_KEY, source: str = "{name: events, connector: delta, path: data/events}"
) -> tuple[ConnectorLoads, Transform]:
    (root / "sources").mkdir(exist_ok=True)
    (root / "sources" / "events.yaml").write_text(f"sources:\n  - {source}\n  - {load}\n")
    reading, _ = read_project_loads(root)
    assert not reading.faults, reading.faults
    (transform,) = reading.transforms.values()
    return ConnectorLoads(root, lambda reference, where: "secret"), transform


def read(rows: SourceRows) -> list[dict[str, Any]]:
    with rows.until:
        return sorted(rows.read().read_all().to_pylist(), key=str)


def changes(root: Path, since: int, **options: object) -> list[tuple[object, ...]] | None:
    """Key, value, change and version of each; None: the table is loaded as a whole."""
    source = json.dumps({"name": "events", "connector": "delta", "path": "data/events", "options": options})
    loads, transform = load(root, source=source)
    state = loads.state(transform)
    rows = loads.open(transform, state, f"{state.rpartition(':')[0]}:{since}")
    if not rows.are_changes:
        return None
    found = [(one["id"], one.get("v"), one[CHANGE], one[AT_VERSION]) for one in read(rows)]
    return sorted(found, key=lambda one: (one[3], one[0], str(one[2])))


def test_a_table_that_only_spark_reads_is_not_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "events"
    write_deltalake(folder, table(1))
    (log,) = (folder / "_delta_log").glob("*.json")
    marked = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"]}
    protocol = json.dumps({"protocol": marked | {"writerFeatures": ["deletionVectors"]}})
    lines = [line for line in log.read_text().splitlines() if '"protocol"' not in line]
    log.write_text("\n".join([protocol, *lines]))
    loads, transform = load(tmp_path, "{output: raw.events, source: events}")
    with pytest.raises(ForgeError) as caught:
        loads.state(transform)
    assert (caught.value.code, "deletion vectors" in str(caught.value.why)) == ("E206", True)


def table(*ids: int, v: str | None = "a") -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array([v] * len(ids), pa.string())})


@pytest.fixture
def events(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "events"
    write_deltalake(folder, table(1, 2, 3), configuration=FEED)
    return folder


def test_a_whole_load_reads_the_version_that_was_planned(tmp_path: Path, events: Path) -> None:
    loads, transform = load(tmp_path, "{output: raw.events, source: events}")
    state = loads.state(transform)
    write_deltalake(events, table(4), mode="append")
    assert loads.state(transform) != state
    assert [one["id"] for one in read(loads.open(transform, state, ""))] == [1, 2, 3]
    assert [one["id"] for one in read(loads.open(transform, loads.state(transform), ""))] == [1, 2, 3, 4]


def test_the_feed_tells_inserts_updates_and_deletes(tmp_path: Path, events: Path) -> None:
    delta = DeltaTable(events)
    delta.update(updates={"v": "'z'"}, predicate="id = 2")
    delta.delete("id = 3")
    write_deltalake(events, table(4), mode="append")
    assert changes(tmp_path, 0) == [
        (2, "z", UPDATED, 1),
        (2, "a", REPLACED, 1),
        (3, "a", DELETED, 2),
        (4, "a", INSERTED, 3),
    ]
    assert changes(tmp_path, 2) == [(4, "a", INSERTED, 3)]
    assert changes(tmp_path, 3) == []
    assert changes(tmp_path, 0, versionAsOf=2) == [(2, "z", UPDATED, 1), (2, "a", REPLACED, 1), (3, "a", DELETED, 2)]


def test_files_that_are_only_rewritten_change_nothing(tmp_path: Path, events: Path) -> None:
    for number in range(4, 8):
        write_deltalake(events, table(number), mode="append")
    DeltaTable(events).optimize.compact()
    assert DeltaTable(events).version() == 5
    assert changes(tmp_path, 4) == []


def test_an_overwrite_takes_away_and_gives(tmp_path: Path, events: Path) -> None:
    write_deltalake(events, table(1, 9, v="new"), mode="overwrite")
    assert changes(tmp_path, 0) == [
        (1, "a", DELETED, 1),
        (1, "new", INSERTED, 1),
        (2, "a", DELETED, 1),
        (3, "a", DELETED, 1),
        (9, "new", INSERTED, 1),
    ]


def test_partitions_of_any_text_are_read(tmp_path: Path) -> None:
    folder, odd = tmp_path / "data" / "events", ("x y/é%", None, "ä=b")
    made = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "v": list(odd)})
    write_deltalake(folder, made.slice(0, 0), partition_by=["v"], configuration=FEED)
    write_deltalake(folder, made, mode="append")
    DeltaTable(folder).delete("id = 1")
    assert changes(tmp_path, 0) == [
        *((number, text, INSERTED, 1) for number, text in zip((1, 2, 3), odd, strict=True)),
        (1, odd[0], DELETED, 2),
    ]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.date32(), 20_000),
        (pa.timestamp("us", "UTC"), 1_700_000_000_000_001),
        (pa.timestamp("us"), 1_700_000_000_000_000),
        (pa.decimal128(10, 2), "12.30"),
        (pa.bool_(), True),
        (pa.int8(), -7),
    ],
)
def test_partitions_of_every_type_are_read(tmp_path: Path, kind: pa.DataType, value: object) -> None:
    folder = tmp_path / "data" / "events"
    cell = pa.array([value]).cast(kind) if isinstance(value, str) else pa.array([value], kind)
    made = pa.table({"id": pa.array([1], pa.int64()), "v": cell})
    write_deltalake(folder, made.slice(0, 0), partition_by=["v"], configuration=FEED)
    write_deltalake(folder, made, mode="append")
    assert changes(tmp_path, 0) == [(1, cell[0].as_py(), INSERTED, 1)]


def test_a_column_that_is_added_is_null_before(tmp_path: Path, events: Path) -> None:
    write_deltalake(events, table(4), mode="append")
    more = table(5).append_column("more", pa.array([1.5]))
    write_deltalake(events, more, mode="append", schema_mode="merge")
    loads, transform = load(tmp_path)
    state = loads.state(transform)
    rows = loads.open(transform, state, state.replace(":2", ":0"))
    assert [(one["id"], one["more"]) for one in read(rows)] == [(4, None), (5, 1.5)]


def test_another_table_and_other_columns_are_loaded_as_a_whole(tmp_path: Path, events: Path) -> None:
    write_deltalake(events, pa.table({"id": ["x"], "v": ["y"]}), mode="overwrite", schema_mode="overwrite")
    assert changes(tmp_path, 0) is None
    loads, transform = load(tmp_path)
    assert not loads.open(transform, loads.state(transform), "of another table:0").are_changes
    assert not loads.open(transform, loads.state(transform), loads.state(transform)[:-1] + "7").are_changes


def test_a_table_without_a_feed_is_told_what_to_set(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "data" / "events", table(1))
    loads, transform = load(tmp_path)
    with pytest.raises(ForgeError) as caught:
        loads.state(transform)
    assert (caught.value.code, caught.value.where) == ("E206", "sources/events.yaml:3")
    assert "delta.enableChangeDataFeed = true" in str(caught.value.fix)
    whole, transform = load(tmp_path, "{output: raw.events, source: events}")
    assert whole.state(transform).endswith(":0")


def test_a_log_that_forgot_is_told(tmp_path: Path, events: Path) -> None:
    for number in range(4, 8):
        write_deltalake(events, table(number), mode="append")
    DeltaTable(events).create_checkpoint()
    for version in range(3):
        (events / "_delta_log" / f"{version:020}.json").unlink()
    assert changes(tmp_path, 3) == [(7, "a", INSERTED, 4)]
    with pytest.raises(ForgeError) as caught:
        changes(tmp_path, 1)
    assert caught.value.code == "E206"
    assert "no longer has version 2" in str(caught.value.why)
    assert "--force" in str(caught.value.fix)


def test_files_that_vacuum_took_are_told(tmp_path: Path, events: Path) -> None:
    DeltaTable(events).delete("id = 3")
    for file in events.rglob("_change_data/*.parquet"):
        file.unlink()
    with pytest.raises(ForgeError) as caught:
        changes(tmp_path, 0)
    assert (caught.value.code, "--force" in str(caught.value.fix)) == ("E210", True)


@pytest.mark.parametrize("path", ["../../secret.parquet", "/etc/secret.parquet", "file:///etc/secret.parquet"])
@pytest.mark.parametrize("action", ["add", "remove", "cdc"])
def test_a_log_does_not_lead_out_of_the_table(tmp_path: Path, events: Path, action: str, path: str) -> None:
    import pyarrow.parquet as parquet

    parquet.write_table(table(7, v="secret"), tmp_path / "data" / "secret.parquet")
    write_deltalake(events, table(4), mode="append")
    write_deltalake(events, table(5), mode="append")
    lie = {action: {"path": path, "partitionValues": {}, "size": 1, "modificationTime": 0, "dataChange": True}}
    (events / "_delta_log" / f"{1:020}.json").write_text(json.dumps(lie) + "\n")
    with pytest.raises(ForgeError) as caught:
        changes(tmp_path, 0)
    assert caught.value.code == "E206"


@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"add": 7}', '{"add": {}}', '{"metaData": {"schemaString": "x"}}', "\xff"]
)
def test_a_damaged_log_is_told(tmp_path: Path, events: Path, text: str) -> None:
    write_deltalake(events, table(4), mode="append")
    write_deltalake(events, table(5), mode="append")
    DeltaTable(events).create_checkpoint()
    (events / "_delta_log" / f"{1:020}.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ForgeError) as caught:
        changes(tmp_path, 0)
    assert caught.value.code == "E206"


def test_one_table_of_a_folder_is_loaded(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "data" / "shop" / "Orders", table(1), configuration=FEED)
    write_deltalake(tmp_path / "data" / "shop" / "lines", table(2))
    shop = "{name: shop, connector: delta, path: data/shop}"
    loads, transform = load(tmp_path, "{output: raw.o, source: shop, table: orders}", shop)
    assert [one["id"] for one in read(loads.open(transform, loads.state(transform), ""))] == [1]
    for text, word in (
        ("{output: raw.o, source: shop}", "needs a table"),
        ("{output: raw.o, source: shop, table: x}", "x"),
    ):
        loads, transform = load(tmp_path, text, shop)
        with pytest.raises(ForgeError, match=word) as caught:
            loads.state(transform)
        assert caught.value.code == "E206"


def test_a_load_holds_no_more_than_some_batches(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "events"
    made = pa.table({"id": pa.array(range(200_000), pa.int64()), "v": ["x" * 100] * 200_000})
    write_deltalake(folder, made.slice(0, 1), configuration=FEED)
    write_deltalake(folder, made.slice(1), mode="append")
    loads, transform = load(tmp_path)
    state = loads.state(transform)
    with (rows := loads.open(transform, state, state.replace(":1", ":0"))).until:
        sizes = [batch.num_rows for batch in _batches(rows)]
    assert (sum(sizes), max(sizes) <= 65_536) == (199_999, True)


def _batches(rows: SourceRows) -> Iterator[pa.RecordBatch]:
    yield from rows.read()


@pytest.mark.parametrize("named", ["sales", "main.sales", "SALES"])
def test_a_table_of_a_database_is_loaded_with_the_types_that_queries_give(tmp_path: Path, named: str) -> None:
    with closing(sqlite3.connect(tmp_path / "till.db")) as database:
        database.execute('CREATE TABLE sales (id INTEGER, at TIMESTAMP, amount DECIMAL(10,2), "a ""b""" TEXT)')
        database.execute("INSERT INTO sales VALUES (1, '2026-01-31 23:30:00', 12.5, 'x'), (2, NULL, NULL, NULL)")
        database.commit()
    till = "{name: till, connector: sqlite, path: till.db}"
    loads, transform = load(tmp_path, f"{{output: raw.sales, source: till, table: {named}, kind: append}}", till)
    assert loads.state(transform) == ""
    rows = loads.open(transform, "", "")
    assert [str(one.type) for one in rows.columns] == ["bigint", "timestamp_ntz", "decimal(10,2)", "string"]
    first, second = read(rows)
    assert first == {"id": 1, "at": datetime(2026, 1, 31, 23, 30), "amount": Decimal("12.50"), 'a "b"': "x"}
    assert second["amount"] is None


def test_a_table_that_a_database_does_not_have_is_told_with_the_nearest(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "till.db")) as database:
        database.execute("CREATE TABLE sales (id INTEGER)")
    till = "{name: till, connector: sqlite, path: till.db}"
    loads, transform = load(tmp_path, "{output: raw.sales, source: till, table: sale}", till)
    with pytest.raises(ForgeError, match="Did you mean sales") as raised:
        loads.open(transform, "", "")
    assert (raised.value.code, raised.value.where) == ("E206", "sources/events.yaml:3")
