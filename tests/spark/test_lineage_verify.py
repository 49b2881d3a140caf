"""Static lineage against Spark's own analyser: a script with all that a script may hold, and all text cases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sql_cases import all_cases, known_tables

from forge.engines.spark.lineage.verify import SparkAnalyser
from forge.flows.lineage.verify import AnalysisFailure, verify, verify_file
from forge.lineage.agreement import LineageSide, SparkAgreement
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.codebase import CodebaseContext, SourceUnit
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.program import Program
from forge.lineage.extract.sql.program import read_sql
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

TABLES = """
CREATE TABLE sales.orders (id BIGINT, customer_id BIGINT, amount DECIMAL(12,2), status VARCHAR(10), size TINYINT,
  address STRUCT<city: STRING, zip: STRING>);
CREATE TABLE sales.customers (id BIGINT, name STRING, email STRING);
CREATE TABLE mart.daily (status STRING, total DECIMAL(22,2), day DATE);
"""
STATE = re.compile(r"\b(?:temp\w*|view|function|declare|use|drop|alter|set|insert)\b", re.IGNORECASE)
SCRIPT = """
CREATE OR REPLACE TEMP VIEW recent AS SELECT * FROM sales.orders WHERE status <> 'old';
CREATE FUNCTION twice(x DECIMAL(12,2)) RETURNS DECIMAL(13,2) RETURN x * 2;
CREATE TABLE mart.t1 AS SELECT id, twice(amount) AS double, address.city FROM recent;
INSERT INTO mart.daily SELECT status, sum(amount), current_date() FROM recent GROUP BY status;
INSERT INTO mart.daily (total, status) SELECT amount, upper(status) FROM sales.orders
  WHERE id IN (SELECT id FROM sales.customers);
INSERT OVERWRITE mart.daily PARTITION (day = DATE'2020-01-01') SELECT status, amount FROM sales.orders;
INSERT INTO mart.daily BY NAME SELECT amount AS total, status FROM sales.orders;
INSERT INTO mart.daily REPLACE WHERE status = 'x' SELECT status, amount, NULL FROM sales.orders;
CREATE VIEW mart.v (a, b) AS
  SELECT o.id, c.name FROM sales.orders o LEFT JOIN sales.customers c ON o.customer_id = c.id;
CREATE OR REPLACE TABLE mart.t2 AS
  WITH x AS (SELECT a, b, row_number() OVER (PARTITION BY b ORDER BY a) AS n FROM mart.v) SELECT * FROM x WHERE n = 1;
MERGE INTO mart.daily t USING (SELECT status, sum(amount) AS total FROM sales.orders GROUP BY status) s
  ON t.status = s.status
  WHEN MATCHED AND s.total > 5 THEN UPDATE SET total = s.total + t.total
  WHEN MATCHED THEN DELETE
  WHEN NOT MATCHED THEN INSERT (status, total) VALUES (s.status, s.total)
  WHEN NOT MATCHED BY SOURCE THEN UPDATE SET day = NULL;
MERGE INTO sales.customers t USING sales.customers s ON t.id = s.id
  WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
UPDATE mart.daily SET total = total * 2 WHERE status = 'x';
UPDATE mart.daily SET total = total + 1, status = 'y' WHERE status IN (SELECT status FROM sales.orders WHERE id > 3);
UPDATE sales.customers SET name = upper(email);
DELETE FROM mart.daily WHERE status = 'x';
DELETE FROM mart.daily WHERE EXISTS (SELECT 1 FROM sales.orders o WHERE o.status = daily.status);
FROM sales.orders INSERT INTO mart.daily SELECT status, amount, NULL WHERE id > 3
  INSERT INTO sales.customers SELECT id, status, NULL;
CREATE TABLE mart.t3 AS SELECT struct(id, name) AS s, named_struct('m', email) AS e FROM sales.customers;
INSERT INTO mart.t3 SELECT s, e FROM mart.t3;
CREATE OR REPLACE TEMP VIEW recent AS SELECT * FROM sales.customers;
CREATE TABLE mart.t4 AS SELECT * FROM recent;
INSERT INTO lab.unknown SELECT id, status FROM sales.orders;
INSERT OVERWRITE DIRECTORY '/nowhere' USING parquet SELECT id, sha2(email, 256) AS h FROM sales.customers;
CREATE TABLE mart.t5 AS SELECT * FROM mart.t3 LATERAL VIEW explode(array(s.id)) x AS one;
SELECT id FROM sales.orders;
EXECUTE IMMEDIATE 'INSERT INTO mart.daily SELECT status, amount, NULL FROM sales.orders';
INSERT INTO mart.daily SELECT * FROM lab.nobody_knows;
DROP TABLE mart.t4;
"""


def check(spark: SparkSession, files: dict[str, str], **names: str) -> dict[str, SparkAgreement]:
    units = [SourceUnit(file, "sql", {file: text}) for file, text in files.items()]
    shared = CodebaseContext(TableCatalog((), names.get("db"), names.get("default_schema")))
    return dict(verify(units, shared, lambda catalog: SparkAnalyser(spark, catalog)))


def test_every_kind_of_statement_is_read_as_spark_reads_it(spark: SparkSession) -> None:
    found = check(spark, {"script.sql": SCRIPT, "tables.sql": TABLES})["script.sql"]
    assert found.disagreements == ()
    assert len(found.compared) == 22
    assert found.score().agreed > 45
    immediate, unknown = found.not_comparable
    assert "nothing is to be run" in immediate.reason
    assert "`nobody_knows` cannot be found" in unknown.reason


def test_short_names_mean_the_same_to_both(spark: SparkSession) -> None:
    text = "CREATE TABLE res AS SELECT o.id, c.name FROM orders o JOIN analytics.sales.customers c ON o.id = c.id"
    files = {"a.sql": text, "tables.sql": TABLES}
    found = check(spark, files, db="analytics", default_schema="sales")["a.sql"]
    assert found.disagreements == ()
    assert {link.target for link in found.statements[0].agreed} == {
        "analytics.sales.res",
        "analytics.sales.res.id",
        "analytics.sales.res.name",
    }


def test_a_wrong_edge_and_a_lost_one_are_told_with_file_and_line(spark: SparkSession) -> None:
    catalog = TableCatalog(definitions_of({"sales.orders": {"id": "bigint", "amount": "int"}}))
    right = "SELECT 1;\nCREATE TABLE t AS SELECT id AS x FROM sales.orders"
    wrong = read_sql(right.replace("id AS x", "amount AS x"), catalog, file="a.sql")
    found = verify_file(right, wrong, SparkAnalyser(spark, catalog))
    assert [(one.file, one.line, str(one.link), one.side) for one in found.disagreements] == [
        ("a.sql", 2, "sales.orders.amount → t.x", LineageSide.STATIC),
        ("a.sql", 2, "sales.orders.id → t.x", LineageSide.RUN_TIME),
    ]


def test_a_statement_that_code_was_not_understood_in_is_a_disagreement(spark: SparkSession) -> None:
    catalog = TableCatalog(definitions_of({"sales.orders": {"id": "bigint"}}))
    nothing = Program(file="a.sql", language="sql")
    found = verify_file("CREATE TABLE t AS SELECT id FROM sales.orders", nothing, SparkAnalyser(spark, catalog))
    assert [one.side for one in found.disagreements] == [LineageSide.RUN_TIME]


def test_views_and_functions_of_one_file_are_unknown_to_the_next(spark: SparkSession) -> None:
    catalog = TableCatalog(definitions_of({"sales.orders": {"id": "bigint"}}))
    SparkAnalyser(spark, catalog).analyse("CREATE TEMP VIEW v AS SELECT id FROM sales.orders")
    seen = SparkAnalyser(spark, catalog).analyse("CREATE TABLE t AS SELECT id FROM v")
    assert isinstance(seen, AnalysisFailure)
    assert "`v` cannot be found" in seen.reason


def test_the_catalogs_of_the_session_stay_as_they_are(spark: SparkSession) -> None:
    catalog = TableCatalog(definitions_of({"forge.lin.only_here": {"id": "bigint"}}))
    seen = SparkAnalyser(spark, catalog).analyse("CREATE TABLE forge.lin.new AS SELECT id FROM forge.lin.only_here")
    assert isinstance(seen, tuple)
    assert [str(edge.source) for edge in seen[0].extraction.edges] == ["forge.lin.only_here.id"]
    assert not spark.catalog.tableExists("forge.lin.only_here")
    assert not spark.catalog.tableExists("forge.lin.new")


def test_a_view_that_cannot_be_made_does_not_leave_the_one_before(spark: SparkSession) -> None:
    analyser = SparkAnalyser(spark, TableCatalog(definitions_of({"sales.orders": {"id": "bigint"}})))
    analyser.analyse("CREATE OR REPLACE TEMP VIEW v AS SELECT id FROM sales.orders")
    assert isinstance(
        analyser.analyse("CREATE OR REPLACE TEMP VIEW v AS SELECT id FROM lab.nobody_knows"), AnalysisFailure
    )
    assert isinstance(analyser.analyse("CREATE TABLE t AS SELECT id FROM v"), AnalysisFailure)


def test_a_type_of_no_kind_does_not_hide_the_columns(spark: SparkSession) -> None:
    analyser = SparkAnalyser(spark, TableCatalog(definitions_of({"s.t": {"a": "hyperspace(3)", "b": "smallint"}})))
    seen = analyser.analyse("CREATE TABLE u AS SELECT a, b FROM s.t")
    assert isinstance(seen, tuple)
    assert [str(edge.source) for edge in seen[0].extraction.edges] == ["s.t.a", "s.t.b"]


def test_other_dialects_are_refused(spark: SparkSession) -> None:
    with pytest.raises(ForgeError) as refused:
        list(verify([], CodebaseContext(TableCatalog(), "oracle"), lambda catalog: SparkAnalyser(spark, catalog)))
    assert refused.value.code == "E822"


def test_the_text_cases_say_what_spark_says(spark: SparkSession) -> None:
    """Where Spark takes the script of a case; many show what it refuses."""
    tables = definitions_of(known_tables())
    compared, analyser = 0, None
    for file, case in all_cases():
        if case.settings.get("dialect", "spark") not in ("spark", "databricks"):
            continue
        catalog = TableCatalog(tables, case.settings.get("db"), case.settings.get("default-schema"))
        result = case.settings.get("result", "")
        program = read_sql(case.script, catalog, file=f"{file}: {case.name}", result=result or None)
        alone = bool(STATE.search(case.script) or case.settings.keys() - {"result"})
        if analyser is None or alone:
            analyser = SparkAnalyser(spark, catalog.with_(program.definitions))
        found = verify_file(case.script, program, analyser, result=result)
        assert found.disagreements == (), f"{file}: {case.name}"
        compared += len(found.compared)
        analyser = None if alone else analyser
    assert compared > 380
