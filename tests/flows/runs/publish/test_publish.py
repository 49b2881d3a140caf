"""One function brings things onto a branch: by which rule it tries again, and what its records say of the commit."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import forge
from forge.flows.runs.input_pins import PinnedBranch, pin_branch
from forge.flows.runs.ports import FaultPoint
from forge.flows.runs.publish.changes import BranchChanges, PublishPorts
from forge.flows.runs.publish.publish import ALL_COMMITS, THIS_COMMIT, CommitDraft, PublishRecord, publish
from forge.flows.runs.records import (
    AuditRecord,
    Pointer,
    PointerConflict,
    Publication,
    PublishConflict,
    PublishedCommit,
    RunRecord,
    RunStatus,
)
from forge.flows.versioning.branches import create_default_branch
from forge.model.names import BranchName, CatalogName, RunId, TableName
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.versioning.commit import Author, TableVersion

NOW = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
MAIN = BranchName("main")
ADA = Author("Ada", "ada@example.com")
FLOWS = Path(forge.__file__).parent / "flows"
ORDERS, ITEMS = TableName.parse("core.orders"), TableName.parse("core.items")


class Crowd(MemoryMetadata):
    """Someone else is faster, once."""

    def __init__(self, catalog: MemoryCatalog) -> None:
        super().__init__(catalog)
        self.intrude: Callable[[], object] | None = None
        self.told: list[str] = []

    def publish(self, publication: Publication, fault_point: FaultPoint) -> PublishedCommit | PointerConflict:
        intrude, self.intrude = self.intrude, None
        if intrude is not None:
            intrude()
        self.told.append("publish")
        return super().publish(publication, fault_point)


class Disk(MemoryLake):
    told: list[str]

    def sync(self, paths: Iterable[str]) -> None:
        self.told += [f"sync {path}" for path in paths]


class House:
    def __init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata, self.lake = Crowd(catalog), Disk(catalog)
        self.lake.told = self.metadata.told
        create_default_branch(self.metadata, MAIN, ADA, NOW)
        self.runs = 0

    @property
    def line(self) -> PinnedBranch:
        return pin_branch(self.metadata, MAIN, MAIN)

    def changes(self, table: TableName, *, holds_branch: bool, pointers: tuple[Pointer, ...] = ()) -> BranchChanges:
        version = TableVersion(
            catalog=CatalogName("core", table.name), uuid=table.name, snapshot_id=None, schema_id=0, number=self.runs
        )
        return BranchChanges(line=self.line, versions={table: version}, holds_branch=holds_branch, pointers=pointers)

    def publish(self, changes: BranchChanges, *messages: str) -> object:
        self.runs += 1
        run_id = RunId(f"r{self.runs}")
        run = RunRecord(
            id=run_id,
            branch=MAIN,
            status=RunStatus.SUCCEEDED,
            started_at=NOW,
            user="ada",
            host="here",
            pid=1,
            process_started="1",
            commit_id=THIS_COMMIT,
        )
        detail = {"commit": THIS_COMMIT, "commits": ALL_COMMITS, "tables": ["core.orders"]}
        record = PublishRecord(
            time=NOW,
            commits=tuple(CommitDraft(message=m, author=ADA, statistics={}, metadata={}) for m in messages),
            run=run,
            audit=(AuditRecord(NOW, "ada", "run.publish", "main", detail),),
        )
        return publish(PublishPorts(self.metadata, self.lake), changes, record)


@pytest.mark.slow
def test_no_flow_but_one_builds_what_is_published() -> None:
    found = set()
    for path in FLOWS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Name) and called.id in ("Publication", "Advance"):
                found.add(path.relative_to(FLOWS).as_posix())
            of_itself = (
                isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "self"
            )
            if isinstance(called, ast.Attribute) and called.attr in ("publish", "sync") and not of_itself:
                found.add(path.relative_to(FLOWS).as_posix())
    assert found == {"runs/publish/publish.py"}


def test_another_table_may_move_meanwhile_unless_the_branch_is_held() -> None:
    for holds in (False, True):
        house = House()
        ours = house.changes(ORDERS, holds_branch=holds)
        house.metadata.intrude = lambda house=house: house.publish(house.changes(ITEMS, holds_branch=True), "other")
        landed = house.publish(ours, "ours")
        if holds:
            assert landed == PublishConflict((ORDERS,))
            assert set(house.line.tree) == {ITEMS}
        else:
            assert isinstance(landed, Publication)
            assert set(house.line.tree) == {ITEMS, ORDERS}
            assert landed.commit.parents != (), "it stands on the other's commit"


def test_the_same_table_may_not() -> None:
    house = House()
    ours = house.changes(ORDERS, holds_branch=False)
    house.metadata.intrude = lambda: house.publish(house.changes(ORDERS, holds_branch=True), "other")
    assert house.publish(ours, "ours") == PublishConflict((ORDERS,))
    head = house.line.head
    assert head is not None
    assert [commit.message for commit in house.metadata.log(head)] == ["other"]


def test_pointers_that_are_given_are_not_tried_again() -> None:
    house = House()
    wrong = Pointer(catalog=CatalogName("core", "orders"), expected="elsewhere", location="new.json")
    assert house.publish(house.changes(ORDERS, holds_branch=False, pointers=(wrong,)), "ours") == PublishConflict(
        (ORDERS,)
    )
    assert house.metadata.told == ["sync new.json", "publish"], "once, and its file was on the disk before"


def test_records_name_the_commits_that_are_made() -> None:
    house = House()
    landed = house.publish(house.changes(ORDERS, holds_branch=True), "first", "second")
    assert isinstance(landed, Publication)
    first, second = landed.before[0][0], landed.commit
    assert (first.message, second.message, second.parents) == ("first", "second", (first.id,))
    assert landed.run.commit_id == second.id
    assert landed.audit[0].detail == {
        "commit": second.id,
        "commits": [first.id, second.id],
        "tables": ["core.orders"],
    }
