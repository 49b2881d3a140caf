"""The logical checksum says whether two tables hold the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from forge.versioning.checksum import NOTHING, add_checksums
from forge.versioning.field import Fields, TableField

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FIELDS: Fields = (
    TableField(1, "id", "int"),
    TableField(2, "x", "float"),
    TableField(3, "d", "decimal(5,2)"),
    TableField(4, "s", "string"),
    TableField(5, "n", "struct<a:int,m:map<string,double>>"),
)
ROWS = """
    (1, 0.5F, 1.50BD, 'a', named_struct('a', 1, 'm', map('p', 1.0D, 'q', 2.0D))),
    (2, NULL, NULL, NULL, NULL),
    (2, CAST('NaN' AS FLOAT), 0.00BD, '', named_struct('a', NULL, 'm', map()))
"""


def table(spark: SparkSession, rows: str = ROWS) -> DataFrame:
    columns = ", ".join(f"CAST(c{place} AS {field.type}) AS {field.name}" for place, field in enumerate(FIELDS))
    return spark.sql(f"SELECT {columns} FROM VALUES {rows} AS t(c0, c1, c2, c3, c4)")


def checksum_of(frame: DataFrame, fields: Fields = FIELDS) -> str:
    from forge.engines.spark.checksum import checksum

    return checksum(frame, fields)


def test_no_rows_are_nothing(spark: SparkSession) -> None:
    assert checksum_of(table(spark).limit(0)) == NOTHING


def test_order_and_files_do_not_matter(spark: SparkSession) -> None:
    rows = table(spark)
    assert checksum_of(rows.orderBy("s").repartition(3)) == checksum_of(rows)


def test_renaming_reordering_widening_and_an_empty_column_do_not_matter(spark: SparkSession) -> None:
    wide = table(spark).selectExpr(
        "s AS text",
        "CAST(id AS BIGINT) AS number",
        "CAST(d AS DECIMAL(20,2)) AS d",
        "CAST(x AS DOUBLE) AS x",
        "n",
        "CAST(NULL AS STRING) AS added",
    )
    fields = (
        TableField(4, "text", "string"),
        TableField(1, "number", "bigint"),
        TableField(3, "d", "decimal(20,2)"),
        TableField(2, "x", "double"),
        TableField(5, "n", FIELDS[4].type),
        TableField(6, "added", "string"),
    )
    assert checksum_of(wide, fields) == checksum_of(table(spark))


def test_zero_has_no_sign_and_a_map_no_order(spark: SparkSession) -> None:
    left = "(1, 0.0F, 0BD, 'a', named_struct('a', 1, 'm', map('p', 0.0D, 'q', 2.0D)))"
    right = "(1, -0.0F, 0BD, 'a', named_struct('a', 1, 'm', map('q', 2.0D, 'p', -0.0D)))"
    assert checksum_of(table(spark, left)) == checksum_of(table(spark, right))


CHANGES = {
    "a number": ("(1, 0.5F", "(3, 0.5F"),
    "a float": ("0.5F", "0.25F"),
    "a decimal": ("1.50BD", "1.51BD"),
    "a string": ("'a', named", "'b', named"),
    "NULL to an empty string": ("(2, NULL, NULL, NULL, NULL)", "(2, NULL, NULL, '', NULL)"),
    "a cell that moved to another column": ("(2, NULL, NULL, NULL, NULL)", "(NULL, 2.0F, NULL, NULL, NULL)"),
    "a value in a map": ("'q', 2.0D", "'q', 3.0D"),
    "a field of a struct": ("named_struct('a', 1,", "named_struct('a', 2,"),
    "an empty struct to NULL": ("named_struct('a', NULL, 'm', map())", "NULL"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_any_changed_cell_changes_it(spark: SparkSession, name: str) -> None:
    old, new = CHANGES[name]
    assert old in ROWS
    assert checksum_of(table(spark, ROWS.replace(old, new))) != checksum_of(table(spark))


def test_rows_count_as_often_as_they_are_there(spark: SparkSession) -> None:
    rows = table(spark)
    once = checksum_of(rows)
    assert checksum_of(rows.unionAll(rows)) == add_checksums(once, once) != once
