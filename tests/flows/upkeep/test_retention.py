"""Retention: what branches, tags, open merges and recent commits need stays; the rest is let go, files last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sealed_lake import ADA, ITEMS, MAIN, ORDERS, MemoryHistory, SealedLake, numbers

from forge.flows.ports import Expiry, TableSnapshots
from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.maintenance import GarbageCollection, collect_garbage
from forge.flows.upkeep.retention import expire
from forge.flows.upkeep.verify.history import VerifyLevel
from forge.flows.versioning.branches import archive_branch, create_branch, delete_branch
from forge.flows.versioning.merge.record import MergeRecord
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.versioning.commit import Commit
from forge.versioning.merge import MergeStatus, Strategy
from forge.versioning.tag import Tag

DEV = BranchName("dev")
IDEAS = TableName("core", "ideas")  # on the branch alone
ROW = CatalogName("core", "orders")
LATER = timedelta(days=30)


@pytest.fixture(params=["memory", "iceberg"])
def retained_lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SealedLake]:
    made = MemoryHistory(tmp_path) if request.param == "memory" else SealedLake(tmp_path)
    made.append({ORDERS: numbers(1, 2), ITEMS: numbers(1)})
    yield made
    made.close()


def branch_off(retained_lake: SealedLake) -> Commit:
    """A branch with orders of its own and a table that only it has."""
    create_branch(retained_lake.metadata, DEV, "HEAD", current=MAIN, author=ADA, clock=retained_lake.clock)
    return retained_lake.append({ORDERS: numbers(3), IDEAS: numbers(4)}, DEV)


def forget(retained_lake: SealedLake) -> None:
    delete_branch(
        retained_lake.metadata, retained_lake.lake, DEV, default=MAIN, author=ADA, clock=retained_lake.clock, force=True
    )


def collect(
    retained_lake: SealedLake, *, keep: timedelta = timedelta(0), dry_run: bool = False, **more: Any
) -> GarbageCollection:
    now = retained_lake.clock() + LATER
    return collect_garbage(
        retained_lake.metadata,
        retained_lake.lake,
        author=ADA,
        now=now,
        older_than=timedelta(0),
        dry_run=dry_run,
        keep=keep,
        **more,
    )


def snapshots(retained_lake: SealedLake) -> dict[CatalogName, set[SnapshotId]]:
    expiry = retained_lake.lake.expiry
    assert expiry is not None
    return {table.catalog: set(table.parents) for table in expiry.tables()}


def held(retained_lake: SealedLake, commit: Commit) -> dict[TableName, SnapshotId | None]:
    return {table: version.snapshot_id for table, version in retained_lake.metadata.tree(commit.id).items()}


@pytest.mark.slow
def test_what_a_deleted_branch_held_goes_and_what_main_holds_stays(retained_lake: SealedLake) -> None:
    gone = held(retained_lake, branch_off(retained_lake))
    main = retained_lake.append({ORDERS: numbers(5)})
    forget(retained_lake)
    found = collect(retained_lake)
    assert {(e.catalog.name.split("__")[1] if e.dropped else e.catalog.name, e.dropped) for e in found.expired} == {
        ("orders", False),
        ("ideas", True),
    }
    assert found.deleted == len(found.orphans) > 0
    left = snapshots(retained_lake)
    assert gone[ORDERS] not in left[ROW]
    assert held(retained_lake, main)[ORDERS] in left[ROW]
    assert not [name for name in left if name.namespace == "forge_branches"]
    assert retained_lake.lake.rows(ROW, held(retained_lake, main)[ORDERS] or SnapshotId(0), ["id"], 10) is not None


@pytest.mark.slow
def test_a_second_time_there_is_nothing_to_do(retained_lake: SealedLake) -> None:
    branch_off(retained_lake)
    forget(retained_lake)
    collect(retained_lake)
    again = collect(retained_lake)
    assert again.expired == ()
    assert again.orphans == ()


@pytest.mark.slow
def test_a_dry_run_says_it_and_changes_nothing(retained_lake: SealedLake) -> None:
    branch_off(retained_lake)
    forget(retained_lake)
    before = snapshots(retained_lake)
    told = collect(retained_lake, dry_run=True)
    assert snapshots(retained_lake) == before
    assert told.deleted == 0
    assert collect(retained_lake).expired == told.expired != ()


@pytest.mark.slow
def test_a_recent_commit_keeps_what_it_holds_though_nothing_reaches_it(retained_lake: SealedLake) -> None:
    branch_off(retained_lake)
    forget(retained_lake)
    before = snapshots(retained_lake)
    assert collect(retained_lake, keep=LATER + timedelta(days=1)).expired == ()
    assert snapshots(retained_lake) == before


@pytest.mark.slow
def test_a_branch_keeps_what_it_holds(retained_lake: SealedLake) -> None:
    branch_off(retained_lake)
    before = snapshots(retained_lake)
    assert collect(retained_lake).expired == ()
    assert snapshots(retained_lake) == before


@pytest.mark.slow
def test_an_archived_branch_keeps_what_it_holds(retained_lake: SealedLake) -> None:
    branch_off(retained_lake)
    archive_branch(retained_lake.metadata, DEV, default=MAIN, author=ADA, clock=retained_lake.clock)
    assert collect(retained_lake).expired == ()


@pytest.mark.slow
def test_a_tag_keeps_what_it_holds(retained_lake: SealedLake) -> None:
    commit = branch_off(retained_lake)
    forget(retained_lake)
    tag = Tag(name="kept", target=commit.id, tagger=ADA, time=retained_lake.clock())
    retained_lake.metadata.put_tag(tag, AuditRecord(retained_lake.clock(), "ada", "tag.create", "kept"), replace=False)
    assert collect(retained_lake).expired == ()
    retained_lake.metadata.delete_tag("kept", AuditRecord(retained_lake.clock(), "ada", "tag.delete", "kept"))
    assert collect(retained_lake).expired != ()


@pytest.mark.slow
@pytest.mark.parametrize(("status", "goes"), [(MergeStatus.CONFLICTED, False), (MergeStatus.ABORTED, True)])
def test_a_merge_keeps_what_it_needs_as_long_as_it_is_open(
    retained_lake: SealedLake, status: MergeStatus, goes: bool
) -> None:
    commit = branch_off(retained_lake)
    head = retained_lake.head()
    assert head is not None
    now = retained_lake.clock()
    merge = MergeRecord(
        id="m1",
        kind="merge",
        source="dev",
        target=MAIN,
        source_commit=commit.id,
        target_commit=head,
        base_commit=head,
        strategy=Strategy.THREE_WAY,
        status=status,
        message="",
        author=ADA,
        created_at=now,
        updated_at=now,
    )
    retained_lake.metadata.put_merge(merge, None, AuditRecord(now, "ada", "merge.start", "m1"))
    forget(retained_lake)
    assert bool(collect(retained_lake).expired) is goes


@pytest.mark.slow
def test_a_table_that_a_run_is_at_work_on_is_left_alone(retained_lake: SealedLake) -> None:
    branch_off(retained_lake)
    forget(retained_lake)
    state = retained_lake.lake.state(ROW)
    assert state is not None
    retained_lake.lake.open_stage(RunId("r-open"), ORDERS, ROW, state.refs["main"])
    expiry = retained_lake.lake.expiry
    assert expiry is not None
    done = expire(retained_lake.metadata, retained_lake.lake, expiry, retained_lake.clock() + LATER)
    assert [e.catalog for e in done if e.catalog == ROW] == []


@pytest.mark.slow
def test_a_table_that_moves_meanwhile_is_left_for_the_next_time(retained_lake: SealedLake) -> None:
    branch_off(retained_lake)
    forget(retained_lake)
    expiry = retained_lake.lake.expiry
    assert expiry is not None

    class Late:
        """Someone publishes between the look and the change."""

        def __init__(self, real: Expiry) -> None:
            self.real, self.expire, self.drop = real, real.expire, real.drop

        def tables(self) -> tuple[TableSnapshots, ...]:
            found = self.real.tables()
            retained_lake.append({ORDERS: numbers(9)})
            return found

    done = expire(retained_lake.metadata, retained_lake.lake, Late(expiry), retained_lake.clock() + LATER)
    assert [e.catalog.namespace for e in done] == ["forge_branches"]
    assert [e.catalog for e in collect(retained_lake).expired] == [ROW]


def test_a_table_that_no_commit_ever_held_is_someone_elses(tmp_path: Path) -> None:
    import pyarrow as pa

    retained_lake = SealedLake(tmp_path)
    retained_lake.append({ORDERS: numbers(1)})
    theirs, name = (
        retained_lake.catalog.create_table("core.theirs", pa.schema([("id", pa.int64())])),
        ("core", "theirs"),
    )
    for number in (1, 2):
        theirs.append(pa.table({"id": pa.array([number], pa.int64())}))
    first = theirs.refresh().snapshots()[0]
    retained_lake.lake.set_ref(CatalogName(*name), "main", SnapshotId(first.snapshot_id))  # the second hangs in the air
    assert collect(retained_lake).expired == ()
    assert len(retained_lake.catalog.load_table(name).snapshots()) == 2
    retained_lake.close()


def test_nothing_goes_while_a_branch_is_at_a_commit_that_is_not_there(tmp_path: Path) -> None:
    retained_lake = SealedLake(tmp_path)
    retained_lake.append({ORDERS: numbers(1)})
    branch_off(retained_lake)
    forget(retained_lake)
    retained_lake.execute("UPDATE forge_branches SET head = :id", id="0" * 64)
    with pytest.raises(ForgeError) as told:
        collect(retained_lake)
    assert told.value.code == "E624"
    retained_lake.close()


def test_rows_that_another_engine_wrote_stay(tmp_path: Path) -> None:
    import pyarrow as pa

    retained_lake = SealedLake(tmp_path)
    retained_lake.append({ORDERS: numbers(1)})
    table = retained_lake.catalog.load_table("core.orders")
    table.append(pa.table({"id": pa.array([7], pa.int64())}))
    table.append(pa.table({"id": pa.array([8], pa.int64())}))
    assert collect(retained_lake).expired == ()
    retained_lake.close()


@pytest.mark.slow
def test_after_it_all_that_is_reached_verifies_in_full(tmp_path: Path) -> None:
    retained_lake = SealedLake(tmp_path)
    retained_lake.append({ORDERS: numbers(1), ITEMS: numbers(2)})
    branch_off(retained_lake)
    retained_lake.overwrite({ORDERS: numbers(5)})
    forget(retained_lake)
    assert collect(retained_lake).expired != ()
    found = retained_lake.verify(VerifyLevel.FULL)
    assert found.is_good
    assert found.unsealed == 0
    assert sorted(retained_lake.catalog.load_table("core.orders").scan().to_arrow()["id"].to_pylist()) == [5]
    retained_lake.close()
