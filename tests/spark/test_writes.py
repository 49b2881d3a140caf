"""A staged table takes the columns of the result, in place where Iceberg can."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from forge.engines.spark.writes import evolve
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.transforms.transform import SqlQuery, Transform, TransformKind

pytestmark = pytest.mark.spark

PATH = "forge.writes.counts"


@pytest.fixture
def counts(spark: SparkSession) -> SparkSession:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS forge.writes")
    spark.sql(f"CREATE OR REPLACE TABLE {PATH} (n INT) USING iceberg")
    spark.sql(f"INSERT INTO {PATH} VALUES (7)")
    return spark


def rows_after(spark: SparkSession, kind: TransformKind, type_: str) -> list[object]:
    """The rows of before, read with the columns of after: a column that was dropped and added is empty."""
    transform = Transform(
        output=TableName("writes", "counts"), body=SqlQuery(""), file="t.sql", line=1, code_hash="", kind=kind
    )
    evolve(
        spark, PATH, spark.sql(f"SELECT CAST(1 AS {type_}) AS n"), transform, keeps_rows=kind is not TransformKind.FULL
    )
    return [row.n for row in spark.table(PATH).collect()]


@pytest.mark.parametrize("kind", [TransformKind.FULL, TransformKind.APPEND])
@pytest.mark.parametrize(("type_", "stored"), [("tinyint", "int"), ("int", "int"), ("bigint", "bigint")])
def test_a_column_is_kept_or_widened_in_place(
    counts: SparkSession, kind: TransformKind, type_: str, stored: str
) -> None:
    assert rows_after(counts, kind, type_) == [7]
    assert counts.table(PATH).schema["n"].dataType.simpleString() == stored


def test_another_type_is_a_new_column_and_refused_where_rows_are_kept(counts: SparkSession) -> None:
    with pytest.raises(ForgeError, match="would lose values"):
        rows_after(counts, TransformKind.APPEND, "double")
    assert rows_after(counts, TransformKind.FULL, "double") == [None]
