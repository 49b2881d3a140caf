"""The part of the Metadata port that keeps branches, tags, merges with their conflicts, and hashes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, delete, or_, select, update
from sqlalchemy.exc import IntegrityError

from forge.flows.runs.records import AuditRecord, Blob, Sealed
from forge.flows.versioning.merge.record import MergeRecord
from forge.model.names import BranchName, CatalogName, TableName
from forge.stores.refusals import no_branch, no_tag, tag_exists
from forge.stores.sql import rows, tables
from forge.stores.sql.database import reading, writing
from forge.stores.sql.quality.verdicts import SqlRuns
from forge.stores.sql.statements import add, batches, find_rows, put
from forge.stores.sql.versioning import rows as version_rows
from forge.stores.sql.versioning.writes import (
    rename_everywhere,
    replace_conflicts,
    write_answers,
    write_merge,
    write_sealed,
)
from forge.versioning.branch import Branch, branch_exists
from forge.versioning.conflict import Conflict, Rule
from forge.versioning.merge import MergeStatus
from forge.versioning.tag import Tag


class SqlVersions(SqlRuns):
    # branches

    def branches(self) -> tuple[Branch, ...]:
        found = self._all(select(tables.branches).order_by(tables.branches.c.name))
        return tuple(version_rows.branch_of(row) for row in found)

    def branch(self, name: BranchName) -> Branch | None:
        found = self._all(select(tables.branches).where(tables.branches.c.name == name))
        return version_rows.branch_of(found[0]) if found else None

    def create_branch(self, branch: Branch, audit: AuditRecord) -> None:
        try:
            with writing(self._engine) as connection:
                add(connection, tables.branches, [version_rows.branch_row(branch)])
                _note(connection, audit)
        except IntegrityError as error:
            raise branch_exists(branch.name, self.branch(branch.name)) from error

    def delete_branch(self, name: BranchName, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            gone = connection.execute(delete(tables.branches).where(tables.branches.c.name == name))
            _expect_branch(connection, name, gone.rowcount)
            _note(connection, audit)

    def update_branch(self, branch: Branch, audit: AuditRecord) -> None:
        row = version_rows.branch_row(branch)
        values = {name: row[name] for name in row if name not in ("name", "head")}
        with writing(self._engine) as connection:
            changed = connection.execute(
                update(tables.branches).where(tables.branches.c.name == branch.name).values(values)
            )
            _expect_branch(connection, branch.name, changed.rowcount)
            _note(connection, audit)

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        t = tables.branches
        with writing(self._engine) as connection:
            touched = or_(t.c.name.in_([old, new]), t.c.parent == old)
            query = select(t).where(touched).order_by(t.c.name).with_for_update()
            known = {row["name"]: row for row in find_rows(connection, query)}
            _expect_branch(connection, old, int(old in known))
            if new in known:
                raise branch_exists(new, version_rows.branch_of(known[new]))
            connection.execute(update(t).where(t.c.name == old).values(name=new, updated_at=audit.time))
            rename_everywhere(connection, old, new)
            _note(connection, audit)

    # tags

    def tags(self) -> tuple[Tag, ...]:
        return tuple(version_rows.tag_of(row) for row in self._all(select(tables.tags).order_by(tables.tags.c.name)))

    def tag(self, name: str) -> Tag | None:
        found = self._all(select(tables.tags).where(tables.tags.c.name == name))
        return version_rows.tag_of(found[0]) if found else None

    def put_tag(self, tag: Tag, audit: AuditRecord, *, replace: bool) -> None:
        write = put if replace else add
        try:
            with writing(self._engine) as connection:
                write(connection, tables.tags, [version_rows.tag_row(tag)])
                _note(connection, audit)
        except IntegrityError as error:
            known = self.tag(tag.name)
            raise tag_exists(tag.name, known.target if known else None) from error

    def delete_tag(self, name: str, audit: AuditRecord) -> None:
        t = tables.tags
        with writing(self._engine) as connection:
            if connection.execute(delete(t).where(t.c.name == name)).rowcount == 0:
                raise no_tag(name, connection.execute(select(t.c.name)).scalars().all())
            _note(connection, audit)

    # merges and their conflicts

    def put_merge(self, merge: MergeRecord, conflicts: Sequence[Conflict] | None, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            write_merge(connection, merge)
            if conflicts is not None:
                replace_conflicts(connection, merge.id, conflicts)
            _note(connection, audit)

    def merge(self, merge_id: str) -> MergeRecord | None:
        found = self._all(select(tables.merges).where(tables.merges.c.id == merge_id))
        return version_rows.merge_of(found[0]) if found else None

    def merges(
        self, *, statuses: Iterable[MergeStatus] | None = None, branch: BranchName | None = None, limit: int = 50
    ) -> tuple[MergeRecord, ...]:
        m = tables.merges.c
        query = select(tables.merges).order_by(m.created_at.desc(), m.id.desc()).limit(limit)
        if statuses is not None:
            query = query.where(m.status.in_([status.value for status in statuses]))
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
        if table is not None:
            query = query.where(t.table_name == str(table))
        if column is not None:
            query = query.where(t.column_name == column)
        if ids is not None:
            query = query.where(t.id.in_(list(ids)))
        if open_only:
            query = query.where(t.resolution.is_(None))
        query = query.limit(limit).offset(offset)
        return tuple(version_rows.conflict_of(row) for row in self._all(query))

    def answer(self, merge_id: str, answers: Mapping[str, Rule], audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            write_answers(connection, merge_id, answers, audit.time)
            _note(connection, audit)

    # integrity

    def blobs(self, paths: Iterable[str]) -> dict[str, Blob]:
        t = tables.blobs
        found = self._batched(select(t), t.c.path, paths)
        return {row["path"]: version_rows.blob_of(row) for row in found}

    def table_trees(self, digests: Iterable[str]) -> dict[str, Mapping[str, object]]:
        t = tables.table_trees
        return {row["digest"]: row["body"] for row in self._batched(select(t), t.c.digest, digests)}

    def seal(self, sealed: Sealed) -> None:
        with writing(self._engine) as connection:
            write_sealed(connection, sealed)

    def _homes(self) -> dict[str, CatalogName]:
        """All of them: only tables that were made on another branch, or left the default one, have any."""
        return {row["uuid"]: CatalogName(row["namespace"], row["name"]) for row in self._all(select(tables.homes))}

    def _batched(self, query: Select[Any], column: Any, wanted: Iterable[str]) -> list[Mapping[str, Any]]:
        with reading(self._engine) as connection:
            return [
                row
                for some in batches(list(dict.fromkeys(wanted)))
                for row in find_rows(connection, query.where(column.in_(some)))
            ]

    def _all(self, query: Select[Any]) -> list[Mapping[str, Any]]:
        with reading(self._engine) as connection:
            return find_rows(connection, query)


def _expect_branch(connection: Connection, name: BranchName, count: int) -> None:
    if count == 0:
        raise no_branch(name, connection.execute(select(tables.branches.c.name)).scalars().all())


def _note(connection: Connection, audit: AuditRecord) -> None:
    add(connection, tables.audit, [rows.audit_row(audit)])
