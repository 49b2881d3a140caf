"""Uploaded files become rows of the table's own types, or are refused whole with the line and the reason."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forge.flows.versioning.upload.file import read_upload
from forge.flows.versioning.upload.limits import UploadLimits
from forge.model.errors import ForgeError
from forge.versioning.field import Fields, TableField

ORDERS: Fields = (
    TableField(1, "id", "bigint", required=True),
    TableField(2, "amount", "decimal(8,2)"),
    TableField(3, "day", "date"),
    TableField(4, "at", "timestamp"),
    TableField(5, "paid", "boolean"),
    TableField(6, "note", "string"),
)


def read(text: str | bytes, name: str = "orders.csv", schema: Fields | None = ORDERS, **options: object) -> pa.Table:
    content = text if isinstance(text, bytes) else text.encode()
    return read_upload(name, io.BytesIO(content), schema, **options)  # type: ignore[arg-type]


def refused(
    text: str | bytes, name: str = "orders.csv", schema: Fields | None = ORDERS, **options: object
) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        read(text, name, schema, **options)
    return caught.value


FULL = "id,amount,day,at,paid,note\n7,12.50,2026-11-15,2026-11-15T06:00:00Z,true,hello\n"


def test_a_csv_gets_the_types_of_the_table() -> None:
    rows = read(FULL)
    assert rows.to_pylist() == [
        {
            "id": 7,
            "amount": Decimal("12.50"),
            "day": date(2026, 11, 15),
            "at": datetime(2026, 11, 15, 6, tzinfo=UTC),
            "paid": True,
            "note": "hello",
        }
    ]
    assert rows.schema.types == [
        pa.int64(),
        pa.decimal128(8, 2),
        pa.date32(),
        pa.timestamp("us", tz="UTC"),
        pa.bool_(),
        pa.string(),
    ]


def test_columns_may_come_in_any_order_and_optional_ones_may_be_missing() -> None:
    assert read("note,id\nx,1\n").to_pylist() == [
        {"id": 1, "amount": None, "day": None, "at": None, "paid": None, "note": "x"}
    ]


def test_an_empty_field_is_null_and_in_a_text_column_an_empty_text() -> None:
    (row,) = read("id,amount,day,at,paid,note\n1,,,,,\n").to_pylist()
    assert row == {"id": 1, "amount": None, "day": None, "at": None, "paid": None, "note": ""}


def test_columns_that_a_partial_file_does_not_have_are_left_out() -> None:
    assert read("id,note\n1,x\n", partial=True).column_names == ["id", "note"]


def test_for_a_delete_only_the_key_is_looked_at() -> None:
    assert read("id,amount,whatever\n1,not a number,x\n", needed=("id",)).to_pylist() == [{"id": 1}]


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        pytest.param("id", "+5", 5, id="signed whole number"),
        pytest.param("id", "-9223372036854775808", -(2**63), id="smallest bigint"),
        pytest.param("amount", "1.250", Decimal("1.25"), id="zeros behind the scale"),
        pytest.param("amount", "-.5", Decimal("-0.50"), id="no digit before the point"),
        pytest.param("amount", "999999.99", Decimal("999999.99"), id="all digits of the type"),
        pytest.param(
            "at", "2026-11-15 06:00:00", datetime(2026, 11, 15, 6, tzinfo=UTC), id="a time without a zone is UTC"
        ),
        pytest.param("at", "2026-11-15T08:00+02:00", datetime(2026, 11, 15, 6, tzinfo=UTC), id="a time with a zone"),
        pytest.param("paid", "FALSE", False, id="a boolean in capitals"),
        pytest.param("note", '"a, ""b""\nc"', 'a, "b"\nc', id="quotes, commas and line ends in a field"),
        pytest.param("note", "NULL", "NULL", id="the word NULL is a text"),
    ],
)
@pytest.mark.parametrize("quoted", [False, True], ids=["plain", "beside a quoted field"])
def test_values_that_fit(column: str, text: str, value: object, quoted: bool) -> None:
    names = [column] if column == "id" else ["id", column]
    other = '"extra"' if quoted and column != "note" else None
    header = ",".join([*names, *(["note"] if other else [])])
    line = ",".join([*(["1"] if column != "id" else []), text, *([other] if other else [])])
    (row,) = read(f"{header}\n{line}\n").to_pylist()
    assert row[column] == value


@pytest.mark.parametrize(
    ("column", "text"),
    [
        pytest.param("id", "1.0", id="a fraction is no whole number"),
        pytest.param("id", "0x10", id="hexadecimal"),
        pytest.param("id", " 1", id="a blank before a number"),
        pytest.param("id", "9223372036854775808", id="too large for bigint"),
        pytest.param("amount", "1.257", id="more decimals than the scale"),
        pytest.param("amount", "1234567.00", id="more digits than the precision"),
        pytest.param("amount", "1e3", id="an exponent is no decimal"),
        pytest.param("amount", "12,50", id="a comma for a point"),
        pytest.param("day", "2026-02-30", id="a day that does not exist"),
        pytest.param("day", "15.11.2026", id="a day that is not ISO"),
        pytest.param("at", "yesterday", id="no time"),
        pytest.param("paid", "yes", id="yes is not true"),
        pytest.param("paid", "1", id="1 is not true"),
    ],
)
def test_values_that_do_not_fit_are_refused_with_line_column_value_and_reason(column: str, text: str) -> None:
    quoted = f'"{text}"' if "," in text else text
    names = ["id"] if column == "id" else ["id", column]
    good = {"id": "1", "amount": "1.00", "day": "2026-11-15", "at": "2026-11-15", "paid": "true"}
    first = ",".join(good[name] for name in names)
    bad = ",".join(quoted if name == column else good[name] for name in names)
    error = refused(f"{','.join(names)}\n{first}\n{bad}\n{first}\n")
    assert error.code == "E621"
    assert error.where == "orders.csv:3"
    assert f"column {column}" in error.what
    assert text in error.what
    assert error.why == "Nothing of it was taken."


def test_nothing_in_a_required_column_is_refused() -> None:
    error = refused("id,note\n1,x\n,y\n")
    assert error.where == "orders.csv:3"
    assert error.what == "Line 3, column id: it is empty, and the column is required"


def test_the_line_is_that_at_which_the_row_begins_in_the_file() -> None:
    error = refused('id,note\n\n1,"two\nlines"\n\nx,y\n')
    assert error.where == "orders.csv:6"


def test_further_bad_lines_are_counted() -> None:
    lines = "\n".join(["bad" if number % 3 == 0 else str(number) for number in range(1, 10)])
    assert refused(f"id\n{lines}\n").why == "Nothing of it was taken. 2 more lines are bad, too."


def test_and_not_beyond_a_bound() -> None:
    error = refused("id\n" + "bad\n" * 5000)
    assert error.where == "orders.csv:2"
    assert error.why == "Nothing of it was taken. More than 1000 more lines are bad, too."


def test_an_unknown_column_is_refused_with_the_nearest() -> None:
    error = refused("id,amuont\n1,2\n")
    assert (error.code, error.where) == ("E621", "orders.csv:1")
    assert "amuont" in error.what
    assert error.why == "Did you mean amount?"


def test_a_missing_required_column_is_refused() -> None:
    assert "The column id is missing" in refused("note\nx\n").what


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("id,note\n1,x,y\n", 2, "3 fields", id="too many fields"),
        pytest.param("id,note\n1\n", 2, "1 fields", id="too few fields"),
        pytest.param('id,note\n1,"x\n2,y\n', 2, "no CSV", id="a quote that is not closed"),
        pytest.param('id,note\n1,"x"y\n', 2, "no CSV", id="text after a quote"),
        pytest.param("id,id\n1,2\n", 1, "twice", id="a column twice"),
        pytest.param("id,\n1,2\n", 1, "no name", id="a column without a name"),
        pytest.param(b"id,note\n1,\xff\n", 2, "UTF-8", id="another encoding"),
    ],
)
def test_a_broken_csv_is_refused_where_it_breaks(text: str | bytes, line: int, words: str) -> None:
    error = refused(text)
    assert (error.code, error.where) == ("E621", f"orders.csv:{line}")
    assert words in error.what


def test_an_empty_file_is_refused() -> None:
    assert "empty" in refused("").what


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    assert read(b"\xef\xbb\xbfid\n1\n").column("id").to_pylist() == [1]


def test_json_lines_get_the_types_of_the_table() -> None:
    text = (
        '{"id": 7, "amount": 12.50, "day": "2026-11-15", "at": "2026-11-15T06:00:00Z", "paid": true, "note": "hello"}\n'
        '\n{"id": 8, "amount": "0.10", "note": null}\n'
    )
    first, second = read(text, "orders.jsonl").to_pylist()
    assert first == read(FULL).to_pylist()[0]
    assert second == {"id": 8, "amount": Decimal("0.10"), "day": None, "at": None, "paid": None, "note": None}


def test_a_json_number_is_taken_as_it_is_written() -> None:
    wide = (TableField(1, "amount", "decimal(30,20)"),)
    (row,) = read('{"amount": 1234567890.12345678901234567890}\n', "a.jsonl", wide).to_pylist()
    assert row["amount"] == Decimal("1234567890.12345678901234567890")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param('{"id": 1.0}', "column id", id="a fraction"),
        pytest.param('{"id": true}', "column id", id="a boolean for a number"),
        pytest.param('{"id": "x"}', "column id", id="a text for a number"),
        pytest.param('{"id": 1, "note": 5}', "column note", id="a number for a text"),
        pytest.param('{"id": null}', "required", id="nothing in a required column"),
        pytest.param('{"note": "x"}', "required", id="a required column left out"),
        pytest.param('{"id": 1, "id": 2}', "twice", id="a name twice"),
        pytest.param("[1]", "no object", id="a list"),
        pytest.param('{"id": 1', "no JSON object", id="cut off"),
        pytest.param('{"id": 1, "nope": 2}', "no column nope", id="an unknown name"),
    ],
)
def test_a_json_line_that_does_not_fit_is_refused(line: str, words: str) -> None:
    error = refused(f'{{"id": 1}}\n{line}\n', "orders.jsonl")
    assert (error.code, error.where) == ("E621", "orders.jsonl:2")
    assert words in error.what


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def test_parquet_values_are_widened_to_the_table_types() -> None:
    table = pa.table({"id": pa.array([1], pa.int32()), "amount": pa.array([Decimal("1.5")], pa.decimal128(4, 1))})
    (row,) = read(parquet(table), "orders.parquet").to_pylist()
    assert (row["id"], row["amount"], row["note"]) == (1, Decimal("1.50"), None)


def test_a_parquet_value_that_loses_digits_is_refused_with_its_row() -> None:
    amounts = pa.array([Decimal("1.000"), Decimal("1.257"), Decimal("9.999")], pa.decimal128(8, 3))
    error = refused(parquet(pa.table({"id": [1, 2, 3], "amount": amounts})), "orders.parquet")
    assert error.what.startswith("Row 2, column amount")


def test_a_parquet_column_of_another_kind_is_refused() -> None:
    error = refused(parquet(pa.table({"id": ["1"]})), "orders.parquet")
    assert error.what == "The column id is string, and the table's is bigint"


def test_a_file_that_only_says_it_is_parquet_is_refused() -> None:
    assert refused(b"id\n1\n", "orders.parquet").code == "E621"


class Endless(io.RawIOBase):
    """A stream that says how much of it was read."""

    given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        assert size > 0, "all of it must not be asked for at once"
        self.given += size
        return b"1\n" * (size // 2)


def test_a_stream_that_is_too_large_is_refused_before_all_is_read() -> None:
    stream = Endless()
    with pytest.raises(ForgeError) as caught:
        read_upload("orders.csv", stream, ORDERS, UploadLimits(bytes=5_000_000))  # type: ignore[arg-type]
    assert caught.value.code == "E622"
    assert stream.given < 10_000_000


def test_a_file_that_is_too_large_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text("id\n" + "1\n" * 100)
    with pytest.raises(ForgeError) as caught:
        read_upload("orders.csv", path, ORDERS, UploadLimits(bytes=100))
    assert caught.value.code == "E622"


@pytest.mark.parametrize("name", ["orders.csv", "orders.jsonl", "orders.parquet"])
def test_too_many_rows_are_refused(name: str) -> None:
    content = {
        "orders.csv": b"id\n" + b"1\n" * 11,
        "orders.jsonl": b'{"id": 1}\n' * 11,
        "orders.parquet": parquet(pa.table({"id": [1] * 11})),
    }[name]
    error = refused(content, name, limits=UploadLimits(rows=10))
    assert error.code == "E622"
    assert read(content, name, limits=UploadLimits(rows=11)).num_rows == 11


def test_the_format_is_told_by_the_content_type_where_the_ending_says_nothing() -> None:
    assert read("id\n1\n", "orders", content_type="text/csv; charset=utf-8").num_rows == 1
    assert refused("id\n1\n", "orders.xlsx").code == "E621"


def test_types_of_a_new_table_are_found_in_the_values() -> None:
    text = (
        "n,price,day,at,flag,zip,word,none\n"
        "1,1.5,2026-11-15,2026-11-15T06:00:00Z,true,01234,x,\n"
        "-2,3,2026-11-16,2026-11-16,false,99999,,\n"
    )
    rows = read(text, schema=None)
    assert [str(kind) for kind in rows.schema.types] == [
        "int64",
        "double",
        "date32[day]",
        "timestamp[us, tz=UTC]",
        "bool",
        "string",
        "string",
        "string",
    ]
    assert rows.column("zip").to_pylist() == ["01234", "99999"]


def test_types_of_a_new_table_are_found_in_json() -> None:
    text = "\n".join(json.dumps(row) for row in [{"n": 1, "x": 1.5, "s": "a", "d": "2026-11-15"}, {"n": 2, "x": 2}])
    rows = read(text, "new.jsonl", None)
    assert [str(kind) for kind in rows.schema.types] == ["int64", "double", "string", "date32[day]"]
