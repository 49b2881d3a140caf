"""What every lake does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from forge.flows.ports import Lake, Stage
from forge.flows.runs.records import (
    AuditRecord,
    Pointer,
    PointerConflict,
    Publication,
    PublishedCommit,
    RunRecord,
    RunStatus,
)
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.quality.measure import Measure
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, TableVersion, Tree, make_commit

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MAIN, DEV = BranchName("main"), BranchName("dev")
ORDERS, ROW = TableName("core", "orders"), CatalogName("core", "orders")
LATER = timedelta(hours=1)


class Steps:
    """The steps of a run that touch the lake."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.lake: Lake = store.lake
        self.numbers = count(1)
        for name in (MAIN, DEV):
            branch = Branch(
                name=name, head=None, created_at=NOW, created_by="Ada", updated_at=NOW, is_default=name == MAIN
            )
            store.metadata.create_branch(branch, AuditRecord(NOW, "Ada", "branch.create", name))

    def stage(self, origin: CatalogName | None = None, base: SnapshotId | None = None, run: str = "") -> Stage:
        return self.lake.open_stage(RunId(run or f"r-{next(self.numbers)}"), ORDERS, origin, base)

    def new(self, rows: int, branch: BranchName = MAIN) -> tuple[Pointer, SnapshotId]:
        """A table published with so many rows."""
        stage = self.stage()
        self.store.create(stage)
        snapshot = self.store.append(stage.catalog, rows)
        pointer = self.prepare(stage, branch, None)
        assert isinstance(pointer, Pointer)
        assert self.publish(pointer, branch=branch)
        return pointer, snapshot

    def prepare(self, stage: Stage, branch: BranchName, expected: SnapshotId | None) -> Pointer | PointerConflict:
        return self.lake.prepare(stage, branch, is_default=branch == MAIN, expected=expected)

    def publish(self, *pointers: Pointer, branch: BranchName = MAIN, tree: Tree | None = None) -> bool:
        head = self.store.metadata.branch(branch).head
        number = next(self.numbers)
        commit = make_commit(
            tree=tree or {},
            parents=(head,) if head else (),
            author=Author("Ada", "ada@example.com"),
            message="",
            time=NOW + timedelta(seconds=number),
            branch=branch,
            statistics={},
            metadata={},
        )
        run = RunRecord(
            id=RunId(f"p-{number}"),
            branch=branch,
            status=RunStatus.SUCCEEDED,
            started_at=NOW,
            user="ada",
            host="host",
            pid=1,
            process_started="",
        )
        done = self.store.metadata.publish(
            Publication(pointers=pointers, branch=branch, expected_head=head, commit=commit, tree=tree or {}, run=run),
            lambda step: None,
        )
        return isinstance(done, PublishedCommit)

    def refs(self, catalog: CatalogName = ROW) -> dict[str, SnapshotId]:
        state = self.lake.state(catalog)
        assert state is not None
        return dict(state.refs)

    def count(self, snapshot: SnapshotId | None, catalog: CatalogName = ROW) -> int:
        state = self.lake.snapshot(catalog, snapshot)
        assert state is not None
        return state.statistics.record_count


@pytest.fixture
def steps(store: Any) -> Steps:
    return Steps(store)


def test_a_new_table_is_out_of_sight_until_it_is_published_under_its_name(steps: Steps) -> None:
    stage = steps.stage(run="r-new")
    assert not stage.exists
    assert stage.origin is None
    steps.store.create(stage)
    snapshot = steps.store.append(stage.catalog, 3)
    assert steps.lake.tables() == ()
    assert steps.lake.stages() == ((RunId("r-new"), stage.catalog),)

    pointer = steps.prepare(stage, MAIN, None)
    assert isinstance(pointer, Pointer)
    assert (pointer.catalog, pointer.expected, pointer.staged) == (ROW, None, stage.catalog)
    assert steps.lake.state(ROW) is None
    assert steps.publish(pointer)
    assert steps.lake.tables() == (ROW,)
    assert steps.lake.stages() == ()
    assert steps.refs() == {"main": snapshot}
    state = steps.lake.snapshot(ROW)
    assert state is not None
    assert (state.snapshot_id, state.parent_id) == (snapshot, None)
    assert state.schema == Schema((Column("id", "bigint"),))
    assert (state.statistics.rows_added, state.statistics.record_count) == (3, 3)
    assert state.statistics.bytes_added == state.statistics.total_size > 0


def test_staging_on_a_table_moves_nothing_of_it_until_the_publish(steps: Steps) -> None:
    _, first = steps.new(2)
    before = steps.lake.state(ROW)
    stage = steps.stage(ROW, first)
    assert (stage.exists, stage.base, stage.origin) == (True, first, ROW)
    second = steps.store.append(stage.catalog, 5)
    pointer = steps.prepare(stage, MAIN, first)
    assert steps.lake.state(ROW) == before
    assert steps.lake.snapshot(ROW, second) is None

    assert isinstance(pointer, Pointer)
    assert before is not None
    assert pointer.expected == before.location
    assert steps.publish(pointer)
    assert steps.refs() == {"main": second}
    after = steps.lake.state(ROW)
    assert after is not None
    assert (after.uuid, after.location) == (before.uuid, pointer.location)
    assert [steps.count(first), steps.count(second)] == [2, 7]
    newer = steps.lake.snapshot(ROW, second)
    assert newer is not None
    assert newer.parent_id == first


def test_a_stage_of_several_snapshots_arrives_whole(steps: Steps) -> None:
    _, first = steps.new(1)
    stage = steps.stage(ROW, first)
    middle = steps.store.append(stage.catalog, 1)
    last = steps.store.append(stage.catalog, 1)
    pointer = steps.prepare(stage, MAIN, first)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer)
    assert [steps.count(s) for s in (first, middle, last)] == [1, 2, 3]


def test_a_branch_has_its_own_ref_and_main_stays(steps: Steps) -> None:
    _, first = steps.new(2)
    stage = steps.stage(ROW, first)
    second = steps.store.append(stage.catalog, 1)
    pointer = steps.prepare(stage, DEV, None)
    assert isinstance(pointer, Pointer)
    assert steps.publish(pointer, branch=DEV)
    assert steps.refs() == {"main": first, "dev": second}
    assert steps.count(None) == 2


def test_a_branch_that_has_not_touched_the_table_may_expect_its_fork_point(steps: Steps) -> None:
    _, first = steps.new(2)
    stage = steps.stage(ROW, first)
    second = steps.store.append(stage.catalog, 1)
    pointer = steps.prepare(stage, DEV, first)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer, branch=DEV)
    assert steps.refs() == {"main": first, "dev": second}


def test_a_stage_starts_from_its_base_and_knows_nothing_newer(steps: Steps) -> None:
    _, first = steps.new(2)
    stage = steps.stage(ROW, first)
    second = steps.store.append(stage.catalog, 10)
    pointer = steps.prepare(stage, MAIN, first)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer)
    old = steps.stage(ROW, first)
    assert steps.refs(old.catalog) == {"main": first}
    assert steps.lake.snapshot(old.catalog, second) is None
    third = steps.store.append(old.catalog, 1)
    assert steps.count(third, old.catalog) == 3


def test_two_branches_staged_at_once_both_arrive(steps: Steps) -> None:
    _, first = steps.new(2)
    one, two = steps.stage(ROW, first), steps.stage(ROW, first)
    on_main, on_dev = steps.store.append(one.catalog, 1), steps.store.append(two.catalog, 2)
    for stage, branch, expected in ((one, MAIN, first), (two, DEV, None)):
        pointer = steps.prepare(stage, branch, expected)
        assert isinstance(pointer, Pointer)
        assert steps.publish(pointer, branch=branch)
    assert steps.refs() == {"main": on_main, "dev": on_dev}
    assert [steps.count(on_main), steps.count(on_dev)] == [3, 4]


def test_the_second_of_two_on_one_branch_is_told_that_the_table_moved(steps: Steps) -> None:
    _, first = steps.new(2)
    one, two = steps.stage(ROW, first), steps.stage(ROW, first)
    steps.store.append(one.catalog, 1)
    steps.store.append(two.catalog, 1)
    early = steps.prepare(two, MAIN, first)
    pointer = steps.prepare(one, MAIN, first)
    assert isinstance(pointer, Pointer)
    assert isinstance(early, Pointer)
    assert steps.publish(pointer)
    assert not steps.publish(early), "the row is no longer where it was when this was prepared"
    assert steps.prepare(two, MAIN, first) == PointerConflict((ROW,), False)


def test_prepare_is_repeated_on_the_new_state_when_another_branch_moved_the_row(steps: Steps) -> None:
    _, first = steps.new(2)
    one, two = steps.stage(ROW, first), steps.stage(ROW, first)
    on_main, on_dev = steps.store.append(one.catalog, 1), steps.store.append(two.catalog, 1)
    stale = steps.prepare(two, DEV, None)
    pointer = steps.prepare(one, MAIN, first)
    assert isinstance(pointer, Pointer)
    assert isinstance(stale, Pointer)
    steps.publish(pointer)
    assert not steps.publish(stale, branch=DEV)
    again = steps.prepare(two, DEV, None)
    assert isinstance(again, Pointer)
    assert steps.publish(again, branch=DEV)
    assert steps.refs() == {"main": on_main, "dev": on_dev}


def test_a_table_new_on_a_branch_stays_hidden_and_grows_there(steps: Steps) -> None:
    pointer, first = steps.new(2, DEV)
    assert pointer.catalog.namespace == "forge_branches"
    assert pointer.catalog.name.startswith("core__orders__")
    assert steps.lake.tables() == ()
    assert steps.refs(pointer.catalog) == {"dev": first}
    assert steps.lake.snapshot(pointer.catalog) is None, "it has no current snapshot"
    stage = steps.stage(pointer.catalog, first)
    second = steps.store.append(stage.catalog, 1)
    again = steps.prepare(stage, DEV, first)
    assert isinstance(again, Pointer)
    assert again.catalog == pointer.catalog
    assert steps.publish(again, branch=DEV)
    assert steps.refs(pointer.catalog) == {"dev": second}

    main_pointer, _ = steps.new(7)
    assert main_pointer.catalog == ROW
    assert steps.refs(pointer.catalog) == {"dev": second}


def test_two_runs_that_create_one_table_do_not_both_succeed(steps: Steps) -> None:
    one, two = steps.stage(), steps.stage()
    for stage in (one, two):
        steps.store.create(stage)
        steps.store.append(stage.catalog, 1)
    assert one.location != two.location
    early = steps.prepare(two, MAIN, None)
    pointer = steps.prepare(one, MAIN, None)
    assert isinstance(pointer, Pointer)
    assert isinstance(early, Pointer)
    assert steps.publish(pointer)
    assert not steps.publish(early)
    assert steps.prepare(two, MAIN, None) == PointerConflict((ROW,), False)


def test_a_column_added_on_a_branch_is_seen_there_only(steps: Steps) -> None:
    _, first = steps.new(1)
    stage = steps.stage(ROW, first)
    steps.store.widen(stage.catalog, "note")
    pointer = steps.prepare(stage, DEV, None)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer, branch=DEV)
    on_main, on_dev = steps.lake.snapshot(ROW), steps.lake.snapshot(ROW, steps.refs()["dev"])
    assert on_main is not None
    assert on_dev is not None
    assert (on_main.schema.names, on_dev.schema.names) == (("id",), ("id", "note"))
    state = steps.lake.state(ROW)
    assert state is not None
    assert state.current_schema_id == on_main.schema_id


def test_two_columns_added_at_once_under_one_number_are_a_conflict(steps: Steps) -> None:
    _, first = steps.new(1)
    one, two = steps.stage(ROW, first), steps.stage(ROW, first)
    steps.store.widen(one.catalog, "left")
    steps.store.widen(two.catalog, "right")
    pointer = steps.prepare(one, MAIN, first)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer)
    assert steps.prepare(two, DEV, None) == PointerConflict((ROW,), False)
    anew = steps.stage(ROW, first)
    steps.store.widen(anew.catalog, "right")
    again = steps.prepare(anew, DEV, None)
    assert isinstance(again, Pointer)
    assert steps.publish(again, branch=DEV)
    on_main, on_dev = steps.lake.snapshot(ROW), steps.lake.snapshot(ROW, steps.refs()["dev"])
    assert on_main is not None
    assert on_dev is not None
    assert (on_main.schema.names, on_dev.schema.names) == (("id", "left"), ("id", "right"))


def test_stages_are_dropped_by_run_and_opened_again(steps: Steps) -> None:
    _, first = steps.new(1)
    steps.stage(ROW, first, run="r-a")
    again = steps.stage(ROW, first, run="r-a")
    steps.stage(ROW, first, run="r-b")
    assert [run for run, _ in steps.lake.stages()] == ["r-a", "r-b"]
    assert steps.lake.drop_stages(RunId("r-a")) == 1
    assert steps.lake.drop_stages(RunId("r-a")) == 0
    assert [run for run, _ in steps.lake.stages()] == ["r-b"]
    assert steps.lake.state(again.catalog) is None
    assert steps.refs() == {"main": first}


def test_a_ref_is_made_moved_and_removed(steps: Steps) -> None:
    _, first = steps.new(1)
    stage = steps.stage(ROW, first)
    second = steps.store.append(stage.catalog, 1)
    pointer = steps.prepare(stage, MAIN, first)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer)
    steps.lake.set_ref(ROW, "dev", first)
    assert steps.refs() == {"main": second, "dev": first}
    steps.lake.set_ref(ROW, "dev", second)
    steps.lake.set_ref(ROW, "main", first)
    assert steps.refs() == {"main": first, "dev": second}
    assert steps.count(None) == 1
    steps.lake.set_ref(ROW, "dev", None)
    steps.lake.set_ref(ROW, "dev", None)
    assert steps.refs() == {"main": first}
    with pytest.raises(ForgeError) as unknown:
        steps.lake.set_ref(ROW, "dev", SnapshotId(1))
    assert unknown.value.code == "E406"
    with pytest.raises(ForgeError) as missing:
        steps.lake.set_ref(CatalogName("core", "nope"), "dev", first)
    assert missing.value.code == "E108"


def test_a_stage_on_a_snapshot_the_table_does_not_have_is_refused(steps: Steps) -> None:
    steps.new(1)
    with pytest.raises(ForgeError) as unknown:
        steps.stage(ROW, SnapshotId(1))
    assert unknown.value.code == "E406"


def test_the_default_branch_is_mains_ref_whatever_it_is_called(steps: Steps) -> None:
    stage = steps.stage()
    steps.store.create(stage)
    snapshot = steps.store.append(stage.catalog, 1)
    pointer = steps.lake.prepare(stage, BranchName("trunk"), is_default=True, expected=None)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer)
    assert steps.refs() == {"main": snapshot}
    other = steps.stage(ROW, snapshot)
    with pytest.raises(ForgeError) as refused:
        steps.lake.prepare(other, MAIN, is_default=False, expected=None)
    assert refused.value.code == "E604"


def test_the_number_of_rows_is_known_without_a_job(steps: Steps) -> None:
    _, first = steps.new(4)
    rows, smallest = Measure(kind="rows"), Measure(kind="false", columns=("id",), arguments=("id > 0",))
    assert steps.lake.measure(ROW, first, [rows, smallest]) == {rows: 4}


def test_a_few_rows_of_any_snapshot_can_be_looked_at(steps: Steps) -> None:
    _, first = steps.new(3)
    stage = steps.stage(ROW, first)
    second = steps.store.append(stage.catalog, 2)
    pointer = steps.prepare(stage, MAIN, first)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer)
    assert steps.lake.rows(ROW, first, ["id"], 10) == ((0,), (1,), (2,))
    assert steps.lake.rows(ROW, first, ["id"], 2) == ((0,), (1,))
    assert len(steps.lake.rows(ROW, second, ["id"], 10) or ()) == 5
    assert steps.lake.rows(ROW, first, [], 2) == ((), ()), "where every column is masked"
    with pytest.raises(ForgeError) as gone:
        steps.lake.rows(ROW, SnapshotId(12345), ["id"], 1)
    assert gone.value.code == "E406"
    with pytest.raises(ForgeError) as missing:
        steps.lake.rows(CatalogName("core", "nothing"), first, ["id"], 1)
    assert missing.value.code == "E108"


def test_rows_have_the_columns_that_their_snapshot_had(steps: Steps) -> None:
    _, first = steps.new(1)
    stage = steps.stage(ROW, first)
    steps.store.widen(stage.catalog, "note")
    pointer = steps.prepare(stage, MAIN, first)
    assert isinstance(pointer, Pointer)
    steps.publish(pointer)
    now = steps.lake.snapshot(ROW)
    assert now is not None
    assert now.schema.names == ("id", "note")
    wide = steps.lake.rows(ROW, now.snapshot_id, ["note", "id"], 10)
    assert wide is not None
    assert len(wide) == 2
    assert all(len(row) == 2 for row in wide)
    assert steps.lake.rows(ROW, first, ["id"], 10) == ((0,),)


def test_a_view_is_written_published_and_written_again(steps: Steps) -> None:
    view, name = TableName("core", "v"), CatalogName("core", "v")
    schema = Schema((Column("id", "bigint"), Column("parts", "array<struct<a:int,b:map<string,decimal(12,2)>>>")))
    first = steps.lake.write_view(view, "SELECT 1", schema, None)
    assert steps.lake.state(name) is None
    assert steps.publish(Pointer(catalog=name, expected=None, location=first, kind="VIEW"))
    state = steps.lake.state(name)
    assert state is not None
    assert (state.kind, state.refs, state.location) == ("VIEW", {}, first)
    assert steps.lake.snapshot(name) is None
    assert steps.lake.tables() == (name,)
    second = steps.lake.write_view(view, "SELECT 2", Schema(schema.columns[:1]), first)
    assert steps.publish(Pointer(catalog=name, expected=first, location=second, kind="VIEW"))
    newer = steps.lake.state(name)
    assert newer is not None
    assert newer.uuid == state.uuid
    assert [steps.lake.read_view(location) for location in (first, second)] == ["SELECT 1", "SELECT 2"]
    assert [steps.lake.view_schema(location) for location in (first, second)] == [schema, Schema(schema.columns[:1])]
    assert steps.lake.schema(name) == Schema(schema.columns[:1])
    assert steps.lake.schema(CatalogName("core", "nothing")) is None


def test_unused_files_are_what_dropped_stages_left(steps: Steps) -> None:
    _, first = steps.new(2)
    later = datetime.now(UTC) + LATER
    steps.lake.delete(steps.lake.orphans(later))
    assert steps.lake.orphans(later) == ()
    stage = steps.stage(ROW, first, run="r-x")
    steps.store.append(stage.catalog, 5)
    left = steps.lake.orphans(later)
    steps.lake.drop_stages(RunId("r-x"))
    orphans = steps.lake.orphans(later)
    assert len(orphans) > len(left)
    assert all(orphan.size > 0 for orphan in orphans)
    assert steps.lake.orphans(datetime.now(UTC) - LATER) == (), "what is young may be in the making"
    assert steps.lake.delete(orphans) == len(orphans)
    assert steps.lake.delete(orphans) == 0
    assert steps.lake.orphans(later) == ()
    assert steps.count(first) == 2
    again = steps.stage(ROW, first)
    assert steps.store.append(again.catalog, 1)


def test_a_view_that_a_commit_remembers_is_not_unused(steps: Steps) -> None:
    view, name = TableName("core", "v"), CatalogName("core", "v")
    schema = Schema((Column("id", "bigint"),))
    first = steps.lake.write_view(view, "SELECT 1", schema, None)
    tree = {
        view: TableVersion(catalog=name, uuid="u", snapshot_id=None, schema_id=0, kind="view", metadata_location=first)
    }
    steps.publish(Pointer(catalog=name, expected=None, location=first, kind="VIEW"), tree=tree)
    second = steps.lake.write_view(view, "SELECT 2", schema, first)
    steps.publish(Pointer(catalog=name, expected=first, location=second, kind="VIEW"))
    third = steps.lake.write_view(view, "SELECT 3", schema, second)
    unused = [orphan.path for orphan in steps.lake.orphans(datetime.now(UTC) + LATER)]
    assert unused == [third]
    assert steps.lake.read_view(first) == "SELECT 1"


def test_a_lake_says_in_one_line_what_a_publish_of_several_tables_is(steps: Steps) -> None:
    assert steps.lake.by_table is None, "one transaction moves all tables"
    assert "\n" not in steps.lake.promise
    assert steps.lake.promise


def test_growth_is_what_happened_from_one_snapshot_to_a_later_one(steps: Steps) -> None:
    _, first = steps.new(2)
    stage = steps.stage(ROW, first)
    second = steps.store.append(stage.catalog, 3)
    pointer = steps.prepare(stage, MAIN, first)
    assert isinstance(pointer, Pointer)
    assert steps.publish(pointer)
    grown = steps.lake.growth(ROW, first, second)
    assert grown is not None
    assert (grown.kind, grown.same_columns, grown.all_the_same) == ("appended", frozenset({"id"}), True)
    same = steps.lake.growth(ROW, second, second)
    assert same is not None
    assert same.kind == "none"
    assert steps.lake.growth(ROW, second, first) is None, "not in one line"
    assert steps.lake.growth(ROW, SnapshotId(1), second) is None
    assert steps.lake.growth(CatalogName("core", "nothing"), first, second) is None


def test_the_metadata_before_the_present_one_is_another_file_where_it_can_be_read(steps: Steps) -> None:
    assert steps.lake.before(CatalogName("core", "nothing")) is None
    _, first = steps.new(2)
    stage = steps.stage(ROW, first)
    steps.store.append(stage.catalog, 1)
    pointer = steps.prepare(stage, MAIN, first)
    assert isinstance(pointer, Pointer)
    assert steps.publish(pointer)
    earlier = steps.lake.before(ROW)
    assert earlier is None or earlier.location != pointer.location


def test_what_was_written_is_on_the_disk_before_a_pointer_moves(steps: Steps) -> None:
    pointer, _ = steps.new(1)
    steps.lake.sync([pointer.location])
    assert steps.lake.tables() == (ROW,)


def test_snapshots_go_by_compare_and_set(steps: Steps) -> None:
    _, first = steps.new(2)
    stage = steps.stage(ROW, first)
    second = steps.store.append(stage.catalog, 3)
    pointer = steps.prepare(stage, MAIN, first)
    assert isinstance(pointer, Pointer)
    assert steps.publish(pointer)
    expiry = steps.lake.expiry
    assert expiry is not None
    (table,) = expiry.tables()
    assert (set(table.parents), dict(table.refs)) == ({first, second}, {"main": second})
    assert expiry.expire(ROW, frozenset({first}), table.location)
    assert not expiry.expire(ROW, frozenset({second}), table.location), "the row has moved"
    (table,) = expiry.tables()
    assert set(table.parents) == {second}
    assert (steps.lake.snapshot(ROW, first), steps.count(second)) == (None, 5)


def test_only_a_table_that_lives_on_a_branch_is_dropped(steps: Steps) -> None:
    steps.new(2, DEV)
    expiry = steps.lake.expiry
    assert expiry is not None
    (hidden,) = expiry.tables()
    assert hidden.is_hidden
    assert not expiry.drop(hidden.catalog, "elsewhere")
    assert expiry.drop(hidden.catalog, hidden.location)
    assert expiry.tables() == ()
    pointer, _ = steps.new(2)
    assert not expiry.drop(ROW, pointer.location), "it has a name of its own"
    assert steps.lake.tables() == (ROW,)


def test_a_lake_that_was_closed_is_closed_again_without_harm(steps: Steps) -> None:
    steps.lake.close()
    steps.lake.close()
