"""Declared sources on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from forge.federation.drift import SeenSource
from forge.federation.source import DeclaredSource, SourceOrigin
from forge.federation.source_keys import source_of_keys
from forge.flows.runs.records import AuditRecord
from forge.stores.sql.database import writing
from forge.stores.sql.federation.source_tables import seen as seen_columns
from forge.stores.sql.federation.source_tables import sources
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import insert_into, put


class SqlDeclaredSources(SqlRecords):
    def sources(self) -> tuple[DeclaredSource, ...]:
        return tuple(_declared(row) for row in self._all(select(sources).order_by(sources.c.name)))

    def apply(self, before: DeclaredSource | None, after: DeclaredSource | None, audit: AuditRecord) -> bool:
        one = before or after
        assert one is not None, "something is created, changed or dropped"
        with writing(self._engine) as connection:
            if not _write(connection, before, after):
                return False
            if after is None:
                connection.execute(seen_columns.delete().where(seen_columns.c.source == one.name))
            write_audit(connection, audit)
            return True

    def seen(self, name: str) -> SeenSource | None:
        row = self._first(select(seen_columns).where(seen_columns.c.source == name))
        if row is None:
            return None
        tables = {table: tuple((name, type_) for name, type_ in columns) for table, columns in row["tables"].items()}
        return SeenSource(row["source"], row["seen_at"], tables)

    def remember(self, seen: SeenSource) -> None:
        with writing(self._engine) as connection:
            put(connection, seen_columns, [{"source": seen.source, "seen_at": seen.seen_at, "tables": seen.tables}])


def _write(connection: Connection, before: DeclaredSource | None, after: DeclaredSource | None) -> bool:
    """Whether it was as `before`."""
    if before is None:
        assert after is not None
        new = insert_into(connection, sources).values(_row(after)).on_conflict_do_nothing()
        return connection.execute(new.returning(sources.c.name)).first() is not None
    old = (sources.c.name == before.name) & (sources.c.version == before.version)
    change = sources.delete().where(old) if after is None else sources.update().where(old).values(_row(after))
    return connection.execute(change).rowcount == 1


def _row(one: DeclaredSource) -> dict[str, Any]:
    return {
        **columns_of(one, "source"),
        "name": one.name,
        "origin": one.source.origin.value,
        "document": one.source.keys,
    }


def _declared(row: Mapping[str, Any]) -> DeclaredSource:
    return record_of(DeclaredSource, row, source=source_of_keys(row["document"], SourceOrigin(row["origin"])))
