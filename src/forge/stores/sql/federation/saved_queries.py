"""Saved queries on SQLite and PostgreSQL."""

from __future__ import annotations

from sqlalchemy import Connection, or_, select

from forge.federation.saved_query import SavedQuery
from forge.flows.runs.records import AuditRecord
from forge.stores.sql.database import writing
from forge.stores.sql.federation.saved_query_tables import saved_queries
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import insert_into


class SqlSavedQueries(SqlRecords):
    def visible_to(self, user: str) -> tuple[SavedQuery, ...]:
        table = saved_queries.c
        seen = select(saved_queries).where(or_(table.owner == user, table.is_shared))
        return tuple(record_of(SavedQuery, row) for row in self._all(seen.order_by(table.name, table.owner)))

    def find(self, query_id: str) -> SavedQuery | None:
        row = self._first(select(saved_queries).where(saved_queries.c.id == query_id))
        return record_of(SavedQuery, row) if row is not None else None

    def apply(self, before: SavedQuery | None, after: SavedQuery | None, audit: AuditRecord) -> bool:
        with writing(self._engine) as connection:
            if not _write(connection, before, after):
                return False
            write_audit(connection, audit)
            return True


def _write(connection: Connection, before: SavedQuery | None, after: SavedQuery | None) -> bool:
    """Whether it was as `before`, and its name is free."""
    table = saved_queries.c
    if before is None:
        assert after is not None, "something is kept, changed or dropped"
        new = insert_into(connection, saved_queries).values(columns_of(after)).on_conflict_do_nothing()
        return connection.execute(new.returning(table.id)).first() is not None
    old = (table.id == before.id) & (table.version == before.version)
    if after is None:
        return connection.execute(saved_queries.delete().where(old)).rowcount == 1
    others = (table.owner == after.owner) & (table.name == after.name) & (table.id != after.id)
    is_free = ~select(table.id).where(others).exists()
    return connection.execute(saved_queries.update().values(columns_of(after)).where(old & is_free)).rowcount == 1
