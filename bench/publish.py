"""How long a publish takes for 1, 10 and 100 tables, beside the least it could take.

    python bench/publish.py [--repeat 5]

What durability costs is measured in the same run, in turns with publishes that wait for no disk: every new file and
its folders synced, and SQLite's transaction written through. Hashing the new files is part of both.

The floor is measured in the same run, too: the same number of metadata files of the same size written plainly, and the
same number of single-row UPDATEs in one transaction by sqlite3 itself. The publish does more: it reads and derives the
metadata, checks every pointer, and writes the commit, the tree, the run with its outputs, verdicts, edges, assets and
the audit row."""

from __future__ import annotations

import argparse
import os
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
from forge.flows.runs.publish.publish import new_files
from forge.flows.runs.records import (
    AssetRecord,
    AuditRecord,
    HashRecords,
    OutputRecord,
    OutputStatus,
    Pointer,
    Publication,
    PublishedCommit,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.flows.versioning.content_hash import hash_versions
from forge.lineage.edge import Edge
from forge.model.names import BranchName, ColumnName, RunId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.stores.lake.file_hasher import IcebergFileHasher
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
    hash: float
    sync: float
    commit: float
    unsynced: float  # the whole of a publish that waits for no disk
    files: float
    updates: float

    @property
    def publish(self) -> float:
        return self.prepare + self.hash + self.sync + self.commit


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder}/forge.db"
        engine = open_database(self.url)
        migrate(engine)
        self.lake, self.metadata = IcebergLake(engine, str(folder / "warehouse")), SqlMetadata(engine)
        self.unsynced = SqlMetadata(open_database(self.url, synced=False))
        self.hasher = IcebergFileHasher(self.lake)
        self.catalog = SqlCatalog("forge", uri=self.url, warehouse=str(folder / "warehouse"))
        self.tree: dict[TableName, TableVersion] = {}
        self.numbers = count(1)
        now = datetime.now(UTC)
        self.metadata.create_branch(
            Branch(name=MAIN, head=None, created_at=now, created_by="bench", updated_at=now, is_default=True),
            AuditRecord(now, "bench", "branch.create", MAIN),
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
            tree[stage.table] = TableVersion(
                catalog=pointer.catalog, uuid=state.uuid, snapshot_id=staged.snapshot_id, schema_id=staged.schema_id
            )
        return pointers, tree

    def publish(self, stages: list[Stage], *, synced: bool = True) -> tuple[list[float], list[Pointer]]:
        """Seconds to prepare, hash, sync and commit."""
        start = time.perf_counter()
        pointers, tree = self.prepare(stages)
        prepared = time.perf_counter()
        tables = [stage.table for stage in stages]
        digested, hashes = hash_versions(self.metadata, self.hasher, {t: tree[t] for t in tables}, pointers)
        tree |= digested
        hashed = time.perf_counter()
        publication = self.publication(stages[0].run_id, tables, pointers, tree, hashes)
        ready = time.perf_counter()
        if synced:
            self.lake.sync(new_files(publication))
        written = time.perf_counter()
        done = (self.metadata if synced else self.unsynced).publish(publication, lambda step: None)
        end = time.perf_counter()
        assert isinstance(done, PublishedCommit)
        self.tree = tree
        return [prepared - start, hashed - prepared, written - ready, end - written], pointers

    def publication(
        self, run_id: RunId, tables: list[TableName], pointers: list[Pointer], tree: Tree, hashes: HashRecords
    ) -> Publication:
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
            statistics={table: TableStatistics(rows_added=3) for table in tables},
            metadata={"run_id": run_id},
        )
        outputs = tuple(
            OutputRecord(table=t, status=OutputStatus.PUBLISHED, snapshot_id=tree[t].snapshot_id) for t in tables
        )
        return Publication(
            pointers=tuple(pointers),
            branch=MAIN,
            expected_head=branch.head,
            commit=commit,
            tree=tree,
            run=RunRecord(
                id=run_id,
                branch=MAIN,
                status=RunStatus.SUCCEEDED,
                started_at=now,
                user="bench",
                host="host",
                pid=1,
                process_started="",
                outputs=outputs,
                commit_id=commit.id,
            ),
            verdicts=tuple(_verdict(table) for table in tables),
            lineage=tuple(_lineage(table) for table in tables),
            assets=tuple(
                AssetRecord(
                    table=t,
                    kind="table",
                    description="",
                    owner=None,
                    tags=(),
                    columns=({"name": "id"},),
                    updated_at=now,
                    row_count=3,
                    size_bytes=900,
                )
                for t in tables
            ),
            audit=(AuditRecord(now, "bench", "run.publish", MAIN),),
            hashes=hashes,
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
    return Verdict(
        check_id=f"{table}.rows",
        check_type="row_count",
        table=str(table),
        columns=(),
        outcome=Outcome.PASSED,
        severity=Severity.ERROR,
        message="3 rows",
        blocks=False,
    )


def _lineage(table: TableName) -> TableLineage:
    columns = ("id", "amount")
    return TableLineage(
        table, tuple(Edge(source=ColumnName("raw.source", c), target=ColumnName(str(table), c)) for c in columns)
    )


def measure(bench: Bench, number: int, repeat: int) -> Times:
    tables = [TableName("bench", f"t{index:03}") for index in range(number)]
    bench.publish(bench.stage(tables))  # the tables exist from here on, as they do on most days
    rounds = []
    for _ in range(repeat):
        unsynced, _ = bench.publish(bench.stage(tables), synced=False)
        os.sync()  # what the round before left is not this one's to wait for
        spent, pointers = bench.publish(bench.stage(tables))
        rounds.append((*spent, sum(unsynced), *bench.floor(pointers)))
    return Times(*(median(column) for column in zip(*rounds, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=5, help="publishes per size; the median is printed")
    repeat = parser.parse_args().repeat
    heads = ("tables", "prepare ms", "hash ms", "sync ms", "commit ms", "unsynced ms", "synced/unsynced")
    print("  ".join((*heads, "floor: files ms", "updates ms", "publish/floor")))
    for number in (1, 10, 100):
        with tempfile.TemporaryDirectory() as folder:
            t = measure(Bench(Path(folder)), number, repeat)
        ms = [f"{value * 1000:.2f}" for value in (t.prepare, t.hash, t.sync, t.commit, t.unsynced, t.files, t.updates)]
        told = [
            str(number),
            *ms[:5],
            f"{t.publish / t.unsynced:.2f}",
            *ms[5:],
            f"{t.publish / (t.files + t.updates):.1f}",
        ]
        widths = (*map(len, heads), 15, 10, 13)
        print("  ".join(text.rjust(width) for text, width in zip(told, widths, strict=True)))


if __name__ == "__main__":
    main()
