"""Branches and tags in SQL."""

from __future__ import annotations

from sqlalchemy import Connection, delete, or_, select, update
from sqlalchemy.exc import IntegrityError

from forge.flows.runs.records import AuditRecord
from forge.model.names import BranchName
from forge.stores.refusals import no_branch, no_tag, tag_exists
from forge.stores.sql import tables
from forge.stores.sql.database import writing
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import add, find_rows, put
from forge.stores.sql.versioning import rows as version_rows
from forge.stores.sql.versioning.writes import rename_everywhere
from forge.versioning.branch import Branch, branch_exists
from forge.versioning.tag import Tag


class SqlRefs(SqlRecords):
    def branches(self) -> tuple[Branch, ...]:
        found = self._all(select(tables.branches).order_by(tables.branches.c.name))
        return tuple(record_of(Branch, row) for row in found)

    def branch(self, name: BranchName) -> Branch | None:
        found = self._first(select(tables.branches).where(tables.branches.c.name == name))
        return record_of(Branch, found) if found else None

    def create_branch(self, branch: Branch, audit: AuditRecord) -> None:
        try:
            with writing(self._engine) as connection:
                add(connection, tables.branches, [columns_of(branch)])
                write_audit(connection, audit)
        except IntegrityError as error:
            raise branch_exists(branch.name, self.branch(branch.name)) from error

    def delete_branch(self, name: BranchName, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            gone = connection.execute(delete(tables.branches).where(tables.branches.c.name == name))
            _expect_branch(connection, name, gone.rowcount)
            write_audit(connection, audit)

    def update_branch(self, branch: Branch, audit: AuditRecord) -> None:
        values = columns_of(branch, "name", "head")
        with writing(self._engine) as connection:
            changed = connection.execute(
                update(tables.branches).where(tables.branches.c.name == branch.name).values(values)
            )
            _expect_branch(connection, branch.name, changed.rowcount)
            write_audit(connection, audit)

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        t = tables.branches
        with writing(self._engine) as connection:
            touched = or_(t.c.name.in_([old, new]), t.c.parent == old)
            query = select(t).where(touched).order_by(t.c.name).with_for_update()
            known = {row["name"]: row for row in find_rows(connection, query)}
            _expect_branch(connection, old, int(old in known))
            if new in known:
                raise branch_exists(new, record_of(Branch, known[new]))
            connection.execute(update(t).where(t.c.name == old).values(name=new, updated_at=audit.time))
            rename_everywhere(connection, old, new)
            write_audit(connection, audit)

    def tags(self) -> tuple[Tag, ...]:
        return tuple(version_rows.tag_of(row) for row in self._all(select(tables.tags).order_by(tables.tags.c.name)))

    def tag(self, name: str) -> Tag | None:
        found = self._first(select(tables.tags).where(tables.tags.c.name == name))
        return version_rows.tag_of(found) if found else None

    def put_tag(self, tag: Tag, audit: AuditRecord, *, replace: bool) -> None:
        write = put if replace else add
        try:
            with writing(self._engine) as connection:
                write(connection, tables.tags, [version_rows.tag_row(tag)])
                write_audit(connection, audit)
        except IntegrityError as error:
            known = self.tag(tag.name)
            raise tag_exists(tag.name, known.target if known else None) from error

    def delete_tag(self, name: str, audit: AuditRecord) -> None:
        t = tables.tags
        with writing(self._engine) as connection:
            if connection.execute(delete(t).where(t.c.name == name)).rowcount == 0:
                raise no_tag(name, connection.execute(select(t.c.name)).scalars().all())
            write_audit(connection, audit)


def _expect_branch(connection: Connection, name: BranchName, count: int) -> None:
    if count == 0:
        raise no_branch(name, connection.execute(select(tables.branches.c.name)).scalars().all())
