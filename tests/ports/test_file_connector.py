"""Files as a source: what is read of them, by which rules, and what is refused."""

from __future__ import annotations

import gzip
import tracemalloc
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from forge.federation.plan import Scan, ScanFilter, ScanOperator, SourceQuery
from forge.federation.relation import RelationName
from forge.federation.source import ConnectorKind, Source
from forge.flows.federation.ports import SourceConnector
from forge.model.errors import CancellationError, ForgeError
from forge.stores.connectors import open_connector
from forge.versioning.arrow_types import arrow_type

EVENTS = RelationName("events", ())
KINDS = {
    "id": "bigint",
    "name": "string",
    "price": "decimal(8,2)",
    "at": "timestamp_ntz",
    "day": "date",
    "ok": "boolean",
}
ROWS: list[dict[str, Any]] = [
    {
        "id": 1,
        "name": 'a "quoted", text\nof two lines',
        "price": Decimal("1.50"),
        "at": datetime(2026, 1, 31, 23, 59, 59, 500000),
        "day": date(2026, 1, 31),
        "ok": True,
    },
    {"id": -5, "name": "ü🦆", "price": Decimal("-999999.99"), "at": datetime.min, "day": date.max, "ok": False},
    dict.fromkeys(KINDS),
]
CSV = """id,name,price,at,day,ok
1,"a ""quoted"", text
of two lines",1.50,2026-01-31 23:59:59.5,2026-01-31,true
-5,ü🦆,-999999.99,0001-01-01T00:00:00,9999-12-31,FALSE
,"",,,,
"""
JSON = r"""{"id": 1, "name": "a \"quoted\", text\nof two lines", "price": 1.5, "at": "2026-01-31 23:59:59.5", EARLY}

{"ok": false, "day": "9999-12-31", "at": "0001-01-01T00:00:00", "price": -999999.99, "name": "ü🦆", "id": -5}
{"id": null}
""".replace("EARLY", '"day": "2026-01-31", "ok": true')
Format = Literal["csv", "json", "parquet"]


def source(kind: Format, path: str, **changed: Any) -> Source:
    options = {"header": "true"} if kind == "csv" else {}
    return Source("events", ConnectorKind.FILES, path=path, format=kind, **({"options": options} | changed))


def opened(root: Path, declared: Source) -> SourceConnector:
    return open_connector(declared, root, lambda reference: "")


def written(folder: Path, kind: Format) -> SourceConnector:
    """The rows above in files of each format."""
    (folder / "in").mkdir()
    if kind == "parquet":
        schema = pa.schema([(name, arrow_type(one)) for name, one in KINDS.items()])
        parquet.write_table(pa.Table.from_pylist(ROWS, schema=schema), folder / "in" / "a.parquet")
        return opened(folder, source("parquet", "in"))
    (folder / "in" / f"a.{kind}").write_text(CSV if kind == "csv" else JSON, "utf-8")
    return opened(folder, source(kind, f"in/*.{kind}", columns=KINDS))


def rows(connector: SourceConnector, *columns: str, limit: int | None = None, **changed: Any) -> list[Any]:
    relation = connector.describe(())
    assert relation is not None
    wanted = columns or tuple(one.name for one in relation.columns)
    found = [relation.get(name) for name in wanted]
    schema = pa.schema([(one.name, arrow_type(one.type)) for one in found if one])
    return list(connector.read(Scan(EVENTS, wanted, limit=limit, **changed), schema).read_all().to_pylist())


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_every_format_gives_the_same_rows(tmp_path: Path, kind: Format) -> None:
    connector = written(tmp_path, kind)
    assert connector.relations() == (EVENTS,)
    assert connector.test() == f"1 file of {kind}"
    relation = connector.describe(())
    assert relation is not None
    assert {one.name: str(one.type) for one in relation.columns} == KINDS
    assert relation.rows is not None
    assert relation.rows == 3 if kind == "parquet" else 3 <= relation.rows <= 5  # a header and empty lines are lines
    assert relation.bytes
    assert connector.describe(("other",)) is None
    assert rows(connector) == ROWS
    assert rows(connector, "OK", "id", limit=2) == [{"ok": True, "id": 1}, {"ok": False, "id": -5}]


@pytest.mark.parametrize("packed", [False, True])
def test_the_length_of_the_first_lines_tells_how_many_there_are(tmp_path: Path, *, packed: bool) -> None:
    text = "".join(f"{number},name of {number}\n" for number in range(50_000)).encode()
    (tmp_path / ("a.csv.gz" if packed else "a.csv")).write_bytes(gzip.compress(text) if packed else text)
    (tmp_path / "empty.csv").write_bytes(b"")
    relation = opened(tmp_path, source("csv", "*.csv*", columns={"id": "int", "name": "string"})).describe(())
    assert relation is not None
    assert relation.rows is not None
    assert 25_000 < relation.rows < 100_000
    assert opened(tmp_path, source("csv", "empty.csv", columns={"id": "int"})).describe(()).rows == 0  # type: ignore[union-attr]


def test_parquet_tells_between_what_its_values_lie(tmp_path: Path) -> None:
    for number in (0, 1):
        rows = {"id": [number * 10 + 1, number * 10 + 5, None], "name": ["a", "b", None], "x": [float("nan"), 1.0, 2.0]}
        parquet.write_table(pa.table(rows), tmp_path / f"{number}.parquet")
    relation = opened(tmp_path, source("parquet", "*.parquet")).describe(())
    assert relation is not None
    known = {one.name: one.statistics for one in relation.columns}
    assert (known["id"].bounds, known["name"].bounds) == ((1.0, 15.0), ())
    assert known["id"].nulls == known["name"].nulls == pytest.approx(1 / 3)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
@pytest.mark.parametrize(
    ("column", "operator", "values", "ids"),
    [
        ("id", "=", (1,), [1]),
        ("id", "<>", (1,), [-5]),
        ("id", "in", (1, 7, None), [1]),
        ("id", "in", (), []),
        ("id", "in", (None,), []),
        ("id", "=", (None,), []),
        ("name", "is null", (), [None]),
        ("NAME", "is not null", (), [1, -5]),
        ("name", ">", ("z",), [-5]),
        ("price", "<=", (Decimal("1.5"),), [1, -5]),
        ("at", ">=", (datetime(2026, 1, 1),), [1]),
        ("day", "<", (date(2026, 2, 1),), [1]),
        ("ok", "=", (True,), [1]),
    ],
)
def test_filters_mean_what_they_mean_in_spark(
    tmp_path: Path, kind: Format, column: str, operator: ScanOperator, values: tuple[object, ...], ids: list[int]
) -> None:
    found = rows(written(tmp_path, kind), "id", filters=(ScanFilter(column, operator, values),))
    assert [row["id"] for row in found] == ids


@pytest.mark.parametrize(
    ("operator", "value", "found"),
    [
        ("=", float("nan"), [3]),
        ("<>", float("nan"), [1, 2]),
        ("<", float("nan"), [1, 2]),
        ("<=", float("nan"), [1, 2, 3]),
        (">", float("nan"), []),
        (">=", float("nan"), [3]),
        ("in", float("nan"), [3]),
        (">", 1.5, [2, 3]),
        (">=", 1.5, [1, 2, 3]),
        ("<", float("inf"), [1]),
        ("<>", 1.5, [2, 3]),
    ],
)
def test_nan_equals_itself_and_is_the_greatest(
    tmp_path: Path, operator: ScanOperator, value: float, found: list[int]
) -> None:
    table = pa.table({"id": [1, 2, 3, 4], "x": pa.array([1.5, float("inf"), float("nan"), None])})
    parquet.write_table(table, tmp_path / "a.parquet")
    connector = opened(tmp_path, source("parquet", "a.parquet"))
    told = rows(connector, "id", filters=(ScanFilter("x", operator, (value,)),))
    assert [row["id"] for row in told] == found


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("bigint", "x"),
        ("bigint", "0x1F"),
        ("bigint", "1.0"),
        ("bigint", " 1"),
        ("bigint", "9223372036854775808"),
        ("int", "2147483648"),
        ("boolean", "1"),
        ("decimal(4,1)", "1.55"),
        ("decimal(4,1)", "1" + "0" * 40),
        ("double", "1e999"),
        ("date", "31.1.2026"),
        ("date", "2026-02-30"),
        ("timestamp_ntz", "2026-01-01 00:00:00+02:00"),
    ],
)
def test_a_text_that_is_no_value_of_its_type_is_an_error(tmp_path: Path, kind: str, text: str) -> None:
    (tmp_path / "a.csv").write_text(f"v\n{text}\n")
    with pytest.raises(ForgeError, match="events") as caught:
        rows(opened(tmp_path, source("csv", "a.csv", columns={"v": kind})))
    assert caught.value.code == "E210"
    assert "Column v" in (caught.value.why or "")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("bigint", '"1"'),
        ("bigint", "1.5"),
        ("boolean", '"true"'),
        ("boolean", "1"),
        ("date", "20260131"),
        ("double", '"x"'),
        ("string", '{"a": 1}'),
        ("double", "NaN"),
    ],
)
def test_a_value_of_another_kind_in_json_is_an_error(tmp_path: Path, kind: str, text: str) -> None:
    (tmp_path / "a.json").write_text(f'{{"v": {text}}}\n')
    with pytest.raises(ForgeError, match="events") as caught:
        rows(opened(tmp_path, source("json", "a.json", columns={"v": kind})))
    assert caught.value.code == "E210"


@pytest.mark.slow
@pytest.mark.parametrize("rows_before", [0, 2_000])
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_packed_line_that_fills_the_memory_is_not_read_to_its_end(
    tmp_path: Path, kind: Format, rows_before: int
) -> None:
    """An intruder's file of 200 kB that is a line of 200 MB."""
    head, row, rest = ("v\n", "1\n", "1,") if kind == "csv" else ("", '{"v": 1}\n', '{"v": 1, "w": "')
    with gzip.open(tmp_path / f"a.{kind}.gz", "wb", compresslevel=1) as file:
        file.write((head * bool(rows_before) + row * rows_before + rest).encode())
        for _ in range(200):
            file.write(b"a" * 1_000_000)
    connector = opened(tmp_path, source(kind, f"a.{kind}.gz", columns={"v": "bigint"}))
    tracemalloc.start()
    try:
        with pytest.raises(ForgeError) as caught:
            rows(connector)
        assert tracemalloc.get_traced_memory()[1] < 150_000_000
    finally:
        tracemalloc.stop()
    assert caught.value.code == "E210"


def test_a_string_of_json_takes_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"v": 1.50}\n{"v": true}\n{"v": "x"}\n')
    found = rows(opened(tmp_path, source("json", "a.json", columns={"v": "string"})))
    assert [row["v"] for row in found] == ["1.50", "true", "x"]


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_other_columns_than_declared_are_refused(tmp_path: Path, kind: Format) -> None:
    (tmp_path / f"a.{kind}").write_text("id,other\n1,2\n" if kind == "csv" else '{"id": 1, "other": 2}\n')
    connector = opened(tmp_path, source(kind, f"a.{kind}", columns={"id": "bigint", "name": "string"}))
    with pytest.raises(ForgeError) as caught:
        rows(connector)
    assert caught.value.code == "E209"


@pytest.mark.parametrize("text", ["id\n", ""])
def test_a_file_without_rows_has_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")
    (tmp_path / "b.csv").write_text(text)
    declared = source("csv", "*.csv", columns={"id": "bigint"})
    if text:
        assert rows(opened(tmp_path, declared)) == [{"id": 1}]
    else:  # a file without its header has other columns than declared
        with pytest.raises(ForgeError, match="declared columns"):
            rows(opened(tmp_path, declared))
        (tmp_path / "a.csv").write_text("1\n")
        assert rows(opened(tmp_path, replace(declared, options={}))) == [{"id": 1}]


@pytest.mark.parametrize("text", ["1,2,3\n", "1\n"])
def test_a_row_of_another_width_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n" + text)
    with pytest.raises(ForgeError) as caught:
        rows(opened(tmp_path, source("csv", "a.csv", columns={"a": "int", "b": "int"})))
    assert caught.value.code == "E210"


def test_no_file_is_an_error_of_the_source(tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match="No file matches") as caught:
        opened(tmp_path, source("parquet", "nothing/*.parquet")).describe(())
    assert caught.value.code == "E208"


@pytest.mark.parametrize("options", [{"mode": "PERMISSIVE"}, {"nullValue": "NA"}, {"dateFormat": "dd.MM.yyyy"}])
def test_an_option_that_only_spark_knows_is_refused(tmp_path: Path, options: dict[str, str]) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    connector = opened(tmp_path, source("csv", "a.csv", columns={"id": "int"}, options=options))
    with pytest.raises(ForgeError, match="cannot be read where it is") as caught:
        rows(connector)
    assert caught.value.code == "E206"


def test_unsigned_numbers_of_parquet_become_wider_ones(tmp_path: Path) -> None:
    kinds = {"a": pa.uint8(), "b": pa.uint16(), "c": pa.uint32(), "d": pa.uint64()}
    table = pa.table(
        {name: pa.array([2**bits - 1], kind) for (name, kind), bits in zip(kinds.items(), (8, 16, 32, 64), strict=True)}
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    connector = opened(tmp_path, source("parquet", "a.parquet"))
    relation = connector.describe(())
    assert relation is not None
    assert [str(one.type) for one in relation.columns] == ["smallint", "int", "bigint", "decimal(20,0)"]
    assert rows(connector) == [{"a": 255, "b": 65535, "c": 2**32 - 1, "d": Decimal(2**64 - 1)}]


def test_the_version_changes_with_the_files(tmp_path: Path) -> None:
    connector = written(tmp_path, "csv")
    before, again = connector.describe(()), connector.describe(())
    (tmp_path / "in" / "b.csv").write_text(CSV)
    after = connector.describe(())
    assert before is not None
    assert after is not None
    assert before == again
    assert before.version
    assert after.version != before.version
    assert len(rows(connector)) == 2 * len(ROWS)


def test_cancel_stops_between_batches(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"id": range(100_000)}), tmp_path / "a.parquet", row_group_size=1000)
    connector = opened(tmp_path, source("parquet", "a.parquet"))
    reader = connector.read(Scan(EVENTS, ("id",)), pa.schema([("id", pa.int64())]), batch_rows=1000)
    assert reader.read_next_batch().num_rows <= 1000
    connector.cancel()
    with pytest.raises(CancellationError):
        reader.read_all()
    connector.close()


def test_files_understand_no_sql(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        written(tmp_path, "csv").read(SourceQuery("SELECT 1"), pa.schema([]))
