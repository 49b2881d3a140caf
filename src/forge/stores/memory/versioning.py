"""Branches, tags, merges with their conflicts, and hashes, in memory: the twin of `stores.sql.versioning`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from forge.flows.runs.records import AuditRecord, Blob, Sealed
from forge.flows.versioning.merge.record import MergeRecord
from forge.model.names import BranchName, CatalogName, TableName
from forge.stores.json_values import plain
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.runs import MemoryRuns
from forge.stores.refusals import no_branch, no_conflicts, no_merge, no_tag, tag_exists
from forge.stores.sql.values import decode, encode
from forge.versioning.branch import Branch, branch_exists
from forge.versioning.conflict import Conflict, Rule
from forge.versioning.merge import OPEN_MERGES, MergeStatus
from forge.versioning.tag import Tag


class MemoryVersions(MemoryRuns):
    def __init__(self, catalog: MemoryCatalog) -> None:
        super().__init__(catalog)
        self._branches: dict[BranchName, Branch] = {}
        self._tags: dict[str, Tag] = {}
        self._merges: dict[str, MergeRecord] = {}
        self._conflicts: dict[str, dict[str, Conflict]] = {}  # by merge, then by id, in their order
        self._homes: dict[str, CatalogName] = {}
        self._blobs: dict[str, Blob] = {}
        self._table_trees: dict[str, Mapping[str, object]] = {}
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
            self._expect_branch(name)
            del self._branches[name]
            self._note([audit])

    def update_branch(self, branch: Branch, audit: AuditRecord) -> None:
        with self._lock:
            self._expect_branch(branch.name)
            self._branches[branch.name] = replace(branch, head=self._branches[branch.name].head)
            self._note([audit])

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        with self._lock:
            self._expect_branch(old)
            if new in self._branches:
                raise branch_exists(new, self._branches[new])
            self._branches[new] = replace(self._branches.pop(old), name=new, updated_at=audit.time)
            for branch in list(self._branches.values()):
                if branch.parent == old:
                    self._branches[branch.name] = replace(branch, parent=new)
            for merge in list(self._merges.values()):
                if merge.status in OPEN_MERGES:
                    source = str(new) if merge.source == old else merge.source
                    target = new if merge.target == old else merge.target
                    self._merges[merge.id] = replace(merge, source=source, target=target)
            for run in list(self._runs.values()):
                if run.branch == old:
                    self._runs[run.id] = replace(run, branch=new)
            self._note([audit])

    def _expect_branch(self, name: BranchName) -> None:
        if name not in self._branches:
            raise no_branch(name, self._branches)

    # tags

    def tags(self) -> tuple[Tag, ...]:
        with self._lock:
            return tuple(self._tags[name] for name in sorted(self._tags))

    def tag(self, name: str) -> Tag | None:
        return self._tags.get(name)

    def put_tag(self, tag: Tag, audit: AuditRecord, *, replace: bool) -> None:
        with self._lock:
            known = self._tags.get(tag.name)
            if known is not None and not replace:
                raise tag_exists(tag.name, known.target)
            self._tags[tag.name] = tag
            self._note([audit])

    def delete_tag(self, name: str, audit: AuditRecord) -> None:
        with self._lock:
            if name not in self._tags:
                raise no_tag(name, self._tags)
            del self._tags[name]
            self._note([audit])

    # merges and their conflicts

    def put_merge(self, merge: MergeRecord, conflicts: Sequence[Conflict] | None, audit: AuditRecord) -> None:
        with self._lock:
            self._keep_merge(merge)
            if conflicts is not None:
                self._replace_conflicts(merge, conflicts)
            self._note([audit])

    def _keep_merge(self, merge: MergeRecord) -> None:
        rules = tuple(replace(rule, value=_kept(rule.value)) for rule in merge.rules)
        self._merges[merge.id] = replace(merge, rules=rules, keys={k: tuple(v) for k, v in merge.keys.items()})

    def _replace_conflicts(self, merge: MergeRecord, conflicts: Sequence[Conflict]) -> None:
        """An answer stays with its conflict. The merge counts at least the answers that are kept."""
        before = self._conflicts.get(merge.id, {})
        after: dict[str, Conflict] = {}
        for conflict in map(_kept_conflict, conflicts):
            known = before.get(conflict.id)
            if conflict.resolution is None and known is not None:
                conflict = replace(conflict, resolution=known.resolution, resolved_value=known.resolved_value)
            after[conflict.id] = conflict
        self._conflicts[merge.id] = after
        resolved = sum(conflict.resolution is not None for conflict in after.values())
        kept = self._merges[merge.id]
        self._merges[merge.id] = replace(kept, resolved_count=max(kept.resolved_count, resolved))

    def merge(self, merge_id: str) -> MergeRecord | None:
        return self._merges.get(merge_id)

    def merges(
        self, *, statuses: Iterable[MergeStatus] | None = None, branch: BranchName | None = None, limit: int = 50
    ) -> tuple[MergeRecord, ...]:
        wanted = frozenset(MergeStatus if statuses is None else statuses)
        with self._lock:
            newest = sorted(self._merges.values(), key=lambda merge: (merge.created_at, merge.id), reverse=True)
        found = [m for m in newest if m.status in wanted and branch in (None, m.source, m.target)]
        return tuple(found[:limit])

    def conflicts(
        self,
        merge_id: str,
        *,
        table: TableName | None = None,
        column: str | None = None,
        ids: Iterable[str] | None = None,
        open_only: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[Conflict, ...]:
        wanted = None if ids is None else frozenset(ids)
        with self._lock:
            found = [
                conflict
                for conflict_id, conflict in self._conflicts.get(merge_id, {}).items()
                if (table is None or conflict.table == str(table))
                and (column is None or conflict.column == column)
                and (wanted is None or conflict_id in wanted)
                and not (open_only and conflict.resolution is not None)
            ]
        return tuple(found[offset : None if limit is None else offset + limit])

    def answer(self, merge_id: str, answers: Mapping[str, Rule], audit: AuditRecord) -> None:
        with self._lock:
            if merge_id not in self._merges:
                raise no_merge(merge_id)
            known = self._conflicts.get(merge_id, {})
            missing = set(answers) - set(known)
            if missing:
                raise no_conflicts(merge_id, missing)
            new = sum(known[conflict_id].resolution is None for conflict_id in answers)
            for conflict_id, rule in answers.items():
                answered = replace(known[conflict_id], resolution=rule.take, resolved_value=_kept(rule.value))
                known[conflict_id] = answered
            merge = self._merges[merge_id]
            counted = merge.resolved_count + new
            self._merges[merge_id] = replace(merge, resolved_count=counted, updated_at=audit.time)
            self._note([audit])

    # integrity

    def blobs(self, paths: Iterable[str]) -> dict[str, Blob]:
        with self._lock:
            return {path: self._blobs[path] for path in paths if path in self._blobs}

    def table_trees(self, digests: Iterable[str]) -> dict[str, Mapping[str, object]]:
        with self._lock:
            return {digest: self._table_trees[digest] for digest in digests if digest in self._table_trees}

    def seal(self, sealed: Sealed) -> None:
        with self._lock:
            self._keep_sealed(sealed)

    def _keep_sealed(self, sealed: Sealed) -> None:
        self._changes += 1
        for blob in sealed.blobs:
            self._blobs.setdefault(blob.path, blob)
        for digest, body in sealed.table_trees.items():
            self._table_trees.setdefault(digest, cast(Mapping[str, Any], plain(body)))

    def _note(self, audit: Iterable[AuditRecord]) -> None:
        self._changes += 1
        self._audit += [replace(record, detail=cast(Mapping[str, Any], plain(record.detail))) for record in audit]


def _kept(value: object) -> Any:
    """As the SQL store gives it back."""
    return decode(encode(value))


def _kept_conflict(conflict: Conflict) -> Conflict:
    names = ("key", "base", "ours", "theirs", "resolved_value")
    return replace(conflict, **{name: _kept(getattr(conflict, name)) for name in names})
