"""What every metadata store keeps of branches, tags, moved tables and hashes, and how a branch advances."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from store_records import (
    ADA,
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
    Blob,
    BranchAdvance,
    HashRecords,
    Pointer,
    PointerConflict,
    PreviousRow,
    PublishedCommit,
    RunStatus,
)
from forge.flows.versioning.merge.record import MergeRecord
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, CommitId, RunId, SnapshotId
from forge.versioning.branch import Branch
from forge.versioning.commit import Commit, Signature, TableStatistics, TableVersion, Tree, make_commit
from forge.versioning.merge import MergeStatus, Strategy
from forge.versioning.tag import Tag

SIGNED = Signature("ed25519", "ab" * 64, "0123456789abcdef")
NOWHERE = CommitId("0" * 64)
HIDDEN, NAMED = CatalogName("forge_branches", "core__orders__1"), CatalogName("core", "orders")


def branch_of(metadata: Metadata, name: BranchName = MAIN) -> Branch:
    found = metadata.branch(name)
    assert found is not None
    return found


def make_branch(metadata: Metadata, head: CommitId | None = None, **changes: Any) -> Branch:
    branch = replace(
        Branch(name=DEV, head=head, created_at=NOW, created_by="Ada", updated_at=NOW, parent=MAIN), **changes
    )
    metadata.create_branch(branch, note("branch.create"))
    return branch


def line_of(metadata: Metadata, number: int) -> list[Commit]:
    """So many commits, one after the other, on main."""
    line: list[Commit] = []
    for minute in range(number):
        line.append(commit_of(*(commit.id for commit in line[-1:]), minute=minute))
        assert publish(metadata, line[-1]) == PublishedCommit(line[-1].id)
    return line


def test_everything_of_a_branch_but_its_head_can_be_changed(metadata: Metadata) -> None:
    plain = make_branch(metadata, NOWHERE)
    assert (plain.is_protected, plain.require_approval, plain.allowed_mergers) == (False, None, ())
    assert metadata.branch(DEV) == plain
    changed = replace(
        plain,
        head=CommitId("1" * 64),
        updated_at=NOW + timedelta(days=1),
        description="release",
        status="archived",
        is_protected=True,
        require_approval=False,
        allowed_mergers=("u1", "u2"),
    )
    metadata.update_branch(changed, note("branch.update"))
    assert metadata.branch(DEV) == replace(changed, head=NOWHERE)
    metadata.update_branch(replace(changed, require_approval=True, allowed_mergers=()), note("branch.update"))
    assert branch_of(metadata, DEV).require_approval is True
    assert metadata.audit(limit=1) == (note("branch.update"),)
    with pytest.raises(ForgeError) as unknown:
        metadata.update_branch(replace(changed, name=BranchName("deev")), note("branch.update"))
    assert unknown.value.code == "E602"
    assert unknown.value.why == "Did you mean dev?"


def test_tags_are_listed_by_name_moved_only_on_request_and_deleted(metadata: Metadata) -> None:
    second = Tag(name="v2", target=CommitId("2" * 64), tagger=ADA, time=NOW, message="the second", signature=SIGNED)
    first = Tag(name="v1", target=CommitId("1" * 64), tagger=BOB, time=NOW)
    for tag in (second, first):
        metadata.put_tag(tag, note("tag.create"), replace=False)
    assert metadata.tags() == (first, second)
    assert metadata.tag("v2") == second
    assert metadata.tag("v3") is None
    moved = replace(first, target=second.target, message="moved")
    with pytest.raises(ForgeError) as taken:
        metadata.put_tag(moved, note("tag.create"), replace=False)
    assert taken.value.code == "E615"
    assert metadata.tag("v1") == first
    metadata.put_tag(moved, note("tag.move"), replace=True)
    assert metadata.tag("v1") == moved
    metadata.delete_tag("v1", note("tag.delete"))
    assert metadata.tags() == (second,)
    with pytest.raises(ForgeError) as unknown:
        metadata.delete_tag("v1", note("tag.delete"))
    assert unknown.value.code == "E614"
    actions = [record.action for record in metadata.audit()]
    assert actions == ["tag.delete", "tag.move", "tag.create", "tag.create", "branch.create"]


def test_a_commit_keeps_its_signature_and_how_many_rows_it_modified(metadata: Metadata) -> None:
    counted = {
        ORDERS: TableStatistics(
            rows_added=1, rows_deleted=2, bytes_added=3, bytes_deleted=4, record_count=5, total_size=6, rows_modified=7
        ),
        CUSTOMERS: TableStatistics(),
    }
    made = make_commit(
        tree={}, parents=(), author=ADA, message="m", time=NOW, branch=MAIN, statistics=counted, metadata={}
    )
    commit = replace(made, signature=SIGNED)
    publish(metadata, commit, run=run_record("r-1", kind="merge"))
    assert metadata.commit(commit.id) == commit
    assert metadata.log(commit.id) == (commit,)
    run = metadata.run(RunId("r-1"))
    assert run is not None
    assert run.kind == "merge"


def test_a_tree_keeps_the_digests_of_its_tables_and_says_nothing_where_there_is_none(metadata: Metadata) -> None:
    tree: Tree = {
        ORDERS: TableVersion(catalog=NAMED, uuid="u-1", snapshot_id=SnapshotId(1), schema_id=0, digest="d" * 64),
        CUSTOMERS: TableVersion(
            catalog=CatalogName("core", "customers"), uuid="u-2", snapshot_id=SnapshotId(2), schema_id=0
        ),
    }
    commit = commit_of(tree=tree)
    publish(metadata, commit, tree=tree)
    assert metadata.tree(commit.id) == tree
    assert metadata.recorded_tree(commit.id) == tree
    with pytest.raises(ForgeError) as unknown:
        metadata.recorded_tree(NOWHERE)
    assert unknown.value.code == "E601"


# tables that get another name


def home(uuid: str = "u-1", catalog: CatalogName = HIDDEN, location: str = "m1") -> PreviousRow:
    return PreviousRow(uuid, catalog, location)


def hidden_table(metadata: Metadata) -> tuple[Commit, Tree]:
    """A table that was made on dev: its row has a hidden name."""
    tree: Tree = {
        ORDERS: TableVersion(catalog=HIDDEN, uuid="u-1", snapshot_id=SnapshotId(1), schema_id=0),
        CUSTOMERS: TableVersion(
            catalog=CatalogName("core", "customers"), uuid="u-2", snapshot_id=SnapshotId(2), schema_id=0
        ),
    }
    commit = commit_of(tree=tree)
    make_branch(metadata)
    assert publish(
        metadata, commit, (Pointer(catalog=HIDDEN, expected=None, location="m1"),), DEV, tree=tree
    ) == PublishedCommit(commit.id)
    return commit, tree


def test_a_table_that_gets_its_name_is_found_there_by_all_commits(metadata: Metadata) -> None:
    commit, tree = hidden_table(metadata)
    assert metadata.tree(commit.id) == tree, "read before, so that what is kept in the process is proven too"
    named = Pointer(catalog=NAMED, expected=None, location="m2", home=home())
    assert metadata.advance(
        BranchAdvance(pointers=(named,), branch=MAIN, expected_head=None, head=commit.id), quiet
    ) == PublishedCommit(commit.id)
    assert metadata.tree(commit.id) == {**tree, ORDERS: replace(tree[ORDERS], catalog=NAMED)}
    assert metadata.recorded_tree(commit.id) == tree
    second = commit_of(commit.id, minute=1)
    pointers = (
        Pointer(catalog=HIDDEN, expected="m1", location="m3"),
        Pointer(catalog=NAMED, expected="m2", location="m3"),
    )
    assert publish(metadata, second, pointers) == PointerConflict((HIDDEN,), False), "the old row is gone"
    back = Pointer(catalog=HIDDEN, expected=None, location="m3", home=home(catalog=NAMED, location="m2"))
    assert publish(metadata, second, (back,)) == PublishedCommit(second.id)
    assert metadata.tree(commit.id) == tree


def test_a_table_that_left_its_home_in_the_meantime_stops_everything(metadata: Metadata) -> None:
    commit, tree = hidden_table(metadata)
    late = Pointer(catalog=NAMED, expected=None, location="m2", home=home(location="m0"))
    assert metadata.advance(
        BranchAdvance(pointers=(late,), branch=MAIN, expected_head=None, head=commit.id), quiet
    ) == PointerConflict((HIDDEN,), False)
    assert branch_of(metadata).head is None
    assert metadata.tree(commit.id) == tree
    taken = (Pointer(catalog=NAMED, expected=None, location="mine"),)
    other = commit_of(minute=5)
    publish(metadata, other, taken)
    wanted = Pointer(catalog=NAMED, expected=None, location="m2", home=home())
    third = commit_of(other.id, minute=6)
    assert publish(metadata, third, (wanted,)) == PointerConflict((NAMED,), False)
    both = replace(wanted, home=home(location="m0"))
    assert publish(metadata, third, (both,)) == PointerConflict((NAMED, HIDDEN), False)


def test_one_table_may_take_the_name_that_another_leaves(metadata: Metadata) -> None:
    commit, tree = hidden_table(metadata)
    first = commit_of(minute=1)
    publish(metadata, first, (Pointer(catalog=NAMED, expected=None, location="old"),))
    second = commit_of(first.id, minute=2)
    aside = CatalogName("forge_branches", "core__orders__0")
    swap = (
        Pointer(catalog=NAMED, expected=None, location="m2", home=home()),
        Pointer(catalog=aside, expected=None, location="old-2", home=home("u-0", NAMED, "old")),
    )
    assert publish(metadata, second, swap) == PublishedCommit(second.id)
    assert metadata.tree(commit.id) == {**tree, ORDERS: replace(tree[ORDERS], catalog=NAMED)}
    third = commit_of(second.id, minute=3)
    again = (
        Pointer(catalog=NAMED, expected="m2", location="m4"),
        Pointer(catalog=aside, expected="old-2", location="old-3"),
    )
    assert publish(metadata, third, again) == PublishedCommit(third.id)


# advance


def merge_of(head: CommitId) -> MergeRecord:
    return MergeRecord(
        id="m-1",
        kind="merge",
        source="dev",
        target=MAIN,
        source_commit=head,
        target_commit=head,
        base_commit=None,
        strategy=Strategy.FF,
        status=MergeStatus.MERGED,
        message="m",
        author=ADA,
        created_at=NOW,
        updated_at=NOW,
        commit_id=head,
    )


def test_a_branch_advances_to_a_commit_with_all_that_goes_with_it(metadata: Metadata) -> None:
    first, second = line_of(metadata, 2)
    make_branch(metadata, first.id, status="merged")
    asset = AssetRecord(
        table=ORDERS, kind="table", description="Orders", owner=None, tags=(), columns=(), updated_at=NOW
    )
    run = run_record("r-ff", status=RunStatus.SUCCEEDED, kind="merge", branch=DEV)
    change = BranchAdvance(
        pointers=(pointer("orders", None, "m1"),),
        branch=DEV,
        expected_head=first.id,
        head=second.id,
        run=run,
        merge=merge_of(second.id),
        assets=(asset,),
        statuses={MAIN: "merged", BranchName("gone"): "merged"},
        audit=(replace(note("merge.end"), time=NOW + timedelta(hours=1)),),
    )
    seen: list[str] = []
    assert metadata.advance(change, seen.append) == PublishedCommit(second.id)
    assert seen == ["publish.pointers", "publish.records"]
    dev = branch_of(metadata, DEV)
    assert (dev.head, dev.updated_at, dev.status) == (second.id, NOW + timedelta(hours=1), "active")
    assert metadata.run(run.id) == run
    assert metadata.merge("m-1") == merge_of(second.id)
    assert metadata.assets() == (asset,)
    assert branch_of(metadata).status == "merged"
    assert branch_of(metadata).head == second.id
    assert metadata.audit(limit=1) == change.audit
    third = commit_of(second.id, minute=3)
    assert publish(metadata, third, (pointer("orders", "m1", "m2"),)) == PublishedCommit(third.id)
    assert branch_of(metadata).status == "active", "what was merged has news again"


def test_a_branch_may_advance_without_pointers_and_records_and_back_again(metadata: Metadata) -> None:
    first, second = line_of(metadata, 2)
    assert metadata.advance(
        BranchAdvance(pointers=(), branch=MAIN, expected_head=second.id, head=first.id), quiet
    ) == PublishedCommit(first.id)
    assert branch_of(metadata).head == first.id
    make_branch(metadata)
    assert metadata.advance(
        BranchAdvance(pointers=(), branch=DEV, expected_head=None, head=second.id), quiet
    ) == PublishedCommit(second.id)
    assert branch_of(metadata, DEV).head == second.id


def test_an_advance_of_what_moved_writes_nothing(metadata: Metadata) -> None:
    first, second = line_of(metadata, 2)
    make_branch(metadata, first.id, status="merged")
    audits = len(metadata.audit())
    parts: dict[str, Any] = {"merge": merge_of(second.id), "statuses": {DEV: "archived"}, "audit": (note("x"),)}
    wrong = (pointer("b", "b-0", "b-1"), pointer("a", "a-0", "a-1"), pointer("c", None, "c-1"))
    names = CatalogName("core", "a"), CatalogName("core", "b")
    for change, expected in (
        (
            BranchAdvance(pointers=(), branch=MAIN, expected_head=first.id, head=second.id, **parts),
            PointerConflict((), True),
        ),
        (
            BranchAdvance(pointers=(), branch=BranchName("gone"), expected_head=None, head=second.id, **parts),
            PointerConflict((), True),
        ),
        (
            BranchAdvance(pointers=wrong, branch=MAIN, expected_head=second.id, head=first.id, **parts),
            PointerConflict(names, False),
        ),
        (
            BranchAdvance(pointers=wrong, branch=MAIN, expected_head=None, head=first.id, **parts),
            PointerConflict(names, True),
        ),
    ):
        assert metadata.advance(change, quiet) == expected
    assert branch_of(metadata).head == second.id
    assert branch_of(metadata, DEV).status == "merged"
    assert metadata.merge("m-1") is None
    assert len(metadata.audit()) == audits


def test_a_branch_advances_only_to_a_commit_that_exists(metadata: Metadata) -> None:
    (first,) = line_of(metadata, 1)
    with pytest.raises(ForgeError) as unknown:
        metadata.advance(
            BranchAdvance(pointers=(pointer("a", None, "a-1"),), branch=MAIN, expected_head=first.id, head=NOWHERE),
            quiet,
        )
    assert unknown.value.code == "E601"
    assert branch_of(metadata).head == first.id
    assert metadata.advance(
        BranchAdvance(pointers=(pointer("a", None, "a-1"),), branch=MAIN, expected_head=first.id, head=first.id), quiet
    ) == PublishedCommit(first.id)


@pytest.mark.parametrize("step", ["publish.pointers", "publish.records"])
def test_what_is_raised_at_a_step_of_an_advance_leaves_nothing(metadata: Metadata, step: str) -> None:
    commit, tree = hidden_table(metadata)
    named = Pointer(catalog=NAMED, expected=None, location="m2", home=home())
    change = BranchAdvance(
        pointers=(named,),
        branch=MAIN,
        expected_head=None,
        head=commit.id,
        run=run_record("r-1"),
        merge=merge_of(commit.id),
        assets=(),
        statuses={DEV: "merged"},
        audit=(note("x"),),
    )
    audits = len(metadata.audit())

    def fault_point(reached: str) -> None:
        if reached == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        metadata.advance(change, fault_point)
    assert branch_of(metadata).head is None
    assert branch_of(metadata, DEV).status == "active"
    assert metadata.tree(commit.id) == tree
    assert metadata.run(RunId("r-1")) is None
    assert metadata.merge("m-1") is None
    assert len(metadata.audit()) == audits
    assert metadata.advance(change, quiet) == PublishedCommit(commit.id)
    assert branch_of(metadata, DEV).status == "merged"


# publications that carry more than one commit, a merge, hashes


def test_commits_that_come_before_are_published_with_their_trees(metadata: Metadata) -> None:
    (root,) = line_of(metadata, 1)
    make_branch(metadata, root.id)
    trees: list[Tree] = [
        {ORDERS: TableVersion(catalog=NAMED, uuid="u-1", snapshot_id=SnapshotId(number), schema_id=0)}
        for number in range(3)
    ]
    one = commit_of(root.id, minute=1, tree=trees[0])
    two = commit_of(one.id, minute=2, tree=trees[1])
    top = commit_of(two.id, minute=3, tree=trees[2])
    done = publish(
        metadata,
        top,
        tree=trees[2],
        before=((root, {}), (one, trees[0]), (two, trees[1])),  # the first came out as it is known already
        merge=merge_of(top.id),
        statuses={DEV: "merged"},
    )
    assert done == PublishedCommit(top.id)
    assert metadata.log(top.id) == (top, two, one, root)
    assert [metadata.tree(commit.id) for commit in (one, two, top)] == trees
    assert metadata.merge("m-1") == merge_of(top.id)
    assert branch_of(metadata, DEV).status == "merged"
    late = commit_of(root.id, minute=9)
    stray = commit_of(root.id, minute=8)
    assert publish(metadata, late, expected_head=root.id, before=((stray, {}),)) == PointerConflict((), True)
    assert metadata.commit(stray.id) is None


def test_a_merge_that_is_published_keeps_its_conflicts(metadata: Metadata) -> None:
    from forge.versioning.conflict import Conflict, ConflictKind

    conflict = Conflict(
        kind=ConflictKind.ADD_ADD, key={"id": 1}, column="a", base=None, ours=1, theirs=2, table="core.orders"
    )
    commit = commit_of()
    opened = replace(merge_of(commit.id), status=MergeStatus.CONFLICTED, commit_id=None)
    metadata.put_merge(opened, [conflict], note("merge.start"))
    publish(metadata, commit, merge=merge_of(commit.id))
    assert metadata.merge("m-1") == merge_of(commit.id)
    assert metadata.conflicts("m-1") == (conflict,)


def test_hashes_are_kept_once_with_a_publication_or_later(metadata: Metadata) -> None:
    blob, other = Blob("/w/a.parquet", "a" * 64, 2**40, "data"), Blob("/w/m.avro", "b" * 64, 5, "manifest list")
    body = {"files": [["/w/a.parquet", "a" * 64]], "schema": {"fields": []}}
    publish(metadata, commit_of(), hashes=HashRecords((blob,), {"t1": body}))
    before = metadata.mark()
    again = replace(blob, digest="c" * 64)
    metadata.add_hashes(HashRecords((other, again), {"t1": {"other": 1}, "t2": {}}))
    assert metadata.mark() != before
    assert metadata.blobs([blob.path, other.path, "/w/none", blob.path]) == {blob.path: blob, other.path: other}
    assert metadata.table_trees(["t1", "t2", "t3"]) == {"t1": body, "t2": {}}
    assert metadata.blobs([]) == {}
    before = metadata.mark()
    metadata.add_hashes(HashRecords(table_trees={"t3": {}}))
    assert metadata.mark() != before
    many = tuple(Blob(f"/w/{number}.parquet", "d" * 64, number, "data") for number in range(1200))
    metadata.add_hashes(HashRecords(many))
    assert len(metadata.blobs(blob.path for blob in many)) == 1200


def test_the_mark_changes_with_every_change_of_versions(metadata: Metadata) -> None:
    (first,) = line_of(metadata, 1)
    marks = [metadata.mark()]
    branch = make_branch(metadata, first.id)
    changes: list[Any] = [
        lambda: metadata.update_branch(replace(branch, description="x"), note("branch.update")),
        lambda: metadata.rename_branch(DEV, BranchName("x"), note("branch.rename")),
        lambda: metadata.put_tag(
            Tag(name="v1", target=first.id, tagger=ADA, time=NOW), note("tag.create"), replace=True
        ),
        lambda: metadata.delete_tag("v1", note("tag.delete")),
        lambda: metadata.put_merge(merge_of(first.id), [], note("merge.start")),
        lambda: metadata.answer("m-1", {}, note("merge.resolve")),
        lambda: metadata.advance(
            BranchAdvance(pointers=(), branch=MAIN, expected_head=first.id, head=first.id, audit=(note("reset"),)),
            quiet,
        ),
    ]
    for change in changes:
        change()
        marks.append(metadata.mark())
    assert len(set(marks)) == len(marks)
