"""Merges and their conflicts in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.merge.record import MergeRecord
from forge.model.names import BranchName, TableName
from forge.stores.memory.records import MemoryRecords, stored
from forge.stores.refusals import no_conflicts, no_merge
from forge.versioning.conflict import Conflict, ResolutionRule
from forge.versioning.merge import MergeStatus


class MemoryMerges(MemoryRecords):
    def put_merge(self, merge: MergeRecord, conflicts: Sequence[Conflict] | None, audit: AuditRecord) -> None:
        with self._lock:
            self._keep_merge(merge)
            if conflicts is not None:
                self._replace_conflicts(merge, conflicts)
            self._note([audit])

    def _replace_conflicts(self, merge: MergeRecord, conflicts: Sequence[Conflict]) -> None:
        """A resolution stays with its conflict. The merge counts at least the recorded resolutions."""
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

    def answer(self, merge_id: str, answers: Mapping[str, ResolutionRule], audit: AuditRecord) -> None:
        with self._lock:
            if merge_id not in self._merges:
                raise no_merge(merge_id)
            known = self._conflicts.get(merge_id, {})
            missing = set(answers) - set(known)
            if missing:
                raise no_conflicts(merge_id, missing)
            new = sum(known[conflict_id].resolution is None for conflict_id in answers)
            for conflict_id, rule in answers.items():
                answered = replace(known[conflict_id], resolution=rule.take, resolved_value=stored(rule.value))
                known[conflict_id] = answered
            merge = self._merges[merge_id]
            counted = merge.resolved_count + new
            self._merges[merge_id] = replace(merge, resolved_count=counted, updated_at=audit.time)
            self._note([audit])


def _kept_conflict(conflict: Conflict) -> Conflict:
    names = ("key", "base", "ours", "theirs", "resolved_value")
    return replace(conflict, **{name: stored(getattr(conflict, name)) for name in names})
