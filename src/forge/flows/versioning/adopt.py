"""Adoption: each snapshot of another engine that no commit knows becomes a commit of its own, with author "unknown"
and the engine's name. So the history is complete, and new work is based on the actual state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from forge.flows.ports import Lake, Metadata, SnapshotState, TableState
from forge.flows.runs.id import new_run_id
from forge.flows.runs.input_pins import PinnedBranch, find_base, pin_branch
from forge.flows.runs.processes import begin_run
from forge.flows.runs.publish.changes import BranchChanges, PublishPorts
from forge.flows.runs.publish.publish import ALL_COMMITS, CommitDraft, PublishRecord, as_published, publish
from forge.flows.runs.records import AuditRecord, HashRecords, Pointer, Publication
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata
from forge.flows.versioning.content_hash import FileHasher, hash_series
from forge.flows.versioning.record_ports import ContentHashes
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, SnapshotId, TableName
from forge.model.retry import attempts
from forge.versioning.commit import ADOPTED, Author, Commit, TableVersion

_LONGEST = 1000  # snapshots of one table that are adopted one by one; older ones are in the first of these
_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class ForeignWrites:
    """A table that another engine moved on a branch: its snapshots since the last commit, oldest first."""

    table: TableName
    state: TableState
    before: TableVersion | None
    snapshots: tuple[SnapshotState, ...]


def find_foreign(lake: Lake, line: PinnedBranch) -> tuple[ForeignWrites, ...]:
    """Tables of the branch whose ref differs from the newest commit, and on the default branch tables that another
    engine created."""
    names = {t for t, version in line.tree.items() if version.kind == "table"}
    if line.is_default:
        names |= {TableName(c.namespace, c.name) for c in lake.tables()} - line.tree.keys()
    found = []
    for table in sorted(names):
        try:
            base = find_base(table, line, lake)
        except UnreadableMetadata:
            continue  # whoever needs it gets the error
        if base.catalog is None or not base.is_foreign:
            continue
        state = lake.state(base.catalog)
        if state is None or state.kind != "TABLE" or base.ref is None:
            continue
        chain = _chain(lake, base.catalog, base.ref, base.version)
        unsettled = lake.by_table is not None and any(s.run_id for s in chain)  # `forge repair` completes its record
        if chain and not unsettled:
            found.append(ForeignWrites(table, state, base.version, chain))
    return tuple(found)


def _chain(lake: Lake, catalog: CatalogName, head: int, known: TableVersion | None) -> tuple[SnapshotState, ...]:
    chain: list[SnapshotState] = []
    wanted: int | None = head
    while wanted is not None and len(chain) < _LONGEST and (known is None or wanted != known.snapshot_id):
        snapshot = lake.snapshot(catalog, wanted)  # type: ignore[arg-type]
        if snapshot is None:
            break  # it was expired; what is left is adopted
        chain.append(snapshot)
        wanted = snapshot.parent_id
    if known is not None and wanted is None:
        chain = chain[:1]  # it does not descend from what is known: someone rolled it back or replaced it
    return tuple(reversed(chain))


def adopt_foreign(
    metadata: Metadata,
    lake: Lake,
    branch: BranchName,
    default: BranchName,
    *,
    author: Author,
    now: datetime,
    hasher: FileHasher | None = None,
) -> tuple[Commit, ...]:
    """The commits that were made, in order; none where every snapshot is known. Another process may be doing the
    same."""
    known = metadata.branch(branch)
    if known is None:
        return ()
    hashes = HashRecords()
    for _ in attempts(_ATTEMPTS):
        line = pin_branch(metadata, branch, default)
        foreign = find_foreign(lake, line)
        if not foreign:
            return ()
        digests, hashes = _hash_foreign(metadata, hasher, foreign, hashes)
        # Each pointer stays where it is; that nobody moved it meanwhile is part of the transaction.
        pointers = tuple(
            Pointer(catalog=one.state.catalog, expected=one.state.location, location=one.state.location)
            for one in foreign
        )
        record = _record(line, foreign, _drafts(line, foreign, digests, author), author, now)
        changes = BranchChanges(line=line, versions={}, pointers=pointers, hashes=hashes)
        landed = publish(PublishPorts(metadata, lake), changes, record)
        if isinstance(landed, Publication):
            return (*(commit for commit, _ in landed.before), landed.commit)
    return ()


def _hash_foreign(
    metadata: ContentHashes, hasher: FileHasher | None, foreign: Sequence[ForeignWrites], before: HashRecords
) -> tuple[dict[tuple[str, SnapshotId], str | None], HashRecords]:
    """The content hash of each adopted snapshot. One with unreadable files is adopted without: `verify` reports it,
    and a broken foreign table does not block the rest."""
    digests: dict[tuple[str, SnapshotId], str | None] = {}
    for one in foreign:
        for snapshot in one.snapshots:
            version = TableVersion(
                catalog=one.state.catalog,
                uuid=one.state.uuid,
                snapshot_id=snapshot.snapshot_id,
                schema_id=snapshot.schema_id,
            )
            try:
                found, before = hash_series(metadata, hasher, [version], before=before)
            except ForgeError:
                continue
            digests[one.state.uuid, snapshot.snapshot_id] = found[version].digest if version in found else None
    return digests, before


def _drafts(
    line: PinnedBranch,
    foreign: Sequence[ForeignWrites],
    digests: Mapping[tuple[str, SnapshotId], str | None],
    author: Author,
) -> tuple[CommitDraft, ...]:
    tree = dict(line.tree)
    made: list[CommitDraft] = []
    steps = sorted(((s, one) for one in foreign for s in one.snapshots), key=lambda pair: pair[0].time)
    for snapshot, one in steps:
        before = tree.get(one.table)
        tree[one.table] = TableVersion(
            catalog=one.state.catalog,
            uuid=one.state.uuid,
            snapshot_id=snapshot.snapshot_id,
            schema_id=snapshot.schema_id,
            number=before.number + 1 if before else 1,
            digest=digests.get((one.state.uuid, snapshot.snapshot_id)),
            key=before.key if before else (),
        )
        draft = CommitDraft(
            message=f"Adopt snapshot {snapshot.snapshot_id} of {one.table}, written by another engine",
            author=Author(f"unknown ({snapshot.engine or 'engine'})", ""),
            committer=author,
            statistics={one.table: snapshot.statistics},
            metadata={ADOPTED: str(one.table), "written_at": snapshot.time.isoformat()},
            tree=dict(tree),
        )
        made.append(draft)
    return tuple(made)


def _record(
    line: PinnedBranch, foreign: Sequence[ForeignWrites], drafts: tuple[CommitDraft, ...], author: Author, now: datetime
) -> PublishRecord:
    names = tuple(str(one.table) for one in foreign)
    run = replace(begin_run(new_run_id(now), line.branch, author.email, now), selection=names, kind="adopt")
    audit = AuditRecord(now, author.email, "adopt", str(line.branch), {"commits": ALL_COMMITS, "tables": [*names]})
    return PublishRecord(time=now, commits=drafts, run=as_published(run, now), audit=(audit,))
