"""The newest runs first, with their outputs: shared by runs, verdicts and the audit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from forge.flows.runs.records import RunRecord
from forge.model.names import RunId
from forge.stores.sql import rows, tables
from forge.stores.sql.statements import batches, find_rows

NEWEST = (tables.runs.c.started_at.desc(), tables.runs.c.id.desc())


def runs_by_id(connection: Connection, ids: Sequence[RunId]) -> dict[RunId, RunRecord]:
    found: list[Mapping[str, Any]] = []
    for some in batches(ids):
        found += find_rows(connection, select(tables.runs).where(tables.runs.c.id.in_(some)))
    return {run.id: run for run in with_outputs(connection, found)}


def with_outputs(connection: Connection, found: Sequence[Mapping[str, Any]]) -> tuple[RunRecord, ...]:
    outputs: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    t = tables.outputs
    for ids in batches([row["id"] for row in found]):
        some = select(t).where(t.c.run_id.in_(ids)).order_by(t.c.position)
        for row in find_rows(connection, some):
            outputs[row["run_id"]].append(row)
    return tuple(rows.run_of(row, outputs[row["id"]]) for row in found)
