"""The project that versioning is measured on: tables of any size, written by Spark in files of sorted keys, and
branches that edited them."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from forge.flows.versioning.branches import create_branch
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, commit_data
from forge.flows.versioning.ports import adopt
from forge.model.names import BranchName, SnapshotId, TableName
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MAIN = BranchName("main")
COLUMNS = (
    "id",
    "cast(h % 100000 AS int) AS customer",
    "element_at(array('new', 'paid', 'sent', 'returned', 'lost'), cast(h % 5 AS int) + 1) AS status",
    "cast(h % 10000000 AS double) / 100 AS amount",
    "cast(h % 50 AS int) AS quantity",
    "cast(h % 1000003 AS double) / 7 AS price",
    "date_add(date '2020-01-01', cast(h % 2000 AS int)) AS day",
    "h % 2 = 0 AS flag",
    "lower(hex(h % 16777216)) AS note",
    "timestamp_seconds(1600000000 + h % 100000000) AS updated",
)
SETTINGS = """user: {{name: Bench, email: bench@example.com}}
spark:
  master: '{master}'
  spark.driver.memory: {memory}
  spark.sql.shuffle.partitions: {partitions}
versioning: {{keys: {{core.large: [id], core.medium: [id]}}}}
"""

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    found = work()
    return time.perf_counter() - began, found


def median_of(repeats: int, work: Callable[[int], object]) -> float:
    """Seconds of the middle one; `work` is told the number of the turn."""
    return statistics.median(timed(partial(work, turn))[0] for turn in range(repeats))


def in_turns(repeats: int, first: Callable[[int], object], second: Callable[[int], object]) -> tuple[float, float]:
    """Medians of two things that are held against each other: what else the machine does then hits both."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(repeats):
        for own, work in zip(times, (first, second), strict=True):
            own.append(timed(partial(work, turn))[0])
    return statistics.median(times[0]), statistics.median(times[1])


@dataclass(frozen=True)
class Big:
    """A table of `rows`, with two branches that edited one file of it: `theirs` many rows, `ours` some, partly the same
    rows but never the same cells."""

    table: TableName
    rows: int
    per_file: int
    edits: int

    @property
    def theirs(self) -> str:
        return f"theirs/{self.table.name}"

    @property
    def ours(self) -> str:
        return f"ours/{self.table.name}"

    @property
    def first(self) -> int:
        """The smallest key of the file that is edited: one in the middle."""
        return self.rows // self.per_file // 2 * self.per_file


class Shelf:
    """One project on one Spark session."""

    def __init__(self, folder: Path, master: str, memory: str, partitions: int) -> None:
        folder.mkdir(parents=True)
        (folder / "forge.yaml").write_text(SETTINGS.format(master=master, memory=memory, partitions=partitions))
        self.wiring = Wiring.of(folder)
        self.ports = self.wiring.versioning.ports()

    @property
    def spark(self) -> SparkSession:
        return self.wiring.session.get()

    def close(self) -> None:
        self.wiring.close()

    def make(self, name: str, rows: int, per_file: int, columns: int = len(COLUMNS)) -> None:
        """Written as another engine writes, and adopted. One file for each partition of the range."""
        spark = self.spark
        spark.sql("CREATE NAMESPACE IF NOT EXISTS core")
        frame = spark.range(0, rows, 1, max(1, rows // per_file)).selectExpr("id", "abs(xxhash64(id)) AS h")
        made = frame.selectExpr(*COLUMNS[:columns]).writeTo(f"core.{name}").using("iceberg")
        made.tableProperty("write.distribution-mode", "none").create()
        adopt(self.ports, MAIN)

    def branch(self, name: str, start: str = "main") -> None:
        ports = self.ports
        create_branch(ports.metadata, name, start, current=MAIN, author=ports.author, clock=ports.clock)

    def commit(self, table: TableName, branch: str, rows: pa.Table, mode: str = "merge") -> None:
        commit_data(
            CommitRequest(table=table, branch=branch, mode=CommitMode(mode), key=("id",), message=None, rows=rows),
            self.ports,
        )

    def edit(self, big: Big) -> None:
        """Both sides change one file: every tenth row and every 55th, so that some rows are changed by both."""
        sides = ((big.theirs, big.edits, 10, "amount"), (big.ours, big.edits // 20, 55, "quantity"))
        for branch, count, step, column in sides:
            self.branch(branch)
            step = min(step, big.per_file // count)
            keys = [big.first + step * number for number in range(count)]
            values = pa.array([float(key) + 0.125 for key in keys])
            if column == "quantity":
                values = pa.array([key % 50 + 1000 for key in keys], pa.int32())
            self.commit(big.table, branch, pa.table({"id": pa.array(keys, pa.int64()), column: values}))

    def snapshot(self, table: TableName, branch: str) -> SnapshotId:
        version = self.ports.metadata.tree(self.wiring.branch_head(BranchName(branch)))[table]
        assert version.snapshot_id is not None
        return version.snapshot_id

    def files(self, table: TableName, branch: str) -> dict[str, int]:
        """Sizes of the data files, by path."""
        name = self.ports.metadata.tree(self.wiring.branch_head(BranchName(branch)))[table].catalog
        return {file.path: file.size for file in self.ports.tables.files(name, self.snapshot(table, branch)).files}

    def changed_bytes(self, big: Big, *sides: str) -> int:
        """Of the files that not all of the sides have."""
        held = [self.files(big.table, side) for side in sides]
        common = set.intersection(*(set(files) for files in held))
        return sum({path: size for files in held for path, size in files.items() if path not in common}.values())

    def frame(self, table: TableName, branch: str) -> Any:
        return self.spark.read.option("versionAsOf", str(self.snapshot(table, branch))).table(str(table))

    def written(self) -> int:
        """Files below the warehouse."""
        return sum(len(files) for _, _, files in os.walk(self.wiring.settings.warehouse_path()))

    def read_bytes(self) -> int:
        """Of the data files that the scans of Spark have been given so far, by their own metrics. The input bytes of
        tasks do not tell: Iceberg reads on threads that they do not see (apache/iceberg#17208)."""
        store = self.spark._jsparkSession.sharedState().statusStore()
        executions = store.executionsList()
        sizes: dict[int, int] = {}  # by the metric's number: a plan that is made anew as it runs lists it again
        for each in (executions.apply(number) for number in range(executions.size())):
            metrics, values = each.metrics(), store.executionMetrics(each.executionId())
            for metric in (metrics.apply(number) for number in range(metrics.size())):
                if metric.metricType().endswith(".TotalDataFileSize"):
                    number = metric.accumulatorId()
                    value = values.get(number)
                    sizes[number] = max(sizes.get(number, 0), int(value.get()) if value.isDefined() else 0)
        return sum(sizes.values())
