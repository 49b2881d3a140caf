"""What every metadata store keeps of merges and their conflicts."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from store_records import ADA, DEV, MAIN, NOW, ORDERS, note, run_record

from forge.flows.ports import Metadata
from forge.flows.versioning.merge.record import Approval, MergeRecord, TableTally
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, TableName
from forge.versioning.branch import Branch
from forge.versioning.conflict import Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.merge import OPEN_MERGES, MergeStatus, Strategy

OURS, THEIRS, BASE = CommitId("a" * 64), CommitId("b" * 64), CommitId("c" * 64)
OPEN = note("merge.start")


def merge_record(name: str = "m-1", minute: int = 0, **changes: Any) -> MergeRecord:
    record = MergeRecord(
        id=name,
        kind="merge",
        source="dev",
        target=MAIN,
        source_commit=THEIRS,
        target_commit=OURS,
        base_commit=BASE,
        strategy=Strategy.THREE_WAY,
        status=MergeStatus.CONFLICTED,
        message="Merge branch 'dev' into 'main'",
        author=ADA,
        created_at=NOW + timedelta(minutes=minute),
        updated_at=NOW + timedelta(minutes=minute),
    )
    return replace(record, **changes)


def cell(key: int, column: str = "amount", table: str = "core.orders", **changes: Any) -> Conflict:
    values = {"base": Decimal("1.00"), "ours": Decimal("2.50"), "theirs": Decimal("3.00"), **changes}
    return Conflict(kind=ConflictKind.MODIFY_MODIFY, key={"id": key}, column=column, table=table, **values)


def test_a_merge_comes_back_as_it_was_put_and_is_replaced_by_the_next(metadata: Metadata) -> None:
    full = merge_record(
        run_id="r-1",
        other_bases=(OURS, THEIRS),
        keys={"core.orders": ("id", "day"), "core.plain": ()},
        rules=(
            ResolutionRule(ResolutionChoice.OURS),
            ResolutionRule(ResolutionChoice.MANUAL, "core.orders", "amount", Decimal("1.50")),
            ResolutionRule(ResolutionChoice.EXPRESSION, None, "at", "greatest(ours, theirs)"),
        ),
        tables=(
            TableTally(
                table="core.orders",
                how="rows",
                inserted=1,
                updated=2,
                deleted=3,
                conflicts=4,
                resolved=5,
                bytes_read=2**40,
                engine="driver",
            ),
            TableTally(table="core.v", how="view"),
        ),
        approvals=(Approval("u2", NOW, THEIRS), Approval("u3", NOW, THEIRS, False, "not so")),
        conflict_count=5,
        resolved_count=1,
    )
    metadata.put_merge(full, None, OPEN)
    assert metadata.merge("m-1") == full
    assert metadata.merge("m-2") is None
    done = replace(full, status=MergeStatus.MERGED, commit_id=OURS, base_commit=None, approvals=())
    metadata.put_merge(done, None, note("merge.end"))
    assert metadata.merge("m-1") == done
    assert metadata.merges() == (done,)
    assert [record.action for record in metadata.audit(limit=2)] == ["merge.end", "merge.start"]


def test_merges_are_listed_newest_first_by_status_and_by_either_branch(metadata: Metadata) -> None:
    other = BranchName("other")
    for record in (
        merge_record("m-1", 1),
        merge_record("m-2", 3, source="other", status=MergeStatus.MERGED),
        merge_record("m-3", 2, target=other, status=MergeStatus.PENDING),
    ):
        metadata.put_merge(record, None, OPEN)

    def found(**filters: Any) -> list[str]:
        return [merge.id for merge in metadata.merges(**filters)]

    assert found() == ["m-2", "m-3", "m-1"]
    assert found(limit=2) == ["m-2", "m-3"]
    assert found(statuses=OPEN_MERGES) == ["m-3", "m-1"]
    assert found(statuses=[]) == []
    assert found(branch=other) == ["m-2", "m-3"]
    assert found(branch=DEV, statuses=[MergeStatus.PENDING]) == ["m-3"]


VALUES = {
    "decimal": Decimal("12.50"),
    "nan": math.nan,
    "whole float": 1.0,
    "date": date(2026, 11, 15),
    "moment": datetime(2026, 11, 15, 6, 10, tzinfo=UTC),
    "bytes": b"\x00\xff",
    "nested": {"a": [1, {"b": Decimal("0.10")}], "$": "x"},
    "null": None,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_a_conflict_has_the_same_values_and_id_when_it_comes_back(metadata: Metadata, value: object) -> None:
    conflicts = (
        cell(1, base=None, ours=value, theirs=[value]),
        Conflict(kind=ConflictKind.DELETE_MODIFY, key={"id": value}, base={"id": value}, theirs={"id": value, "b": 1}),
        Conflict(
            kind=ConflictKind.CONSTRAINT, key=None, column="a", location="not null", table="core.orders", ours=value
        ),
    )
    metadata.put_merge(merge_record(), conflicts, OPEN)
    back = metadata.conflicts("m-1")
    assert [conflict.id for conflict in back] == [conflict.id for conflict in conflicts]
    assert repr(back) == repr(conflicts), "repr, because what is not a number equals nothing"


def test_conflicts_are_found_in_their_order_by_table_column_id_and_page(metadata: Metadata) -> None:
    amounts = [cell(key) for key in (3, 1, 2)]
    name = cell(1, "name", base="a", ours="b", theirs="c")
    city = cell(1, "name", "core.customers")
    metadata.put_merge(merge_record(), [*amounts, name, city], OPEN)
    metadata.put_merge(merge_record("m-2"), [cell(9)], OPEN)
    metadata.answer("m-1", {amounts[1].id: ResolutionRule(ResolutionChoice.OURS)}, note("merge.resolve"))

    def found(**filters: Any) -> list[str]:
        return [conflict.id for conflict in metadata.conflicts("m-1", **filters)]

    every = [amounts[0].id, amounts[1].id, amounts[2].id, name.id, city.id]
    assert found() == every
    assert found(table=ORDERS) == every[:4]
    assert found(table=TableName("core", "nothing")) == []
    assert found(column="name") == every[3:]
    assert found(table=ORDERS, column="name") == [name.id]
    assert found(ids=[city.id, amounts[0].id, "unknown"]) == [amounts[0].id, city.id]
    assert found(ids=[]) == []
    assert found(open_only=True) == [every[0], *every[2:]]
    assert found(limit=2) == every[:2]
    assert found(limit=2, offset=1) == every[1:3]
    assert found(offset=3) == every[3:]
    assert metadata.conflicts("m-3") == ()


def test_an_answer_is_kept_with_its_value_and_counted_once(metadata: Metadata) -> None:
    one, two, three = cell(1), cell(2), cell(3)
    metadata.put_merge(merge_record(conflict_count=3), [one, two, three], OPEN)
    later = replace(note("merge.resolve"), time=NOW + timedelta(hours=1))
    metadata.answer(
        "m-1",
        {
            one.id: ResolutionRule(ResolutionChoice.THEIRS),
            two.id: ResolutionRule(ResolutionChoice.MANUAL, value=Decimal("9.90")),
        },
        later,
    )
    merge = metadata.merge("m-1")
    assert merge is not None
    assert (merge.resolved_count, merge.fully_resolved, merge.updated_at) == (2, False, later.time)
    assert metadata.conflicts("m-1") == (
        replace(one, resolution=ResolutionChoice.THEIRS),
        replace(two, resolution=ResolutionChoice.MANUAL, resolved_value=Decimal("9.90")),
        three,
    )
    metadata.answer(
        "m-1",
        {
            two.id: ResolutionRule(ResolutionChoice.BASE),
            three.id: ResolutionRule(ResolutionChoice.EXPRESSION, value="ours + 1"),
        },
        later,
    )
    merge = metadata.merge("m-1")
    assert merge is not None
    assert merge.fully_resolved
    assert merge.resolved_count == 3
    assert metadata.conflicts("m-1", ids=[two.id]) == (replace(two, resolution=ResolutionChoice.BASE),)


def test_an_answer_to_what_is_not_there_writes_nothing(metadata: Metadata) -> None:
    one = cell(1)
    metadata.put_merge(merge_record(conflict_count=1), [one], OPEN)
    before = len(metadata.audit())
    with pytest.raises(ForgeError) as unknown:
        metadata.answer(
            "m-1",
            {one.id: ResolutionRule(ResolutionChoice.OURS), "0123": ResolutionRule(ResolutionChoice.OURS)},
            note("merge.resolve"),
        )
    assert unknown.value.code == "E616"
    assert "0123" in unknown.value.what
    with pytest.raises(ForgeError) as nowhere:
        metadata.answer("m-9", {one.id: ResolutionRule(ResolutionChoice.OURS)}, note("merge.resolve"))
    assert nowhere.value.code == "E616"
    assert metadata.conflicts("m-1") == (one,)
    assert metadata.merge("m-1") == merge_record(conflict_count=1)
    assert len(metadata.audit()) == before


def test_conflicts_are_replaced_and_those_that_come_again_keep_their_answer(metadata: Metadata) -> None:
    stays, changes, goes = cell(1), cell(2), cell(3)
    metadata.put_merge(merge_record(conflict_count=3), [stays, changes, goes], OPEN)
    answers = {
        conflict.id: ResolutionRule(ResolutionChoice.MANUAL, value=conflict.key) for conflict in (stays, changes, goes)
    }
    metadata.answer("m-1", answers, note("merge.resolve"))
    changed, new = replace(changes, theirs=Decimal("4.00")), cell(4)
    said = replace(new, resolution=ResolutionChoice.OURS)
    metadata.put_merge(merge_record(conflict_count=3), [changed, stays, said], note("merge.continue"))
    assert metadata.conflicts("m-1") == (
        changed,
        replace(stays, resolution=ResolutionChoice.MANUAL, resolved_value={"id": 1}),
        said,
    )
    merge = metadata.merge("m-1")
    assert merge is not None
    assert merge.resolved_count == 2, "the answers that are kept are counted"
    metadata.put_merge(merge_record(conflict_count=3, resolved_count=2), None, note("merge.approve"))
    assert len(metadata.conflicts("m-1")) == 3, "none given: those that are there stay"
    metadata.put_merge(merge_record(), [], note("merge.continue"))
    assert metadata.conflicts("m-1") == ()


def test_a_renamed_branch_is_followed_by_children_open_merges_and_runs(metadata: Metadata) -> None:
    new = BranchName("next")
    metadata.create_branch(
        Branch(
            name=DEV,
            head=OURS,
            created_at=NOW,
            created_by="Ada",
            updated_at=NOW,
            parent=MAIN,
            fork_commit=BASE,
            description="try",
        ),
        note("branch.create"),
    )
    child = Branch(name=BranchName("a-child"), head=OURS, created_at=NOW, created_by="Ada", updated_at=NOW, parent=DEV)
    metadata.create_branch(child, note("branch.create"))
    opened, closed = merge_record("m-1"), merge_record("m-2", status=MergeStatus.MERGED)
    into = merge_record("m-3", source="main", target=DEV, status=MergeStatus.PENDING)
    for record in (opened, closed, into):
        metadata.put_merge(record, None, OPEN)
    metadata.start_run(run_record("r-1", branch=DEV))
    metadata.rename_branch(DEV, new, note("branch.rename"))
    assert metadata.branch(DEV) is None
    assert metadata.branch(new) == Branch(
        name=new,
        head=OURS,
        created_at=NOW,
        created_by="Ada",
        updated_at=NOW,
        parent=MAIN,
        fork_commit=BASE,
        description="try",
    )
    assert metadata.branch(child.name) == replace(child, parent=new)
    assert metadata.merge("m-1") == replace(opened, source="next")
    assert metadata.merge("m-2") == closed, "a merge that is over tells what was"
    assert metadata.merge("m-3") == replace(into, target=new)
    assert [run.id for run in metadata.runs(branch=new)] == ["r-1"]
    with pytest.raises(ForgeError) as unknown:
        metadata.rename_branch(DEV, BranchName("x"), note("branch.rename"))
    assert unknown.value.code == "E602"
    with pytest.raises(ForgeError) as taken:
        metadata.rename_branch(new, MAIN, note("branch.rename"))
    assert taken.value.code == "E603"
    assert metadata.branch(new) is not None
    assert metadata.audit(limit=1)[0].action == "branch.rename"
