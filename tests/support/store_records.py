"""Small records to put into a metadata store, with a fixed time and a few names."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from forge.flows.ports import Metadata
from forge.flows.runs.records import (
    AuditRecord,
    Pointer,
    PointerConflict,
    Publication,
    PublishedCommit,
    RunRecord,
    RunStatus,
)
from forge.model.names import BranchName, CatalogName, CommitId, RunId, TableName
from forge.versioning.commit import Author, Commit, TableStatistics, Tree, make_commit

NOW = datetime(2026, 11, 15, 12, 30, 15, 123456, tzinfo=UTC)
ADA, BOB = Author("Ada", "ada@example.com", "u1"), Author("Bob", "bob@Example.org")
MAIN, DEV = BranchName("main"), BranchName("dev")
ORDERS, CUSTOMERS = TableName("core", "orders"), TableName("core", "customers")


def note(action: str, **detail: object) -> AuditRecord:
    return AuditRecord(NOW, "Ada", action, "main", detail)


def run_record(name: str, minute: int = 0, **changes: Any) -> RunRecord:
    run = RunRecord(
        id=RunId(name),
        branch=MAIN,
        status=RunStatus.RUNNING,
        started_at=NOW + timedelta(minutes=minute),
        user="ada",
        host="host",
        pid=42,
        process_started="t0",
    )
    return replace(run, **changes)


def commit_of(
    *parents: CommitId,
    minute: int = 0,
    tree: Tree | None = None,
    tables: tuple[TableName, ...] = (ORDERS,),
    author: Author = ADA,
    message: str = "a commit",
    **metadata: object,
) -> Commit:
    return make_commit(
        tree=tree or {},
        parents=parents,
        author=author,
        message=message,
        time=NOW + timedelta(minutes=minute),
        branch=MAIN,
        statistics={
            table: TableStatistics(
                rows_added=1, rows_deleted=2, bytes_added=3, bytes_deleted=4, record_count=5, total_size=6
            )
            for table in tables
        },
        metadata=metadata,
    )


def quiet(step: str) -> None:
    pass


def publish(
    metadata: Metadata, commit: Commit, pointers: tuple[Pointer, ...] = (), branch: BranchName = MAIN, **more: Any
) -> PublishedCommit | PointerConflict:
    head = metadata.branch(branch)
    run = run_record(f"r-{commit.id[:8]}", status=RunStatus.SUCCEEDED, commit_id=commit.id)
    parts = {"expected_head": head.head if head else None, "tree": {}, "run": run, **more}
    return metadata.publish(Publication(pointers=pointers, branch=branch, commit=commit, **parts), quiet)


def pointer(name: str, old: str | None, new: str) -> Pointer:
    return Pointer(catalog=CatalogName("core", name), expected=old, location=new)
