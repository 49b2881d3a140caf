"""A project on an external catalog, here a SQL catalog in a database of its own. PyIceberg writes in place of an
engine, so that no JVM is needed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from migrated import open_migrated
from orders_house import House

from forge.flows.ports import Stage
from forge.flows.runs.engine import Pin, PlannedResult, TimeRange
from forge.flows.runs.project import Project
from forge.flows.runs.records import Pointer, PointerConflict
from forge.flows.runs.run import RunPorts, RunRequest, RunResult, run
from forge.flows.upkeep.maintenance import RepairResult, find_problems, repair
from forge.flows.versioning.branches import create_default_branch
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.model.time import utc_now
from forge.stores.lake.catalogs import pyiceberg_properties
from forge.stores.lake.external_lake import ExternalLake
from forge.stores.memory.engine import MemoryEngine
from forge.stores.sql.metadata import SqlMetadata
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MAIN = BranchName("main")
ORDERS, ROW = TableName("core", "orders"), CatalogName("core", "orders")
ADA = Author("Ada", "ada@example.com")
Rows = list[dict[str, object]]


class ArrowEngine(MemoryEngine):
    """Python transforms on lists of rows, written to and read from the tables by PyIceberg."""

    def __init__(self, catalog: Any) -> None:
        self._lake: Any = None
        self._catalog = catalog
        self.cancelled = []

    def stage(self, planned: PlannedResult, stage: Stage, time_range: TimeRange | None) -> None:
        import pyarrow as pa

        from forge.stores.lake.spark_types import iceberg_schema

        name = (stage.catalog.namespace, stage.catalog.name)
        data = pa.Table.from_pylist(planned.frame)
        if not stage.exists:
            self._catalog.create_table(name, iceberg_schema(planned.schema), location=stage.location)
        table = self._catalog.load_table(name)
        with table.update_schema() as change:
            change.union_by_name(data.schema)
        if planned.transform.kind is TransformKind.APPEND or not stage.exists:
            table.append(data)
        else:
            table.overwrite(data)

    def _read(self, pin: Pin) -> Rows:
        table = self._catalog.load_table((pin.catalog.namespace, pin.catalog.name))
        rows: Rows = table.scan(snapshot_id=pin.snapshot_id).to_arrow().to_pylist()
        return rows


@dataclass
class World:
    """A project whose tables are in another database than Forge's records."""

    root: Path
    transforms: dict[TableName, Transform] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        from pyiceberg.catalog.sql import SqlCatalog

        warehouse = f"{self.root}/warehouse"
        self.database = open_migrated(f"sqlite:///{self.root}/forge.db")
        self.metadata = SqlMetadata(self.database)
        if self.metadata.branch(MAIN) is None:
            create_default_branch(self.metadata, MAIN, ADA, NOW)
        uri = f"sqlite:///{self.root}/theirs.db"
        self.lake = ExternalLake("sql", pyiceberg_properties("sql", uri, {}, warehouse, self.root), warehouse)
        self.catalog = SqlCatalog("forge", uri=uri, warehouse=warehouse)
        self.engine = ArrowEngine(self.catalog)

    def close(self) -> None:
        self.catalog.engine.dispose()
        self.lake.close()
        self.database.dispose()

    # what an engine does to a stage

    def stage(self, origin: CatalogName | None = None, base: SnapshotId | None = None, run_id: str = "") -> Stage:
        return self.lake.open_stage(RunId(run_id or f"r-{next(self.numbers)}"), ORDERS, origin, base)

    def append(self, stage: Stage, rows: int, column: str = "id") -> SnapshotId:
        import pyarrow as pa
        from pyiceberg.types import LongType

        from forge.stores.lake.spark_types import iceberg_schema

        name = (stage.catalog.namespace, stage.catalog.name)
        if not self.catalog.table_exists(name):
            self.catalog.create_table(name, iceberg_schema(Schema((Column("id", "bigint"),))), location=stage.location)
        table = self.catalog.load_table(name)
        if column != "id":
            with table.update_schema() as change:
                change.add_column(column, LongType())
        table.append(pa.table({column: pa.array(range(rows), pa.int64())}))
        current = table.current_snapshot()
        assert current is not None
        return SnapshotId(current.snapshot_id)

    def land(self, stage: Stage, branch: BranchName = MAIN, expected: SnapshotId | None = None) -> bool:
        return self.lake.land(stage, branch, is_default=branch == MAIN, expected=expected)

    def prepare(self, stage: Stage, branch: BranchName, expected: SnapshotId | None) -> Pointer | PointerConflict:
        return self.lake.prepare(stage, branch, is_default=branch == MAIN, expected=expected)

    def new(self, rows: int, branch: BranchName = MAIN) -> SnapshotId:
        stage = self.stage()
        snapshot = self.append(stage, rows)
        assert self.land(stage, branch)
        self.lake.drop_stages(stage.run_id)
        return snapshot

    def refs(self, catalog: CatalogName = ROW) -> dict[str, SnapshotId]:
        state = self.lake.state(catalog)
        assert state is not None
        return dict(state.refs)

    def count(self, snapshot: SnapshotId | None, catalog: CatalogName = ROW) -> int:
        state = self.lake.snapshot(catalog, snapshot)
        assert state is not None
        return state.statistics.record_count

    # runs

    def make(
        self,
        output: str,
        function: Callable[..., Rows],
        inputs: tuple[str, ...] = (),
        code: str = "1",
        kind: TransformKind = TransformKind.FULL,
    ) -> None:
        arguments = {text.replace(".", "_"): TableName.parse(text) for text in inputs}
        table = TableName.parse(output)
        body = PythonFunction(function, arguments, False)
        needs = tuple(arguments.values())
        self.transforms[table] = Transform(
            output=table, body=body, file=f"{table}.py", line=1, code_hash=code, kind=kind, inputs=needs
        )

    def ports(self, **changes: Any) -> RunPorts:
        ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=utc_now,
            author=ADA,
            secrets=lambda reference: "",
            parallel=1,
        )
        return replace(ports, **changes)

    def run(self, *selection: str, branch: str = "main", force: bool = False, **changes: Any) -> RunResult:
        project = Project(
            root=self.root,
            transforms=self.transforms,
            contracts={},
            checks={},
            rules_hash={},
            owner_of=lambda table: None,
        )
        return run(
            RunRequest(branch=BranchName(branch), selection=selection, force=force), project, self.ports(**changes)
        )

    def rows(self, table: str) -> Rows:
        found: Rows = self.catalog.load_table(table).scan().to_arrow().to_pylist()
        return found

    def statuses(self, result: RunResult) -> dict[str, str]:
        return {str(o.table): str(o.status) for o in result.run.outputs}

    def tree(self, branch: BranchName = MAIN) -> dict[str, SnapshotId | None]:
        found = self.metadata.branch(branch)
        assert found is not None
        return {str(table): version.snapshot_id for table, version in self.metadata.tree(found.head).items()}

    def problems(self) -> list[tuple[str, str]]:
        return [(f.kind, f.subject) for f in find_problems(self.metadata, self.lake, MAIN)]

    def repair(self) -> RepairResult:
        return repair(self.metadata, self.lake, author=Author("Bo", "bo@example.com"), now=utc_now())

    def heads(self) -> dict[str, SnapshotId]:
        return {str(name): self.refs(name)["main"] for name in self.lake.tables()}

    def run_killed(self, step: str, times: int = 1) -> None:
        """The same run in a process that dies by kill -9 when it reaches the step for the so-manieth time."""
        self.close()
        child = os.fork()
        if child == 0:
            left = [times]

            def fault_point(name: str) -> None:
                left[0] -= name == step
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

            World(self.root, self.transforms).run(fault_point=fault_point)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.fixture
def external_world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


@pytest.fixture
def sql_lake(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.close()
