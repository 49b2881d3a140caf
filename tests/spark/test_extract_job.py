"""Code that is read by a Spark job gives what it gives when read here."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from sql_cases import all_cases, known_tables

from forge.engines.spark.lineage.extract_job import SCHEMA, extract_texts, rows_of, run_on, within
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.codebase import CodebaseContext, SourceUnit, read_codebase, read_sequentially
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.sql.program import read_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

CATALOG = TableCatalog(definitions_of(known_tables()))
COLUMNS = [part.split()[0] for part in SCHEMA.split(", ")]
STATEMENTS = 2000


def plain(rows: Any) -> list[tuple[str, ...]]:
    return sorted(tuple(str(row.get(name)) for name in COLUMNS) for row in rows)


def test_two_thousand_texts_give_what_they_give_one_by_one(spark: SparkSession) -> None:
    cases = [case for _, case in all_cases()]
    texts = [
        (f"q{n}", case.script, case.settings.get("dialect", "spark"), case.settings.get("default-schema"))
        for n, case in zip(range(STATEMENTS), cases * (STATEMENTS // len(cases) + 1), strict=False)
    ]
    frame = spark.createDataFrame(texts, "id STRING, text STRING, dialect STRING, default_schema STRING")
    found = [row.asDict() for row in extract_texts(frame.repartition(4), CATALOG).collect()]
    here = [
        row
        for name, text, dialect, schema in texts
        for row in rows_of(
            name,
            flatten(
                [
                    read_sql(
                        text, TableCatalog(CATALOG.definitions, None, schema), dialect=dialect, file=name, result=None
                    )
                ]
            ),
        )
    ]
    assert len(texts) == STATEMENTS
    assert len(found) > STATEMENTS
    assert plain(found) == plain(here)


def test_a_codebase_read_on_the_workers_is_the_codebase_read_here(spark: SparkSession) -> None:
    units = [
        SourceUnit("make.sql", "sql", {"make.sql": "CREATE TABLE stage.a AS SELECT id, status AS s FROM sales.orders"}),
        SourceUnit("use.sql", "sql", {"use.sql": "INSERT INTO mart.b SELECT * FROM stage.a"}),
    ]
    there = read_codebase(units, CodebaseContext(CATALOG), run_on(spark))
    here = read_codebase(units, CodebaseContext(CATALOG), read_sequentially)
    assert there.keys() == here.keys()
    for name, done in here.items():
        assert flatten(there[name].programs) == flatten(done.programs)
    assert [str(edge.source) for edge in flatten(there["use.sql"].programs).edges] == ["stage.a.id", "stage.a.s"]


def test_what_takes_too_long_is_given_up() -> None:
    assert within(1, lambda: time.sleep(5)) is None
    assert within(1, lambda: 7) == 7
