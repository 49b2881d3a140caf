"""The glossary on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from forge.catalog.glossary.term import GlossaryTerm, TermRevision, TermState, name_key
from forge.flows.catalog.glossary.ports import TermWrite
from forge.flows.runs.records import AuditRecord
from forge.stores.sql.catalog.glossary_tables import revisions, terms
from forge.stores.sql.change_log import lock_catalog, log_changes
from forge.stores.sql.database import writing
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import add, batches, find_rows, only


class SqlGlossary(SqlRecords):
    def terms(self, *, domain: str | None = None) -> tuple[GlossaryTerm, ...]:
        t = terms.c
        query = only(select(terms), (t.domain, domain)).order_by(t.domain, t.name, t.id)
        return tuple(_term_of(row) for row in self._all(query))

    def term(self, term_id: str) -> GlossaryTerm | None:
        found = self._first(select(terms).where(terms.c.id == term_id))
        return _term_of(found) if found else None

    def apply(self, writes: Sequence[TermWrite], audit: AuditRecord) -> bool:
        with writing(self._engine) as connection:
            lock_catalog(connection)
            if not _are_current(connection, writes) or not _are_unique(connection, writes):
                return False
            for some in batches([write.id for write in writes]):
                connection.execute(terms.delete().where(terms.c.id.in_(some)))
            add(connection, terms, [_row(write.after) for write in writes if write.after is not None])
            add(connection, revisions, [_revision_row(write, audit) for write in writes])
            log_changes(connection, "term", [write.id for write in writes])
            write_audit(connection, audit)
            return True

    def last_versions(self, term_ids: Iterable[str]) -> Mapping[str, int]:
        r = revisions.c
        query = select(r.term, func.max(r.version).label("version")).group_by(r.term)
        return {row["term"]: row["version"] for row in self._batched(query, r.term, term_ids)}

    def history(self, term_id: str, limit: int = 100) -> tuple[TermRevision, ...]:
        r = revisions.c
        query = select(revisions).where(r.term == term_id).order_by(r.number.desc()).limit(limit)
        return tuple(record_of(TermRevision, row) for row in self._all(query))


def _are_current(connection: Connection, writes: Sequence[TermWrite]) -> bool:
    """The caller has locked the catalog, so what is true here stays true."""
    t = terms.c
    versions = {
        row["id"]: row["version"]
        for some in batches([write.id for write in writes])
        for row in find_rows(connection, select(t.id, t.version).where(t.id.in_(some)))
    }
    return all(versions.get(write.id) == (write.before.version if write.before else None) for write in writes)


def _are_unique(connection: Connection, writes: Sequence[TermWrite]) -> bool:
    t = terms.c
    names = [(write.after.domain, name_key(write.after.name)) for write in writes if write.after is not None]
    if len(set(names)) < len(names):
        return False
    mine, wanted = {write.id for write in writes}, set(names)
    for some in batches([key for _, key in names]):
        for row in find_rows(connection, select(t.id, t.domain, t.name_key).where(t.name_key.in_(some))):
            if row["id"] not in mine and (row["domain"], row["name_key"]) in wanted:
                return False
    return True


def _row(term: GlossaryTerm) -> dict[str, Any]:
    return {**columns_of(term), "name_key": name_key(term.name)}


def _term_of(row: Mapping[str, Any]) -> GlossaryTerm:
    return record_of(GlossaryTerm, row, state=TermState(row["state"]))


def _revision_row(write: TermWrite, audit: AuditRecord) -> dict[str, Any]:
    before, after = write.before, write.after
    return {
        "term": write.id,
        "version": after.version if after else (before.version + 1 if before else 1),
        "at": audit.time,
        "by": audit.actor,
        "before": before.content if before else None,
        "after": after.content if after else None,
    }
