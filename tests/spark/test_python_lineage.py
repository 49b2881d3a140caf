"""PySpark programs: what is read out of the code is what Spark's own plan tells."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from forge.lineage.edge import Extraction
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.python import read_python
from forge.lineage.extract.spark.plan import PlanHints, extract_analysed
from forge.lineage.extract.sql.program import read_sql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FOLDER = Path(__file__).parents[1] / "lineage"
TABLES = (FOLDER / "cases" / "tables.sql").read_text()
PROGRAMS = (FOLDER / "dataframes" / "programs.txt").read_text().strip().split("\n---\n")
HEAD = """
from pyspark.sql import DataFrame, Window, functions as F, types as T
o, c = spark.table("lin.orders"), spark.table("lin.customers")
"""
TARGET = "out.table"


@pytest.fixture(scope="module")
def lin(spark: SparkSession) -> SparkSession:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS forge.lin")
    for statement in filter(None, (one.strip() for one in TABLES.split(";"))):
        spark.sql(statement)
    return spark


def from_plan(frame: DataFrame) -> Extraction:
    plan = frame._jdf.queryExecution().analyzed()
    return extract_analysed(plan.treeString(False, False, 100_000, False, False), plan.toJSON, TARGET, {}, PlanHints())


def from_code(program: str) -> Extraction:
    catalog = TableCatalog(read_sql(TABLES, TableCatalog()).definitions)
    return flatten(read_python({"a.py": f"{HEAD}{program}\ndf.write.saveAsTable('{TARGET}')\n"}, catalog))


def told(found: Extraction) -> dict[str, set[tuple[str, ...]]]:
    return {
        "edges": {
            (str(edge.target).lower(), str(edge.source), str(edge.transformation), str(edge.masking))
            for edge in found.edges
        },
        "indirect": {(str(edge.source), str(edge.subtype)) for edge in found.indirect},
        "tables": {(edge.source,) for edge in found.table_edges},
    }


@pytest.mark.parametrize("program", PROGRAMS)
def test_code_tells_what_the_plan_tells(lin: SparkSession, program: str) -> None:
    names: dict[str, Any] = {"spark": lin}
    exec(HEAD + program, names)
    found = from_code(program)
    assert told(found) == told(from_plan(names["df"]))
    assert found.gaps == ()
