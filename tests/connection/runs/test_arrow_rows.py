"""Rows of Spark as Arrow."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa

from forge.connection.runs.arrow_rows import table_of_rows
from forge.model.schema import Column, Schema


def test_types_are_those_of_the_schema() -> None:
    moment = datetime(2026, 11, 14, 6)
    here = datetime(2026, 11, 14, 6, tzinfo=UTC).astimezone().replace(tzinfo=None)
    cells = [
        ("decimal(12,4)", Decimal("1.5"), Decimal("1.5000")),
        ("timestamp", here, moment.replace(tzinfo=UTC)),
        ("timestamp_ntz", moment, moment),
        ("tinyint", 1, 1),
        ("array<decimal(3,1)>", [Decimal("1.5"), None], [Decimal("1.5"), None]),
        ("map<string,timestamp>", {"a": here}, [("a", moment.replace(tzinfo=UTC))]),
        ("struct<a:int,b:string>", (1, "x"), {"a": 1, "b": "x"}),
        ("void", None, None),
    ]
    schema = Schema(tuple(Column("x", kind) for kind, _, _ in cells))
    rows = (tuple(value for _, value, _ in cells), tuple(None for _ in cells))
    found = table_of_rows(schema, rows)
    assert found.schema.types[:4] == [pa.decimal128(12, 4), pa.timestamp("us", tz="UTC"), pa.timestamp("us"), pa.int8()]
    assert [column.to_pylist() for column in found.columns] == [[value, None] for _, _, value in cells]
    assert table_of_rows(schema, ()).schema == found.schema


def test_a_type_that_arrow_does_not_know_is_that_of_its_values() -> None:
    schema = Schema((Column("x", "interval day to second"),))
    assert table_of_rows(schema, (("1",), (None,)))["x"].to_pylist() == ["1", None]
