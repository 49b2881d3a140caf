"""Findings of personal data on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from forge.catalog.pii.review import FindingOrigin, PiiRecord, ReviewState, ScannedTable
from forge.flows.runs.records import AuditRecord
from forge.stores.sql.catalog.pii_tables import findings, scans
from forge.stores.sql.change_log import touch
from forge.stores.sql.database import writing
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import batches, insert_into, only, put
from forge.stores.sql.tables import pii_revisions as revisions

_ONE = 1  # the only row of revisions


class _VersionConflict(Exception):
    """A record is not at the expected version."""


class SqlPiiFindings(SqlRecords):
    def findings(
        self,
        *,
        tables: Iterable[str] | None = None,
        table_key: str | None = None,
        states: Iterable[ReviewState] = (),
        types: Iterable[str] = (),
        closed: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[PiiRecord, ...]:
        f = findings.c
        query = select(findings).order_by(f.table_name, f.column_key)
        query = only(query, (f.table_key, table_key), (f.state, tuple(states) or None), (f.type, tuple(types) or None))
        if not closed:
            query = query.where(f.closed_at.is_(None))
        if tables is not None:
            names = sorted(set(tables))
            if len(names) > 1 and limit is None and not offset:
                rows = [row for some in batches(names) for row in self._all(query.where(f.table_name.in_(some)))]
                return tuple(map(_record_of, rows))
            query = query.where(f.table_name.in_(names))
        return tuple(map(_record_of, self._all(query.offset(offset).limit(limit))))

    def finding(self, finding_id: str) -> PiiRecord | None:
        found = self._first(select(findings).where(findings.c.id == finding_id))
        return _record_of(found) if found else None

    def scan(self, table: str) -> ScannedTable | None:
        found = self._first(select(scans).where(scans.c.table_name == table))
        return _scan_of(found) if found else None

    def scanned(self) -> Mapping[str, str]:
        found = self._all(select(scans.c.table_name, scans.c.version))
        return {row["table_name"]: row["version"] for row in found}

    def save(self, records: Sequence[PiiRecord], scan: ScannedTable | None, audit: AuditRecord) -> bool:
        try:
            with writing(self._engine) as connection:
                _grow(connection)  # first, so that writers wait for each other here, in one order
                for record in records:
                    _put(connection, record)
                if scan is not None:
                    put(connection, scans, [_scan_row(scan)])
                write_audit(connection, audit)
                touch(connection, "asset", {record.table for record in records})
        except _VersionConflict:
            return False
        return True

    def revision(self) -> int:
        found = self._first(select(revisions.c.number).where(revisions.c.id == _ONE))
        return int(found["number"]) if found else 0


def _grow(connection: Connection) -> None:
    insert = insert_into(connection, revisions).values(id=_ONE, number=1)
    grown = insert.on_conflict_do_update(index_elements=["id"], set_={"number": revisions.c.number + 1})
    connection.execute(grown)


def _put(connection: Connection, record: PiiRecord) -> None:
    row, f = _row(record), findings.c
    if record.version == 1:
        insert = insert_into(connection, findings).values(row).on_conflict_do_nothing().returning(f.id)
        if connection.execute(insert).first() is None:
            raise _VersionConflict
        return
    row.pop("id")
    same = update(findings).where(f.id == record.id, f.version == record.version - 1).values(**row)
    try:
        with connection.begin_nested():
            changed = connection.execute(same).rowcount
    except IntegrityError as error:  # it moves to a name under which that column has a finding
        raise _VersionConflict from error
    if changed == 0:
        raise _VersionConflict


def _row(record: PiiRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "table_name": record.table,
        "table_key": record.table_key,
        "column_key": record.key,
        "column_name": record.column,
        "type": record.type,
        "score": record.score,
        "evidence": list(record.evidence),
        "quasi": record.quasi,
        "state": str(record.state),
        "origin": str(record.origin),
        "source": record.source,
        "path": list(record.path),
        "reviewed_by": record.reviewed_by,
        "reviewed_at": record.reviewed_at,
        "note": record.note,
        "reason": record.reason,
        "snapshot_id": record.snapshot_id,
        "first_seen": record.first_seen,
        "last_seen": record.last_seen,
        "closed_at": record.closed_at,
        "version": record.version,
    }


def _record_of(row: Mapping[str, Any]) -> PiiRecord:
    given = {name: value for name, value in row.items() if name not in _OTHERS}
    return PiiRecord(
        **given,
        table=row["table_name"],
        column=row["column_name"],
        evidence=tuple(row["evidence"]),
        path=tuple(row["path"]),
        state=ReviewState(row["state"]),
        origin=FindingOrigin(row["origin"]),
    )


_OTHERS = frozenset({"table_name", "column_key", "column_name", "evidence", "path", "state", "origin"})


def _scan_row(scan: ScannedTable) -> dict[str, Any]:
    return {
        "table_name": scan.table,
        "table_key": scan.table_key,
        "version": scan.version,
        "snapshot_id": scan.snapshot_id,
        "rows": scan.rows,
        "complete": scan.complete,
        "scanned_at": scan.scanned_at,
        "settings": scan.settings,
    }


def _scan_of(row: Mapping[str, Any]) -> ScannedTable:
    return ScannedTable(table=row["table_name"], **{name: row[name] for name in row if name != "table_name"})
