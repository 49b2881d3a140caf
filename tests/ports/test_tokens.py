"""The suite of the Tokens port: memory, SQLite and PostgreSQL behave alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from migrated import open_migrated

from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.access import Token, TokenKind, Tokens, TokenScope
from forge.stores.memory.tokens import MemoryTokens
from forge.stores.sql.upkeep.tokens import SqlTokens

NOON = datetime(2026, 11, 14, 12, tzinfo=UTC)
NOTE = AuditRecord(NOON, "ada", "token.create", "t1", {"name": "ci"})


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def tokens(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tokens]:
    if request.param == "memory":
        yield MemoryTokens()
        return
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/forge.db"
    else:
        make: Callable[[], str] = request.getfixturevalue("new_postgres")
        url = make()
    engine = open_migrated(url)
    yield SqlTokens(engine)
    engine.dispose()


def token(name: str, kind: TokenKind = TokenKind.BEARER, minutes: int = 0, life: timedelta | None = None) -> Token:
    made = NOON + timedelta(minutes=minutes)
    return Token(
        id=name,
        kind=kind,
        name=f"name of {name}",
        scope=TokenScope.READ,
        digest=name * 8,
        created_by="ada",
        created_at=made,
        expires_at=made + life if life else None,
    )


def test_a_token_comes_back_as_it_was(tokens: Tokens) -> None:
    full = Token(
        id="t1",
        kind=TokenKind.SESSION,
        name="n",
        scope=TokenScope.WRITE,
        digest="d" * 64,
        created_by="ada",
        created_at=NOON,
        expires_at=NOON + timedelta(1),
        last_used_at=NOON,
        revoked_at=NOON + timedelta(2),
    )
    tokens.add(full, NOTE)
    assert tokens.by_digest("d" * 64) == full
    assert tokens.by_digest("e" * 64) is None
    assert tokens.by_id("t1") == full
    assert tokens.by_id("t2") is None
    assert tokens.all(TokenKind.SESSION) == (full,)
    assert tokens.all(TokenKind.BEARER) == ()


def test_the_newest_comes_first(tokens: Tokens) -> None:
    for number, name in ((1, "b"), (3, "a"), (2, "c")):
        tokens.add(token(name, minutes=number), None)
    assert [one.id for one in tokens.all(TokenKind.BEARER)] == ["a", "c", "b"]


def test_revoking_happens_once(tokens: Tokens) -> None:
    tokens.add(token("a"), NOTE)
    later = NOON + timedelta(hours=1)
    assert tokens.revoke("a", later, NOTE)
    assert not tokens.revoke("a", later + timedelta(hours=1), NOTE)
    assert not tokens.revoke("b", later, NOTE)
    (found,) = tokens.all(TokenKind.BEARER)
    assert found.revoked_at == later


def test_a_touch_is_kept(tokens: Tokens) -> None:
    tokens.add(token("a"), None)
    tokens.touch("a", NOON)
    tokens.touch("nobody", NOON)
    assert [one.last_used_at for one in tokens.all(TokenKind.BEARER)] == [NOON]


def test_what_is_over_is_removed_of_one_kind_only(tokens: Tokens) -> None:
    hour = timedelta(hours=1)
    tokens.add(token("a", TokenKind.SESSION, life=hour), None)
    tokens.add(token("b", TokenKind.SESSION, life=2 * hour), None)
    tokens.add(token("c", TokenKind.SESSION), None)
    tokens.add(token("d", TokenKind.SESSION, life=5 * hour), None)
    tokens.add(token("e", TokenKind.BEARER, life=hour), None)
    tokens.revoke("d", NOON, None)
    assert tokens.remove_expired(TokenKind.SESSION, NOON + hour) == 2
    assert [one.id for one in tokens.all(TokenKind.SESSION)] == ["c", "b"]
    assert [one.id for one in tokens.all(TokenKind.BEARER)] == ["e"]
