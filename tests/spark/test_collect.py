"""What comes from Spark is whole, or an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forge.engines.spark.collect import collected

pytestmark = pytest.mark.spark

SCRIPT = Path(__file__).parents[1] / "support" / "full_heap.py"


def test_rows_come_as_collect_gives_them(spark: SparkSession) -> None:
    frame = spark.sql("SELECT id, CAST(id AS STRING) AS text, array(id, NULL) AS list FROM range(1000) ORDER BY id")
    assert collected(frame) == frame.collect()


def test_where_the_heap_is_full_an_answer_is_never_shorter(tmp_path: Path) -> None:
    """PySpark's own `collect` gives 47 of the 500 rows at one of these, and says nothing."""
    ended = subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, timeout=300, check=False)
    found = [line.split()[1] for line in ended.stdout.splitlines()]
    assert found[:1] == ["500"], ended.stderr[-2000:]
    assert {one for one in found if one.isdigit()} == {"500"}, found
