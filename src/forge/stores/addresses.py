"""Addresses of databases that a project names, and the error of one that does not answer."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError

from forge.model.errors import ForgeError, SourceUnreachableError

_DRIVERS = {
    "postgresql": "postgresql+psycopg",
    "sqlite": "sqlite",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}


def database_url(jdbc: str, root: Path, user: str | None = None, password: str | None = None) -> URL:
    """Of a JDBC address, or of SQLAlchemy's own kind. E105 for one that is neither."""
    text = jdbc.removeprefix("jdbc:")
    if text.startswith("sqlite:") and not text.startswith("sqlite:///"):
        path = text.removeprefix("sqlite:").removeprefix("file:").partition("?")[0]
        return URL.create("sqlite", database=path if path == ":memory:" else str(root / path))
    try:
        url = make_url(text)
    except SQLAlchemyError as error:
        raise ForgeError(
            "E105",
            "The address of a source cannot be read",
            why="It is not of the form jdbc:postgresql://host:5432/name.",
            fix="Correct `url`.",
        ) from error
    if url.get_backend_name() == "sqlite" and url.database:
        url = url.set(database=str(root / url.database))
    # Parameters of a JDBC driver mean nothing to another one.
    query = {} if jdbc.startswith("jdbc:") else url.query
    url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername), query=query)
    return url.set(username=user or url.username, password=password or url.password)


def unreachable_database(source: str, error: BaseException) -> ForgeError:
    """The driver's own words, without what it was given to connect."""
    message = str(error).strip().splitlines()
    reason = re.sub(r"(password|user)\s*=?\s*\S+", r"\1 ***", message[0] if message else type(error).__name__)
    return SourceUnreachableError(
        f"{source} cannot be reached",
        why=reason,
        fix="Check its url, user and password, and that the server runs.",
    )
