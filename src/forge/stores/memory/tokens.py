"""Tokens in memory: passes the suite of the SQL store."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from threading import Lock

from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.access import Token, TokenKind


class MemoryTokens:
    def __init__(self) -> None:
        self._lock = Lock()
        self._tokens: dict[str, Token] = {}
        self.audit: list[AuditRecord] = []

    def add(self, token: Token, audit: AuditRecord | None) -> None:
        with self._lock:
            self._tokens[token.id] = token
            self.audit += [audit] if audit else []

    def by_digest(self, digest: str) -> Token | None:
        with self._lock:
            return next((t for t in self._tokens.values() if t.digest == digest), None)

    def by_id(self, token_id: str) -> Token | None:
        with self._lock:
            return self._tokens.get(token_id)

    def all(self, kind: TokenKind) -> tuple[Token, ...]:
        with self._lock:
            found = [t for t in self._tokens.values() if t.kind is kind]
        return tuple(sorted(found, key=lambda t: (t.created_at, t.id), reverse=True))

    def revoke(self, token_id: str, at: datetime, audit: AuditRecord | None) -> bool:
        with self._lock:
            token = self._tokens.get(token_id)
            if token is None or token.revoked_at is not None:
                return False
            self._tokens[token_id] = replace(token, revoked_at=at)
            self.audit += [audit] if audit else []
            return True

    def touch(self, token_id: str, at: datetime) -> None:
        with self._lock:
            if token_id in self._tokens:
                self._tokens[token_id] = replace(self._tokens[token_id], last_used_at=at)

    def remove_expired(self, kind: TokenKind, before: datetime) -> int:
        with self._lock:
            over = [t.id for t in self._tokens.values() if t.kind is kind and t.state(before) != "active"]
            for token_id in over:
                del self._tokens[token_id]
            return len(over)
