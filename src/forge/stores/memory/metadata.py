"""Forge's records in memory: `MemoryMetadata` passes the suite of the SQL one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from forge.flows.ports import Seam
from forge.flows.records import (
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
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, RunId, SnapshotId, TableName
from forge.model.nearest import did_you_mean
from forge.quality.verdict import Verdict
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.runs import MemoryRuns
from forge.stores.sql.columns import plain
from forge.stores.sql.history import newest_first
from forge.versioning.branch import Branch, branch_exists
from forge.versioning.commit import Commit, Tree


class MemoryMetadata(MemoryRuns):
    def __init__(self, catalog: MemoryCatalog | None = None) -> None:
        self.catalog = catalog or MemoryCatalog()
        super().__init__(self.catalog)
        self._branches: dict[BranchName, Branch] = {}
        self._commits: dict[CommitId, Commit] = {}
        self._trees: dict[str, Tree] = {}
        self._lineage: dict[RunId, dict[TableName, TableLineage]] = {}
        self._assets: dict[TableName, AssetRecord] = {}
        self._profiles: dict[tuple[TableName, SnapshotId | None], ProfileRecord] = {}
        self._loaded: dict[CommitId, Mapping[TableName, tuple[LoadedFile, ...]]] = {}
        self._audit: list[AuditRecord] = []

    # branches

    def branches(self) -> tuple[Branch, ...]:
        with self._lock:
            return tuple(self._branches[name] for name in sorted(self._branches))

    def branch(self, name: BranchName) -> Branch | None:
        return self._branches.get(name)

    def create_branch(self, branch: Branch, audit: AuditRecord) -> None:
        with self._lock:
            if branch.name in self._branches:
                raise branch_exists(branch.name, self._branches[branch.name])
            self._branches[branch.name] = branch
            self._note([audit])

    def delete_branch(self, name: BranchName, audit: AuditRecord) -> None:
        with self._lock:
            if name not in self._branches:
                why = did_you_mean(name, self._branches)
                raise ForgeError("E602", f"There is no branch {name}", why=why, fix="forge branch")
            del self._branches[name]
            self._note([audit])

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
        if commit_id not in self._commits:
            raise ForgeError("E601", f"There is no commit {commit_id}", fix="forge log")
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
            raise ForgeError("E601", f"There is no commit {head}", fix="forge log")
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

    # publish

    def publish(self, publication: Publication, seam: Seam) -> Published | Moved:
        with self._lock:
            moved = tuple(
                pointer.catalog
                for pointer in sorted(publication.pointers, key=lambda pointer: pointer.catalog)
                if self.catalog.location(pointer.catalog) != pointer.expected
            )
            branch = self._branches.get(publication.branch)
            if moved or branch is None or branch.head != publication.expected_head:
                return Moved(moved, branch is None or branch.head != publication.expected_head)
            # What a seam raises must leave nothing behind, so both come before the first change.
            seam("publish.pointers")
            seam("publish.records")
            self._keep(publication, branch)
        return Published(publication.commit.id)

    def _keep(self, publication: Publication, branch: Branch) -> None:
        for pointer in publication.pointers:
            self.catalog.rows[pointer.catalog] = (pointer.location, pointer.kind)
            if pointer.staged:
                self.catalog.rows.pop(pointer.staged, None)
        commit, run = publication.commit, publication.run
        self._branches[branch.name] = replace(branch, head=commit.id, updated_at=commit.time)
        self._commits[commit.id] = replace(commit, metadata=_plain(commit.metadata))
        self._trees[commit.tree_id] = dict(publication.tree)
        self.catalog.view_files |= {v.metadata_location for v in publication.tree.values() if v.metadata_location}
        self._keep_run(run)
        self._keep_verdicts(run.id, publication.verdicts)
        self._keep_lineage(run.id, (*publication.unpublished, *publication.lineage))
        for asset in publication.assets:
            self._assets[asset.table] = replace(asset, columns=tuple(_plain(column) for column in asset.columns))
        for profile in publication.profiles:
            readings = _plain(profile.readings)
            self._profiles[profile.table, profile.snapshot_id] = replace(profile, readings=readings)
        self._loaded[commit.id] = dict(publication.loaded)
        self._note(publication.audit)

    def _keep_lineage(self, run_id: RunId, lineage: Iterable[TableLineage]) -> None:
        self._lineage.setdefault(run_id, {}).update({one.table: one for one in lineage})

    def _keep_run(self, run: RunRecord) -> None:
        self._changes += 1
        self._runs[run.id] = replace(run, params=_plain(run.params))

    def _keep_verdicts(self, run_id: RunId, verdicts: Sequence[Verdict]) -> None:
        if verdicts:
            self._verdicts[run_id] = tuple(replace(verdict, details=_plain(verdict.details)) for verdict in verdicts)

    def _note(self, audit: Iterable[AuditRecord]) -> None:
        self._changes += 1
        self._audit += [replace(record, detail=_plain(record.detail)) for record in audit]


def _plain(value: Mapping[str, object]) -> Mapping[str, Any]:
    """As the SQL store gives it back: what JSON can hold."""
    return cast(Mapping[str, Any], plain(value))
