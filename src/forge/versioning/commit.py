"""A commit: the state of every table of the project at one point, and how it came to be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime

from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName
from forge.model.time import as_utc


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
    digest: str | None = None  # of the table tree: files, schema, partition spec, properties
    key: tuple[str, ...] = ()  # what tells rows apart, since it was first said
    is_unique: bool = False  # it is known that no key is there twice


Tree = Mapping[TableName, TableVersion]


@dataclass(frozen=True, slots=True)
class TableStatistics:
    rows_added: int = 0
    rows_deleted: int = 0
    bytes_added: int = 0
    bytes_deleted: int = 0
    record_count: int = 0
    total_size: int = 0
    rows_modified: int = 0


@dataclass(frozen=True, slots=True)
class Signature:
    algorithm: str  # ed25519
    signature: str  # of the commit's id, in hex
    key_id: str  # the beginning of the public key's hash


Signer = Callable[[str], Signature]
"""Signs the id of a commit or tag."""


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
    signature: Signature | None = None  # over the id, so not part of it

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1


def canonical(value: object) -> bytes:
    """One form for equal values, whatever the order of their keys: what every hash of the history is taken of."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str).encode()


def digest_of(value: object) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def tree_id_of(tree: Tree) -> str:
    return digest_of({str(name): _known(version) for name, version in tree.items()})


_LATER = ("digest", "key", "is_unique")


def _known(version: TableVersion) -> dict[str, object]:
    """What came later is left out where it is not set, so that older trees keep their ids."""
    known = {**asdict(version), "catalog": str(version.catalog)}
    return {name: value for name, value in known.items() if value or name not in _LATER}


def _counted(s: TableStatistics) -> list[int]:
    counts = [s.rows_added, s.rows_deleted, s.bytes_added, s.bytes_deleted, s.record_count, s.total_size]
    return [*counts, s.rows_modified] if s.rows_modified else counts


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
    signer: Signer | None = None,
) -> Commit:
    """The commit, its id being the hash of the canonical form of everything in it."""
    commit = Commit(
        CommitId(""),
        tree_id_of(tree),
        parents,
        author,
        committer or author,
        message,
        time,
        branch,
        statistics,
        metadata,
    )
    commit_id = id_of(commit, commit.tree_id)
    return replace(commit, id=commit_id, signature=signer(commit_id) if signer else None)


def id_of(commit: Commit, tree_id: str) -> CommitId:
    """What the id of a commit with this content must be."""
    author, committer = commit.author, commit.committer
    body = {
        "tree": tree_id,
        "parents": list(commit.parents),
        "author": [author.name, author.email, author.user_id],
        "committer": [committer.name, committer.email, committer.user_id],
        "message": commit.message,
        "time": as_utc(commit.time).isoformat(),  # as records give it back
        "branch": commit.branch,
        "statistics": {str(name): _counted(s) for name, s in commit.statistics.items()},
        "metadata": dict(commit.metadata),
    }
    return CommitId(digest_of(body))
