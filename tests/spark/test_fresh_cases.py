"""The same cases as tests/quality/test_fresh_cases.py on Spark, by the way the product takes: tables are committed, and
all cases of a table are judged at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from fresh_cases import FreshCase, faults_of, fresh_cases
from fresh_tables import NOW, TABLES, FreshTable, Rows

from forge.connection import Connection
from forge.engines.spark.frames import schema_of
from forge.engines.spark.measure.measurer import SparkMeasurer
from forge.flows.quality.judge import judge_dataset
from forge.model.names import TableName
from forge.quality.check import Check, Context
from forge.quality.plan import judge_all, plan_measures
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FILES = {
    "forge.yaml": "user: {name: Ada, email: ada@example.com}\n",
    "quality/rules.py": '''\
        def holds(frame):
            return frame.count() == 6


        def at_least(frame, rows):
            found = frame.count()
            return found >= rows, f"only {found} rows"


        def unpaid(frame):
            return frame.where("paid = false")


        def known(frame, tables):
            return frame.join(tables["core.customers"], "customer_id", "left_anti").where("customer_id IS NOT NULL")


        def breaks(frame):
            raise ValueError("on purpose")


        def mute(frame):
            """Forgets to answer."""
        ''',
}


@pytest.fixture(scope="module")
def case_house(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Connection]:
    root = tmp_path_factory.mktemp("fresh")
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    wiring = Wiring.of(root)
    session = spark.newSession()
    for key, value in wiring.session.settings.catalog.items():
        session.conf.set(f"spark.sql.catalog.forge.{key}", value)
    wiring.session._session = session
    connection = Connection(wiring, wiring.default_branch)
    for table in TABLES:
        if table.stored:
            _store(connection, session, table)
    yield connection
    wiring.database.dispose()


def _store(connection: Connection, session: SparkSession, table: FreshTable) -> None:
    if table.before is not None:
        connection.commit(table.name, frame=_frame(session, table, table.before), mode="overwrite")
    new = table.rows[len(table.before) :] if table.before is not None and table.appended else table.rows
    connection.commit(table.name, frame=_frame(session, table, new), mode="append" if table.appended else "overwrite")


def _frame(session: SparkSession, table: FreshTable, rows: Rows) -> DataFrame:
    shape = ", ".join(f"`{name.replace('`', '``')}` {type_}" for name, type_ in table.schema.items())
    return session.createDataFrame([tuple(row[name] for name in table.schema) for row in rows], shape).coalesce(1)


def _loaded(table: FreshTable) -> list[tuple[FreshCase, Check]]:
    asked = [(case, case.load_unless_refused()) for case in fresh_cases() if case.table is table]
    return [(case, check) for case, check in asked if check is not None]


@pytest.mark.parametrize("table", [table for table in TABLES if table.stored], ids=lambda table: table.name)
def test_spark_says_what_the_specification_says(case_house: Connection, table: FreshTable) -> None:
    loaded = _loaded(table)
    ports = replace(case_house.wiring.quality.check_ports(), clock=lambda: NOW)
    judged = judge_dataset(table.name, ports, checks=[check for _, check in loaded])
    pairs = zip([case for case, _ in loaded], judged.verdicts, strict=True)
    assert [fault for case, verdict in pairs for fault in faults_of(case, verdict)] == []


@pytest.mark.parametrize("table", [table for table in TABLES if not table.stored], ids=lambda table: table.name)
def test_spark_says_it_of_a_frame_that_no_lake_can_hold(spark: SparkSession, table: FreshTable) -> None:
    loaded = _loaded(table)
    frame = _frame(spark, table, table.rows)
    checks, schema = [check for _, check in loaded], schema_of(frame)
    readings = SparkMeasurer(spark, frame, lambda name: frame).measure(plan_measures(checks, schema))
    verdicts = judge_all(checks, readings, Context(TableName.parse(table.name), schema, NOW))
    pairs = zip([case for case, _ in loaded], verdicts, strict=True)
    assert [fault for case, verdict in pairs for fault in faults_of(case, verdict)] == []
