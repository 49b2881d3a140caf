"""Virtual tables on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from forge.federation.drift import SeenSource
from forge.federation.source import SourceOrigin
from forge.federation.virtual_table import DeclaredVirtualTable, virtual_table_of
from forge.flows.runs.records import AuditRecord
from forge.stores.sql.database import writing
from forge.stores.sql.federation.virtual_table_tables import virtual_columns, virtual_tables
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import insert_into, put


class SqlVirtualTables(SqlRecords):
    def tables(self) -> tuple[DeclaredVirtualTable, ...]:
        return tuple(_declared(row) for row in self._all(select(virtual_tables).order_by(virtual_tables.c.name)))

    def apply(
        self, before: DeclaredVirtualTable | None, after: DeclaredVirtualTable | None, audit: AuditRecord
    ) -> bool:
        one = before or after
        assert one is not None, "something is created, changed or dropped"
        with writing(self._engine) as connection:
            if not _write(connection, before, after):
                return False
            if after is None:
                connection.execute(virtual_columns.delete().where(virtual_columns.c.name == one.name))
            write_audit(connection, audit)
            return True

    def seen(self, name: str) -> SeenSource | None:
        row = self._first(select(virtual_columns).where(virtual_columns.c.name == name))
        if row is None:
            return None
        tables = {table: tuple((name, type_) for name, type_ in columns) for table, columns in row["tables"].items()}
        return SeenSource(row["name"], row["seen_at"], tables)

    def remember(self, seen: SeenSource) -> None:
        with writing(self._engine) as connection:
            put(connection, virtual_columns, [{"name": seen.source, "seen_at": seen.seen_at, "tables": seen.tables}])


def _write(connection: Connection, before: DeclaredVirtualTable | None, after: DeclaredVirtualTable | None) -> bool:
    """Whether it was as `before`."""
    if before is None:
        assert after is not None
        new = insert_into(connection, virtual_tables).values(_row(after)).on_conflict_do_nothing()
        return connection.execute(new.returning(virtual_tables.c.name)).first() is not None
    old = (virtual_tables.c.name == before.name) & (virtual_tables.c.version == before.version)
    change = virtual_tables.delete() if after is None else virtual_tables.update().values(_row(after))
    return connection.execute(change.where(old)).rowcount == 1


def _row(one: DeclaredVirtualTable) -> dict[str, Any]:
    return {
        **columns_of(one, "table"),
        "name": one.name,
        "origin": one.table.origin.value,
        "document": one.table.definition,
    }


def _declared(row: Mapping[str, Any]) -> DeclaredVirtualTable:
    return record_of(DeclaredVirtualTable, row, table=virtual_table_of(row["document"], SourceOrigin(row["origin"])))
