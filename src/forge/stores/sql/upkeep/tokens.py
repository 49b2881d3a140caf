"""Tokens and sessions in SQL. Only digests of secrets are stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, delete, or_, select, text, update

from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.access import Token, TokenKind, TokenScope
from forge.stores.sql import database
from forge.stores.sql.database import reading, writing
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.tables import tokens


class SqlTokens(SqlRecords):
    def add(self, token: Token, audit: AuditRecord | None) -> None:
        with writing(self._engine) as connection:
            connection.execute(tokens.insert(), [columns_of(token)])
            _note(connection, audit)

    def by_digest(self, digest: str) -> Token | None:
        found = self._first(select(tokens).where(tokens.c.digest == digest))
        return _token(found) if found else None

    def by_id(self, token_id: str) -> Token | None:
        found = self._first(select(tokens).where(tokens.c.id == token_id))
        return _token(found) if found else None

    def all(self, kind: TokenKind) -> tuple[Token, ...]:
        query = select(tokens).where(tokens.c.kind == str(kind))
        newest = query.order_by(tokens.c.created_at.desc(), tokens.c.id.desc())
        return tuple(_token(row) for row in self._all(newest))

    def revoke(self, token_id: str, at: datetime, audit: AuditRecord | None) -> bool:
        change = update(tokens).where(tokens.c.id == token_id, tokens.c.revoked_at.is_(None)).values(revoked_at=at)
        with writing(self._engine, durable=True) as connection:
            if connection.execute(change).rowcount == 0:
                return False
            _note(connection, audit)
            return True

    def touch(self, token_id: str, at: datetime) -> None:
        with _writing_at_once(self._engine) as connection:
            connection.execute(update(tokens).where(tokens.c.id == token_id).values(last_used_at=at))

    def remove_expired(self, kind: TokenKind, before: datetime) -> int:
        over = or_(tokens.c.expires_at <= before, tokens.c.revoked_at.is_not(None))
        with writing(self._engine) as connection:
            return connection.execute(delete(tokens).where(tokens.c.kind == str(kind), over)).rowcount


@contextmanager
def _writing_at_once(engine: Engine) -> Iterator[Connection]:
    """A transaction that does not wait for locks: a locked database is E404."""
    if engine.dialect.name == "sqlite":
        with reading(engine) as connection:
            sqlite: Any = connection.connection.driver_connection
            sqlite.execute("PRAGMA busy_timeout=0")
            try:
                with connection.execution_options(forge_write=True).begin():
                    yield connection
            finally:
                sqlite.execute(f"PRAGMA busy_timeout={int(database.BUSY_SECONDS * 1000)}")
        return
    with writing(engine) as connection:
        connection.execute(text("SET LOCAL lock_timeout = '50ms'"))
        yield connection


def _note(connection: Connection, audit: AuditRecord | None) -> None:
    if audit is not None:
        write_audit(connection, audit)


def _token(row: Mapping[Any, Any]) -> Token:
    return record_of(Token, row, kind=TokenKind(row["kind"]), scope=TokenScope(row["scope"]))
