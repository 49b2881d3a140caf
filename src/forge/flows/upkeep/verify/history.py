"""`verify`: whether the history and the files are what was committed, and which object is not.

chain: commits, trees and refs, from records alone · tree: the manifests of every version, and that their files exist
· full: the bytes of every file · logical: the rows. Each level includes those before it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from forge.flows.ports import Lake
from forge.flows.runs.records import Blob, HashRecords
from forge.flows.upkeep.verify.chain import CommitChain, check_chain
from forge.flows.upkeep.verify.files import CommittedVersion, add_broken, check_files, check_trees
from forge.flows.versioning.content_hash import FileHasher, hash_late, late_path
from forge.flows.versioning.record_ports import CommitHistory, Commits, ContentHashes
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName
from forge.versioning.commit import TableVersion
from forge.versioning.errors import IncomparableError
from forge.versioning.signing import PublicKeys
from forge.versioning.verify_findings import BrokenObject, VerifyFindings

LIMIT = 100  # of the broken objects that are named


class _Records(CommitHistory, ContentHashes, Protocol): ...


class VerifyLevel(StrEnum):
    CHAIN = "chain"
    TREE = "tree"
    FULL = "full"
    LOGICAL = "logical"


_ORDER = tuple(VerifyLevel)

Checksum = Callable[[CatalogName, SnapshotId], str]
"""Of the rows of a snapshot, whatever their order and files."""

Progress = Callable[[str, int, int], None]
"""What is being checked, how much of it is done, and of how much."""


@dataclass(frozen=True, slots=True)
class UnhashedVersion:
    """A version of a table that was committed without a content hash, and the oldest commit that holds it."""

    table: TableName
    commit: CommitId


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    level: VerifyLevel
    commits: int
    trees: int  # versions of tables that were checked
    files: int
    bytes: int  # that were read
    seconds: float
    broken: tuple[BrokenObject, ...]  # the oldest commit's first
    unsealed: int = 0  # versions of tables that were committed without a hash; nothing is known of their files
    signed: int = 0  # commits and tags whose signature was checked
    unchecked: int = 0  # signatures for which no trusted key is set
    foreign: tuple[TableName, ...] = ()  # written by another engine since the last commit
    sealed: int = 0  # versions hashed by this verification
    not_sealed: tuple[UnhashedVersion, ...] = ()  # the first of `unsealed`

    @property
    def is_good(self) -> bool:
        return not self.broken


@dataclass(slots=True)
class _Reading:
    trees: int = 0
    files: int = 0
    bytes: int = 0
    unsealed: tuple[UnhashedVersion, ...] = ()
    sealed: int = 0


def verify(
    metadata: _Records,
    lake: Lake,
    hasher: FileHasher | None,
    *,
    level: VerifyLevel = VerifyLevel.TREE,
    default: BranchName,
    start: CommitId | None = None,
    table: TableName | None = None,
    keys: PublicKeys | None = None,
    checksum: Checksum | None = None,
    progress: Progress = lambda what, done, total: None,
    limit: int = LIMIT,
    seal: bool = False,
) -> Verification:
    """Everything reachable from branches and tags, or (`start`) one commit and its ancestors; of one table if named.
    `metadata` must not cache commits: the current state of the database is what is checked. `seal` hashes versions
    that were committed without a hash, so that later changes to them are detected."""
    began = time.monotonic()
    findings = VerifyFindings(limit)
    chain = check_chain(metadata, lake, findings, default=default, start=start, keys=keys or {}, progress=progress)
    done = _Reading()
    if _ORDER.index(level) >= _ORDER.index(VerifyLevel.TREE):
        _check_lake(metadata, hasher, chain, findings, done, level, table, checksum, progress, seal)
    return Verification(
        level=level,
        commits=chain.commits,
        trees=done.trees,
        files=done.files,
        bytes=done.bytes,
        seconds=time.monotonic() - began,
        broken=findings.found(),
        unsealed=len(done.unsealed),
        signed=chain.signed,
        unchecked=chain.unchecked,
        foreign=chain.foreign,
        sealed=done.sealed,
        not_sealed=done.unsealed[:limit],
    )


def _check_lake(
    metadata: _Records,
    hasher: FileHasher | None,
    chain: CommitChain,
    findings: VerifyFindings,
    done: _Reading,
    level: VerifyLevel,
    table: TableName | None,
    checksum: Checksum | None,
    progress: Progress,
    seal: bool,
) -> None:
    if hasher is None:
        raise IncomparableError(
            "E626",
            f"Only the level '{VerifyLevel.CHAIN}' can be verified on an external catalog",
            why="Forge hashes the files of tables in its own catalog.",
            fix=f"forge verify --level {VerifyLevel.CHAIN}",
        )
    held = find_committed(metadata, chain, table)
    digests = _digests(metadata, held)
    if seal:
        done.sealed = sum(_hash_one(metadata, hasher, h) for h in held if h not in digests)
        digests = _digests(metadata, held)
    done.unsealed = tuple(UnhashedVersion(h.table, h.commit) for h in held if h not in digests)
    files = check_trees(metadata, hasher, digests, findings, progress)
    done.trees, done.files = len(digests), len(files)
    if level in (VerifyLevel.FULL, VerifyLevel.LOGICAL):
        done.bytes = check_files(hasher, files, findings, progress)
    if level is VerifyLevel.LOGICAL:
        _check_rows(metadata, held, findings, checksum, progress)


def find_committed(metadata: Commits, chain: CommitChain, table: TableName | None) -> tuple[CommittedVersion, ...]:
    """Every version of a table in the commits, once, with the oldest commit that has it."""
    found: dict[tuple[object, ...], CommittedVersion] = {}
    for commit_id, recorded in chain.trees.items():
        names = [name for name in recorded if table is None or name == table]
        fresh = [name for name in names if _key(recorded[name]) not in found]
        if not fresh:
            continue
        # The recorded tree is what was committed; the current catalog row of the table is in the records.
        now = metadata.tree(commit_id)
        for name in sorted(fresh):
            catalog = now[name].catalog if name in now else recorded[name].catalog
            found[_key(recorded[name])] = CommittedVersion(name, recorded[name], commit_id, catalog)
    return tuple(found.values())


def _digests(metadata: ContentHashes, held: Iterable[CommittedVersion]) -> dict[CommittedVersion, str]:
    """Of hashed versions: in the commit, or added later."""
    late = metadata.blobs(late_path(h.version) for h in held if h.version.digest is None)
    found = {h: h.version.digest for h in held} | {
        h: late[late_path(h.version)].digest for h in held if late_path(h.version) in late
    }
    return {h: digest for h, digest in found.items() if digest is not None}


def _hash_one(metadata: ContentHashes, hasher: FileHasher, held: CommittedVersion) -> int:
    try:
        return hash_late(metadata, hasher, {held.table: replace(held.version, catalog=held.catalog)})
    except ForgeError:
        return 0  # its snapshot is gone: there is nothing to hash


def _key(version: TableVersion) -> tuple[object, ...]:
    return (version.uuid, version.snapshot_id, version.metadata_location, version.digest)


def _check_rows(
    metadata: ContentHashes,
    held: Iterable[CommittedVersion],
    findings: VerifyFindings,
    checksum: Checksum | None,
    progress: Progress,
) -> None:
    """A recorded checksum must match; a missing one is recorded now."""
    if checksum is None:
        raise IncomparableError("E626", "Rows can be verified with an engine only", fix="forge verify --level full")
    wanted = {logical_path(h.version): h for h in held if h.version.snapshot_id is not None}
    known: Mapping[str, Blob] = metadata.blobs(wanted)
    broken = {one.table for one in findings.found()}  # their rows cannot be read, or are not what was committed
    new = []
    for number, (path, h) in enumerate(wanted.items()):
        progress("rows", number, len(wanted))
        if h.table in broken or h.version.snapshot_id is None:
            continue
        actual = checksum(h.catalog, h.version.snapshot_id)
        if path not in known:
            new.append(Blob(path, actual, 0, "logical"))
        elif known[path].digest != actual:
            expected, where = known[path].digest, str(h.catalog)
            add_broken(findings, h, "rows", path, where=where, expected=expected, actual=actual)
    metadata.add_hashes(HashRecords(tuple(new)))


def logical_path(version: TableVersion) -> str:
    """The record key of the row checksum of a version."""
    return f"{version.uuid}@{version.snapshot_id}"


def error_of(broken: BrokenObject) -> ForgeError:
    """A broken object as an error."""
    code = "E624" if broken.actual is None else "E628" if broken.kind == "signature" else "E623"
    holder = f" of {broken.table}" if broken.table else ""
    what = (
        f"The {broken.kind}{holder} is missing" if broken.actual is None else f"The {broken.kind}{holder} was changed"
    )
    if broken.kind == "signature":
        what = f"The signature of {broken.object} does not hold"
    words = [f"{broken.object}: expected {broken.expected}", f"found {broken.actual or 'nothing'}"]
    held = f"Commit {broken.commit[:12]} was the first to hold it. " if broken.commit else ""
    return ForgeError(
        code,
        what,
        where=broken.where,
        why=f"{held}{', '.join(words)}.",
        fix="Bring it back from a copy, or go back to a commit before it: forge log",
    )
