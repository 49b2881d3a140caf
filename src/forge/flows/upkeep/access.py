"""Access: named tokens and browser sessions, of which only hashes are stored."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from forge.flows.runs.records import AuditRecord
from forge.model.errors import (
    DatabaseBusyError,
    DatabaseUnreachableError,
    DiskFullError,
    ForgeError,
    NamedError,
    UnknownNameError,
)
from forge.model.name_suggestions import did_you_mean
from forge.model.time import Clock


class TokenScope(StrEnum):
    READ = "read"
    WRITE = "write"


class TokenKind(StrEnum):
    BEARER = "bearer"  # made by a person for a program
    SESSION = "session"  # a browser's cookie


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """`digest` is the SHA-256 of the secret; 256 random bits need no slow hash. The name of a session is the id of
    its token, and it is valid only as long as that one."""

    id: str
    kind: TokenKind
    name: str
    scope: TokenScope
    digest: str
    created_by: str
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    def state(self, now: datetime) -> str:
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"

    @property
    def origin(self) -> str:
        """The owner of a session opened with this token: a session has none of its own."""
        return self.name if self.kind is TokenKind.SESSION else self.id


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A valid session, and its token; None: the login address printed at start-up."""

    session: Token
    token: Token | None


class Tokens(Protocol):
    """Every method is one transaction."""

    def add(self, token: Token, audit: AuditRecord | None) -> None: ...
    def by_digest(self, digest: str) -> Token | None: ...
    def by_id(self, token_id: str) -> Token | None: ...
    def all(self, kind: TokenKind) -> tuple[Token, ...]:
        """Newest first."""

    def revoke(self, token_id: str, at: datetime, audit: AuditRecord | None) -> bool:
        """False where there is none, or it was revoked before."""

    def touch(self, token_id: str, at: datetime) -> None:
        """Record its use. Does not wait for a busy database: that is an error (E404) at once."""

    def remove_expired(self, kind: TokenKind, before: datetime) -> int:
        """Remove those that expired, or were revoked, before that time; their number."""


Random = Callable[[], str]
PREFIX = "forge_"  # so that scanners of source code recognise a secret that was left in it
SESSION_LIFE = timedelta(days=14)
NOTED_EVERY = timedelta(minutes=1)
MOST_SESSIONS = 100  # of one token; the next one ends the oldest
REMEMBERED = timedelta(seconds=2)  # so long after `forge token revoke` in another process a token may still work
LOGIN = "login"  # in place of a token's id, of sessions that the address printed at the start of the server opened


def random_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class Access:
    def __init__(self, tokens: Tokens, clock: Clock, random: Random = random_secret) -> None:
        self._tokens, self._clock, self._random = tokens, clock, random
        self._recent: dict[str, tuple[Token, datetime]] = {}  # by digest; what was verified moments ago, and when

    def create(self, name: str, scope: TokenScope, expires_in: timedelta | None, by: str) -> tuple[Token, str]:
        """A token for a program, and its secret, which is not stored."""
        name = name.strip()
        if not 1 <= len(name) <= 100 or not name.isprintable():
            raise ForgeError(
                "E105", "A token's name has 1 to 100 printable letters", fix="Name it after the program that uses it."
            )
        taken = next((t for t in self.list() if t.name == name and t.state(self._clock()) == "active"), None)
        if taken is not None:
            raise ForgeError(
                "E109",
                f"There is a token '{name}' already",
                why="Names tell tokens apart when one has to be revoked.",
                fix=f"Take another name, or revoke it: forge token revoke {taken.id}",
            )
        token, secret = self._make(TokenKind.BEARER, name, scope, expires_in, by)
        detail = {"name": name, "scope": str(scope), "expires_at": token.expires_at}
        self._tokens.add(token, AuditRecord(token.created_at, by, "token.create", token.id, detail))
        return token, secret

    def list(self) -> tuple[Token, ...]:
        """The tokens of programs, newest first."""
        return self._tokens.all(TokenKind.BEARER)

    def find(self, id_or_name: str) -> Token:
        """A token by its id, or the active one of that name."""
        now, known = self._clock(), self.list()
        same = [t for t in known if id_or_name in (t.id, t.name)]
        best = sorted(same, key=lambda t: (t.id != id_or_name, t.state(now) != "active"))
        if not best:
            names = [text for t in known for text in (t.id, t.name)]
            raise UnknownNameError(
                f"There is no token '{id_or_name}'",
                why=did_you_mean(id_or_name, names),
                fix="`forge token list` shows them.",
            )
        return best[0]

    def revoke(self, token_id: str, by: str) -> Token:
        """It, and every browser session it opened, stop working at once; in other processes within two seconds."""
        token, now = self.find(token_id), self._clock()
        audit = AuditRecord(now, by, "token.revoke", token.id, {"name": token.name})
        self._tokens.revoke(token.id, now, audit)
        self._recent = {}
        return token

    def remembers(self, secret: str) -> bool:
        """Whether `verify` would answer from the cache, without waiting for the store."""
        return self._recall(digest_of(secret), self._clock()) is not None

    def verify(self, secret: str) -> Token:
        """The token of a secret, if it is valid now."""
        return self._verify(digest_of(secret))

    def is_active(self, token: Token) -> bool:
        """Whether a verified token is still valid: for long-running responses."""
        try:
            self._verify(token.digest)
        except NotSignedInError:
            return False
        return True

    def _verify(self, digest: str) -> Token:
        now = self._clock()
        token = self._recall(digest, now)
        if token is None:
            token = self._look_up(digest, now)
            recent = {key: known for key, known in self._recent.items() if now - known[1] < REMEMBERED}
            self._recent = {**recent, digest: (token, now)}
        return token

    def _recall(self, digest: str, now: datetime) -> Token | None:
        token, verified_at = self._recent.get(digest, (None, now))
        return token if token and now - verified_at < REMEMBERED and token.state(now) == "active" else None

    def _look_up(self, digest: str, now: datetime) -> Token:
        token = self._tokens.by_digest(digest)
        if token is None:
            raise _not_signed_in("The token is not known here")
        state = self._state(token, now)
        if state != "active":
            what = "session" if token.kind is TokenKind.SESSION else f"token '{token.name}'"
            raise _not_signed_in(f"The {what} is {state}")
        if token.last_used_at is None or now - token.last_used_at >= NOTED_EVERY:
            self._note(token, now)
        return token

    def open_session(
        self, by: str, *, scope: TokenScope = TokenScope.WRITE, origin: str = LOGIN, until: datetime | None = None
    ) -> tuple[Token, str]:
        """A browser session. Its rights and lifetime are at most those of its token."""
        for oldest in [known.session for known in self.sessions() if known.session.name == origin][MOST_SESSIONS - 1 :]:
            self._tokens.revoke(oldest.id, self._clock(), None)
        token, secret = self._make(TokenKind.SESSION, origin, scope, SESSION_LIFE, by)
        if until is not None and token.expires_at is not None:
            token = replace(token, expires_at=min(token.expires_at, until))
        self._tokens.add(token, None)
        return token, secret

    def sessions(self) -> tuple[BrowserSession, ...]:
        """Valid sessions, newest first."""
        now, tokens = self._clock(), {token.id: token for token in self.list()}
        working = (one for one in self._tokens.all(TokenKind.SESSION) if self._state(one, now, tokens) == "active")
        return tuple(BrowserSession(one, tokens.get(one.name)) for one in working)

    def end_session(self, session_id: str, by: str) -> None:
        """Signs a browser out; the token it signed in with stays."""
        audit = AuditRecord(self._clock(), by, "session.end", session_id)
        session = self._tokens.by_id(session_id)
        if session is None or session.kind is not TokenKind.SESSION:
            raise UnknownNameError(
                f"There is no session '{session_id}'", fix="`forge token sessions` shows those that are open."
            )
        self._tokens.revoke(session.id, audit.time, audit)
        self._recent = {}

    def _state(self, token: Token, now: datetime, known: Mapping[str, Token] | None = None) -> str:
        """Of a token, or of a session and its token. In a database of an earlier version that may be a session in
        turn."""
        while True:
            state = token.state(now)
            if state != "active" or token.kind is not TokenKind.SESSION or token.name == LOGIN:
                return state
            owner = (known or {}).get(token.name) or self._tokens.by_id(token.name)
            if owner is None:
                return "revoked"
            token = owner

    def sweep(self) -> int:
        """Remove expired sessions."""
        return self._tokens.remove_expired(TokenKind.SESSION, self._clock())

    def _make(
        self, kind: TokenKind, name: str, scope: TokenScope, life: timedelta | None, by: str
    ) -> tuple[Token, str]:
        secret, now = self._random(), self._clock()
        digest = digest_of(secret)
        expires = None if life is None else now + life
        return Token(
            id=digest[:12],
            kind=kind,
            name=name,
            scope=scope,
            digest=digest,
            created_by=by,
            created_at=now,
            expires_at=expires,
        ), secret

    def _note(self, token: Token, now: datetime) -> None:
        """Recording the last use never refuses or delays a request."""
        with suppress(DatabaseBusyError, DatabaseUnreachableError, DiskFullError):
            self._tokens.touch(token.id, now)


class NotSignedInError(NamedError):
    code = "E903"


def _not_signed_in(what: str) -> ForgeError:
    return NotSignedInError(
        what, fix="Open the address that `forge serve` printed, or make a token: forge token create NAME"
    )
