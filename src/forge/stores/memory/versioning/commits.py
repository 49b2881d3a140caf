"""Commits and their trees in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from forge.flows.runs.records import LoadedFile
from forge.model.names import CommitId, TableName
from forge.stores.memory.records import MemoryRecords
from forge.stores.refusals import no_commit
from forge.stores.sql.versioning.log_order import newest_first
from forge.versioning.commit import Commit, Tree


class MemoryCommits(MemoryRecords):
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

    def loaded_files(self, table: TableName, head: CommitId | None) -> frozenset[LoadedFile]:
        if head is None:
            return frozenset()
        with self._lock:
            return frozenset(
                file for commit in self._ancestors(head) for file in self._loaded.get(commit.id, {}).get(table, ())
            )
