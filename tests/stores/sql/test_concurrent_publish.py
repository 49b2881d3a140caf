"""Two processes publish at once: nothing is lost, and who came second is told."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table.metadata import TableMetadata

from forge.flows.runs.records import AuditRecord, Pointer, Publication, PublishedCommit, RunRecord, RunStatus
from forge.model.names import BranchName, CatalogName, CommitId, RunId, TableName
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.sql.database import migrate, open_database
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, TableVersion, make_commit

# Two processes at full speed are too long for `make check`, with a server or without.
pytestmark = pytest.mark.services

PUBLISHES = 100  # by each of two processes

# Each publish stages one snapshot on a hidden row (metadata only: no data file is needed to test pointers), prepares
# and publishes; on a PointerConflict it takes the new state and tries again, as a run does.
WRITER = """
import json
import os
import random
import sys
import time
import uuid
from datetime import UTC, datetime

from sqlalchemy import update

from forge.flows.runs.records import PointerConflict, Publication, PublishedCommit, RunRecord, RunStatus
from forge.model.names import BranchName, CatalogName, RunId, TableName
from forge.stores.lake.table_metadata import with_ref
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.sql.database import open_database, writing
from forge.stores.sql.metadata import SqlMetadata
from forge.stores.sql.tables import iceberg_tables
from forge.versioning.commit import Author, TableStatistics, TableVersion, make_commit
from pyiceberg.table.snapshots import Operation, Snapshot, Summary

url, warehouse, me, number, *names = sys.argv[1:]
engine = open_database(url)
lake, metadata = IcebergLake(engine, warehouse), SqlMetadata(engine)
main = BranchName("main")


def append(stage):
    location, table = lake.table(stage.catalog)
    snapshot = Snapshot.model_validate({
        "snapshot-id": table.new_snapshot_id(),
        "parent-snapshot-id": table.current_snapshot_id,
        "sequence-number": table.last_sequence_number + 1,
        "timestamp-ms": int(time.time() * 1000),
        "manifest-list": f"{table.location}/metadata/none.avro",
        "summary": {"operation": "append", "writer": me},
        "schema-id": table.current_schema_id,
    })
    grown = table.model_copy(update={
        "snapshots": [*table.snapshots, snapshot], "last_sequence_number": snapshot.sequence_number
    })
    grown = with_ref(grown, location, "main", snapshot.snapshot_id, snapshot.timestamp_ms)
    assert lake.move(stage.catalog, location, lake.write(grown, after=location))
    return snapshot.snapshot_id


def attempt(turn):
    head = metadata.branch(main).head
    tree = dict(metadata.tree(head))
    run_id = RunId(f"{me}-{turn}-{uuid.uuid4().hex[:8]}")
    name = TableName.parse(random.choice(names))
    origin = CatalogName(name.schema, name.name)
    base = tree[name].snapshot_id
    stage = lake.open_stage(run_id, name, origin, base)
    new = append(stage)
    pointer = lake.prepare(stage, main, is_default=True, expected=base)
    if isinstance(pointer, PointerConflict):
        lake.drop_stages(run_id)
        return pointer, None
    tree[name] = TableVersion(
        catalog=origin, uuid=tree[name].uuid, snapshot_id=new, schema_id=0, number=tree[name].number + 1, run_id=run_id
    )
    commit = make_commit(
        tree=tree, parents=(head,), author=Author(me, me), message=str(turn), time=datetime.now(UTC), branch=main,
        statistics={name: TableStatistics(rows_added=1)}, metadata={"run_id": run_id},
    )
    run = RunRecord(
        id=run_id, branch=main, status=RunStatus.SUCCEEDED, started_at=commit.time, user=me, host="host",
        pid=os.getpid(), process_started="", commit_id=commit.id,
    )
    done = metadata.publish(
        Publication(pointers=(pointer,), branch=main, expected_head=head, commit=commit, tree=tree, run=run),
        lambda step: None,
    )
    if isinstance(done, PointerConflict):
        lake.drop_stages(run_id)
    return done, (commit.id, str(name), new)


acknowledged, conflicts = [], 0
print("ready", flush=True)
sys.stdin.readline()
for turn in range(int(number)):
    while True:
        done, what = attempt(turn)
        if isinstance(done, PublishedCommit):
            acknowledged.append(what)
            break
        assert isinstance(done, PointerConflict) and (done.tables or done.branch_moved)
        conflicts += 1
        time.sleep(random.uniform(0, 0.005))
print(json.dumps({"acknowledged": acknowledged, "conflicts": conflicts}))
"""


def make_tables(url: str, warehouse: Path, names: list[str]) -> CommitId:
    """The tables, each with one snapshot, and the commit that holds them."""
    engine = open_database(url)
    migrate(engine)
    lake, metadata = IcebergLake(engine, str(warehouse)), SqlMetadata(engine)
    catalog = SqlCatalog("forge", uri=url, warehouse=str(warehouse))
    now = datetime.now(UTC)
    main = BranchName("main")
    metadata.create_branch(
        Branch(name=main, head=None, created_at=now, created_by="Ada", updated_at=now, is_default=True),
        AuditRecord(now, "Ada", "x", "main"),
    )
    pointers, tree = [], {}
    for name in map(TableName.parse, names):
        stage = lake.open_stage(RunId("r-0"), name, None, None)
        rows = pa.table({"id": [1]})
        table = catalog.create_table(
            (stage.catalog.namespace, stage.catalog.name), rows.schema, location=stage.location
        )
        table.append(rows)
        pointer = lake.prepare(stage, main, is_default=True, expected=None)
        assert isinstance(pointer, Pointer)
        pointers.append(pointer)
        state = lake.snapshot(stage.catalog)
        assert state is not None
        tree[name] = TableVersion(
            catalog=pointer.catalog, uuid=str(table.metadata.table_uuid), snapshot_id=state.snapshot_id, schema_id=0
        )
    commit = make_commit(
        tree=tree,
        parents=(),
        author=Author("Ada", ""),
        message="first",
        time=now,
        branch=main,
        statistics={},
        metadata={},
    )
    run = RunRecord(
        id=RunId("r-0"),
        branch=main,
        status=RunStatus.SUCCEEDED,
        started_at=now,
        user="ada",
        host="host",
        pid=1,
        process_started="",
    )
    done = metadata.publish(
        Publication(pointers=tuple(pointers), branch=main, expected_head=None, commit=commit, tree=tree, run=run),
        lambda step: None,
    )
    assert done == PublishedCommit(commit.id)
    catalog.engine.dispose()
    engine.dispose()
    return commit.id


def race(url: str, warehouse: Path, names: list[list[str]], script: Path) -> list[dict[str, object]]:
    script.write_text(WRITER)
    writers = [
        subprocess.Popen(
            [sys.executable, script, url, str(warehouse), f"writer{index}", str(PUBLISHES), *own],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for index, own in enumerate(names)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    results = []
    for writer in writers:
        output, _ = writer.communicate(timeout=300)
        assert writer.returncode == 0
        results.append(json.loads(output))
    return results


def line_of(metadata: TableMetadata) -> list[int]:
    """The snapshots from the current one back to the first."""
    line = []
    snapshot = metadata.current_snapshot()
    while snapshot is not None:
        line.append(snapshot.snapshot_id)
        parent = snapshot.parent_snapshot_id
        snapshot = None if parent is None else metadata.snapshot_by_id(parent)
    return line


def test_200_publishes_of_two_processes_are_all_there_and_nothing_else(database_url: str, tmp_path: Path) -> None:
    names = [["core.shared", "core.left"], ["core.shared", "core.right"]]
    warehouse = tmp_path / "warehouse"
    tables = sorted({name for own in names for name in own})
    first = make_tables(database_url, warehouse, tables)
    results = race(database_url, warehouse, names, tmp_path / "writer.py")
    acknowledged = [tuple(what) for result in results for what in result["acknowledged"]]  # type: ignore[attr-defined]
    assert len(acknowledged) == 2 * PUBLISHES
    assert sum(int(str(result["conflicts"])) for result in results) > 0, "they did not meet, so nothing was shown"

    engine = open_database(database_url)
    metadata, lake = SqlMetadata(engine), IcebergLake(engine, str(warehouse))
    branch = metadata.branch(BranchName("main"))
    assert branch is not None
    assert branch.head is not None
    log = metadata.log(branch.head)
    assert {commit.id for commit in log} == {what[0] for what in acknowledged} | {first}
    assert len(log) == 2 * PUBLISHES + 1
    assert all(len(commit.parents) == 1 for commit in log[:-1])
    assert lake.stages() == ()
    assert len(metadata.runs(limit=1000)) == 2 * PUBLISHES + 1

    tree = metadata.tree(branch.head)
    snapshots = {what[0]: (what[1], what[2]) for what in acknowledged}
    order = [snapshots[commit.id] for commit in log[:-1]]  # newest first
    catalog = SqlCatalog("forge", uri=database_url, warehouse=str(warehouse))
    for name in tables:
        table = catalog.load_table(name)
        line = line_of(table.metadata)
        assert line[:-1] == [snapshot for other, snapshot in order if other == name]
        assert sorted(line) == sorted(snapshot.snapshot_id for snapshot in table.metadata.snapshots)
        assert tree[TableName.parse(name)].snapshot_id == line[0]
        assert tree[TableName.parse(name)].number == len(line)
        state = lake.state(CatalogName(*name.split(".")))
        assert state is not None
        assert dict(state.refs) == {"main": line[0]}
    catalog.engine.dispose()
    engine.dispose()
