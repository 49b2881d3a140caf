"""The base of all SQL record adapters: the database, and the reading of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, Select

from forge.flows.runs.records import AuditRecord
from forge.stores.sql import rows, tables
from forge.stores.sql.database import reading
from forge.stores.sql.statements import add, batches, find_rows


class SqlRecords:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def _all(self, query: Select[Any]) -> list[Mapping[str, Any]]:
        with reading(self._engine) as connection:
            return find_rows(connection, query)

    def _first(self, query: Select[Any]) -> Mapping[str, Any] | None:
        found = self._all(query.limit(1))
        return found[0] if found else None

    def _batched(self, query: Select[Any], column: Any, wanted: Iterable[str]) -> list[Mapping[str, Any]]:
        with reading(self._engine) as connection:
            return [
                row
                for some in batches(list(dict.fromkeys(wanted)))
                for row in find_rows(connection, query.where(column.in_(some)))
            ]


def write_audit(connection: Connection, audit: AuditRecord) -> None:
    add(connection, tables.audit, [rows.audit_row(audit)])
