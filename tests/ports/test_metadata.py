"""What every metadata store does."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from store_records import (
    BOB,
    CUSTOMERS,
    DEV,
    MAIN,
    NOW,
    ORDERS,
    commit_of,
    note,
    pointer,
    publish,
    quiet,
    run_record,
)

from forge.flows.ports import Metadata
from forge.flows.runs.records import (
    AssetRecord,
    LoadedFile,
    OutputRecord,
    OutputStatus,
    Pointer,
    PointerConflict,
    ProfileRecord,
    Publication,
    PublishedCommit,
    RunStatus,
    TableLineage,
)
from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, ColumnName, CommitId, RunId, SnapshotId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.branch import Branch
from forge.versioning.commit import TableVersion, Tree


def test_branches_are_listed_by_name_and_found(metadata: Metadata) -> None:
    dev = Branch(
        name=DEV,
        head=CommitId("c1"),
        created_at=NOW,
        created_by="Bob",
        updated_at=NOW + timedelta(days=1),
        parent=MAIN,
        fork_commit=CommitId("c0"),
        description="try",
        status="active",
        is_default=False,
    )
    metadata.create_branch(dev, note("branch.create"))
    assert [branch.name for branch in metadata.branches()] == ["dev", "main"]
    assert metadata.branch(DEV) == dev
    assert metadata.branch(BranchName("nope")) is None
    metadata.delete_branch(DEV, note("branch.delete"))
    assert metadata.branch(DEV) is None
    assert [record.action for record in metadata.audit()] == ["branch.delete", "branch.create", "branch.create"]


def test_a_branch_exists_once_and_only_what_exists_is_deleted(metadata: Metadata) -> None:
    with pytest.raises(ForgeError) as twice:
        metadata.create_branch(
            Branch(name=MAIN, head=None, created_at=NOW, created_by="Ada", updated_at=NOW), note("branch.create")
        )
    assert twice.value.code == "E603"
    assert "delete" not in (twice.value.fix or ""), "the default branch stays"
    dev = Branch(name=DEV, head=None, created_at=NOW, created_by="Ada", updated_at=NOW)
    metadata.create_branch(dev, note("branch.create"))
    with pytest.raises(ForgeError, match="exists already") as again:
        metadata.create_branch(dev, note("branch.create"))
    assert "forge branch delete dev" in (again.value.fix or "")
    metadata.delete_branch(DEV, note("branch.delete"))
    with pytest.raises(ForgeError) as missing:
        metadata.delete_branch(BranchName("mainn"), note("branch.delete"))
    assert missing.value.code == "E602"
    assert missing.value.why == "Did you mean main?"
    assert len(metadata.audit()) == 3


def test_a_run_has_its_time_range_from_start_to_end(metadata: Metadata) -> None:
    run = run_record("r-1", start=NOW - timedelta(days=1), end=NOW)
    metadata.start_run(run)
    assert metadata.run(run.id) == run
    ended = replace(run, status=RunStatus.FAILED, finished_at=NOW)
    metadata.finish_run(ended, (), ())
    assert metadata.runs() == (ended,)


def test_a_publish_writes_everything_and_gives_it_back(metadata: Metadata) -> None:
    version = TableVersion(
        catalog=CatalogName("core", "orders"),
        uuid="u-1",
        snapshot_id=SnapshotId(7_000_000_000_000_000_001),
        schema_id=3,
        number=2,
        kind="table",
        metadata_location=None,
        run_id="r-1",
        fingerprint="f",
    )
    view = TableVersion(
        catalog=CatalogName("core", "v"),
        uuid="u-2",
        snapshot_id=None,
        schema_id=0,
        number=1,
        kind="view",
        metadata_location="/w/v.metadata.json",
    )
    tree: Tree = {ORDERS: version, TableName("core", "v"): view}
    commit = commit_of(tree=tree, run_id="r-1", tables=(ORDERS, CUSTOMERS))
    output = OutputRecord(
        table=ORDERS,
        status=OutputStatus.PUBLISHED,
        reason="because",
        kind="append",
        rows=10,
        rows_added=5,
        snapshot_id=SnapshotId(7),
        fingerprint="f",
        spark_jobs=2,
        seconds=1.5,
        inputs={"core.customers": SnapshotId(9)},
    )
    run = run_record(
        "r-1",
        status=RunStatus.SUCCEEDED,
        outputs=(output,),
        selection=("core.orders", "+x"),
        params={"day": date(2026, 11, 15), "n": 3},
        finished_at=NOW + timedelta(seconds=9),
        commit_id=commit.id,
        step="publish",
        start=NOW - timedelta(days=1),
        end=NOW,
    )
    verdict = Verdict(
        check_id="k",
        check_type="range",
        table="core.orders",
        columns=("amount",),
        outcome=Outcome.PASSED,
        severity=Severity.CRITICAL,
        message="fine",
        blocks=False,
        details={"max": 3.5},
    )
    lineage = TableLineage(
        ORDERS,
        (
            Edge(
                source=ColumnName("raw.o", "a"),
                target=ColumnName("core.orders", "b"),
                transformation=Transformation.AGGREGATION,
                expression="sum(a)",
                masking=True,
                confidence=0.5,
            ),
        ),
        (IndirectEdge(ColumnName("raw.o", "c"), "core.orders", IndirectType.FILTER),),
        (TableEdge("raw.o", "core.orders"),),
    )
    asset = AssetRecord(
        table=ORDERS,
        kind="table",
        description="Orders",
        owner=None,
        tags=("gold",),
        columns=({"name": "a", "type": "int"},),
        updated_at=NOW,
        row_count=10,
        size_bytes=99,
    )
    profile = ProfileRecord(ORDERS, SnapshotId(7), {"rows": 10})
    file = LoadedFile("data/a.csv", 10, 1_700_000_000_000_000_000)
    done = publish(
        metadata,
        commit,
        (pointer("orders", None, "m1"),),
        tree=tree,
        run=run,
        verdicts=(verdict,),
        lineage=(lineage,),
        assets=(asset,),
        profiles=(profile,),
        loaded={ORDERS: (file,)},
        audit=(note("run.publish", tables=1),),
    )

    assert done == PublishedCommit(commit.id)
    assert metadata.commit(commit.id) == commit
    assert metadata.tree(commit.id) == tree
    head = metadata.branch(MAIN)
    assert head is not None
    assert (head.head, head.updated_at) == (commit.id, commit.time)
    assert metadata.run(RunId("r-1")) == replace(run, params={"day": "2026-11-15", "n": 3})
    assert metadata.verdicts() == ((RunId("r-1"), verdict),)
    assert metadata.lineage([RunId("r-1"), RunId("none")]) == ((RunId("r-1"), lineage),)
    assert metadata.assets() == metadata.recorded_assets() == (asset,)
    assert metadata.profile(ORDERS, SnapshotId(7)) == profile
    assert metadata.profile(ORDERS, SnapshotId(8)) is None
    assert metadata.loaded_files(ORDERS, commit.id) == {file}
    assert metadata.loaded_files(CUSTOMERS, commit.id) == frozenset()
    assert metadata.audit(limit=1) == (note("run.publish", tables=1),)


def test_one_moved_pointer_stops_the_whole_publish_and_all_that_moved_are_named(metadata: Metadata) -> None:
    first = commit_of()
    publish(metadata, first, tuple(pointer(name, None, f"{name}-1") for name in ("a", "b", "c")))
    audits = len(metadata.audit())
    second = commit_of(first.id, minute=1)
    moved = publish(
        metadata,
        second,
        (pointer("a", "a-1", "a-2"), pointer("b", "b-0", "b-2"), pointer("c", None, "c-2"), pointer("d", "d-0", "d-1")),
        audit=(note("run.publish"),),
    )
    assert moved == PointerConflict(
        (CatalogName("core", "b"), CatalogName("core", "c"), CatalogName("core", "d")), False
    )
    assert metadata.commit(second.id) is None
    assert metadata.run(RunId(f"r-{second.id[:8]}")) is None
    assert len(metadata.audit()) == audits
    assert publish(metadata, second, (pointer("a", "a-1", "a-2"),)) == PublishedCommit(second.id)


def test_the_staged_row_goes_with_the_publish_and_one_that_readers_see_never_does(metadata: Metadata) -> None:
    staged, seen = CatalogName("forge_staging", "r1__a"), CatalogName("core", "seen")
    first = commit_of()
    publish(
        metadata,
        first,
        (Pointer(catalog=staged, expected=None, location="s-1"), Pointer(catalog=seen, expected=None, location="m-1")),
    )
    second = commit_of(first.id, minute=1)
    publish(metadata, second, (replace(pointer("a", None, "a-1"), staged=staged), pointer("b", None, "b-1")))
    third = commit_of(second.id, minute=2)
    publish(metadata, third, (replace(pointer("c", None, "c-1"), staged=seen),))
    moves = (
        Pointer(catalog=staged, expected="s-1", location="s-2"),
        Pointer(catalog=seen, expected="m-1", location="m-2"),
    )
    assert publish(metadata, commit_of(third.id, minute=3), moves) == PointerConflict((staged,), False)


def test_a_moved_or_missing_branch_stops_the_publish(metadata: Metadata) -> None:
    first = commit_of()
    publish(metadata, first)
    late = commit_of(minute=1)
    assert publish(metadata, late, (pointer("a", None, "a-1"),), expected_head=None) == PointerConflict((), True)
    assert publish(metadata, late, branch=BranchName("gone"), expected_head=None) == PointerConflict((), True)
    assert publish(metadata, late, (pointer("a", "a-0", "a-1"),), expected_head=None) == PointerConflict(
        (CatalogName("core", "a"),), True
    )
    assert metadata.commit(late.id) is None
    assert publish(metadata, commit_of(first.id, minute=2), (pointer("a", None, "a-1"),)) != PointerConflict((), True)


@pytest.mark.parametrize("step", ["publish.pointers", "publish.records"])
def test_what_is_raised_at_a_step_of_the_publish_leaves_nothing(metadata: Metadata, step: str) -> None:
    commit = commit_of()
    seen = []

    def fault_point(reached: str) -> None:
        seen.append(reached)
        if reached == step:
            raise KeyboardInterrupt

    publication = Publication(
        pointers=(pointer("a", None, "a-1"),),
        branch=MAIN,
        expected_head=None,
        commit=commit,
        tree={},
        run=run_record("r-1"),
        audit=(note("run.publish"),),
    )
    with pytest.raises(KeyboardInterrupt):
        metadata.publish(publication, fault_point)
    assert seen[-1] == step
    assert metadata.commit(commit.id) is None
    assert metadata.run(RunId("r-1")) is None
    assert len(metadata.audit()) == 1
    assert metadata.publish(publication, quiet) == PublishedCommit(commit.id)


def test_a_hundred_tables_are_published_at_once(metadata: Metadata) -> None:
    names = [f"t{number:03}" for number in range(100)]
    first = commit_of()
    assert publish(metadata, first, tuple(pointer(name, None, f"{name}-1") for name in names)) == PublishedCommit(
        first.id
    )
    second = commit_of(first.id, minute=1)
    again = tuple(pointer(name, f"{name}-1", f"{name}-2") for name in names)
    assert publish(metadata, second, again) == PublishedCommit(second.id)
    third = commit_of(second.id, minute=2)
    assert publish(metadata, third, again) == PointerConflict(tuple(CatalogName("core", name) for name in names), False)


def test_the_log_is_newest_first_and_never_shows_a_parent_before_its_child(metadata: Metadata) -> None:
    root = commit_of(message="root")
    left = commit_of(root.id, minute=10, message="left", author=BOB)
    right = commit_of(root.id, minute=5, message="right", tables=(CUSTOMERS,))
    early = commit_of(left.id, right.id, minute=-60, message="a clock that went back")
    top = commit_of(early.id, minute=20, message="top", tables=())
    for commit in (root, left):
        assert isinstance(publish(metadata, commit), PublishedCommit)
    metadata.create_branch(
        Branch(name=DEV, head=root.id, created_at=NOW, created_by="Ada", updated_at=NOW), note("branch.create")
    )
    publish(metadata, right, branch=DEV)
    for commit in (early, top):
        assert isinstance(publish(metadata, commit), PublishedCommit)

    def log(**filters: Any) -> list[str]:
        return [commit.message for commit in metadata.log(top.id, **filters)]

    assert metadata.log(top.id) == (top, early, left, right, root)
    assert metadata.log(right.id) == (right, root)
    assert log(limit=2) == ["top", "a clock that went back"]
    assert log(table=CUSTOMERS) == ["right"]
    assert log(table=ORDERS, limit=2) == ["a clock that went back", "left"]
    assert log(since=left.time) == ["top", "left"]
    assert log(until=root.time) == ["a clock that went back", "root"]
    assert log(author="example.ORG") == ["left"]
    assert log(author="%") == []
    with pytest.raises(ForgeError) as unknown:
        metadata.log(CommitId("0" * 64))
    assert unknown.value.code == "E601"


def test_the_ancestry_of_several_heads_is_given_with_parents_in_their_order(metadata: Metadata) -> None:
    root = commit_of(message="root")
    left, right = commit_of(root.id, minute=1), commit_of(root.id, minute=2, tables=(CUSTOMERS,))
    merge = commit_of(right.id, left.id, minute=3, tables=())
    for commit in (root, left):
        publish(metadata, commit)
    metadata.create_branch(
        Branch(name=DEV, head=root.id, created_at=NOW, created_by="Ada", updated_at=NOW), note("branch.create")
    )
    for commit in (right, merge):
        publish(metadata, commit, branch=DEV)
    whole = {root.id: (), left.id: (root.id,), right.id: (root.id,), merge.id: (right.id, left.id)}
    assert metadata.ancestry([merge.id, left.id, merge.id]) == whole
    assert metadata.ancestry([left.id]) == {root.id: (), left.id: (root.id,)}
    assert metadata.ancestry([]) == {}
    assert metadata.ancestry([CommitId("0" * 64)]) == {}
    assert metadata.touching(ORDERS) == {root.id, left.id}
    assert metadata.touching(CUSTOMERS) == {right.id}
    assert metadata.touching(TableName("core", "nothing")) == frozenset()


def test_commits_are_found_by_the_start_of_their_id(metadata: Metadata) -> None:
    first, second = commit_of(), commit_of(minute=1)
    publish(metadata, first)
    publish(metadata, second)
    assert metadata.find_commits(first.id[:12]) == (first.id,)
    assert metadata.find_commits(first.id[:12].upper()) == (first.id,)
    assert metadata.find_commits("") == tuple(sorted((first.id, second.id)))
    assert metadata.find_commits("%") == ()
    assert metadata.find_commits("_") == ()


def test_the_tree_of_no_commit_is_empty_and_that_of_an_unknown_one_an_error(metadata: Metadata) -> None:
    assert metadata.tree(None) == {}
    with pytest.raises(ForgeError) as unknown:
        metadata.tree(CommitId("0" * 64))
    assert unknown.value.code == "E601"


def test_a_run_is_started_moves_on_and_ends_without_a_publish(metadata: Metadata) -> None:
    run = run_record("r-1", params={"a": [1, "x", None]})
    metadata.start_run(run)
    metadata.enter_step(RunId("r-1"), "stage")
    assert metadata.run(RunId("r-1")) == replace(run, step="stage")
    blocked = OutputRecord(
        table=ORDERS, status=OutputStatus.BLOCKED, reason="amount", error={"code": "FORGE-E702", "why": None}
    )
    skipped = OutputRecord(table=CUSTOMERS, status=OutputStatus.SKIPPED)
    done = replace(
        run, status=RunStatus.BLOCKED, finished_at=NOW, outputs=(blocked, skipped), step="check", error={"code": "E702"}
    )
    verdict = Verdict(
        check_id="k",
        check_type="range",
        table="core.orders",
        columns=(),
        outcome=Outcome.FAILED,
        severity=Severity.ERROR,
        message="bad",
        blocks=True,
    )
    metadata.finish_run(done, [verdict], [note("run.blocked")])
    assert metadata.run(RunId("r-1")) == done
    assert metadata.verdicts(run_id=RunId("r-1")) == ((RunId("r-1"), verdict),)
    assert metadata.audit(limit=1)[0].action == "run.blocked"
    assert metadata.run(RunId("r-2")) is None


def test_runs_and_verdicts_come_newest_first_and_filtered(metadata: Metadata) -> None:
    def verdict(table: TableName, check: str) -> Verdict:
        return Verdict(
            check_id=check,
            check_type="range",
            table=str(table),
            columns=(),
            outcome=Outcome.PASSED,
            severity=Severity.ERROR,
            message="",
            blocks=False,
        )

    for number, status in enumerate((RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.SUCCEEDED)):
        run = run_record(f"r-{number}", minute=number, status=status, branch=DEV if number == 2 else MAIN)
        metadata.finish_run(run, [verdict(ORDERS, "k1"), verdict(CUSTOMERS, "k2")], [])
    assert [run.id for run in metadata.runs()] == ["r-2", "r-1", "r-0"]
    assert [run.id for run in metadata.runs(limit=1)] == ["r-2"]
    assert [run.id for run in metadata.runs(branch=MAIN)] == ["r-1", "r-0"]
    assert [run.id for run in metadata.runs(status="succeeded")] == ["r-2", "r-0"]
    found = metadata.verdicts(table=ORDERS)
    assert [(run, v.check_id) for run, v in found] == [("r-2", "k1"), ("r-1", "k1"), ("r-0", "k1")]
    assert [(run, v.check_id) for run, v in metadata.verdicts(limit=3)] == [("r-2", "k1"), ("r-2", "k2"), ("r-1", "k1")]


def test_loaded_files_are_those_of_the_commits_behind_head(metadata: Metadata) -> None:
    def file(name: str) -> LoadedFile:
        return LoadedFile(name, 1, 2)

    first = commit_of()
    publish(metadata, first, loaded={ORDERS: (file("a"),)})
    metadata.create_branch(
        Branch(name=DEV, head=first.id, created_at=NOW, created_by="Ada", updated_at=NOW), note("branch.create")
    )
    second, other = commit_of(first.id, minute=1), commit_of(first.id, minute=2)
    publish(metadata, second, loaded={ORDERS: (file("b"),)})
    publish(metadata, other, branch=DEV, loaded={ORDERS: (file("c"),), CUSTOMERS: (file("d"),)})
    assert metadata.loaded_files(ORDERS, None) == frozenset()
    assert metadata.loaded_files(ORDERS, first.id) == {file("a")}
    assert metadata.loaded_files(ORDERS, second.id) == {file("a"), file("b")}
    assert metadata.loaded_files(ORDERS, other.id) == {file("a"), file("c")}


def test_an_asset_is_what_the_last_publish_says(metadata: Metadata) -> None:
    asset = AssetRecord(
        table=ORDERS, kind="table", description="old", owner="a@example.com", tags=(), columns=(), updated_at=NOW
    )
    newer = replace(asset, description="new", owner=None, row_count=3)
    other = AssetRecord(
        table=CUSTOMERS, kind="table", description="", owner=None, tags=("x", "y"), columns=(), updated_at=NOW
    )
    first = commit_of()
    publish(metadata, first, assets=(asset,))
    publish(metadata, commit_of(first.id, minute=1), assets=(newer, other))
    assert metadata.assets() == (other, newer)


def test_times_come_back_in_utc_whatever_zone_they_had(metadata: Metadata) -> None:
    from datetime import timezone

    east = NOW.astimezone(timezone(timedelta(hours=5, minutes=30)))
    metadata.start_run(run_record("r-1", started_at=east))
    found = metadata.run(RunId("r-1"))
    assert found is not None
    assert found.started_at == NOW


def test_a_change_that_is_written_elsewhere_is_noted(metadata: Metadata) -> None:
    before = metadata.mark()
    metadata.note(note("lineage.declare", reason="seen"))
    assert metadata.mark() != before
    assert metadata.audit(limit=1) == (note("lineage.declare", reason="seen"),)
