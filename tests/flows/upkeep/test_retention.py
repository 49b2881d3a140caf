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
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SealedLake]:
    made = MemoryHistory(tmp_path) if request.param == "memory" else SealedLake(tmp_path)
    made.append({ORDERS: numbers(1, 2), ITEMS: numbers(1)})
    yield made
    made.close()


def branch_off(world: SealedLake) -> Commit:
    """A branch with orders of its own and a table that only it has."""
    create_branch(world.metadata, DEV, "HEAD", current=MAIN, author=ADA, clock=world.clock)
    return world.append({ORDERS: numbers(3), IDEAS: numbers(4)}, DEV)


def forget(world: SealedLake) -> None:
    delete_branch(world.metadata, world.lake, DEV, default=MAIN, author=ADA, clock=world.clock, force=True)


def collect(
    world: SealedLake, *, keep: timedelta = timedelta(0), dry_run: bool = False, **more: Any
) -> GarbageCollection:
    now = world.clock() + LATER
    return collect_garbage(
        world.metadata, world.lake, author=ADA, now=now, older_than=timedelta(0), dry_run=dry_run, keep=keep, **more
    )


def snapshots(world: SealedLake) -> dict[CatalogName, set[SnapshotId]]:
    expiry = world.lake.expiry
    assert expiry is not None
    return {table.catalog: set(table.parents) for table in expiry.tables()}


def held(world: SealedLake, commit: Commit) -> dict[TableName, SnapshotId | None]:
    return {table: version.snapshot_id for table, version in world.metadata.tree(commit.id).items()}


def test_what_a_deleted_branch_held_goes_and_what_main_holds_stays(world: SealedLake) -> None:
    gone = held(world, branch_off(world))
    main = world.append({ORDERS: numbers(5)})
    forget(world)
    found = collect(world)
    assert {(e.catalog.name.split("__")[1] if e.dropped else e.catalog.name, e.dropped) for e in found.expired} == {
        ("orders", False),
        ("ideas", True),
    }
    assert found.deleted == len(found.orphans) > 0
    left = snapshots(world)
    assert gone[ORDERS] not in left[ROW]
    assert held(world, main)[ORDERS] in left[ROW]
    assert not [name for name in left if name.namespace == "forge_branches"]
    assert world.lake.rows(ROW, held(world, main)[ORDERS] or SnapshotId(0), ["id"], 10) is not None


def test_a_second_time_there_is_nothing_to_do(world: SealedLake) -> None:
    branch_off(world)
    forget(world)
    collect(world)
    again = collect(world)
    assert again.expired == ()
    assert again.orphans == ()


def test_a_dry_run_says_it_and_changes_nothing(world: SealedLake) -> None:
    branch_off(world)
    forget(world)
    before = snapshots(world)
    told = collect(world, dry_run=True)
    assert snapshots(world) == before
    assert told.deleted == 0
    assert collect(world).expired == told.expired != ()


def test_a_recent_commit_keeps_what_it_holds_though_nothing_reaches_it(world: SealedLake) -> None:
    branch_off(world)
    forget(world)
    before = snapshots(world)
    assert collect(world, keep=LATER + timedelta(days=1)).expired == ()
    assert snapshots(world) == before


def test_a_branch_keeps_what_it_holds(world: SealedLake) -> None:
    branch_off(world)
    before = snapshots(world)
    assert collect(world).expired == ()
    assert snapshots(world) == before


def test_an_archived_branch_keeps_what_it_holds(world: SealedLake) -> None:
    branch_off(world)
    archive_branch(world.metadata, DEV, default=MAIN, author=ADA, clock=world.clock)
    assert collect(world).expired == ()


def test_a_tag_keeps_what_it_holds(world: SealedLake) -> None:
    commit = branch_off(world)
    forget(world)
    tag = Tag(name="kept", target=commit.id, tagger=ADA, time=world.clock())
    world.metadata.put_tag(tag, AuditRecord(world.clock(), "ada", "tag.create", "kept"), replace=False)
    assert collect(world).expired == ()
    world.metadata.delete_tag("kept", AuditRecord(world.clock(), "ada", "tag.delete", "kept"))
    assert collect(world).expired != ()


@pytest.mark.parametrize(("status", "goes"), [(MergeStatus.CONFLICTED, False), (MergeStatus.ABORTED, True)])
def test_a_merge_keeps_what_it_needs_as_long_as_it_is_open(world: SealedLake, status: MergeStatus, goes: bool) -> None:
    commit = branch_off(world)
    head = world.head()
    assert head is not None
    now = world.clock()
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
    world.metadata.put_merge(merge, None, AuditRecord(now, "ada", "merge.start", "m1"))
    forget(world)
    assert bool(collect(world).expired) is goes


def test_a_table_that_a_run_is_at_work_on_is_left_alone(world: SealedLake) -> None:
    branch_off(world)
    forget(world)
    state = world.lake.state(ROW)
    assert state is not None
    world.lake.open_stage(RunId("r-open"), ORDERS, ROW, state.refs["main"])
    expiry = world.lake.expiry
    assert expiry is not None
    done = expire(world.metadata, world.lake, expiry, world.clock() + LATER)
    assert [e.catalog for e in done if e.catalog == ROW] == []


def test_a_table_that_moves_meanwhile_is_left_for_the_next_time(world: SealedLake) -> None:
    branch_off(world)
    forget(world)
    expiry = world.lake.expiry
    assert expiry is not None

    class Late:
        """Someone publishes between the look and the change."""

        def __init__(self, real: Expiry) -> None:
            self.real, self.expire, self.drop = real, real.expire, real.drop

        def tables(self) -> tuple[TableSnapshots, ...]:
            found = self.real.tables()
            world.append({ORDERS: numbers(9)})
            return found

    done = expire(world.metadata, world.lake, Late(expiry), world.clock() + LATER)
    assert [e.catalog.namespace for e in done] == ["forge_branches"]
    assert [e.catalog for e in collect(world).expired] == [ROW]


def test_a_table_that_no_commit_ever_held_is_someone_elses(tmp_path: Path) -> None:
    import pyarrow as pa

    world = SealedLake(tmp_path)
    world.append({ORDERS: numbers(1)})
    theirs, name = world.catalog.create_table("core.theirs", pa.schema([("id", pa.int64())])), ("core", "theirs")
    for number in (1, 2):
        theirs.append(pa.table({"id": pa.array([number], pa.int64())}))
    first = theirs.refresh().snapshots()[0]
    world.lake.set_ref(CatalogName(*name), "main", SnapshotId(first.snapshot_id))  # the second hangs in the air
    assert collect(world).expired == ()
    assert len(world.catalog.load_table(name).snapshots()) == 2
    world.close()


def test_nothing_goes_while_a_branch_is_at_a_commit_that_is_not_there(tmp_path: Path) -> None:
    world = SealedLake(tmp_path)
    world.append({ORDERS: numbers(1)})
    branch_off(world)
    forget(world)
    world.execute("UPDATE forge_branches SET head = :id", id="0" * 64)
    with pytest.raises(ForgeError) as told:
        collect(world)
    assert told.value.code == "E624"
    world.close()


def test_rows_that_another_engine_wrote_stay(tmp_path: Path) -> None:
    import pyarrow as pa

    world = SealedLake(tmp_path)
    world.append({ORDERS: numbers(1)})
    table = world.catalog.load_table("core.orders")
    table.append(pa.table({"id": pa.array([7], pa.int64())}))
    table.append(pa.table({"id": pa.array([8], pa.int64())}))
    assert collect(world).expired == ()
    world.close()


def test_after_it_all_that_is_reached_verifies_in_full(tmp_path: Path) -> None:
    world = SealedLake(tmp_path)
    world.append({ORDERS: numbers(1), ITEMS: numbers(2)})
    branch_off(world)
    world.overwrite({ORDERS: numbers(5)})
    forget(world)
    assert collect(world).expired != ()
    found = world.verify(VerifyLevel.FULL)
    assert found.is_good
    assert found.unsealed == 0
    assert sorted(world.catalog.load_table("core.orders").scan().to_arrow()["id"].to_pylist()) == [5]
    world.close()
