"""The audit in SQL."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Engine, func, select

from forge.flows.runs.records import AuditRecord
from forge.stores.sql import tables
from forge.stores.sql.database import reading, writing
from forge.stores.sql.record_columns import record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.run_rows import NEWEST


class SqlAudit(SqlRecords):
    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.noted: Callable[[AuditRecord], None] = lambda audit: None  # called after a row was written by itself

    def audit(self, *, limit: int = 100) -> tuple[AuditRecord, ...]:
        """Newest first."""
        query = select(tables.audit).order_by(tables.audit.c.id.desc()).limit(limit)
        return tuple(record_of(AuditRecord, row) for row in self._all(query))

    def note(self, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            write_audit(connection, audit)
        self.noted(audit)

    def mark(self) -> str:
        """Every change of the records writes to the audit too, except the start of a run and later hashes; a run
        that ends without an audit row is detected by its state. Findings of personal data have a number of their own,
        which two writers never share: nothing that they hide is shown for a while."""
        r = tables.runs.c
        newest = select(r.id + " " + r.status).order_by(*NEWEST).limit(1).scalar_subquery()
        numbered = (tables.audit, tables.blobs, tables.table_trees)
        last = [select(func.max(table.c.id)).scalar_subquery() for table in numbered]
        last.append(select(func.max(tables.pii_revisions.c.number)).scalar_subquery())
        with reading(self._engine) as connection:
            return " ".join(map(str, connection.execute(select(*last, newest)).one()))
