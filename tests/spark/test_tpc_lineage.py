"""All TPC-DS and TPC-H queries that lie in Spark's own test jar: what is read out of their text is what Spark's
analyser makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spark_tests_jar import queries

from forge.engines.spark.lineage.verify import SparkAnalyser
from forge.flows.lineage.verify import verify_file
from forge.lineage.agreement import SparkAgreement
from forge.lineage.edge import Gap
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.sql.program import read_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

TABLES = Path(__file__).parents[1] / "lineage" / "tpc"
RESULT = "out.result"
EQUAL = 0.99


def tables(name: str) -> TableCatalog:
    program = read_sql((TABLES / name).read_text(), TableCatalog())
    assert program.gaps == ()
    return TableCatalog(program.definitions)


@pytest.mark.parametrize(
    ("folder", "schema", "number"),
    [("tpcds", "tpcds.sql", 103), ("tpcds-v2.7.0", "tpcds.sql", 32), ("tpch", "tpch.sql", 22)],
)
def test_what_is_read_from_code_is_what_spark_says(
    spark: SparkSession, folder: str, schema: str, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog = tables(schema)
    analyser = SparkAnalyser(spark, catalog)
    texts = queries(folder)
    assert len(texts) == number
    found = SparkAgreement()
    gaps: list[Gap] = []
    for name, text in texts.items():
        program = read_sql(text, catalog, file=f"{folder}/{name}.sql", result=RESULT)
        gaps += program.gaps
        compared = verify_file(text, program, analyser, result=RESULT)
        found = SparkAgreement((*found.statements, *compared.statements))
    direct, indirect = found.score(), found.score(direct=False)
    with capsys.disabled():
        print(f"\n{folder}: direct {_tell(found)}, indirect {_tell(found, direct=False)}")
        for one in found.disagreements:
            print(f"  {one.file}:{one.line} {one.link} only {one.side}")
    assert len(found.compared) == number, found.not_comparable
    assert gaps == []
    assert direct.equal >= EQUAL
    assert indirect.equal >= EQUAL


def _tell(found: SparkAgreement, *, direct: bool = True) -> str:
    score = found.score(direct=direct)
    return f"{score.agreed} agreed, precision {score.precision:.4f}, recall {score.recall:.4f}"
