"""A written check, measured in memory in both rounds and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.quality.check import Check, Context
from forge.quality.measure import PREVIOUS, Measure, Reading
from forge.quality.plan import judge_all, plan_measures, plan_second_round
from forge.quality.spec import load_check
from forge.quality.verdict import Verdict
from forge.stores.memory.measure import MemoryMeasurer

ORDERS = TableName("core", "orders")
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
Rows = Sequence[Mapping[str, Any]]


def schema_of(**types: str) -> Schema:
    return Schema(tuple(Column(name, type_) for name, type_ in types.items()))


def written(**keys: Any) -> Check:
    return load_check(keys, table=ORDERS, where="checks/core.yaml:1")


def judge_rows(
    check: Check,
    rows: Rows,
    schema: Schema,
    *,
    previous: Rows | None = None,
    masked: frozenset[str] = frozenset(),
    **more: Any,
) -> Verdict:
    """`more` goes to the measurer: others, predicates, added, queries, functions."""
    others = more.pop("others", {})
    measurer = MemoryMeasurer(rows, others, columns=schema.names, versions={PREVIOUS: previous}, **more)
    readings: dict[Measure, Reading] = dict(measurer.measure(plan_measures([check], schema)))
    readings |= measurer.measure(plan_second_round([check], readings, schema))
    return judge_all([check], readings, Context(ORDERS, schema, NOW, masked))[0]
