"""A commit: the state of every table of the project at one point, and how it came to be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime

from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName


@dataclass(frozen=True, slots=True)
class Author:
    name: str
    email: str
    user_id: str = ""


@dataclass(frozen=True, slots=True)
class TableVersion:
    """One table at one commit. A view has no snapshot; its `metadata_location` is its version."""

    catalog: CatalogName
    uuid: str
    snapshot_id: SnapshotId | None
    schema_id: int
    number: int = 1  # version number per table and branch: orders@v12
    kind: str = "table"  # table | view
    metadata_location: str | None = None  # views only
    run_id: str | None = None  # the run that wrote this version; its edges are this version's lineage
    fingerprint: str | None = None  # of code, inputs and parameters that made it; the same again is a no-op


Tree = Mapping[TableName, TableVersion]


@dataclass(frozen=True, slots=True)
class TableStatistics:
    rows_added: int = 0
    rows_deleted: int = 0
    bytes_added: int = 0
    bytes_deleted: int = 0
    record_count: int = 0
    total_size: int = 0


@dataclass(frozen=True, slots=True)
class Commit:
    id: CommitId
    tree_id: str
    parents: tuple[CommitId, ...]
    author: Author
    committer: Author
    message: str
    time: datetime
    branch: BranchName
    statistics: Mapping[TableName, TableStatistics] = field(default_factory=dict)  # changed tables only
    metadata: Mapping[str, object] = field(default_factory=dict)  # run_id among others


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def tree_id_of(tree: Tree) -> str:
    return _digest({str(name): {**asdict(version), "catalog": str(version.catalog)} for name, version in tree.items()})


def make_commit(
    *,
    tree: Tree,
    parents: tuple[CommitId, ...],
    author: Author,
    message: str,
    time: datetime,
    branch: BranchName,
    statistics: Mapping[TableName, TableStatistics],
    metadata: Mapping[str, object],
    committer: Author | None = None,
) -> Commit:
    """The commit, its id being the hash of the canonical form of everything in it."""
    committer = committer or author
    tree_id = tree_id_of(tree)
    body = {
        "tree": tree_id,
        "parents": list(parents),
        "author": [author.name, author.email, author.user_id],
        "committer": [committer.name, committer.email, committer.user_id],
        "message": message,
        "time": time.isoformat(),
        "branch": branch,
        "statistics": {
            str(name): [s.rows_added, s.rows_deleted, s.bytes_added, s.bytes_deleted, s.record_count, s.total_size]
            for name, s in statistics.items()
        },
        "metadata": dict(metadata),
    }
    return Commit(
        CommitId(_digest(body)), tree_id, parents, author, committer, message, time, branch, statistics, metadata
    )
