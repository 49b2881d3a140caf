"""Measuring and judging: in a run on what was staged, by hand on what is published. The same code for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from forge.contracts.contract import pii_columns
from forge.flows.engine import Engine, Pin, Planned
from forge.flows.ports import Lake
from forge.flows.project import Project
from forge.flows.read import Reader
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Context
from forge.quality.measure import Measure, Reading
from forge.quality.plan import judge_all, plan_measures
from forge.quality.verdict import Outcome, Verdict


def judge_table(
    table: TableName,
    schema: Schema,
    target: Pin | Planned,
    others: Mapping[TableName, Pin],
    project: Project,
    lake: Lake,
    engine: Engine,
    now: datetime,
) -> tuple[tuple[Verdict, ...], Mapping[Measure, Reading]]:
    """Metadata first: what Iceberg's manifests answer costs no job. The rest is measured in one scan per cost class,
    and a sample of failing rows is taken for failed checks only."""
    checks = project.checks.get(table, ())
    if not checks:
        return (), {}
    wanted = plan_measures(checks, schema)
    readings: dict[Measure, Reading] = {}
    if isinstance(target, Pin) and target.snapshot_id is not None:
        readings |= lake.measure(target.catalog, target.snapshot_id, wanted)
    rest = tuple(measure for measure in wanted if measure not in readings)
    if rest:
        readings |= engine.measure(target, rest, others)
    masked = _masked(project, table)
    verdicts = judge_all(checks, readings, Context(table, schema, now, masked))
    sampled = []
    for check, verdict in zip(checks, verdicts, strict=True):
        if verdict.outcome is Outcome.FAILED:
            rows = engine.sample(target, check, masked, others)
            verdict = replace(verdict, details={**verdict.details, "sample": [dict(row) for row in rows]})
        sampled.append(verdict)
    return tuple(sampled), readings


def _masked(project: Project, table: TableName) -> frozenset[str]:
    contract = project.contracts.get(table)
    return pii_columns(contract) if contract else frozenset()


def check_table(
    table: TableName, project: Project, reader: Reader, lake: Lake, engine: Engine, *, at: str | None, now: datetime
) -> tuple[Verdict, ...]:
    if not project.checks.get(table):
        return ()
    pin = reader.pin(table, at)
    others = {t: reader.pin(t, at) for t in project.references(table)}
    schema = _schema(lake, engine, pin)
    verdicts, _ = judge_table(table, schema, pin, others, project, lake, engine, now)
    return verdicts


def _schema(lake: Lake, engine: Engine, pin: Pin) -> Schema:
    if pin.snapshot_id is not None:
        snapshot = lake.snapshot(pin.catalog, pin.snapshot_id)
        if snapshot is None:
            raise ForgeError("E406", f"Snapshot {pin.snapshot_id} of {pin.table} is gone", fix="Run `forge doctor`.")
        return snapshot.schema
    schema, _ = engine.query(f"TABLE {pin.table}", {pin.table: pin}, {}, 0)
    return schema


def tables_with_checks(project: Project, names: Sequence[str]) -> tuple[TableName, ...]:
    if names:
        return tuple(TableName.parse(name) for name in names)
    return tuple(sorted(table for table, checks in project.checks.items() if checks))
