"""All records in memory, as in one database: what the adapters of the ports share, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from forge.flows.runs.records import (
    AssetRecord,
    AuditRecord,
    Blob,
    HashRecords,
    LoadedFile,
    ProfileRecord,
    RunRecord,
    TableLineage,
)
from forge.flows.versioning.merge.record import MergeRecord
from forge.model.names import BranchName, CatalogName, CommitId, RunId, SnapshotId, TableName
from forge.quality.verdict import Verdict
from forge.stores.json_values import plain
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.contracts import MemoryContracts
from forge.stores.memory.quality.remediations import MemoryRemediations
from forge.stores.refusals import no_commit
from forge.stores.sql.values import decode, encode
from forge.versioning.branch import Branch
from forge.versioning.commit import Commit, Tree
from forge.versioning.conflict import Conflict
from forge.versioning.tag import Tag


class MemoryRecords:
    def __init__(self, catalog: MemoryCatalog | None = None) -> None:
        self.catalog = catalog or MemoryCatalog()
        self._lock = self.catalog.lock
        self._changes = 0
        self._branches: dict[BranchName, Branch] = {}
        self._tags: dict[str, Tag] = {}
        self._commits: dict[CommitId, Commit] = {}
        self._trees: dict[str, Tree] = {}
        self._homes: dict[str, CatalogName] = {}
        self._loaded: dict[CommitId, Mapping[TableName, tuple[LoadedFile, ...]]] = {}
        self._merges: dict[str, MergeRecord] = {}
        self._conflicts: dict[str, dict[str, Conflict]] = {}  # by merge, then by id, in their order
        self._blobs: dict[str, Blob] = {}
        self._table_trees: dict[str, Mapping[str, object]] = {}
        self._runs: dict[RunId, RunRecord] = {}
        self._lineage: dict[RunId, dict[TableName, TableLineage]] = {}
        self._verdicts: dict[RunId, tuple[Verdict, ...]] = {}
        self._assets: dict[TableName, AssetRecord] = {}
        self._profiles: dict[tuple[TableName, SnapshotId | None], ProfileRecord] = {}
        self._audit: list[AuditRecord] = []
        self.remediations = MemoryRemediations()
        self.contracts = MemoryContracts()

    def _newest_runs(self, branch: BranchName | None = None) -> list[RunRecord]:
        with self._lock:
            found = [run for run in self._runs.values() if branch is None or run.branch == branch]
            return sorted(found, key=lambda run: (run.started_at, run.id), reverse=True)

    def _ancestors(self, head: CommitId) -> list[Commit]:
        if head not in self._commits:
            raise no_commit(head)
        seen, todo = {head}, [head]
        while todo:
            new = [parent for parent in self._commits[todo.pop()].parents if parent not in seen]
            seen.update(new)
            todo += new
        return [self._commits[commit_id] for commit_id in seen]

    def _keep_run(self, run: RunRecord) -> None:
        self._changes += 1
        self._runs[run.id] = replace(run, params=plain_json(run.params))

    def _keep_verdicts(self, run_id: RunId, verdicts: Sequence[Verdict]) -> None:
        if verdicts:
            self._verdicts[run_id] = tuple(
                replace(verdict, details=plain_json(verdict.details)) for verdict in verdicts
            )

    def _keep_lineage(self, run_id: RunId, lineage: Iterable[TableLineage]) -> None:
        self._lineage.setdefault(run_id, {}).update({one.table: one for one in lineage})

    def _keep_merge(self, merge: MergeRecord) -> None:
        rules = tuple(replace(rule, value=stored(rule.value)) for rule in merge.rules)
        self._merges[merge.id] = replace(merge, rules=rules, keys={k: tuple(v) for k, v in merge.keys.items()})

    def _keep_hashes(self, hashes: HashRecords) -> None:
        self._changes += 1
        for blob in hashes.blobs:
            self._blobs.setdefault(blob.path, blob)
        for digest, body in hashes.table_trees.items():
            self._table_trees.setdefault(digest, plain_json(body))

    def _note(self, audit: Iterable[AuditRecord]) -> None:
        self._changes += 1
        self._audit += [replace(record, detail=plain_json(record.detail)) for record in audit]


def plain_json(value: Mapping[str, object]) -> Mapping[str, Any]:
    """After a round trip through JSON, as in the SQL store."""
    return cast(Mapping[str, Any], plain(value))


def stored(value: object) -> Any:
    """As the SQL store returns it."""
    return decode(encode(value))
