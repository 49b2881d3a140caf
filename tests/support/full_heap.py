"""Spark whose heap is nearly full, in a process of its own: `full_heap.py FOLDER`.

Prints for less and less room how many of 500 rows came, or the code of the error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from forge.engines.spark.collect import collected
from forge.engines.spark.errors import SPARK_ERRORS
from forge.engines.spark.session.session import SparkSettings, start_session
from forge.model.errors import ForgeError

LEFT = (120, 90, 75, 65, 60, 55, 50, 45, 40)  # megabytes
ROWS = "SELECT repeat('x', CAST(100000 + id AS INT)) AS text FROM range(500)"


def main(root: Path) -> None:
    os.environ.pop("SPARK_SUBMIT_OPTS", None)  # the collector of the tests keeps a part of the heap for new objects
    conf = {"spark.driver.memory": "1g"}
    spark = start_session(SparkSettings("local[1]", conf, {"type": "hadoop", "warehouse": str(root)}, root / "log"))
    java = spark._jvm.java  # type: ignore[union-attr]
    machine, held = java.lang.Runtime.getRuntime(), []
    for wanted in LEFT:
        java.lang.System.gc()
        left = (machine.maxMemory() - machine.totalMemory() + machine.freeMemory()) >> 20
        if left > wanted:
            held.append(java.nio.ByteBuffer.allocate((left - wanted) << 20))
        try:
            print(wanted, len(collected(spark.sql(ROWS))), flush=True)
        except (ForgeError, *SPARK_ERRORS) as error:
            print(wanted, getattr(error, "code", "failed"), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
