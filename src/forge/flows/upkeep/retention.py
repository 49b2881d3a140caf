"""Retention: which snapshots no branch, tag, open merge or recent commit needs, and their expiration.

Nothing is deleted here. A snapshot is removed by a compare-and-set of its table's row, a table that no commit holds
any more by the removal of its hidden row; their files are orphans from then on, and a crash in between leaves only
those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from forge.flows.ports import Expiry, Lake, TableSnapshots
from forge.flows.versioning.record_ports import Commits, MergeHistory
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, CommitId, SnapshotId
from forge.versioning.merge import OPEN_MERGES


@dataclass(frozen=True, slots=True)
class ExpiredSnapshots:
    """The expired snapshots of a table. `dropped`: its hidden row is removed as a whole."""

    catalog: CatalogName
    snapshots: tuple[SnapshotId, ...]
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    table: TableSnapshots
    expired: ExpiredSnapshots


def find_expired(metadata: MergeHistory, lake: Lake, expiry: Expiry, since: datetime) -> tuple[ExpiredSnapshots, ...]:
    """A dry run of `expire`. Commits made at or after `since` keep their snapshots, whether reachable or not."""
    return tuple(plan.expired for plan in _plan(metadata, lake, expiry, since))


def expire(metadata: MergeHistory, lake: Lake, expiry: Expiry, since: datetime) -> tuple[ExpiredSnapshots, ...]:
    """What was expired. A table that moved meanwhile is left for the next time."""
    done = []
    for plan in _plan(metadata, lake, expiry, since):
        table, expired = plan.table, plan.expired
        if expired.dropped:
            went = expiry.drop(table.catalog, table.location)
        else:
            went = expiry.expire(table.catalog, frozenset(expired.snapshots), table.location)
        if went:
            done.append(expired)
    return tuple(done)


def _plan(metadata: MergeHistory, lake: Lake, expiry: Expiry, since: datetime) -> list[_Plan]:
    # Rows first, then what commits need: a publish writes both at once, so that what these rows show, its commit is
    # seen to need; and what is published later moves the row, and the compare-and-set fails.
    tables = expiry.tables()
    staged = {state.uuid for _, name in lake.stages() if (state := lake.state(name))}
    held, needed = find_needed(metadata, since)
    plans = []
    for table in tables:
        if table.uuid in staged:
            continue  # a run is at work on it
        known = table.catalog in held or any(snapshot in needed for snapshot in table.parents)
        if table.is_hidden and not known:
            plans.append(_Plan(table, ExpiredSnapshots(table.catalog, tuple(sorted(table.parents)), dropped=True)))
        elif known:  # a table that no commit ever held is someone else's
            gone = tuple(sorted(set(table.parents) - _kept(table, needed)))
            plans += [_Plan(table, ExpiredSnapshots(table.catalog, gone))] if gone else []
    return plans


def _kept(table: TableSnapshots, needed: frozenset[SnapshotId]) -> set[SnapshotId]:
    """Needed snapshots, those of native refs (another engine may have written there), and all their ancestors."""
    kept: set[SnapshotId] = set()
    for start in (*table.refs.values(), *(snapshot for snapshot in table.parents if snapshot in needed)):
        here: SnapshotId | None = start
        while here is not None and here not in kept:
            kept.add(here)
            here = table.parents.get(here)
    return kept


def find_needed(metadata: MergeHistory, since: datetime) -> tuple[frozenset[CatalogName], frozenset[SnapshotId]]:
    """Rows and snapshots that commits need: those reachable from branches, tags and open merges, and recent ones."""
    heads = [branch.head for branch in metadata.branches() if branch.head is not None]
    heads += [tag.target for tag in metadata.tags()]
    for merge in metadata.merges(statuses=OPEN_MERGES, limit=10_000):
        heads += [merge.source_commit, merge.target_commit, *([merge.base_commit] if merge.base_commit else [])]
    reached = metadata.ancestry(heads)
    lost = next((head for head in heads if head not in reached), None)
    if lost is not None:  # what it held cannot be known, so nothing may go
        raise ForgeError("E624", f"There is no commit {lost}, but a branch, tag or merge is at it", fix="forge verify")
    others = [commit_id for commit_id in metadata.find_commits("") if commit_id not in reached]
    recent = [commit.id for commit in metadata.commits(others).values() if commit.time >= since]
    return _held_by(metadata, reached, recent)


def _held_by(
    metadata: Commits, reached: Mapping[CommitId, object], recent: Iterable[CommitId]
) -> tuple[frozenset[CatalogName], frozenset[SnapshotId]]:
    held: set[CatalogName] = set()
    needed: set[SnapshotId] = set()
    for commit_id in (*reached, *recent):
        for version in metadata.tree(commit_id).values():
            held.add(version.catalog)
            if version.snapshot_id is not None:
                needed.add(version.snapshot_id)
    return frozenset(held), frozenset(needed)
