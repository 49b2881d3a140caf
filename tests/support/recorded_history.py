"""A recorded history on real stores, for the faces that show it. No JVM: rows are written by PyIceberg."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from forge.flows.runs.records import (
    AssetRecord,
    OutputRecord,
    OutputStatus,
    Publication,
    PublishedCommit,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.flows.versioning.branches import create_branch
from forge.lineage.edge import Edge, Transformation
from forge.model.names import BranchName, CatalogName, ColumnName, CommitId, RunId, SnapshotId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.commit import Author, Commit, TableVersion, Tree, make_commit
from forge.wiring import Wiring

MAIN = BranchName("main")
MORNING = datetime(2026, 11, 14, 6, 10, tzinfo=UTC)
ADA, GRACE = Author("Ada", "ada@example.com"), Author("Grace", "grace@example.com")
ORDERS, REVENUE = TableName("raw", "orders"), TableName("marts", "revenue")


@dataclass(frozen=True)
class History:
    """raw.orders and marts.revenue, published together; a day later raw.orders again; then a run that was blocked."""

    root: Path
    first: Commit
    second: Commit
    blocked: RunId


def write_history(wiring: Wiring) -> History:
    append = _tables(wiring)
    tree = {
        ORDERS: _version(wiring, ORDERS, append(ORDERS, 6), "r1", 1),
        REVENUE: _version(wiring, REVENUE, append(REVENUE, 3), "r1", 1),
    }
    first = _publish(wiring, "r1", tree, tuple(tree), "First load", ADA, MORNING, None)
    create_branch(wiring.metadata, "dev", "HEAD", current=MAIN, author=ADA, clock=wiring.clock, description="a try")
    tree = {**tree, ORDERS: _version(wiring, ORDERS, append(ORDERS, 2), "r2", 2)}
    second = _publish(wiring, "r2", tree, (ORDERS,), "Orders of the 15th", GRACE, MORNING + timedelta(days=1), first.id)
    return History(wiring.root, first, second, _block(wiring))


def _tables(wiring: Wiring) -> Callable[[TableName, int], SnapshotId]:
    """Real Iceberg tables of one column; the function that comes back adds rows to them."""
    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog

    assert wiring.metadata.branch(MAIN) is not None  # the database is made by this
    catalog = SqlCatalog("forge", uri=wiring.settings.database_url(), warehouse=wiring.settings.warehouse_path())
    names = {ORDERS: "amount", REVENUE: "revenue"}
    for table, column in names.items():
        catalog.create_namespace(table.schema)
        catalog.create_table((table.schema, table.name), pa.schema([(column, pa.int64())]))

    def append(table: TableName, rows: int) -> SnapshotId:
        loaded = catalog.load_table((table.schema, table.name))
        loaded.append(pa.table({names[table]: pa.array(range(rows), pa.int64())}))
        snapshot = loaded.current_snapshot()
        assert snapshot is not None
        return SnapshotId(snapshot.snapshot_id)

    return append


def _version(wiring: Wiring, table: TableName, snapshot: SnapshotId, run: str, number: int) -> TableVersion:
    catalog = CatalogName(table.schema, table.name)
    state = wiring.lake.state(catalog)
    assert state is not None
    return TableVersion(catalog=catalog, uuid=state.uuid, snapshot_id=snapshot, schema_id=0, number=number, run_id=run)


def _run(name: str, when: datetime, outputs: tuple[OutputRecord, ...]) -> RunRecord:
    run = RunRecord(
        id=RunId(name),
        branch=MAIN,
        status=RunStatus.RUNNING,
        started_at=when,
        user="ada@example.com",
        host="host",
        pid=os.getpid(),
        process_started="t0",
    )
    return replace(run, finished_at=when + timedelta(seconds=3), outputs=outputs)


def _publish(
    wiring: Wiring,
    run_name: str,
    tree: Tree,
    changed: tuple[TableName, ...],
    message: str,
    author: Author,
    when: datetime,
    parent: CommitId | None,
) -> Commit:
    found = {table: wiring.lake.snapshot(tree[table].catalog, tree[table].snapshot_id) for table in changed}
    statistics = {table: snapshot.statistics for table, snapshot in found.items() if snapshot}
    commit = make_commit(
        tree=tree,
        parents=(parent,) if parent else (),
        author=author,
        message=message,
        time=when,
        branch=MAIN,
        statistics=statistics,
        metadata={"run_id": run_name},
    )
    outputs = tuple(
        OutputRecord(table=t, status=OutputStatus.PUBLISHED, rows=s.record_count) for t, s in statistics.items()
    )
    run = _run(run_name, when, outputs)
    wiring.metadata.start_run(run)
    publication = Publication(
        pointers=(),
        branch=MAIN,
        expected_head=parent,
        commit=commit,
        tree=tree,
        run=replace(run, status=RunStatus.SUCCEEDED, commit_id=commit.id),
        verdicts=(verdict(Outcome.PASSED, "3 rows, none outside"),) if REVENUE in changed else (),
        lineage=tuple(_lineage(table) for table in changed),
        assets=tuple(_asset(table, when) for table in changed),
    )
    assert isinstance(wiring.metadata.publish(publication, lambda step: None), PublishedCommit)
    return commit


def verdict(outcome: Outcome, message: str) -> Verdict:
    blocks = outcome is not Outcome.PASSED
    return Verdict(
        check_id="c1",
        check_type="range",
        table=str(REVENUE),
        columns=("revenue",),
        outcome=outcome,
        severity=Severity.CRITICAL,
        message=message,
        blocks=blocks,
    )


def _lineage(table: TableName) -> TableLineage:
    amount, revenue = ColumnName(str(ORDERS), "amount"), ColumnName(str(REVENUE), "revenue")
    if table == ORDERS:
        return TableLineage(table, (Edge(source=ColumnName("files:data/*.csv", "amount"), target=amount),))
    return TableLineage(
        table,
        (Edge(source=amount, target=revenue, transformation=Transformation.AGGREGATION, expression="sum(amount)"),),
    )


def _asset(table: TableName, when: datetime) -> AssetRecord:
    column = "amount" if table == ORDERS else "revenue"
    columns = ({"name": column, "type": "bigint", "description": f"The {column}", "pii": None},)
    return AssetRecord(
        table=table,
        kind="table",
        description=f"All {table.name}",
        owner="finance@example.com",
        tags=("gold",),
        columns=columns,
        updated_at=when,
    )


def _block(wiring: Wiring) -> RunId:
    reason = "1 row outside 0 … 10000"
    run = _run(
        "r3", MORNING + timedelta(days=2), (OutputRecord(table=REVENUE, status=OutputStatus.BLOCKED, reason=reason),)
    )
    wiring.metadata.start_run(run)
    failed = verdict(Outcome.FAILED, reason)
    wiring.metadata.finish_run(replace(run, status=RunStatus.BLOCKED), (failed,), ())
    return run.id
