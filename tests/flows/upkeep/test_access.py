"""Tokens: a secret that is shown once, an end that comes, a use that is noted and never in the way."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from forge.flows.upkeep.access import LOGIN, MOST_SESSIONS, Access, TokenKind, TokenScope, digest_of, random_secret
from forge.model.errors import DatabaseBusyError, DatabaseUnreachableError, DiskFullError, ForgeError
from forge.stores.memory.tokens import MemoryTokens

NOON = datetime(2026, 11, 14, 12, tzinfo=UTC)
DAY = timedelta(days=1)


class World:
    """Access on a store in memory, with a clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOON
        self.tokens = MemoryTokens()
        self.access = Access(self.tokens, lambda: self.now)


@pytest.fixture
def access_world() -> World:
    return World()


def refusal(access_world: World, secret: str) -> str:
    with pytest.raises(ForgeError) as refused:
        access_world.access.verify(secret)
    assert refused.value.code == "E903"
    assert refused.value.fix
    return refused.value.what


def test_a_secret_has_256_random_bits_and_a_recognisable_beginning() -> None:
    secrets = {random_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert all(re.fullmatch(r"forge_[A-Za-z0-9_-]{43}", secret) for secret in secrets)


def test_only_the_digest_of_a_secret_is_kept(access_world: World) -> None:
    token, secret = access_world.access.create("ci", TokenScope.READ, 90 * DAY, "ada@example.com")
    (kept,) = access_world.tokens.all(TokenKind.BEARER)
    assert kept == token
    assert kept.digest == digest_of(secret)
    assert secret not in str(kept)
    assert (kept.scope, kept.created_by, kept.expires_at) == (TokenScope.READ, "ada@example.com", NOON + 90 * DAY)


def test_a_secret_works_until_the_moment_it_expires(access_world: World) -> None:
    _, secret = access_world.access.create("ci", TokenScope.WRITE, DAY, "ada")
    access_world.now = NOON + DAY - timedelta(microseconds=1)
    assert access_world.access.verify(secret).name == "ci"
    access_world.now = NOON + DAY
    assert "expired" in refusal(access_world, secret)


def test_a_token_without_an_end_works_for_good(access_world: World) -> None:
    _, secret = access_world.access.create("ci", TokenScope.WRITE, None, "ada")
    access_world.now = NOON + 36_500 * DAY
    assert access_world.access.verify(secret).expires_at is None


def test_an_unknown_secret_is_refused(access_world: World) -> None:
    access_world.access.create("ci", TokenScope.WRITE, None, "ada")
    for secret in ("", "forge_", "ci", "\udcff"):
        assert "not known" in refusal(access_world, secret)


def test_a_revoked_token_is_refused_and_its_sessions_with_it(access_world: World) -> None:
    token, secret = access_world.access.create("ci", TokenScope.WRITE, None, "ada")
    _, own = access_world.access.open_session("ada", origin=token.id)
    _, other = access_world.access.open_session("ada")
    access_world.access.revoke(token.id, "grace")
    assert "revoked" in refusal(access_world, secret)
    assert "revoked" in refusal(access_world, own)
    assert access_world.access.verify(other).name == LOGIN


def test_a_session_opened_with_a_session_belongs_to_the_same_token(access_world: World) -> None:
    token, _ = access_world.access.create("ci", TokenScope.WRITE, None, "ada")
    first, _ = access_world.access.open_session("ada", origin=token.origin)
    second, secret = access_world.access.open_session("ada", origin=first.origin)
    assert [known.token for known in access_world.access.sessions()] == [token, token]
    access_world.access.end_session(first.id, "ada")
    assert access_world.access.verify(secret) == second
    access_world.access.revoke(token.id, "ada")
    assert "revoked" in refusal(access_world, secret)
    assert access_world.access.sessions() == ()


def test_sessions_that_earlier_versions_opened_with_sessions_end_with_the_token(access_world: World) -> None:
    token, _ = access_world.access.create("ci", TokenScope.WRITE, None, "ada")
    first, _ = access_world.access.open_session("ada", origin=token.id)
    _, of_a_session = access_world.access.open_session("ada", origin=first.id)
    _, of_nobody = access_world.access.open_session("ada", origin="gone")
    access_world.access.verify(of_a_session)
    assert "revoked" in refusal(access_world, of_nobody)
    access_world.access.revoke(token.id, "ada")
    assert "revoked" in refusal(access_world, of_a_session)


def test_a_session_that_was_opened_while_its_token_was_revoked_does_not_work(access_world: World) -> None:
    token, _ = access_world.access.create("ci", TokenScope.WRITE, None, "ada")
    access_world.access.revoke(token.id, "ada")
    _, late = access_world.access.open_session("ada", origin=token.id)
    assert "revoked" in refusal(access_world, late)


def test_sessions_of_one_token_are_limited_and_the_oldest_ends(access_world: World) -> None:
    token, _ = access_world.access.create("ci", TokenScope.READ, None, "ada")
    _, elsewhere = access_world.access.open_session("ada")
    cookies = []
    for _ in range(MOST_SESSIONS + 1):
        access_world.now += timedelta(seconds=1)
        cookies.append(access_world.access.open_session("ada", origin=token.id)[1])
    assert "revoked" in refusal(access_world, cookies[0])
    assert access_world.access.verify(cookies[1])
    assert access_world.access.verify(elsewhere)
    assert len(access_world.access.sessions()) == MOST_SESSIONS + 1


def test_ending_a_session_leaves_a_trace_and_an_unknown_one_is_refused(access_world: World) -> None:
    token, _ = access_world.access.create("ci", TokenScope.READ, None, "ada")
    session, _ = access_world.access.open_session("ada")
    access_world.access.end_session(session.id, "grace")
    assert [(r.action, r.actor, r.subject) for r in access_world.tokens.audit][1:] == [
        ("session.end", "grace", session.id)
    ]
    for unknown in ("nobody", token.id):
        with pytest.raises(ForgeError) as refused:
            access_world.access.end_session(unknown, "ada")
        assert refused.value.code == "E108"


def test_making_and_revoking_leave_a_trace_without_the_secret(access_world: World) -> None:
    token, secret = access_world.access.create("ci", TokenScope.READ, None, "ada")
    access_world.access.revoke(token.id, "grace")
    access_world.access.revoke(token.id, "grace")  # the second time changes nothing
    traces = [(record.action, record.actor, record.subject) for record in access_world.tokens.audit]
    assert traces == [("token.create", "ada", token.id), ("token.revoke", "grace", token.id)]
    assert secret not in str(access_world.tokens.audit)
    assert token.digest not in str(access_world.tokens.audit)


def test_an_unknown_token_to_revoke_names_the_near_one(access_world: World) -> None:
    access_world.access.create("nightly-load", TokenScope.READ, None, "ada")
    with pytest.raises(ForgeError) as refused:
        access_world.access.revoke("nightly-laod", "ada")
    assert refused.value.code == "E108"
    assert "nightly-load" in (refused.value.why or "")


def test_a_name_finds_the_token_that_works(access_world: World) -> None:
    first, _ = access_world.access.create("ci", TokenScope.READ, None, "ada")
    access_world.access.revoke(first.id, "ada")
    access_world.now += DAY
    second, _ = access_world.access.create("ci", TokenScope.READ, None, "ada")
    access_world.now += DAY
    assert access_world.access.find("ci").id == second.id
    assert access_world.access.find(first.id).id == first.id


def test_two_tokens_that_work_cannot_share_a_name(access_world: World) -> None:
    access_world.access.create("ci", TokenScope.READ, DAY, "ada")
    with pytest.raises(ForgeError) as refused:
        access_world.access.create(" ci ", TokenScope.READ, DAY, "ada")
    assert refused.value.code == "E109"
    access_world.now += 2 * DAY
    access_world.access.create("ci", TokenScope.READ, DAY, "ada")


@pytest.mark.parametrize("name", ["", "  ", "a" * 101, "a\nb", "a\x1b[31m"], ids=repr)
def test_a_name_that_a_list_cannot_show_is_refused(access_world: World, name: str) -> None:
    with pytest.raises(ForgeError) as refused:
        access_world.access.create(name, TokenScope.READ, None, "ada")
    assert refused.value.code == "E105"


def test_use_is_noted_at_most_once_a_minute(access_world: World) -> None:
    _, secret = access_world.access.create("ci", TokenScope.READ, None, "ada")
    for seconds, noted in ((0, 0), (57, 0), (60, 60), (117, 60), (120, 120)):
        access_world.now = NOON + timedelta(seconds=seconds)
        access_world.access.verify(secret)
        assert access_world.access.list()[0].last_used_at == NOON + timedelta(seconds=noted)


def test_a_secret_is_remembered_for_two_seconds_and_not_beyond_its_end(access_world: World) -> None:
    token, secret = access_world.access.create("ci", TokenScope.READ, timedelta(seconds=3), "ada")
    elsewhere = Access(access_world.tokens, lambda: access_world.now)
    assert not access_world.access.remembers(secret)
    access_world.access.verify(secret)
    assert access_world.access.remembers(secret)
    elsewhere.revoke(token.id, "ada")
    access_world.now = NOON + timedelta(seconds=2)
    assert not access_world.access.remembers(secret)
    assert "revoked" in refusal(access_world, secret)

    token, secret = access_world.access.create("cd", TokenScope.READ, timedelta(seconds=1), "ada")
    access_world.access.verify(secret)
    access_world.now += timedelta(seconds=1)
    assert not access_world.access.remembers(secret)
    assert "expired" in refusal(access_world, secret)


def test_what_is_revoked_or_closed_here_is_forgotten_at_once(access_world: World) -> None:
    token, secret = access_world.access.create("ci", TokenScope.READ, None, "ada")
    session, cookie = access_world.access.open_session("ada")
    access_world.access.verify(secret)
    access_world.access.verify(cookie)
    access_world.access.end_session(session.id, "ada")
    assert "revoked" in refusal(access_world, cookie)
    access_world.access.verify(secret)
    access_world.access.revoke(token.id, "ada")
    assert "revoked" in refusal(access_world, secret)


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (DatabaseBusyError("cannot be written"), True),
        (DatabaseUnreachableError("cannot be written"), True),
        (DiskFullError("cannot be written"), True),
        (ForgeError("E105", "cannot be written"), False),
    ],
)
def test_use_that_cannot_be_noted_does_not_refuse_the_caller(error: ForgeError, passes: bool) -> None:
    class Busy(MemoryTokens):
        def touch(self, token_id: str, at: datetime) -> None:
            raise error

    access = Access(Busy(), lambda: NOON)
    _, secret = access.create("ci", TokenScope.READ, None, "ada")
    if passes:
        assert access.verify(secret).name == "ci"
    else:
        with pytest.raises(ForgeError):
            access.verify(secret)


def test_a_session_lasts_fourteen_days_and_no_longer_than_its_token(access_world: World) -> None:
    free, _ = access_world.access.open_session("ada")
    assert free.expires_at == NOON + 14 * DAY
    bound, _ = access_world.access.open_session("ada", scope=TokenScope.READ, until=NOON + DAY)
    assert (bound.scope, bound.expires_at) == (TokenScope.READ, NOON + DAY)
    far, _ = access_world.access.open_session("ada", until=NOON + 90 * DAY)
    assert far.expires_at == NOON + 14 * DAY


def test_a_closed_session_is_refused_and_sessions_are_no_tokens(access_world: World) -> None:
    session, secret = access_world.access.open_session("ada")
    assert access_world.access.list() == ()
    access_world.access.end_session(session.id, "ada")
    assert "revoked" in refusal(access_world, secret)


def test_sessions_that_are_over_are_swept_and_tokens_stay_in_the_list(access_world: World) -> None:
    access_world.access.create("old", TokenScope.READ, DAY, "ada")
    _, old = access_world.access.open_session("ada")
    access_world.now += 13 * DAY
    _, young = access_world.access.open_session("ada")
    access_world.now += DAY
    assert access_world.access.sweep() == 1
    assert access_world.access.verify(young).kind is TokenKind.SESSION
    assert "not known" in refusal(access_world, old)
    assert [token.state(access_world.now) for token in access_world.access.list()] == ["expired"]
