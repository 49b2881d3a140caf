"""A commit: the state of every table of the project at one point, and its provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Literal

from forge.model.canonical_json import digest_of
from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName
from forge.model.time import as_utc


@dataclass(frozen=True, slots=True)
class Author:
    name: str
    email: str
    user_id: str = ""

    @property
    def text(self) -> str:
        return f"{self.name} <{self.email}>" if self.email and self.email != self.name else self.name

    def to_dict(self) -> dict[str, object]:
        return {"name": self.name, "email": self.email, "user_id": self.user_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableVersion:
    """One table at one commit. A view has no snapshot; its `metadata_location` is its version."""

    catalog: CatalogName
    uuid: str
    snapshot_id: SnapshotId | None
    schema_id: int
    number: int = 1  # version number per table and branch: orders@v12
    kind: Literal["table", "view"] = "table"
    metadata_location: str | None = None  # views only
    run_id: str | None = None  # the run that wrote this version; its edges are this version's lineage
    fingerprint: str | None = None  # of code, inputs and parameters that made it; the same again is a no-op
    digest: str | None = None  # of the table tree: files, schema, partition spec, properties
    key: tuple[str, ...] = ()  # the recorded key, since it was first given
    is_unique: bool = False  # it is known that no key is there twice


Tree = Mapping[TableName, TableVersion]


@dataclass(frozen=True, slots=True, kw_only=True)
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

    def to_dict(self) -> dict[str, object]:
        return {"algorithm": self.algorithm, "signature": self.signature, "key_id": self.key_id}


Signer = Callable[[str], Signature]
"""Signs the id of a commit or tag."""


@dataclass(frozen=True, slots=True, kw_only=True)
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

    def to_dict(self) -> dict[str, object]:
        counted = self.statistics.values()
        return {
            "id": self.id,
            "tree": self.tree_id,
            "parents": list(self.parents),
            "author": self.author.to_dict(),
            "committer": self.committer.to_dict(),
            "message": self.message,
            "time": self.time,
            "branch": self.branch,
            "is_merge": self.is_merge,
            "run_id": self.metadata.get("run_id"),
            "metadata": dict(self.metadata),
            "tables": [{"table": str(table), **asdict(done)} for table, done in sorted(self.statistics.items())],
            "rows_added": sum(done.rows_added for done in counted),
            "rows_deleted": sum(done.rows_deleted for done in counted),
            "rows_modified": sum(done.rows_modified for done in counted),
            "bytes_added": sum(done.bytes_added for done in counted),
            "bytes_deleted": sum(done.bytes_deleted for done in counted),
            "signature": self.signature.to_dict() if self.signature else None,
        }


def tree_id_of(tree: Tree) -> str:
    return digest_of({str(name): _known(version) for name, version in tree.items()})


_LATER = ("digest", "key", "is_unique")


def _known(version: TableVersion) -> dict[str, object]:
    """Later additions are omitted where not set, so that older trees keep their ids."""
    known = {**asdict(version), "catalog": str(version.catalog)}
    return {name: value for name, value in known.items() if value or name not in _LATER}


def _counted(s: TableStatistics) -> list[int]:
    counts = [s.rows_added, s.rows_deleted, s.bytes_added, s.bytes_deleted, s.record_count, s.total_size]
    return [*counts, s.rows_modified] if s.rows_modified else counts


ADOPTED = "adopted"
"""In the metadata of a commit: the table of which another engine wrote a snapshot."""


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
    """The commit; its id is the hash of the canonical form of its content."""
    commit = Commit(
        id=CommitId(""),
        tree_id=tree_id_of(tree),
        parents=parents,
        author=author,
        committer=committer or author,
        message=message,
        time=time,
        branch=branch,
        statistics=statistics,
        metadata=metadata,
    )
    commit_id = id_of(commit, commit.tree_id)
    return replace(commit, id=commit_id, signature=signer(commit_id) if signer else None)


def id_of(commit: Commit, tree_id: str) -> CommitId:
    """The id of a commit with this content."""
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


def same(old: TableVersion | None, new: TableVersion | None) -> bool:
    if old is None or new is None:
        return old is new
    return (old.uuid, old.snapshot_id, old.metadata_location) == (new.uuid, new.snapshot_id, new.metadata_location)
