"""Delta tables as a source: what is read of them, which files are opened, and what is refused."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from deltalake import DeltaTable, write_deltalake

from forge.federation.plan import Scan, ScanFilter, ScanOperator, SourceQuery
from forge.federation.relation import RelationName
from forge.federation.source_keys import read_source
from forge.flows.federation.ports import SourceConnector
from forge.model.errors import CancellationError, ForgeError
from forge.stores.connectors import open_connector
from forge.versioning.arrow_types import arrow_type

AT = datetime(2026, 1, 31, 23, 59, 59, 123456, UTC)
ALL = pa.table(
    {
        "id": pa.array([1, 2, None], pa.int64()),
        "small": pa.array([1, -128, None], pa.int8()),
        "price": pa.array([Decimal("12345678901234567890.12"), Decimal("-0.01"), None], pa.decimal128(22, 2)),
        "f": pa.array([0.1, float("nan"), None]),
        "s": ["ü 🦆", "", None],
        "b": pa.array([True, False, None]),
        "day": pa.array([date(2026, 1, 31), date.min, None]),
        "at": pa.array([AT, AT, None], pa.timestamp("us", "UTC")),
        "local": pa.array([AT.replace(tzinfo=None)] * 2 + [None], pa.timestamp("us")),
        "raw": pa.array([b"\x00\xff", b"", None]),
        "tags": pa.array([["a"], [], None], pa.list_(pa.string())),
    }
)


def source(path: str = "events", **options: object) -> Any:
    return read_source({"name": "events", "connector": "delta", "path": path, "options": options})


def opened(root: Path, path: str = "events", **options: object) -> SourceConnector:
    return open_connector(source(path, **options), root, lambda reference: "")


def rows(
    connector: SourceConnector,
    *names: str,
    table: tuple[str, ...] = (),
    filters: tuple[ScanFilter, ...] = (),
    limit: int | None = None,
) -> list[tuple[Any, ...]]:
    relation = connector.describe(table)
    assert relation is not None
    wanted = [one for one in relation.columns if one.name in names or not names]
    schema = pa.schema([(one.name, arrow_type(str(one.type))) for one in wanted])
    scan = Scan(relation.name, tuple(one.name for one in wanted), filters, limit)
    return [tuple(one.values()) for one in connector.read(scan, schema).read_all().to_pylist()]


def refused(code: str, connector: SourceConnector) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        rows(connector)
    assert caught.value.code == code, str(caught.value)
    return caught.value


def numbered(first: int, count: int, **columns: object) -> pa.Table:
    made = pa.table({"id": pa.array(range(first, first + count), pa.int64())})
    for name, value in columns.items():
        made = made.append_column(name, pa.array([value] * count))
    return made


def log_of(folder: Path) -> Path:
    return sorted((folder / "_delta_log").glob("*.json"))[-1]


def rewrite_log(folder: Path, **changed: object) -> None:
    """Keys of the actions of the newest version: add=, metaData=, protocol=."""
    log = log_of(folder)
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        for name, keys in changed.items():
            if name in action and isinstance(keys, dict):
                action[name] |= keys
    log.write_text("\n".join(map(json.dumps, actions)))


def test_every_type_is_read(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "events", ALL)
    connector = opened(tmp_path)
    found = rows(connector)
    assert str(found) == str([tuple(one.values()) for one in ALL.to_pylist()])
    described = connector.describe(())
    assert described is not None
    assert [str(one.type) for one in described.columns] == [
        *("bigint", "tinyint", "decimal(22,2)", "double", "string", "boolean", "date", "timestamp", "timestamp_ntz"),
        *("binary", "array<string>"),
    ]
    assert (described.rows, described.bytes is not None, connector.relations()) == (
        3,
        True,
        (RelationName("events", ()),),
    )
    assert connector.describe(("x",)) is None
    with pytest.raises(TypeError):
        connector.read(SourceQuery("SELECT 1"), pa.schema([]))


def test_a_version_is_read_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    write_deltalake(folder, numbered(0, 2))
    write_deltalake(folder, numbered(2, 1), mode="append")
    write_deltalake(folder, numbered(9, 1, note="x"), mode="overwrite", schema_mode="overwrite")
    assert rows(opened(tmp_path)) == [(9, "x")]
    assert sorted(rows(opened(tmp_path, versionAsOf=1))) == [(0,), (1,), (2,)]
    assert rows(opened(tmp_path, versionAsOf=0)) == [(0,), (1,)]
    assert opened(tmp_path, versionAsOf="1").test() == "Delta Lake, version 1"
    pinned: list[dict[str, Any]] = [{}, {"versionAsOf": 1}, {"versionAsOf": 2}]
    versions = [opened(tmp_path, **options).describe(()) for options in pinned]
    told = [one.version for one in versions if one is not None]
    assert told[0] == told[2] != told[1]
    refused("E206", opened(tmp_path, versionAsOf=3))


def test_a_time_is_that_of_the_version_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    write_deltalake(folder, numbered(0, 1))
    write_deltalake(folder, numbered(1, 1), mode="append")
    made = datetime.fromtimestamp(DeltaTable(folder).history()[-1]["timestamp"] / 1000, UTC)
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert len(rows(opened(tmp_path, timestampAsOf=later))) == 2
    assert refused("E206", opened(tmp_path, timestampAsOf=(made - timedelta(days=1)).isoformat())).why


def test_a_time_between_two_versions_is_that_of_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    for number in range(3):
        write_deltalake(folder, numbered(number, 1), mode="append")
    logs = sorted((folder / "_delta_log").glob("*.json"))
    now = time.time()
    for hours, log in zip((3.0, 2.0, 1.0), logs, strict=True):  # old enough for its commit, too
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        for one in (line["commitInfo"] for line in lines if "commitInfo" in line):
            one["timestamp"] = int((now - hours * 3600) * 1000)
        log.write_text("\n".join(map(json.dumps, lines)))
        os.utime(log, (now - hours * 3600, now - hours * 3600))
    for hours, count in ((2.5, 1), (1.5, 2), (0.5, 3)):
        then = datetime.fromtimestamp(now - hours * 3600, UTC).isoformat()
        assert len(rows(opened(tmp_path, timestampAsOf=then))) == count
    too_early = datetime.fromtimestamp(now - 4 * 3600, UTC).isoformat()
    assert refused("E206", opened(tmp_path, timestampAsOf=too_early)).why


def test_a_folder_of_tables_is_a_source_of_each(tmp_path: Path) -> None:
    for name in ("Orders", "people"):
        write_deltalake(tmp_path / "lake" / name, numbered(0, 1, of=name))
    (tmp_path / "lake" / "no table").mkdir()
    connector = opened(tmp_path, "lake")
    assert connector.relations() == (RelationName("events", ("Orders",)), RelationName("events", ("people",)))
    assert rows(connector, table=("orders",)) == [(0, "Orders")]
    assert connector.test() == "Delta Lake, 2 tables"
    assert connector.describe(("no table",)) is connector.describe(()) is connector.describe(("..", "lake")) is None
    with pytest.raises(ForgeError) as caught:
        opened(tmp_path, "lake", versionAsOf=0).relations()
    assert caught.value.code == "E206"


OPERATORS: tuple[tuple[ScanOperator, Any], ...] = (
    *(
        ("=", 3),
        ("<>", 3),
        ("<", 3),
        ("<=", 3),
        (">", 3),
        (">=", 3),
        ("in", (3, 7)),
        ("is null", ()),
        ("is not null", ()),
    ),
)


def test_a_filter_finds_the_rows_that_it_finds_in_all_files(tmp_path: Path) -> None:
    """Files with bounds, without, with NULL alone, and partitions."""
    folder = tmp_path / "events"
    write_deltalake(folder, numbered(0, 3, part="a"), partition_by=["part"])
    write_deltalake(folder, numbered(3, 3, part="x y%/ü"), mode="append")
    write_deltalake(folder, numbered(6, 3).append_column("part", pa.nulls(3, pa.string())), mode="append")
    nothing = pa.table({"id": pa.nulls(2, pa.int64()), "part": ["a", "a"]})
    write_deltalake(folder, nothing, mode="append")
    rewrite_log(folder, add={"stats": None})
    connector = opened(tmp_path)
    every = rows(connector)
    assert len(every) == 11
    described = connector.describe(())
    assert described is not None
    assert described.rows is None
    meaning: dict[ScanOperator, Any] = {
        "=": lambda a, b: a == b,
        "<>": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    for column, at, value in (("id", 0, 3), ("part", 1, "x y%/ü"), ("part", 1, "a")):
        for operator, found in meaning.items():
            asked = ScanFilter(column, operator, (value,))
            expected = [one for one in every if one[at] is not None and found(one[at], value)]
            assert sorted(rows(connector, filters=(asked,)), key=str) == sorted(expected, key=str), asked
    assert len(rows(connector, filters=(ScanFilter("id", "is null"),))) == 2
    assert len(rows(connector, filters=(ScanFilter("part", "is null"),))) == 3
    assert (
        len(rows(connector, filters=(ScanFilter("part", "in", ("a", "x y%/ü")), ScanFilter("id", "in", (1, 4))))) == 2
    )


def test_what_the_log_rules_out_is_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    for number in range(4):
        table = numbered(number * 10, 10, part=f"p{number}", day=date(2026, 1, number + 1))
        write_deltalake(folder, table, mode="append", partition_by=["part"])
    for spoiled in ("p0", "p1", "p2"):
        (one,) = (folder / f"part={spoiled}").iterdir()
        one.write_bytes(b"not parquet")
    connector = opened(tmp_path)
    for asked in (
        ScanFilter("part", "=", ("p3",)),
        ScanFilter("id", ">=", (30,)),
        ScanFilter("day", "=", (date(2026, 1, 4),)),
    ):
        assert len(rows(connector, filters=(asked,))) == 10
    assert "cannot be read" in refused("E210", connector).what


def test_bounds_that_are_cut_or_rounded_rule_out_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    write_deltalake(folder, ALL)
    wrong = {"minValues": {}, "maxValues": {"at": "2026-01-31T23:59:59.123Z", "local": "2026-01-31T23:59:59.123Z",
             "price": 1.2345678901234567e19, "s": "ü", "f": 0.1, "b": False}}  # fmt: skip
    wrong["minValues"] = wrong["maxValues"]
    rewrite_log(folder, add={"stats": json.dumps({"numRecords": 3, **wrong})})
    connector = opened(tmp_path)
    values = {"at": AT, "local": AT.replace(tzinfo=None), "s": "ü 🦆", "b": True}
    for column, value in {**values, "price": Decimal("12345678901234567890.12")}.items():
        assert rows(connector, "id", filters=(ScanFilter(column, "=", (value,)),))[0] == (1,), column
    assert rows(connector, "id", filters=(ScanFilter("f", ">", (5.0,)),)) == [(2,)]  # NaN


def test_a_column_that_old_files_lack_is_null_and_int96_is_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    write_deltalake(folder, numbered(0, 1))
    table = pa.table({"id": pa.array([1], pa.int64()), "at": pa.array([AT], pa.timestamp("us", "UTC"))})
    write_deltalake(folder, table, mode="append", schema_mode="merge")
    newest = json.loads(log_of(folder).read_text().splitlines()[-1])["add"]["path"]
    parquet.write_table(table, folder / newest, use_deprecated_int96_timestamps=True)
    assert sorted(rows(opened(tmp_path)), key=str) == [(0, None), (1, AT)]
    assert rows(opened(tmp_path), "id", filters=(ScanFilter("at", "=", (AT,)),)) == [(1,)]


def test_a_limit_a_count_and_a_cancel(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "events", numbered(0, 100_000))
    connector = opened(tmp_path)
    assert len(rows(connector, limit=7)) == 7
    scan = Scan(RelationName("events", ()), ())
    assert connector.read(scan, pa.schema([("one", pa.int32())])).read_all().num_rows == 100_000
    reader = connector.read(Scan(RelationName("events", ()), ("id",)), pa.schema([("id", pa.int64())]), 1000)
    reader.read_next_batch()
    connector.cancel()
    with pytest.raises(CancellationError):
        reader.read_all()


# What is not read rather than read wrongly, and an intruder's logs


@pytest.mark.parametrize("feature", ["deletionVectors", "columnMapping", "typeWidening", "variantType", "nobodyKnows"])
def test_a_table_that_needs_more_than_its_files_is_refused(tmp_path: Path, feature: str) -> None:
    folder = tmp_path / "events"
    write_deltalake(folder, numbered(0, 3))
    features = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": [feature], "writerFeatures": [feature]}
    rewrite_log(folder, protocol=features, metaData={"configuration": {"delta.columnMapping.mode": "name"}})
    refused("E206", opened(tmp_path))


def test_renamed_columns_of_an_older_protocol_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    write_deltalake(folder, numbered(0, 3))
    rewrite_log(folder, protocol={"minReaderVersion": 2, "minWriterVersion": 5})
    assert len(rows(opened(tmp_path))) == 3
    rewrite_log(folder, metaData={"configuration": {"delta.columnMapping.mode": "name"}})
    refused("E206", opened(tmp_path))


def test_a_log_leads_to_no_file_of_others(tmp_path: Path) -> None:
    secret = tmp_path / "secret.parquet"
    parquet.write_table(numbered(66, 1), secret)
    folder = tmp_path / "events"
    write_deltalake(folder, numbered(0, 1))
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "link.parquet").symlink_to(secret)
    for path in (
        "../secret.parquet",
        "a/../../secret.parquet",
        "%2e%2e/secret.parquet",
        ".hidden/link.parquet",
        "%2ehidden/link.parquet",
        str(secret),
        quote(str(secret), safe=""),
        f"file://{secret}",
        f"file:{secret}",
        "s3://bucket/secret.parquet",
        "http://127.0.0.1:1/secret.parquet",
    ):
        rewrite_log(folder, add={"path": path, "size": secret.stat().st_size, "stats": None})
        error = refused("E206", opened(tmp_path))
        assert "66" not in str(error), path


def test_what_is_damaged_or_missing_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    refused("E308", opened(tmp_path))
    folder.mkdir()
    with pytest.raises(ForgeError) as caught:
        opened(tmp_path).test()
    assert caught.value.code == "E308"
    write_deltalake(folder, numbered(0, 1))
    log = log_of(folder)
    good = log.read_text()
    for text in ("", "{", "[]", good.replace("long", "lnog"), good.replace("schemaString", "x"), "\x00" * 100):
        log.write_text(text)
        with pytest.raises(ForgeError) as caught:
            rows(opened(tmp_path))
        assert caught.value.code in ("E206", "E308"), text
    log.write_text(good)
    next(folder.glob("*.parquet")).unlink()
    refused("E210", opened(tmp_path))


def test_a_link_to_another_table_of_the_folder_may_show_what_that_has(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    write_deltalake(str(tmp_path / "shop" / "orders"), numbered(0, 3))
    (tmp_path / "shop" / "newest").symlink_to("orders")
    connector = opened(tmp_path, "shop")
    found = {one.path: connector.describe(one.path) for one in connector.relations()}
    assert {path: one and one.is_derived for path, one in found.items()} == {("newest",): True, ("orders",): False}
