"""The PySpark cases are what Spark does: their programs are run on empty tables, and the plan of each frame that is
written has the edges that the case expects."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from forge.lineage.edge import Extraction
from forge.lineage.extract.spark.plan import extract_analysed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

LINEAGE = Path(__file__).parents[1] / "lineage"
# What needs arguments, files, streams or another module, or writes otherwise than by saveAsTable.
NOT_HERE = (
    "readStream",
    "sys.argv",
    "os.getenv",
    "jdbc",
    "spark.read.parquet",
    "spark.read.option",
    "spark.read.schema",
    ".load(",
    "mergeInto",
    "insertInto",
    ".parquet(",
    "writeTo",
    "from jobs",
    "import util",
    "is not there",
)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("python_cases_reader", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


READER = load(LINEAGE / "extract" / "python" / "test_cases.py")
RUN = [
    case
    for file, case in READER.ALL
    if file.startswith("pyspark") and not any(word in case.files.get("job.py", "") + case.name for word in NOT_HERE)
]


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> SparkSession:
    for name, columns in yaml.safe_load((LINEAGE / "python_cases" / "tables.yaml").read_text()).items():
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS forge.{name.split('.')[0]}")
        listed = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
        spark.sql(f"CREATE OR REPLACE TABLE forge.{name} ({listed}) USING iceberg")
    return spark


def extract(frame: DataFrame, target: str) -> Extraction:
    plan = frame._jdf.queryExecution().analyzed()
    text = plan.treeString(False, False, 100_000, False, False)
    return extract_analysed(text, plan.toJSON, target, {})


def test_most_cases_can_be_run() -> None:
    assert len(RUN) >= 85


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in RUN])
def test_spark_says_the_same(tables: SparkSession, case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import DataFrameWriter

    found: list[Extraction] = []
    monkeypatch.setattr(
        DataFrameWriter, "saveAsTable", lambda self, name, *args, **named: found.append(extract(self._df, name))
    )
    exec(compile(case.files["job.py"], "job.py", "exec"), {"spark": tables, "__name__": "__main__"})
    edges = {(str(e.source), str(e.target), str(e.transformation), e.masking) for one in found for e in one.edges}
    indirect = {(str(e.subtype), str(e.source), e.target) for one in found for e in one.indirect}
    assert edges == set(case.edges)
    assert indirect == case.indirect
