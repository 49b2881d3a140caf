"""Random tables with checks of every type at once: Spark says what a plain-Python oracle says, and counts what the
memory measurer counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from check_oracle import NEAR, outcome_of
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from memory_checks import NOW, ORDERS, Rows, judge_rows, written
from random_checks import COMMON, CUSTOMERS, PARENTS, POSITIVE, ROW, SCHEMA, WRITTEN, positive

from forge.engines.spark.measure.measurer import SparkMeasurer
from forge.quality.check import Check, Context
from forge.quality.measure import PREVIOUS, Measure, Reading
from forge.quality.plan import judge_all, plan_measures, plan_second_round
from forge.quality.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

TABLES = 8
FULL = st.lists(ROW, min_size=6, max_size=30)  # tables without rows are among the fresh cases
SHAPE = ", ".join(f"`{column.name}` {column.type}" for column in SCHEMA.columns)
CHECKS = st.tuples(
    *(st.tuples(written_, COMMON).map(lambda pair: pair[0] | pair[1]) for written_ in WRITTEN.values()),
    *WRITTEN.values(),
)


def frame_of(spark: SparkSession, rows: Rows) -> DataFrame:
    return spark.createDataFrame([tuple(row[name] for name in SCHEMA.names) for row in rows], SHAPE).coalesce(1)


def judge_on_spark(
    spark: SparkSession, checks: Sequence[Check], rows: Rows, previous: Rows | None
) -> tuple[Verdict, ...]:
    parents = spark.createDataFrame([(row["id"],) for row in PARENTS], "id bigint")
    now = SparkMeasurer(spark, frame_of(spark, rows), lambda table: parents)
    before = None if previous is None else SparkMeasurer(spark, frame_of(spark, previous), lambda table: parents)

    def read(measures: Sequence[Measure]) -> dict[Measure, Reading]:
        found = dict(now.measure([one for one in measures if one.at is None]))
        plain = {replace(one, at=None): one for one in measures if one.at == PREVIOUS}
        readings = before.measure(tuple(plain)) if before else dict.fromkeys(plain)
        return found | {plain[one]: reading for one, reading in readings.items()}

    readings = read(plan_measures(checks, SCHEMA))
    readings |= read(plan_second_round(checks, readings, SCHEMA))
    return judge_all(checks, readings, Context(ORDERS, SCHEMA, NOW))


def counts_of(verdict: Verdict) -> dict[str, Any]:
    """What both must have counted alike; sketches and means may differ in the last digit."""
    readings, parts = verdict.details.get("readings"), verdict.details.get("partitions")
    counts = {name: n for name, n in readings.items() if isinstance(n, int)} if isinstance(readings, Mapping) else {}
    told = {name: n for name, n in parts.items() if isinstance(n, int)} if isinstance(parts, Mapping) else {}
    return counts | told


def test_spark_agrees_with_the_oracle_and_with_memory(spark: SparkSession) -> None:
    @settings(
        max_examples=TABLES,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(CHECKS, FULL, st.none() | FULL)
    def compare(asked: tuple[dict[str, Any], ...], rows: Rows, previous: Rows | None) -> None:
        checks = [written(**check) for check in asked]
        verdicts = judge_on_spark(spark, checks, rows, previous)
        faults = []
        for mapping, check, verdict in zip(asked, checks, verdicts, strict=True):
            rules = {POSITIVE: positive}
            expected = outcome_of(mapping, rows, now=NOW, previous=previous, parents=PARENTS, rules=rules)
            more: dict[str, Any] = {"others": {CUSTOMERS: PARENTS}, "predicates": rules}
            memory = judge_rows(check, rows, SCHEMA, previous=previous, **more)
            if expected == NEAR:
                continue
            if verdict.outcome != expected:
                faults.append(f"{mapping}: Spark {verdict.outcome}, oracle {expected}: {verdict.message}")
            elif (counted := counts_of(verdict)) != (known := counts_of(memory)):
                faults.append(f"{mapping}: Spark {counted}, memory {known}: {verdict.message}")
        assert faults == [], rows

    compare()
