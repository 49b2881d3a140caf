"""The engine port: where rows are read, transformed, written and measured. Spark is the real one; the memory engine
runs Python transforms on lists of rows, for tests of the flows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from forge.flows.runs.pin import Pin as Pin
from forge.flows.runs.time_range import TimeRange as TimeRange
from forge.lineage.edge import Edge, Extraction
from forge.quality.measure import MeasureTier
from forge.transforms.transform import ConnectorSource, TransformKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from forge.flows.ports import Stage
    from forge.flows.runs.records import LoadedFile
    from forge.flows.runs.source_rows import SourceRows
    from forge.model.names import RunId, TableName
    from forge.model.schema import Schema
    from forge.quality.check import Check
    from forge.quality.measure import Measure, Readings
    from forge.transforms.transform import Transform


@dataclass(frozen=True, slots=True)
class StarvedJobs:
    """Jobs with pending tasks and none running, because others have every core."""

    reads: frozenset[RunId] = frozenset()
    writes: frozenset[int] = frozenset()  # numbers of jobs


@dataclass(frozen=True, slots=True)
class MeasureBatch:
    """Measures computed together, and how long that took."""

    tier: MeasureTier
    measures: tuple[Measure, ...]
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """The `ctx` argument of a Python transform."""

    run_id: RunId
    params: Mapping[str, object]
    secrets: Callable[[str], str]
    logger: Any
    lineage: LineageRecorder
    spark: Any = None
    rows: SourceRows | None = None  # of a load that a connector reads


@dataclass(slots=True)
class LineageRecorder:
    """Edges that no plan can show, declared by the transform: `ctx.lineage.record("crm.person.mail", "email")`."""

    target: TableName
    edges: list[Edge] = field(default_factory=list)

    def record(self, source: str, target: str, *, expression: str = "") -> None:
        from forge.model.names import ColumnName

        table, _, column = source.rpartition(".")
        self.edges.append(
            Edge(source=ColumnName(table, column), target=ColumnName(str(self.target), target), expression=expression)
        )


@dataclass(frozen=True, slots=True)
class PlannedResult:
    """A lazy result: no job has run. `changes`: of a load by key, what becomes of the rows there are; `frame` is then
    those that are not gone."""

    transform: Transform
    frame: Any  # the engine's own
    schema: Schema
    lineage: Extraction
    changes: Any = None

    @property
    def keeps_rows(self) -> bool:
        """Whether rows stay that are in the table already."""
        if isinstance(self.transform.body, ConnectorSource):
            return self.changes is not None
        return self.transform.kind is not TransformKind.FULL


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Of one job group: stages that ever had a task, and their tasks."""

    jobs: int
    stages_done: int
    stages_known: int
    tasks_done: int
    tasks_known: int


@dataclass(frozen=True, slots=True)
class ChangeQuery:
    """Rows that a SELECT over pinned tables gives."""

    sql: str
    inputs: Mapping[TableName, Pin] = field(default_factory=dict)
    params: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChangeFile:
    """Rows of a local Parquet file."""

    path: Path


ChangeMode = Literal["append", "overwrite", "merge", "delete"]


class Engine(Protocol):
    def plan(
        self,
        transform: Transform,
        inputs: Mapping[TableName, Pin],
        params: Mapping[str, object],
        context: RunContext,
        files: Sequence[LoadedFile] = (),
    ) -> PlannedResult: ...

    def stage(self, planned: PlannedResult, stage: Stage, time_range: TimeRange | None) -> None:
        """The one big job: write the result to the stage."""

    def change(
        self,
        source: ChangeQuery | ChangeFile | object,
        stage: Stage,
        mode: ChangeMode,
        key: tuple[str, ...],
        *,
        evolve: bool = False,
    ) -> None:
        """Write rows that no transform makes into a stage; any other source is a frame of the engine's own. Columns
        are matched by name: unknown ones are refused (E621) unless `evolve` adds them, missing ones are NULL.
        `merge` updates rows of the same key and inserts the rest, `delete` removes the rows of the given keys. A
        table that does not exist is created, except by delete."""

    def measure(
        self,
        target: Pin | PlannedResult,
        measures: Sequence[Measure],
        others: Mapping[TableName, Pin],
        report: Callable[[MeasureBatch], None] = lambda batch: None,
    ) -> Readings:
        """A reading for each measure; one that cannot be computed says why. `since` and `at` of a measure are the
        caller's: it has made a target of them. Each job is reported as it ends."""

    def sample(
        self,
        target: Pin | PlannedResult,
        checks: Sequence[Check],
        readings: Readings,
        masked: frozenset[str],
        others: Mapping[TableName, Pin],
        limit: int = 5,
    ) -> tuple[tuple[Mapping[str, object], ...], ...]:
        """A few rows that fail each check, in one more pass for all of them. Values of masked columns never leave
        the engine."""

    def failing_rows(
        self,
        target: Pin | PlannedResult,
        checks: Sequence[tuple[str, Check]],
        readings: Readings,
        others: Mapping[TableName, Pin],
    ) -> object:
        """All rows that fail one of the checks, which come with their ids, as a frame of the engine: every column,
        and `forge_checks`, the ids of the checks that the row fails; of a table also `forge_file` and `forge_pos`,
        its position. Of rows with the same key all but the first by position are failing."""

    def files_of(self, transform: Transform) -> tuple[LoadedFile, ...]: ...
    def with_digests(self, files: Sequence[LoadedFile]) -> tuple[LoadedFile, ...]:
        """The same files, each with the hash of its content."""

    def query(
        self, sql: str, inputs: Mapping[TableName, Pin], params: Mapping[str, object], limit: int | None
    ) -> tuple[Schema, tuple[tuple[object, ...], ...]]: ...
    def begin(self, run_id: RunId, table: TableName) -> None:
        """Tag jobs of this thread with this run and table from now on."""

    def begin_read(self, run_id: RunId) -> None:
        """Like `begin`, for a read: until `end`, jobs of this thread yield the cores to writes."""

    def end(self) -> None:
        """Jobs of this thread no longer belong to a run or read."""

    def find_starved(self, reads: Iterable[RunId]) -> StarvedJobs:
        """What waits for cores, of these reads and of everything else."""

    def progress(self, run_id: RunId, table: TableName) -> JobProgress: ...
    def cancel(self, run_id: RunId) -> None: ...
