"""Spark refuses each column that is told to be unknown without it, and knows those that look like one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from column_cases import COLUMNS, RIGHT, UNKNOWN
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    for name, columns in COLUMNS.items():
        schema = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
        spark.createDataFrame([], schema).createOrReplaceTempView(name)
    yield spark
    for name in COLUMNS:
        spark.catalog.dropTempView(name)


def test_an_unknown_column_is_one_for_spark(session: SparkSession) -> None:
    for query, name in UNKNOWN.items():
        with pytest.raises(AnalysisException) as caught:
            session.sql(query.format(**{one: one for one in COLUMNS}))
        assert (caught.value.getCondition() or "").startswith("UNRESOLVED_COLUMN"), query
        assert f"`{name.lower()}`" in str(caught.value).lower(), query


def test_what_is_left_to_spark_is_right(session: SparkSession) -> None:
    wrong = {}
    for query in RIGHT:
        try:
            session.sql(query.format(**{one: one for one in COLUMNS}))
        except Exception as error:
            wrong[query] = str(error)[:200]
    assert not wrong, "\n".join(f"{query}: {error}" for query, error in wrong.items())
