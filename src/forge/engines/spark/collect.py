"""Rows from Spark, all of them or an error.

`DataFrame.collect` takes the end of the stream for the end of the rows. The thread that sends them may die of a full
heap, and the rows received so far would be the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

_PATIENCE = "5 seconds"  # it reports how it ended before the stream is closed


def collected(frame: DataFrame) -> list[Row]:
    """Like `collect`. E917 where rows are missing."""
    from py4j.protocol import Py4JJavaError
    from pyspark.serializers import BatchedSerializer, CPickleSerializer
    from pyspark.util import _load_from_socket

    jvm: Any = frame.sparkSession._jvm
    served = frame._jdf.collectToPython()
    batches: Any = BatchedSerializer
    rows = list(_load_from_socket(served, batches(CPickleSerializer())))
    try:
        served[2].getResult(jvm.scala.concurrent.duration.Duration.apply(_PATIENCE))
    except Py4JJavaError as error:
        raise ForgeError(
            "E917",
            f"Spark broke off after {len(rows):,} rows",
            why="It had no memory left to send the others.",
            fix="Ask for fewer rows or shorter values, or give Spark more: spark.driver.memory in forge.yaml.",
        ) from error
    return rows
