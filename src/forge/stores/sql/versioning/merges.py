"""Merges and their conflicts in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import or_, select

from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.merge.record import MergeRecord
from forge.model.names import BranchName, TableName
from forge.stores.sql import tables
from forge.stores.sql.database import writing
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import only
from forge.stores.sql.versioning import rows as version_rows
from forge.stores.sql.versioning.writes import replace_conflicts, write_answers, write_merge
from forge.versioning.conflict import Conflict, ResolutionRule
from forge.versioning.merge import MergeStatus


class SqlMerges(SqlRecords):
    def put_merge(self, merge: MergeRecord, conflicts: Sequence[Conflict] | None, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            write_merge(connection, merge)
            if conflicts is not None:
                replace_conflicts(connection, merge.id, conflicts)
            write_audit(connection, audit)

    def merge(self, merge_id: str) -> MergeRecord | None:
        found = self._first(select(tables.merges).where(tables.merges.c.id == merge_id))
        return version_rows.merge_of(found) if found else None

    def merges(
        self, *, statuses: Iterable[MergeStatus] | None = None, branch: BranchName | None = None, limit: int = 50
    ) -> tuple[MergeRecord, ...]:
        m = tables.merges.c
        query = select(tables.merges).order_by(m.created_at.desc(), m.id.desc()).limit(limit)
        query = only(query, (m.status, statuses))
        if branch is not None:
            query = query.where(or_(m.source == branch, m.target == branch))
        return tuple(version_rows.merge_of(row) for row in self._all(query))

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
        t = tables.conflicts.c
        query = select(tables.conflicts).where(t.merge_id == merge_id).order_by(t.position)
        query = only(query, (t.table_name, table), (t.column_name, column), (t.id, ids))
        if open_only:
            query = query.where(t.resolution.is_(None))
        query = query.limit(limit).offset(offset)
        return tuple(version_rows.conflict_of(row) for row in self._all(query))

    def answer(self, merge_id: str, answers: Mapping[str, ResolutionRule], audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            write_answers(connection, merge_id, answers, audit.time)
            write_audit(connection, audit)
