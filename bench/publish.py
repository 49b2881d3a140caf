"""How long a publish takes for 1, 10 and 100 tables, beside the least it could take.

    python bench/publish.py [--repeat 5]

The floor is measured in the same run: the same number of metadata files of the same size written plainly, and the
same number of single-row UPDATEs in one transaction by sqlite3 itself. The publish does more: it reads and derives the
metadata, checks every pointer, and writes the commit, the tree, the run with its outputs, verdicts, edges, assets and
the audit row."""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from statistics import median

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from forge.flows.ports import Stage
from forge.flows.records import (
    AssetRecord,
    AuditRecord,
    OutputRecord,
    OutputStatus,
    Pointer,
    Publication,
    Published,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.lineage.edge import Edge
from forge.model.names import BranchName, ColumnName, RunId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.sql.database import migrate, open_database
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, TableStatistics, TableVersion, Tree, make_commit

MAIN = BranchName("main")
ROWS = pa.table({"id": [1, 2, 3], "amount": [1.0, 2.0, 3.0]})


@dataclass(frozen=True)
class Times:
    prepare: float
    commit: float
    files: float
    updates: float


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder}/forge.db"
        engine = open_database(self.url)
        migrate(engine)
        self.lake, self.metadata = IcebergLake(engine, str(folder / "warehouse")), SqlMetadata(engine)
        self.catalog = SqlCatalog("forge", uri=self.url, warehouse=str(folder / "warehouse"))
        self.tree: dict[TableName, TableVersion] = {}
        self.numbers = count(1)
        now = datetime.now(UTC)
        self.metadata.create_branch(
            Branch(MAIN, None, now, "bench", now, is_default=True), AuditRecord(now, "bench", "branch.create", MAIN)
        )

    def stage(self, tables: list[TableName]) -> list[Stage]:
        """What an engine does before; not timed."""
        run, stages = RunId(f"r-{next(self.numbers)}"), []
        for table in tables:
            known = self.tree.get(table)
            origin, base = (known.catalog, known.snapshot_id) if known else (None, None)
            stage = self.lake.open_stage(run, table, origin, base)
            name = (stage.catalog.namespace, stage.catalog.name)
            hidden = (
                self.catalog.load_table(name)
                if stage.exists
                else self.catalog.create_table(name, ROWS.schema, location=stage.location)
            )
            hidden.append(ROWS)
            stages.append(stage)
        return stages

    def prepare(self, stages: list[Stage]) -> tuple[list[Pointer], dict[TableName, TableVersion]]:
        pointers, tree = [], dict(self.tree)
        for stage in stages:
            staged = self.lake.snapshot(stage.catalog)
            state = self.lake.state(stage.catalog)
            pointer = self.lake.prepare(stage, MAIN, is_default=True, expected=stage.base)
            assert isinstance(pointer, Pointer)
            assert staged is not None
            assert state is not None
            pointers.append(pointer)
            tree[stage.table] = TableVersion(pointer.catalog, state.uuid, staged.snapshot_id, staged.schema_id)
        return pointers, tree

    def publish(self, stages: list[Stage]) -> tuple[float, float, list[Pointer]]:
        start = time.perf_counter()
        pointers, tree = self.prepare(stages)
        prepared = time.perf_counter()
        publication = self.publication(stages[0].run_id, [stage.table for stage in stages], pointers, tree)
        ready = time.perf_counter()
        done = self.metadata.publish(publication, lambda step: None)
        end = time.perf_counter()
        assert isinstance(done, Published)
        self.tree = tree
        return prepared - start, end - ready, pointers

    def publication(self, run_id: RunId, tables: list[TableName], pointers: list[Pointer], tree: Tree) -> Publication:
        branch = self.metadata.branch(MAIN)
        assert branch is not None
        now = datetime.now(UTC)
        commit = make_commit(
            tree=tree,
            parents=(branch.head,) if branch.head else (),
            author=Author("bench", "bench@example.com"),
            message="bench",
            time=now,
            branch=MAIN,
            statistics={table: TableStatistics(3) for table in tables},
            metadata={"run_id": run_id},
        )
        outputs = tuple(OutputRecord(t, OutputStatus.PUBLISHED, snapshot_id=tree[t].snapshot_id) for t in tables)
        return Publication(
            tuple(pointers),
            MAIN,
            branch.head,
            commit,
            tree,
            RunRecord(
                run_id, MAIN, RunStatus.SUCCEEDED, now, "bench", "host", 1, "", outputs=outputs, commit_id=commit.id
            ),
            verdicts=tuple(_verdict(table) for table in tables),
            lineage=tuple(_lineage(table) for table in tables),
            assets=tuple(AssetRecord(t, "table", "", None, (), ({"name": "id"},), now, 3, 900) for t in tables),
            audit=(AuditRecord(now, "bench", "run.publish", MAIN),),
        )

    def floor(self, pointers: list[Pointer]) -> tuple[float, float]:
        contents = [Path(pointer.location).read_bytes() for pointer in pointers]
        folder = self.folder / f"floor-{next(self.numbers)}"
        folder.mkdir()
        start = time.perf_counter()
        for number, content in enumerate(contents):
            (folder / f"{number}.metadata.json").write_bytes(content)
        written = time.perf_counter()
        connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("CREATE TABLE t (name TEXT PRIMARY KEY, location TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, 'old')", [(p.catalog.name,) for p in pointers])
        begin = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        for pointer in pointers:
            connection.execute(
                "UPDATE t SET location = ? WHERE name = ? AND location = 'old'",
                (pointer.location, pointer.catalog.name),
            )
        connection.execute("COMMIT")
        end = time.perf_counter()
        connection.close()
        return written - start, end - begin


def _verdict(table: TableName) -> Verdict:
    return Verdict(f"{table}.rows", "row_count", str(table), (), Outcome.PASSED, Severity.ERROR, "3 rows", False)


def _lineage(table: TableName) -> TableLineage:
    columns = ("id", "amount")
    return TableLineage(table, tuple(Edge(ColumnName("raw.source", c), ColumnName(str(table), c)) for c in columns))


def measure(bench: Bench, number: int, repeat: int) -> Times:
    tables = [TableName("bench", f"t{index:03}") for index in range(number)]
    bench.publish(bench.stage(tables))  # the tables exist from here on, as they do on most days
    rounds = []
    for _ in range(repeat):
        prepare, commit, pointers = bench.publish(bench.stage(tables))
        rounds.append((prepare, commit, *bench.floor(pointers)))
    return Times(*(median(column) for column in zip(*rounds, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=5, help="publishes per size; the median is printed")
    repeat = parser.parse_args().repeat
    print(f"{'tables':>6} {'prepare ms':>11} {'commit ms':>10} {'floor: files ms':>16} {'updates ms':>11} {'ratio':>6}")
    for number in (1, 10, 100):
        with tempfile.TemporaryDirectory() as folder:
            t = measure(Bench(Path(folder)), number, repeat)
        ratio = (t.prepare + t.commit) / (t.files + t.updates)
        shown = [f"{value * 1000:.2f}" for value in (t.prepare, t.commit, t.files, t.updates)]
        print(f"{number:>6} {shown[0]:>11} {shown[1]:>10} {shown[2]:>16} {shown[3]:>11} {ratio:>6.1f}")


if __name__ == "__main__":
    main()
