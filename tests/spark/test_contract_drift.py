"""Contracts against Spark's frames, Iceberg tables that Spark wrote, and databases, without a job; and the checks that
contracts stand for, on real rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from spark_jobs import job_ids

from forge.connection import Connection
from forge.contracts.drift.table import ContractDrift, find_drift
from forge.contracts.load import load_contract
from forge.flows.contracts.drift import find_live_drift, find_source_drift
from forge.model.errors import ForgeError
from forge.model.names import TableName

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MakeProject = Callable[..., Connection]

HEAD = """\
apiVersion: v3.2.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: orders
    physicalName: core.orders
    properties:
"""
FITTING = """\
      - {name: id, logicalType: integer, physicalType: bigint}
      - {name: amount, logicalType: number, physicalType: 'decimal(12,2)'}
      - {name: at, logicalType: timestamp, physicalType: timestamp}
      - {name: local, logicalType: timestamp, physicalType: timestamp_ntz}
      - {name: note, physicalType: string}
      - name: address
        logicalType: object
        properties:
          - {name: city, logicalType: string}
          - {name: geo, logicalType: object, properties: [{name: lat, physicalType: double}]}
      - name: lines
        logicalType: array
        items:
          logicalType: object
          properties: [{name: sku, logicalType: string}, {name: n, physicalType: int}]
      - {name: counts, logicalType: map, map: {key: {logicalType: string}, value: {logicalType: integer}}}
"""
QUERY = """
    SELECT CAST(id AS BIGINT) AS id, CAST(1.5 AS DECIMAL(12,2)) AS amount, TIMESTAMP '2026-11-01 10:00:00' AS at,
           TIMESTAMP_NTZ '2026-11-01 10:00:00' AS local, 'x' AS note,
           named_struct('city', 'Bern', 'geo', named_struct('lat', 46.9D)) AS address,
           array(named_struct('sku', 'a', 'n', 1)) AS lines, map('a', 1) AS counts
    FROM range(3)
"""
WRONG = """\
      - {name: id, physicalType: int}
      - {name: amount, physicalType: 'decimal(14,2)'}
      - {name: at, physicalType: timestamp_ntz}
      - {name: local, logicalType: timestamp}
      - name: address
        logicalType: object
        properties: [{name: city, logicalType: integer}, {name: zip, logicalType: string}]
      - {name: lines, logicalType: array, items: {logicalType: string}}
      - {name: counts, logicalType: map, map: {key: {logicalType: integer}, value: {logicalType: integer}}}
      - {name: gone, logicalType: date}
"""
TOLD = [
    "E530 id",
    "E530 amount",
    "E530 at",
    "E530 address.city",
    "E531 address.zip",
    "E532 address.geo",
    "E530 lines.element",
    "E530 counts.key",
    "E531 gone",
    "E532 note",
]


def jobs(spark: SparkSession, act: Callable[[], Any]) -> tuple[Any, int]:
    group = f"drift-{id(act)}"
    spark.sparkContext.setJobGroup(group, "drift")
    result = act()
    return result, len(job_ids(spark, group))


def told(drifts: tuple[ContractDrift, ...]) -> list[str]:
    return [f"{each.violation.code} {'.'.join(each.steps)}" for d in drifts for each in d.found if each.violation.code]


def test_the_schema_of_a_frame_is_compared_without_a_job(spark: SparkSession) -> None:
    frame = spark.sql(QUERY)
    fitting, ran = jobs(spark, lambda: find_drift(HEAD + FITTING, frame))
    assert ([v for v in fitting if v.code], ran) == ([], 0)
    wrong, ran = jobs(spark, lambda: find_drift(HEAD + WRONG, frame.schema))
    assert [v.code for v in wrong if v.code] == [line.split()[0] for line in TOLD]
    assert ran == 0


def test_an_iceberg_table_is_compared_from_metadata_and_its_patch_is_sql_that_spark_runs(
    make_project: MakeProject,
) -> None:
    project = make_project({"transforms/core/orders.sql": QUERY})
    assert project.run().status == "succeeded"
    reader = project.wiring.versioning.reader()
    assert told(find_live_drift(load_contract(HEAD + FITTING, "o.odcs.yaml"), reader)) == []
    wrong = load_contract(HEAD + WRONG, "o.odcs.yaml")
    drifts, ran = jobs(project.spark, lambda: find_live_drift(wrong, reader))
    assert (told(drifts), ran) == (TOLD, 0)
    assert len(drifts[0].alter) == 3
    project.spark.sql("USE forge")
    for statement in drifts[0].alter:
        project.spark.sql(statement)
    left = told(find_live_drift(wrong, reader))
    assert [line for line in TOLD if line not in left] == ["E530 amount", "E531 address.zip", "E531 gone"]
    assert told(find_live_drift(wrong, reader, at="HEAD")) == TOLD, "the commit was written with other columns"


def test_a_view_is_compared_without_a_job(make_project: MakeProject) -> None:
    view = f"/* forge\nkind: view\n*/\n{QUERY}"
    project = make_project({"transforms/core/orders.sql": view})
    assert project.run().status == "succeeded"
    for at in (None, "HEAD"):
        assert (
            told(find_live_drift(load_contract(HEAD + WRONG, "o.odcs.yaml"), project.wiring.versioning.reader(), at))
            == TOLD
        )


def test_a_database_is_asked_for_its_columns_without_a_job(make_project: MakeProject, tmp_path: Path) -> None:
    crm = tmp_path / "crm.db"
    with sqlite3.connect(crm) as database:
        database.execute("CREATE TABLE people (id INTEGER, mail VARCHAR(20), nick VARCHAR(30), age REAL)")
    source = f"sources:\n  - {{output: raw.people, connector: jdbc, url: 'jdbc:sqlite:{crm}', table: people}}\n"
    project = make_project({"sources/crm.yaml": source})
    text = HEAD.replace("orders", "people").replace("core.", "raw.")
    text += "      - {name: id, logicalType: string}\n      - {name: mail, physicalType: varchar(20), required: true}\n"
    text += "      - {name: nick, physicalType: varchar(20)}\n"
    people = load_contract(text, "p.odcs.yaml")
    wiring = project.wiring
    drifts, ran = jobs(
        project.spark,
        lambda: find_source_drift(
            people, TableName("raw", "people"), wiring.project(), lambda: wiring.engine, lambda reference: reference
        ),
    )
    assert told(drifts) == ["E530 id", "E530 nick", "E532 age"]
    assert ran == 0


def test_a_database_that_refuses_the_connection_is_told_by_its_name(make_project: MakeProject) -> None:
    url = "jdbc:postgresql://127.0.0.1:1/crm"
    source = f"sources:\n  - {{output: raw.people, connector: jdbc, url: '{url}', table: people}}\n"
    wiring = make_project({"sources/crm.yaml": source}).wiring
    text = HEAD.replace("orders", "people").replace("core.", "raw.") + "      - {name: id, logicalType: string}\n"
    people = load_contract(text, "p.odcs.yaml")
    with pytest.raises(ForgeError, match="The database crm cannot be reached") as refused:
        find_source_drift(
            people, TableName("raw", "people"), wiring.project(), lambda: wiring.engine, lambda reference: reference
        )
    assert (refused.value.code, refused.value.where) == ("E308", "sources/crm.yaml:2")


RULES = """\
      - {name: id, logicalType: integer, physicalType: bigint, relationships: [{to: orders.id}]}
      - {name: amount, logicalType: number, physicalType: 'decimal(12,2)'}
      - {name: at, logicalType: timestamp}
      - {name: local}
      - {name: note}
      - name: address
        logicalType: object
        properties:
          - {name: city, logicalType: string, required: true, logicalTypeOptions: {minLength: 2, pattern: '^[A-Z]'}}
          - {name: geo, properties: [{name: lat, logicalType: number, logicalTypeOptions: {minimum: -90, maximum: 90}}]}
      - name: lines
        logicalType: array
        items:
          logicalType: object
          properties:
            - {name: sku, logicalType: string, required: true, logicalTypeOptions: {pattern: '^[a-z]+$'}}
            - {name: n, logicalType: integer, logicalTypeOptions: {minimum: 1}}
      - name: counts
        logicalType: map
        map:
          key: {logicalType: string, logicalTypeOptions: {maxLength: 3}}
          value: {logicalType: integer, required: true}
slaProperties:
  - {property: latency, value: 1, unit: h, element: orders.at}
  - {property: completeness, value: 99, element: orders.note}
"""


def test_rules_inside_structs_arrays_and_maps_hold_and_fail_on_real_rows(make_project: MakeProject) -> None:
    project = make_project({"transforms/core/orders.sql": QUERY, "contracts/orders.odcs.yaml": HEAD + RULES})
    report = project.run()
    assert report.status == "succeeded", report
    kinds = [v.check_type for v in report.result.verdicts if v.check_type != "schema"]
    assert sorted(kinds) == sorted(["foreign_key", "not_null", "not_null", "regex", "range", *["expression"] * 6]), (
        "and no freshness: late data is published all the same"
    )
    bad = QUERY.replace("'city', 'Bern'", "'city', 'b'").replace("'sku', 'a', 'n', 1", "'sku', 'A', 'n', 0")
    bad = bad.replace("map('a', 1)", "map('abcd', CAST(NULL AS INT))").replace("46.9D", "146.9D")
    (project.wiring.root / "transforms" / "core" / "orders.sql").write_text(bad)
    report = project.run()
    failed = [v.check_id for v in report.result.verdicts if v.outcome == "failed"]
    assert len(failed) == 7, failed
    [late] = [found for found in project.quality.run("core.orders") if found.type == "freshness"]
    assert (late.verdict, late.severity) == ("failed", "warning")
    assert late.place is not None
    assert late.place.startswith("contracts/orders.odcs.yaml:")
