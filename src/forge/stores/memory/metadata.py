"""Forge's records in memory: `MemoryMetadata` passes the suite of the SQL one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from forge.flows.ports import Seam
from forge.flows.runs.records import (
    Advance,
    AssetRecord,
    AuditRecord,
    LoadedFile,
    Moved,
    ProfileRecord,
    Publication,
    Published,
    RunRecord,
    TableLineage,
)
from forge.model.names import BranchName, CommitId, RunId, SnapshotId, TableName
from forge.quality.verdict import Verdict
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.contracts import MemoryContracts
from forge.stores.memory.quality.remediations import MemoryRemediations
from forge.stores.memory.versioning import MemoryVersions
from forge.stores.refusals import no_commit
from forge.stores.sql.columns import plain
from forge.stores.sql.publish import catalogs_of, find_moved, moved_at
from forge.stores.sql.tables import HIDDEN
from forge.stores.sql.versioning.log_order import newest_first
from forge.versioning.commit import Commit, Tree


class MemoryMetadata(MemoryVersions):
    def __init__(self, catalog: MemoryCatalog | None = None) -> None:
        self.catalog = catalog or MemoryCatalog()
        super().__init__(self.catalog)
        self._commits: dict[CommitId, Commit] = {}
        self._trees: dict[str, Tree] = {}
        self._lineage: dict[RunId, dict[TableName, TableLineage]] = {}
        self._assets: dict[TableName, AssetRecord] = {}
        self._profiles: dict[tuple[TableName, SnapshotId | None], ProfileRecord] = {}
        self._loaded: dict[CommitId, Mapping[TableName, tuple[LoadedFile, ...]]] = {}
        self.remediations = MemoryRemediations()
        self.contracts = MemoryContracts()

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        with self._lock:
            super().rename_branch(old, new, audit)
            self.remediations.follow(old, new)

    # commits

    def commit(self, commit_id: CommitId) -> Commit | None:
        return self._commits.get(commit_id)

    def commits(self, ids: Iterable[CommitId]) -> dict[CommitId, Commit]:
        with self._lock:
            return {commit_id: self._commits[commit_id] for commit_id in ids if commit_id in self._commits}

    def find_commits(self, prefix: str) -> tuple[CommitId, ...]:
        with self._lock:
            return tuple(sorted(commit_id for commit_id in self._commits if commit_id.startswith(prefix.lower())))

    def tree(self, commit_id: CommitId | None) -> Tree:
        if commit_id is None:
            return {}
        with self._lock:
            return {
                name: replace(version, catalog=self._homes.get(version.uuid, version.catalog))
                for name, version in self.recorded_tree(commit_id).items()
            }

    def recorded_tree(self, commit_id: CommitId) -> Tree:
        if commit_id not in self._commits:
            raise no_commit(commit_id)
        return dict(self._trees[self._commits[commit_id].tree_id])

    def log(
        self,
        head: CommitId,
        *,
        limit: int | None = None,
        table: TableName | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        author: str | None = None,
    ) -> tuple[Commit, ...]:
        with self._lock:
            line = self._ancestors(head)
        part = author.lower() if author else ""
        order = newest_first(head, {c.id: c.time for c in line}, {c.id: c.parents for c in line})
        found = [
            commit
            for commit in (self._commits[commit_id] for commit_id in order)
            if (table is None or table in commit.statistics)
            and (since is None or commit.time >= since)
            and (until is None or commit.time <= until)
            and (part in commit.author.name.lower() or part in commit.author.email.lower())
        ]
        return tuple(found if limit is None else found[:limit])

    def ancestry(self, heads: Iterable[CommitId]) -> dict[CommitId, tuple[CommitId, ...]]:
        with self._lock:
            known = [head for head in heads if head in self._commits]
            return {commit.id: commit.parents for head in known for commit in self._ancestors(head)}

    def touching(self, table: TableName) -> frozenset[CommitId]:
        with self._lock:
            return frozenset(commit.id for commit in self._commits.values() if table in commit.statistics)

    def _ancestors(self, head: CommitId) -> list[Commit]:
        if head not in self._commits:
            raise no_commit(head)
        seen, todo = {head}, [head]
        while todo:
            new = [parent for parent in self._commits[todo.pop()].parents if parent not in seen]
            seen.update(new)
            todo += new
        return [self._commits[commit_id] for commit_id in seen]

    # runs

    def start_run(self, run: RunRecord) -> None:
        with self._lock:
            self._keep_run(run)

    def enter_step(self, run_id: RunId, step: str) -> None:
        with self._lock:
            if run_id in self._runs:
                self._runs[run_id] = replace(self._runs[run_id], step=step)

    def finish_run(
        self,
        run: RunRecord,
        verdicts: Sequence[Verdict],
        audit: Sequence[AuditRecord],
        lineage: Sequence[TableLineage] = (),
    ) -> None:
        with self._lock:
            self._keep_run(run)
            self._keep_verdicts(run.id, verdicts)
            self._keep_lineage(run.id, lineage)
            self._note(audit)

    def lineage(self, run_ids: Iterable[RunId]) -> tuple[tuple[RunId, TableLineage], ...]:
        with self._lock:
            return tuple(
                (run_id, lineage)
                for run_id in dict.fromkeys(run_ids)
                for _, lineage in sorted(self._lineage.get(run_id, {}).items())
                if lineage.edges or lineage.indirect or lineage.table_edges
            )

    def assets(self) -> tuple[AssetRecord, ...]:
        with self._lock:
            return tuple(self._assets[table] for table in sorted(self._assets, key=str))

    def profile(self, table: TableName, snapshot_id: SnapshotId) -> ProfileRecord | None:
        return self._profiles.get((table, snapshot_id))

    def loaded_files(self, table: TableName, head: CommitId | None) -> frozenset[LoadedFile]:
        if head is None:
            return frozenset()
        with self._lock:
            return frozenset(
                file for commit in self._ancestors(head) for file in self._loaded.get(commit.id, {}).get(table, ())
            )

    def audit(self, *, limit: int = 100) -> tuple[AuditRecord, ...]:
        with self._lock:
            return tuple(reversed(self._audit))[:limit]

    def note(self, audit: AuditRecord) -> None:
        with self._lock:
            self._audit.append(audit)

    # publish

    def publish(self, publication: Publication, seam: Seam) -> Published | Moved:
        commit = publication.commit
        with self._lock:
            moved = self._find_moved(publication)
            if moved is not None:
                return moved
            if publication.remediation is not None:
                self.remediations.check(publication.remediation)
            # What a seam raises must leave nothing behind, so both come before the first change.
            seam("publish.pointers")
            seam("publish.records")
            self._move(publication, commit.id, commit.time)
            self._keep(publication)
            self._keep_shared(publication, commit.time)
            self._keep_sealed(publication.sealed)
            if publication.remediation is not None:
                self.remediations.put(publication.remediation)
            self.contracts.register_all(publication.contracts)
        return Published(commit.id)

    def advance(self, advance: Advance, seam: Seam) -> Published | Moved:
        with self._lock:
            if advance.head not in self._commits:
                raise no_commit(advance.head)
            moved = self._find_moved(advance)
            if moved is not None:
                return moved
            seam("publish.pointers")
            seam("publish.records")
            time = moved_at(advance, self._commits[advance.head].time)
            self._move(advance, advance.head, time)
            if advance.run is not None:
                self._keep_run(advance.run)
            self._keep_shared(advance, time)
            self.contracts.register_all(advance.contracts)
        return Published(advance.head)

    def _find_moved(self, change: Publication | Advance) -> Moved | None:
        names = {name for pointer in change.pointers for name in catalogs_of(pointer)}
        moved = find_moved(change.pointers, {name: self.catalog.location(name) for name in names})
        branch = self._branches.get(change.branch)
        branch_moved = branch is None or branch.head != change.expected_head
        return Moved(moved, branch_moved) if moved or branch_moved else None

    def _move(self, change: Publication | Advance, head: CommitId, time: datetime) -> None:
        for pointer in change.pointers:
            if pointer.home is not None:
                del self.catalog.rows[pointer.home.catalog]
                self._homes[pointer.home.uuid] = pointer.catalog
            if pointer.gone:
                del self.catalog.rows[pointer.catalog]
        for pointer in change.pointers:
            if pointer.gone:
                continue
            self.catalog.rows[pointer.catalog] = (pointer.location, pointer.kind)
            if pointer.staged and pointer.staged.namespace in HIDDEN:
                self.catalog.rows.pop(pointer.staged, None)
        branch = self._branches[change.branch]
        wakes = branch.status == "merged" and head != change.expected_head
        status = "active" if wakes else branch.status
        self._branches[branch.name] = replace(branch, head=head, updated_at=time, status=status)

    def _keep(self, publication: Publication) -> None:
        run = publication.run
        for commit, tree in (*publication.before, (publication.commit, publication.tree)):
            self._commits.setdefault(commit.id, replace(commit, metadata=_plain(commit.metadata)))
            self._trees.setdefault(commit.tree_id, dict(tree))
            self.catalog.view_files |= {v.metadata_location for v in tree.values() if v.metadata_location}
        self._keep_run(run)
        self._keep_verdicts(run.id, publication.verdicts)
        self._keep_lineage(run.id, (*publication.unpublished, *publication.lineage))
        for profile in publication.profiles:
            readings = _plain(profile.readings)
            self._profiles[profile.table, profile.snapshot_id] = replace(profile, readings=readings)
        self._loaded[publication.commit.id] = dict(publication.loaded)

    def _keep_shared(self, change: Publication | Advance, time: datetime) -> None:
        for asset in change.assets:
            self._assets[asset.table] = replace(asset, columns=tuple(_plain(column) for column in asset.columns))
        if change.merge is not None:
            self._keep_merge(change.merge)
        for name, status in change.statuses.items():
            if name in self._branches:
                self._branches[name] = replace(self._branches[name], status=status, updated_at=time)
        self._note(change.audit)

    def _keep_lineage(self, run_id: RunId, lineage: Iterable[TableLineage]) -> None:
        self._lineage.setdefault(run_id, {}).update({one.table: one for one in lineage})

    def _keep_run(self, run: RunRecord) -> None:
        self._changes += 1
        self._runs[run.id] = replace(run, params=_plain(run.params))

    def _keep_verdicts(self, run_id: RunId, verdicts: Sequence[Verdict]) -> None:
        if verdicts:
            self._verdicts[run_id] = tuple(replace(verdict, details=_plain(verdict.details)) for verdict in verdicts)


def _plain(value: Mapping[str, object]) -> Mapping[str, Any]:
    """As the SQL store gives it back: what JSON can hold."""
    return cast(Mapping[str, Any], plain(value))
