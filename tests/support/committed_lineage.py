"""Commits with lineage, in memory: tables are named, runs say what they saw, and the graph follows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from forge.flows.lineage.ports import LineagePorts
from forge.flows.runs.records import (
    MADE_BY,
    AuditRecord,
    BranchAdvance,
    OutputRecord,
    OutputStatus,
    Publication,
    PublishedCommit,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.flows.versioning.branches import create_branch, create_default_branch
from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.store import LineageAnswers, LineageStore
from forge.model.names import BranchName, CatalogName, ColumnName, CommitId, RunId, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.memory.metadata import MemoryMetadata
from forge.versioning.commit import Author, Commit, TableVersion, make_commit

BEGIN = datetime(2026, 11, 15, 6, 0, tzinfo=UTC)
ADA = Author("Ada", "ada@example.com")
MAIN = BranchName("main")


def edge(
    source: str,
    target: str,
    how: Transformation = Transformation.IDENTITY,
    expression: str = "",
    *,
    masking: bool = False,
    confidence: float = 1.0,
) -> Edge:
    return Edge(
        source=_column(source),
        target=_column(target),
        transformation=how,
        expression=expression,
        masking=masking,
        confidence=confidence,
    )


def _column(text: str) -> ColumnName:
    table, _, column = text.rpartition(".")
    return ColumnName(table, column)


def filtered(source: str, table: str, way: IndirectType = IndirectType.FILTER) -> IndirectEdge:
    return IndirectEdge(_column(source), table, way)


@dataclass
class CommittedLineage:
    """`commit` publishes tables, each with what its run saw; the clock goes on a minute with each commit."""

    metadata: MemoryMetadata = field(default_factory=MemoryMetadata)
    store: LineageStore = field(default_factory=MemoryLineage)
    now: datetime = BEGIN
    schemas: dict[int, Schema] = field(default_factory=dict)
    numbers: Any = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        create_default_branch(self.metadata, MAIN, ADA, self.now)
        graph = Graph(self.store)
        self.ports = LineagePorts(
            metadata=self.metadata,
            store=self.store,
            answers=graph,
            graph=graph,
            scratch=_scratch,
            clock=lambda: self.now,
            default_branch=MAIN,
            actor="Ada",
            schema=lambda version: self.schemas.get(version.snapshot_id or 0),
        )

    def commit(
        self,
        tables: Mapping[str, Iterable[Edge | IndirectEdge | TableEdge]],
        *,
        branch: BranchName = MAIN,
        gone: Iterable[str] = (),
        columns: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Commit:
        """A minute later than the one before."""
        self.now += timedelta(minutes=1)
        found = self.metadata.branch(branch)
        head = found.head if found else None
        number = next(self.numbers)
        run_id = RunId(f"run-{number}")
        tree = dict(self.metadata.tree(head))
        for place, name in enumerate(tables):
            table = TableName.parse(name)
            snapshot = SnapshotId(number * 100 + place)
            types = (columns or {}).get(name)
            if types is not None:
                self.schemas[snapshot] = Schema(tuple(Column(column, type_) for column, type_ in types.items()))
            catalog = CatalogName(table.schema, table.name)
            tree[table] = TableVersion(
                catalog=catalog, uuid=f"uuid-{name}", snapshot_id=snapshot, schema_id=0, number=number, run_id=run_id
            )
        for name in gone:
            del tree[TableName.parse(name)]
        commit = make_commit(
            tree=tree,
            parents=(head,) if head else (),
            author=ADA,
            message=f"Commit {number}",
            time=self.now,
            branch=branch,
            statistics={},
            metadata={"run_id": run_id, MADE_BY: {name: f"transforms/{name}.sql:3" for name in tables}},
        )
        outputs = tuple(OutputRecord(table=TableName.parse(name), status=OutputStatus.PUBLISHED) for name in tables)
        run = RunRecord(
            id=run_id,
            branch=branch,
            status=RunStatus.RUNNING,
            started_at=self.now,
            user="ada",
            host="host",
            pid=os.getpid(),
            process_started="t0",
            outputs=outputs,
        )
        self.metadata.start_run(run)
        done = replace(run, status=RunStatus.SUCCEEDED, commit_id=commit.id, finished_at=self.now)
        lineage = tuple(_lineage(name, said) for name, said in tables.items())
        publication = Publication(
            pointers=(), branch=branch, expected_head=head, commit=commit, tree=tree, run=done, lineage=lineage
        )
        assert isinstance(self.metadata.publish(publication, lambda step: None), PublishedCommit)
        return commit

    def branch(self, name: str) -> BranchName:
        create_branch(self.metadata, name, "HEAD", current=MAIN, author=ADA, clock=lambda: self.now)
        return BranchName(name)

    def move(self, branch: BranchName, to: CommitId) -> None:
        self.now += timedelta(minutes=1)
        found = self.metadata.branch(branch)
        assert found is not None
        audit = (AuditRecord(self.now, "Ada", "branch.reset", branch),)
        moved = self.metadata.advance(
            BranchAdvance(pointers=(), branch=branch, expected_head=found.head, head=to, audit=audit), lambda step: None
        )
        assert isinstance(moved, PublishedCommit)


def _scratch() -> tuple[LineageStore, LineageAnswers]:
    store = MemoryLineage()
    return store, Graph(store)


def _lineage(name: str, said: Iterable[Edge | IndirectEdge | TableEdge]) -> TableLineage:
    said = tuple(said)
    return TableLineage(
        TableName.parse(name),
        tuple(one for one in said if isinstance(one, Edge)),
        tuple(one for one in said if isinstance(one, IndirectEdge)),
        tuple(one for one in said if isinstance(one, TableEdge)),
    )
