"""How fast `forge verify --full` reads a table, beside a plain read of the same files.

    python bench/versioning/verify.py [--mib 1024] [--files 16]

One line for one core and one for all. All of `verify` is timed: chain, manifests and bytes. The floor is `read` into a
buffer that is thrown away, by as many threads. The files are in the page cache for both, so that hashing is what is
measured and not the disk."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from forge.flows.runs.records import Publication, PublishedCommit, RunRecord, RunStatus
from forge.flows.upkeep.verify.history import Verification, VerifyLevel, verify
from forge.flows.versioning.branches import create_default_branch
from forge.flows.versioning.content_hash import hash_versions
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.stores.lake.file_hasher import BLOCK, IcebergFileHasher
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.sql.database import migrate, open_database
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.commit import Author, TableVersion, make_commit

LEAST = 500  # MiB/s a core
MAIN, TABLE = BranchName("main"), TableName("core", "noise")
NOW, ADA = datetime(2026, 11, 15, tzinfo=UTC), Author("Ada", "ada@example.com")


class Bench:
    def __init__(self, folder: Path) -> None:
        url = f"sqlite:///{folder}/forge.db"
        self.engine = open_database(url)
        migrate(self.engine)
        self.metadata = SqlMetadata(self.engine)
        self.lake = IcebergLake(self.engine, f"{folder}/warehouse")
        self.catalog = SqlCatalog("forge", uri=url, warehouse=f"{folder}/warehouse")
        create_default_branch(self.metadata, MAIN, ADA, NOW)

    def commit(self, mib: int, files: int) -> list[str]:
        """One table of random bytes, which no format makes smaller, sealed and committed; its files."""
        self.catalog.create_namespace(TABLE.schema)
        table = self.catalog.create_table(
            (TABLE.schema, TABLE.name),
            pa.schema([("id", pa.binary())]),
            properties={"write.metadata.metrics.default": "none"},
        )
        for _ in range(files):
            rows = pa.array([os.urandom(2**20) for _ in range(mib // files)], pa.binary())
            table.append(pa.table({"id": rows}))
        snapshot = table.refresh().current_snapshot()
        assert snapshot is not None
        row = CatalogName(TABLE.schema, TABLE.name)
        version = TableVersion(
            catalog=row, uuid=str(table.metadata.table_uuid), snapshot_id=SnapshotId(snapshot.snapshot_id), schema_id=0
        )
        digested, hashes = hash_versions(self.metadata, IcebergFileHasher(self.lake), {TABLE: version})
        commit = make_commit(
            tree=digested,
            parents=(),
            author=ADA,
            message="Noise",
            time=NOW,
            branch=MAIN,
            statistics={},
            metadata={},
        )
        run = RunRecord(
            id=RunId("r1"),
            branch=MAIN,
            status=RunStatus.SUCCEEDED,
            started_at=NOW,
            user="ada",
            host="host",
            pid=os.getpid(),
            process_started="t0",
        )
        publication = Publication(
            pointers=(), branch=MAIN, expected_head=None, commit=commit, tree=digested, run=run, hashes=hashes
        )
        assert isinstance(self.metadata.publish(publication, lambda step: None), PublishedCommit)
        return [blob.path for blob in hashes.blobs if blob.kind == "data"]

    def verify(self, cores: int) -> Verification:
        hasher = IcebergFileHasher(self.lake, at_once=cores)
        found = verify(SqlMetadata(self.engine), self.lake, hasher, level=VerifyLevel.FULL, default=MAIN)
        assert found.is_good, found.broken[:1]
        return found

    def close(self) -> None:
        self.catalog.engine.dispose()
        self.engine.dispose()


def read(path: str) -> int:
    buffer, size = bytearray(BLOCK), 0
    with open(path.removeprefix("file://"), "rb", buffering=0) as file:
        while count := file.readinto(buffer):
            size += count
    return size


def read_speed(paths: list[str], threads: int) -> float:
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        size = sum(pool.map(read, paths))
    return size / 2**20 / (time.perf_counter() - began)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--mib", type=int, default=1024)
    given.add_argument("--files", type=int, default=16)
    options = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        paths = bench.commit(options.mib, options.files)
        read_speed(paths, 1)  # into the page cache
        print(f"{'cores':>5}  {'verify MiB/s':>12}  {'a core':>8}  {'read MiB/s':>10}")
        slowest = float("inf")
        for cores in dict.fromkeys((1, os.cpu_count() or 1)):
            found = bench.verify(cores)
            speed = found.bytes / 2**20 / found.seconds
            slowest = min(slowest, speed / cores)
            print(f"{cores:>5}  {speed:>12.0f}  {speed / cores:>8.0f}  {read_speed(paths, cores):>10.0f}")
        print(f"at least {LEAST} MiB/s a core: {'yes' if slowest >= LEAST else 'NO'}")
        bench.close()


if __name__ == "__main__":
    main()
