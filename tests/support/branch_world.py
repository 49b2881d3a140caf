"""Branches of a lake in memory: commits are made by saying which tables they change."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from forge.flows.runs.records import Pointer, Publication, PublishedCommit, RunRecord, RunStatus
from forge.flows.versioning.branches import create_branch, create_default_branch
from forge.model.names import BranchName, CommitId, RunId, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, Commit, TableVersion, make_commit

BEGIN = datetime(2026, 11, 15, 6, 0, tzinfo=UTC)
ADA = Author("Ada", "ada@example.com")
MAIN = BranchName("main")
SCHEMA = Schema((Column("id", "bigint"),))


@dataclass
class BranchWorld:
    catalog: MemoryCatalog = field(default_factory=MemoryCatalog)
    records: type[MemoryMetadata] = MemoryMetadata

    def __post_init__(self) -> None:
        self.metadata, self.lake = self.records(self.catalog), MemoryLake(self.catalog)
        self._ticks = count()
        create_default_branch(self.metadata, MAIN, ADA, BEGIN)

    def clock(self) -> datetime:
        """A minute later with each look."""
        return BEGIN + timedelta(minutes=next(self._ticks))

    def create(self, name: str, start: str = "HEAD") -> Branch:
        return create_branch(self.metadata, name, start, current=MAIN, author=ADA, clock=self.clock)

    def branch(self, name: str) -> Branch:
        found = self.metadata.branch(BranchName(name))
        assert found is not None
        return found

    def head(self, name: str) -> CommitId:
        head = self.branch(name).head
        assert head is not None
        return head

    def commit(self, branch: str, *tables: str, merged: str | None = None) -> Commit:
        """A commit on the branch that adds a row to each table; `merged` is its second parent."""
        line, now = self.branch(branch), self.clock()
        run_id = RunId(f"r{now:%H%M}")
        tree, pointers, statistics = dict(self.metadata.tree(line.head)), [], {}
        for table in map(TableName.parse, tables):
            before = tree.get(table)
            state = self.lake.state(before.catalog) if before else None
            ref = state.refs.get(branch) if state else None
            base = ref if ref is not None else (before.snapshot_id if before else None)
            stage = self.lake.open_stage(run_id, table, before.catalog if before else None, base)
            if not stage.exists:
                self.lake.create(stage, SCHEMA)
            snapshot = self.lake.append(stage.catalog, 1)
            pointer = self.lake.prepare(stage, line.name, is_default=branch == MAIN, expected=base)
            staged, found = self.lake.state(stage.catalog), self.lake.snapshot(stage.catalog, snapshot)
            assert staged is not None
            assert found is not None
            assert isinstance(pointer, Pointer), "nobody else writes here"
            number = before.number + 1 if before else 1
            tree[table] = TableVersion(
                catalog=pointer.catalog,
                uuid=staged.uuid,
                snapshot_id=snapshot,
                schema_id=0,
                number=number,
                run_id=run_id,
            )
            pointers.append(pointer)
            statistics[table] = found.statistics
        parents = [line.head] if line.head else []
        commit = make_commit(
            tree=tree,
            parents=(*parents, *([self.head(merged)] if merged else [])),
            author=ADA,
            message=" ".join(("Change", *tables)),
            time=now,
            branch=line.name,
            statistics=statistics,
            metadata={},
        )
        run = RunRecord(
            id=run_id,
            branch=line.name,
            status=RunStatus.SUCCEEDED,
            started_at=now,
            user=ADA.email,
            host="host",
            pid=1,
            process_started="t0",
            commit_id=commit.id,
        )
        publication = Publication(
            pointers=tuple(pointers), branch=line.name, expected_head=line.head, commit=commit, tree=tree, run=run
        )
        assert isinstance(self.metadata.publish(publication, lambda step: None), PublishedCommit)
        return commit

    def refs(self, branch: str, table: str) -> dict[str, SnapshotId]:
        """The native refs of the table that the branch has."""
        version = self.metadata.tree(self.head(branch))[TableName.parse(table)]
        state = self.lake.state(version.catalog)
        assert state is not None
        return dict(state.refs)

    def actions(self) -> list[str]:
        """What was audited, oldest first."""
        return [record.action for record in reversed(self.metadata.audit())]
