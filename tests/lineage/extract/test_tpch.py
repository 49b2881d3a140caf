"""The same query of TPC-H in SQL, PySpark, pandas and polars, each in its own style, has the same lineage."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.program import Program
from forge.lineage.extract.python import read_python
from forge.lineage.extract.sql.program import read_sql

HERE = Path(__file__).parents[1] / "tpch"
CATALOG = TableCatalog(definitions_of(yaml.safe_load((HERE / "tables.yaml").read_text())))
QUERIES = sorted(path.stem for path in HERE.glob("q*.sql"))
LIBRARIES = ("pyspark", "pandas", "polars")

# How many sources the columns of each result have, counted by hand from the query.
EXPECTED = {
    "q01": 12,
    "q03": 5,
    "q04": 1,
    "q05": 3,
    "q06": 2,
    "q07": 5,
    "q08": 4,
    "q09": 6,
    "q10": 9,
    "q11": 3,
    "q12": 3,
    "q13": 1,
    "q14": 3,
    "q16": 4,
    "q18": 6,
    "q19": 2,
}


def edges(programs: tuple[Program, ...]) -> set[tuple[str, str]]:
    found = flatten(programs)
    assert found.gaps == ()
    return {(str(edge.source), str(edge.target)) for edge in found.edges}


def in_sql(query: str) -> set[tuple[str, str]]:
    return edges((read_sql((HERE / f"{query}.sql").read_text(), CATALOG, file=f"{query}.sql"),))


def in_python(query: str, library: str) -> set[tuple[str, str]]:
    file = f"{query}_{library}.py"
    return edges(read_python({file: (HERE / file).read_text()}, CATALOG))


def test_there_are_enough_queries_and_each_is_written_four_times() -> None:
    assert len(QUERIES) >= 14
    assert list(EXPECTED) == QUERIES
    assert {path.name for path in HERE.glob("q*.py")} == {f"{q}_{library}.py" for q in QUERIES for library in LIBRARIES}


@pytest.mark.parametrize("query", QUERIES)
def test_sql_has_the_edges_that_a_person_counts(query: str) -> None:
    assert len(in_sql(query)) == EXPECTED[query]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("query", QUERIES)
def test_each_library_has_the_edges_of_the_sql(query: str, library: str) -> None:
    assert in_python(query, library) == in_sql(query)
