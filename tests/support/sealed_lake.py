"""A small real lake whose runs seal what they publish: SQLite, Iceberg files, and PyIceberg in place of an engine."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from migrated import open_migrated
from sqlalchemy import text

from forge.flows.ports import Stage
from forge.flows.runs.engine import Pin, PlannedResult, TimeRange
from forge.flows.runs.project import Project
from forge.flows.runs.records import Blob, Pointer, Publication, PublishedCommit, RunRecord, RunStatus
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.flows.upkeep.verify.history import Verification, VerifyLevel, verify
from forge.flows.versioning.branches import create_default_branch
from forge.flows.versioning.content_hash import hash_versions
from forge.model.names import BranchName, CatalogName, CommitId, RunId, TableName
from forge.model.schema import Column, Schema
from forge.stores.lake.file_hasher import IcebergFileHasher
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.stores.sql.metadata import SqlMetadata
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author, Commit, Signer, TableVersion, make_commit
from forge.versioning.signing import PublicKeys

MAIN = BranchName("main")
ADA = Author("Ada", "ada@example.com")
BEGIN = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
ORDERS, ITEMS = TableName("core", "orders"), TableName("core", "items")
Rows = list[dict[str, object]]


class ArrowEngine(MemoryEngine):
    """Python transforms on lists of rows, written to stages by PyIceberg."""

    def __init__(self, catalog: Any) -> None:
        self._catalog = catalog
        self.cancelled = []

    def stage(self, planned: PlannedResult, stage: Stage, time_range: TimeRange | None) -> None:
        import pyarrow as pa

        from forge.stores.lake.spark_types import iceberg_schema

        name = (stage.catalog.namespace, stage.catalog.name)
        if not stage.exists:
            self._catalog.create_table(name, iceberg_schema(planned.schema), location=stage.location)
        table = self._catalog.load_table(name)
        data = pa.Table.from_pylist(planned.frame)
        if planned.transform.kind is TransformKind.APPEND or not stage.exists:
            table.append(data)
        else:
            table.overwrite(data)

    def _read(self, pin: Pin) -> Rows:
        table = self._catalog.load_table((pin.catalog.namespace, pin.catalog.name))
        rows: Rows = table.scan(snapshot_id=pin.snapshot_id).to_arrow().to_pylist()
        return rows


@dataclass
class SealedLake:
    root: Path
    signer: Signer | None = None
    is_sealing: bool = True
    ticks: Any = field(default_factory=count)

    def __post_init__(self) -> None:
        from pyiceberg.catalog.sql import SqlCatalog

        url = f"sqlite:///{self.root}/forge.db"
        self.warehouse = self.root / "warehouse"
        self.database = open_migrated(url)
        self.metadata = SqlMetadata(self.database)
        self.lake = IcebergLake(self.database, str(self.warehouse), self.clock)
        self.hasher = IcebergFileHasher(self.lake)
        self.catalog = SqlCatalog("forge", uri=url, warehouse=str(self.warehouse))
        self.engine = ArrowEngine(self.catalog)
        create_default_branch(self.metadata, MAIN, ADA, BEGIN)

    def close(self) -> None:
        self.catalog.engine.dispose()
        self.database.dispose()

    def clock(self) -> datetime:
        return BEGIN + timedelta(minutes=next(self.ticks))

    # what makes the history

    def append(self, rows: Mapping[TableName, Rows], branch: BranchName = MAIN, message: str | None = None) -> Commit:
        """One run that adds these rows."""
        return self._run(rows, branch, message, TransformKind.APPEND)

    def overwrite(self, rows: Mapping[TableName, Rows], branch: BranchName = MAIN) -> Commit:
        return self._run(rows, branch, None, TransformKind.FULL)

    def _run(
        self, rows: Mapping[TableName, Rows], branch: BranchName, message: str | None, kind: TransformKind
    ) -> Commit:
        def giving(some: Rows) -> Any:
            return lambda: some

        transforms = {
            table: Transform(
                output=table,
                body=PythonFunction(giving(some), {}, False),
                file=f"{table}.py",
                line=1,
                code_hash=str(next(self.ticks)),
                kind=kind,
            )
            for table, some in rows.items()
        }
        project = Project(
            root=self.root, transforms=transforms, contracts={}, checks={}, rules_hash={}, owner_of=lambda table: None
        )
        ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=self.clock,
            author=ADA,
            secrets=lambda reference: "",
            parallel=1,
            hasher=self.hasher if self.is_sealing else None,
            signer=self.signer,
        )
        commit = run(RunRequest(branch=branch, message=message, force=True), project, ports).commit
        assert commit is not None
        return commit

    def add_view(self, table: TableName, sql: str) -> Commit:
        location = self.lake.write_view(table, sql, Schema((Column("id", "bigint"),)), None)
        version = TableVersion(
            catalog=CatalogName(table.schema, table.name),
            uuid="u",
            snapshot_id=None,
            schema_id=0,
            kind="view",
            metadata_location=location,
        )
        digested, hashes = hash_versions(self.metadata, self.hasher, {table: version})
        head = self.head()
        tree = {**self.metadata.tree(head), **digested}
        commit = make_commit(
            tree=tree,
            parents=(head,) if head else (),
            author=ADA,
            message="A view",
            time=self.clock(),
            branch=MAIN,
            statistics={},
            metadata={},
        )
        record = RunRecord(
            id=RunId(f"r{commit.id[:6]}"),
            branch=MAIN,
            status=RunStatus.SUCCEEDED,
            started_at=commit.time,
            user="ada",
            host="h",
            pid=1,
            process_started="t",
        )
        pointer = Pointer(catalog=version.catalog, expected=None, location=location, kind="VIEW")
        published = self.metadata.publish(
            Publication(
                pointers=(pointer,),
                branch=MAIN,
                expected_head=head,
                commit=commit,
                tree=tree,
                run=record,
                hashes=hashes,
            ),
            lambda step: None,
        )
        assert isinstance(published, PublishedCommit)
        return commit

    # what there is

    def head(self, branch: BranchName = MAIN) -> CommitId | None:
        found = self.metadata.branch(branch)
        assert found is not None
        return found.head

    def verify(self, level: VerifyLevel, keys: PublicKeys | None = None, **more: Any) -> Verification:
        """As another process would, which has nothing in its caches."""
        fresh = IcebergLake(self.database, str(self.warehouse), self.clock)
        return verify(
            SqlMetadata(self.database), fresh, IcebergFileHasher(fresh), level=level, default=MAIN, keys=keys, **more
        )

    def found(self, level: VerifyLevel, **more: Any) -> list[tuple[str, str]]:
        """Kind and object of all that is broken."""
        return [(one.kind, one.object) for one in self.verify(level, **more).broken]

    def blobs(self, kind: str) -> list[Blob]:
        """In the order they were recorded."""
        with self.database.connect() as connection:
            rows = connection.execute(
                text("SELECT path FROM forge_blobs WHERE kind = :kind ORDER BY id"), {"kind": kind}
            )
            paths = [row[0] for row in rows]
        known = self.metadata.blobs(paths)
        return [known[path] for path in paths]

    def execute(self, sql: str, **values: object) -> None:
        """What someone with the database's password could do: no foreign key stops them."""
        with closing(sqlite3.connect(self.root / "forge.db")) as connection, connection:
            connection.execute(sql, values)


class MemoryHistory(SealedLake):
    """The same on stores in memory, where nothing is hashed."""

    def __post_init__(self) -> None:
        rows = MemoryCatalog()
        self.metadata: Any = MemoryMetadata(rows)
        self.lake: Any = MemoryLake(rows, self.clock)
        self.hasher: Any = None
        self.engine: Any = MemoryEngine(self.lake)
        create_default_branch(self.metadata, MAIN, ADA, BEGIN)

    def close(self) -> None:
        """There is nothing to close."""


def local(path: str) -> Path:
    return Path(path.removeprefix("file://"))


def flip(path: str, at: int = -20) -> None:
    """One bit of one byte."""
    file = local(path)
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)


def swap(one: str, other: str) -> None:
    first, second = local(one), local(other)
    assert first.stat().st_size == second.stat().st_size
    between = first.with_suffix(".between")
    os.rename(first, between)
    os.rename(second, first)
    os.rename(between, second)


def numbers(*ids: int) -> Rows:
    return [{"id": number} for number in ids]
