"""What queries that are put together at random are said to give is what Spark's analyser says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from random_queries import TABLES, TOPICS, random_query

from forge.engines.spark.lineage.verify import SparkAnalyser
from forge.flows.lineage.verify import AnalysisFailure
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

CATALOG = TableCatalog(definitions_of(TABLES))
QUERIES = 3 * len(TOPICS)


def test_what_a_random_query_is_said_to_give_is_what_spark_says(spark: SparkSession) -> None:
    refused = []
    for seed in range(QUERIES):
        made = random_query(seed)
        analyser = SparkAnalyser(spark, CATALOG)
        pairs = set()
        for statement in filter(str.strip, made.sql.split(";\n")):
            said = analyser.analyse(statement)
            if isinstance(said, AnalysisFailure):  # Spark does not like the types
                refused.append(said.reason)
                break
            pairs |= {(str(edge.source), str(edge.target).lower()) for one in said for edge in one.extraction.edges}
        else:
            assert pairs == made.pairs, f"{seed}\n{made.sql}"
    assert len(refused) < QUERIES / 10, refused
