"""A versioned lake with remediation on it, without a JVM: which rows fail is found row by row in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from version_world import ADA, BEGIN, MAIN, ArrowEngine, Clock, VersionWorld, make_world

from forge.flows.quality.judge import CheckPorts, JudgedTable, judge_dataset
from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.row_repair import CHECKS, FILE, POSITION, RepairWork, RowFailures
from forge.flows.runs.engine import Pin
from forge.flows.versioning.tables import FileSlice
from forge.model.names import TableName
from forge.quality.check import Check
from forge.quality.measure import Measure
from forge.quality.remediation import ApprovalPolicy
from forge.stores.lake.arrow.repair import ArrowRepair
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.lake.tables import IcebergTables
from forge.stores.memory.measure import MemoryMeasurer
from forge.stores.sql.quality.remediations import SqlRemediations
from forge.versioning.commit import Author


def failing_rows(engine: ArrowEngine, lake: IcebergLake, pin: Pin, failing: RowFailures) -> pa.Table:
    """File, place and check ids of every row that fails; duplicates are those after the first of their key."""
    assert pin.snapshot_id is not None
    tables = IcebergTables(lake)
    files = tables.files(pin.catalog, pin.snapshot_id)
    others = {name: engine.rows(at).to_pylist() for name, at in failing.others.items()}
    found: dict[str, list[Any]] = {FILE: [], POSITION: [], CHECKS: []}
    seen: dict[tuple[str, Measure], set[object]] = {}
    snapshot = lake.snapshot(pin.catalog, pin.snapshot_id)
    assert snapshot is not None
    for file in sorted(files.files, key=lambda one: one.path):
        rows = tables.read(FileSlice(pin.catalog, pin.snapshot_id, (file,))).to_pylist()
        for place, row in enumerate(rows):
            ids = []
            for check_id, check in failing.checks:
                for measure in check.bad(failing.readings, snapshot.schema):
                    if measure.kind == "duplicates":
                        key = tuple(row[name] for name in measure.columns)
                        known = seen.setdefault((check_id, measure), set())
                        bad = key in known and None not in key
                        known.add(key)
                    else:
                        read = MemoryMeasurer([row], others, columns=list(row)).measure([measure])[measure]
                        bad = bool(read)
                    if bad and check_id not in ids:
                        ids.append(check_id)
            if ids:
                found[FILE].append(file.path)
                found[POSITION].append(place)
                found[CHECKS].append(ids)
    kinds = pa.schema([(FILE, pa.string()), (POSITION, pa.int64()), (CHECKS, pa.list_(pa.string()))])
    return pa.table(found, schema=kinds)


@dataclass
class RemedyWorld:
    world: VersionWorld
    ports: RemedyPorts
    told: list[tuple[str, str]] = field(default_factory=list)

    def judge(self, table: str, branch: str = "main", checks: Sequence[Check] | None = None) -> JudgedTable:
        versions = self.world.ports
        ports = CheckPorts(
            metadata=versions.metadata,
            lake=versions.lake,
            engine=versions.engine,
            project=versions.project,
            clock=versions.clock,
            default_branch=versions.default_branch,
        )
        return judge_dataset(f"{table}@{branch}", ports, checks=checks)

    def check(self, table: str, *checks: Check) -> None:
        """These are the project's checks of the table from now on."""
        self.world.checks[TableName.parse(table)] = checks

    def commit(self, table: str, rows: Sequence[dict[str, object]], **options: Any) -> None:
        """As someone would who publishes past the checks."""
        name = TableName.parse(table)
        kept, self.world.checks[name] = self.world.checks.get(name, ()), ()
        self.world.commit_rows(table, rows, **options)
        self.world.checks[name] = kept

    def by(self, author: Author) -> RemedyPorts:
        return replace(self.ports, versions=replace(self.ports.versions, author=author))


def make_remedy_world(
    tmp_path: Path, policy: ApprovalPolicy | None = None, *, hours: int = 0, **changes: object
) -> RemedyWorld:
    """`hours`: how much later than what the folder holds already."""
    world = make_world(tmp_path, **{"clock": Clock(BEGIN + timedelta(hours=hours)), **changes})
    told: list[tuple[str, str]] = []

    def no_spark() -> RepairWork:
        raise AssertionError("this is small: Spark must not be asked")

    ports = RemedyPorts(
        versions=world.ports,
        store=SqlRemediations(world.metadata._engine),
        small=ArrowRepair(world.tables, lambda pin, failing: failing_rows(world.engine, world.lake, pin, failing)),
        large=no_spark,
        policy=policy or ApprovalPolicy(),
        report=lambda remediation, event: told.append((remediation.id, event)),
    )
    return RemedyWorld(world, ports, told)


__all__ = ["ADA", "MAIN", "RemedyWorld", "failing_rows", "make_remedy_world"]
