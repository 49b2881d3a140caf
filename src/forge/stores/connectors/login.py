"""Where a database is and how it is opened. Secrets are resolved when they are needed, and are in no message."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.engine import make_url

from forge.federation.address import ADDRESSES
from forge.federation.source import ConnectorKind, Source, SourceOrigin
from forge.model.duration import parse_duration
from forge.model.errors import ForgeError, SourceNotAllowedError, SourceUnreachableError
from forge.stores.addresses import database_url, unreachable_database

CONNECT_SECONDS = 10.0
_COMMON = ("connect_timeout", "statement_timeout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """`options`: those of the driver. `seconds`: how long a statement may take; None: as long as it takes."""

    source: str
    host: str
    port: int | None
    database: str
    user: str | None = field(repr=False)
    password: str | None = field(repr=False)
    options: Mapping[str, str]
    connect_seconds: float
    seconds: float | None

    def unreachable(self, error: BaseException) -> ForgeError:
        found = unreachable_database(self.source, error)
        return found.but(why=self.without_secrets(found.why or ""))

    def without_secrets(self, text: str) -> str:
        for secret in (self.password, self.user):
            text = text.replace(secret, "***") if secret else text
        return text


def login_of(source: Source, root: Path, secret: Callable[[str], str], known: Collection[str]) -> Login:
    """E105 for an option that no driver would understand: one that is ignored may be the one that encrypts."""
    url = database_url(source.url, root)
    if url.username or url.password:
        raise ForgeError(
            "E106",
            f"The url of {source.name} holds a user or a password",
            why="Files of a project are shared and kept in git.",
            fix="Write `user` and `password` as references: env:NAME or file:/path.",
        )
    written = _parameters(source, known) | dict(source.options)
    for name in written:
        if name not in known and name not in _COMMON:
            raise ForgeError(
                "E105",
                f"{source.name} has an option that its connector does not know: {name}",
                fix=f"Known: {', '.join(sorted((*known, *_COMMON)))}.",
            )
    user = secret(source.user) if source.user else None
    password = secret(source.password) if source.password else None
    if source.origin is SourceOrigin.HTTP and source.connector in ADDRESSES and not (user and password):
        raise SourceNotAllowedError(
            f"The user or the password of {source.name} is empty",
            why="The driver would sign in as the server itself: a source created over HTTP signs in as it says alone.",
            fix="Set both variables that it names.",
        )
    return Login(
        source=source.name,
        host=url.host or "localhost",
        port=url.port,
        database=url.database or "",
        user=user,
        password=password,
        options={name: value for name, value in written.items() if name in known},
        connect_seconds=_seconds(source, written, "connect_timeout") or CONNECT_SECONDS,
        seconds=_seconds(source, written, "statement_timeout"),
    )


def signs_in_as_told(source: str) -> dict[str, str]:
    """Keywords of libpq for a source created over HTTP: from the server's environment, files and Kerberos tickets it
    takes nothing that signs in, and no other address. How connections are encrypted stays the operator's to say."""
    from psycopg import pq

    if os.environ.get("PGSERVICE"):  # it goes into every connection, and cannot be taken out of one
        raise SourceNotAllowedError(
            f"{source} would be mixed with what PGSERVICE names",
            why="The environment of the server has it: a source created over HTTP signs in as it says alone.",
            fix="Start the server without PGSERVICE, or declare the source in sources/*.yaml.",
        )
    nothing = f"{os.devnull}/nothing"  # neither there nor ever made
    told = {
        "hostaddr": "",
        "passfile": nothing,
        "sslcert": nothing,
        "sslkey": nothing,
        "sslcertmode": "disable",
        "gssencmode": "disable",
        "gssdelegation": "0",
        "krbsrvname": "nothing",
        "require_auth": "password,md5,scram-sha-256",  # no server that trusts this machine, or asks who runs here
    }
    known = {one.keyword.decode() for one in pq.Conninfo.get_defaults()}  # some came with libpq 16
    return {name: value for name, value in told.items() if name in known}


def _parameters(source: Source, known: Collection[str]) -> dict[str, str]:
    """Those of a JDBC address are words of another driver: of these only what this one knows, and none about TLS
    is passed over."""
    if source.connector is ConnectorKind.SQLITE:
        return {}
    found = {name: str(value) for name, value in make_url(source.url.removeprefix("jdbc:")).query.items()}
    if not source.url.startswith("jdbc:"):
        return found
    return {name: value for name, value in found.items() if name in known or "ssl" in name.lower()}


def _seconds(source: Source, options: Mapping[str, str], name: str) -> float | None:
    """Seconds, or with a unit."""
    text = options.get(name)
    if text is None:
        return None
    found = parse_duration(text, "s" if text.strip().isdecimal() else None)
    if found is None or found.months or not found.seconds:
        raise ForgeError("E105", f"{name} of {source.name} is no duration: {text}", fix="Write 30 s.")
    return float(found.seconds)


@contextmanager
def driver_needed(source: str, system: str, extra: str) -> Iterator[None]:
    """E308 with the line that installs it, where a driver cannot be imported."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise SourceUnreachableError(
            f"{source} cannot be reached",
            why=f"The driver for {system} is not installed ({error.name}).",
            fix=f"pip install 'forge[{extra}]'",
        ) from error
