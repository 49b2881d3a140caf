"""Spark and the connector of files give the same rows, or the connector refuses what Spark takes; never other rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pytest

from forge.engines.spark.sources import find_files, read_files
from forge.federation.plan import Scan
from forge.federation.relation import RelationName
from forge.federation.source import ConnectorKind, Source
from forge.stores.connectors import open_connector
from forge.transforms.transform import FileSource
from forge.versioning.arrow_types import arrow_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

STRINGS = {"a": "string", "b": "string"}
TEXTS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "empty texts, quoted or not": (STRINGS, {}, 'x,\n"",y\n,""\n" ", z \n'),
    "quotes and line breaks inside quotes": (STRINGS, {}, '"a ""b""","1\n2"\n"",","\n'),
    "line ends of Windows": (STRINGS, {}, 'a,b\r\n"c",d\r\n'),
    "blank lines": (STRINGS, {}, "a,b\n\n\nc,d\n"),
    "no line end at the end": (STRINGS, {}, "a,b\nc,d"),
    "another separator": (STRINGS, {"sep": ";"}, 'a,1;b\n"c;d";e\n'),
    "tabs": (STRINGS, {"sep": "\\t"}, "a\tb\n"),
    "backslashes": (STRINGS, {}, "a\\b,c\\\n\\n,\\\\\n"),
    "a quote inside a text without quotes": (STRINGS, {}, 'a"b,c"\n'),
    "letters of all kinds": (STRINGS, {}, "ü🦆,\u202e\u00a0\n"),
    "numbers": ({"a": "bigint", "b": "double"}, {}, "9223372036854775807,1e5\n-1,-0.0\n,NaN\n7,Infinity\n"),
    "decimals": ({"a": "decimal(10,2)", "b": "decimal(38,18)"}, {}, "1.5,0.000000000000000001\n-99999999.99,1\n,\n"),
    "truth": ({"a": "boolean", "b": "boolean"}, {}, "true,false\nTRUE,False\n,\n"),
    "days and times": (
        {"a": "date", "b": "timestamp_ntz"},
        {},
        "2026-01-31,2026-01-31 23:59:59\n0001-01-01,2026-01-31T00:00:00.123456\n,\n",
    ),
    "times in UTC": ({"a": "timestamp", "b": "string"}, {}, "2026-03-29 02:30:00,x\n"),
}
LINES: dict[str, tuple[dict[str, str], str]] = {
    "strings": (STRINGS, '{"a": "x", "b": ""}\n\n{"b": null}\n{"a": 1.50, "b": true}\n'),
    "numbers": ({"a": "bigint", "b": "double"}, '{"a": 9223372036854775807, "b": 1}\n{"a": -1, "b": 1e300}\n'),
    "decimals": ({"a": "decimal(10,2)", "b": "boolean"}, '{"a": 1.5, "b": true}\n{"a": 7, "b": false}\n'),
    "days and times": ({"a": "date", "b": "timestamp_ntz"}, '{"a": "2026-01-31", "b": "2026-01-31T10:00:00.5"}\n'),
}


def both(
    spark: SparkSession, folder: Path, kind: Literal["csv", "json"], columns: dict[str, str], options: dict[str, str]
) -> tuple[Any, Any]:
    declared = FileSource(kind, f"in.{kind}", columns, options)
    frame = read_files(spark, declared, find_files(declared, folder, "here"), folder)
    told = frame.toArrow().to_pylist()
    source = Source("files", ConnectorKind.FILES, path=f"in.{kind}", format=kind, columns=columns, options=options)
    schema = pa.schema([(name, arrow_type(one)) for name, one in columns.items()])
    scan = Scan(RelationName("files", ()), tuple(columns))
    return told, open_connector(source, folder, str).read(scan, schema).read_all().to_pylist()


@pytest.mark.parametrize("case", TEXTS)
def test_csv_has_the_rows_that_spark_reads(spark: SparkSession, tmp_path: Path, case: str) -> None:
    columns, options, text = TEXTS[case]
    (tmp_path / "in.csv").write_bytes(text.encode())
    told, found = both(spark, tmp_path, "csv", columns, options)
    assert list(map(repr, found)) == list(map(repr, told))


@pytest.mark.parametrize("case", LINES)
def test_json_has_the_rows_that_spark_reads(spark: SparkSession, tmp_path: Path, case: str) -> None:
    columns, text = LINES[case]
    (tmp_path / "in.json").write_bytes(text.encode())
    told, found = both(spark, tmp_path, "json", columns, {})
    assert list(map(repr, found)) == list(map(repr, told))
