"""The TPC-DS and TPC-H queries of Spark's own test jar, with what Spark's analyser says of each as the truth."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.lineage_extract.cases import ROOT, Asked, Pair, Question
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.sql.program import read_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDERS = {"tpcds": "tpcds.sql", "tpcds-v2.7.0": "tpcds.sql", "tpch": "tpch.sql"}
RESULT = "made.result"
PLAIN = re.compile(r"(?!_col_\d+$|_c\d+$)\w+")


def known(pairs: Iterable[Pair]) -> frozenset[Pair]:
    """Those into columns that the query itself names: what an expression without a name is called differs by tool."""
    return frozenset((source, target) for source, target in pairs if PLAIN.fullmatch(target.removeprefix(f"{RESULT}.")))


def tpc() -> Asked | None:
    """None where the jar cannot be had."""
    from spark_tests_jar import fetched_jar, queries

    try:
        fetched_jar()
    except (RuntimeError, OSError) as problem:
        print(f"  without TPC: {problem}", file=sys.stderr)
        return None
    from forge.engines.spark.lineage.verify import SparkAnalyser
    from forge.flows.lineage.verify import AnalysisFailure

    questions = []
    schemas = {}
    with _session() as spark:
        for folder, file in FOLDERS.items():
            program = read_sql((ROOT / "tests" / "lineage" / "tpc" / file).read_text(), TableCatalog())
            catalog = TableCatalog(program.definitions)
            schemas[file] = {
                one.name: {column.name: column.type for column in one.columns} for one in program.definitions
            }
            analyser = SparkAnalyser(spark, catalog)
            for name, text in queries(folder).items():
                query = text.strip().rstrip(";")
                said = analyser.analyse(query, RESULT)
                if isinstance(said, AnalysisFailure):
                    continue
                edges = [edge for one in said for edge in one.extraction.edges]
                truth = known((str(edge.source), str(edge.target)) for edge in edges)
                script = f"CREATE TABLE {RESULT} AS\n{query}"
                questions.append(Question("TPC", folder, name, script, truth, file))
    return Asked(questions, schemas)


@contextmanager
def _session() -> Iterator[SparkSession]:
    from forge.engines.spark.session.session import SparkSettings, start_session

    with tempfile.TemporaryDirectory() as folder:
        conf = {"spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "2"}
        session = start_session(SparkSettings("local[2]", conf, {}, Path(folder) / "spark.log"))
        try:
            yield session
        finally:
            session.stop()
