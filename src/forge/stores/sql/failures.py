"""Database errors translated: each with its own code, and its own fix."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from forge.model.errors import DatabaseBusyError, DatabaseUnreachableError, DiskFullError, ForgeError, StorageError

_NO_RIGHT = ("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_VAGUE = ("SQLITE_IOERR", "SQLITE_CANTOPEN")  # what SQLite says of a full disk and of missing rights, too
_ALMOST = 64 * 1024  # bytes; SQLite's shared memory takes half of it


def safe_url(url: URL) -> str:
    """For display: without a password, wherever in the URL it is."""
    query = {key: value for key, value in url.query.items() if "password" not in key.lower()}
    clean = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, query)
    return clean.render_as_string(hide_password=True)


def translated(url: URL, error: DBAPIError, waited: float) -> Exception:
    """A ForgeError for what a user can meet; the error itself where it would be a bug."""
    cause = error.orig or error
    message, name = str(cause).lower(), getattr(cause, "sqlite_errorname", None) or ""
    state = getattr(cause, "sqlstate", None) or ""
    if "is locked" in message or state in ("55P03", "40P01", "40001"):
        return _busy(url, waited)
    vague = name.startswith(_VAGUE)
    if name == "SQLITE_FULL" or state == "53100" or (vague and _is_full(url)):
        return _full(url)
    if name.startswith(_DAMAGED) or state in ("XX001", "XX002"):
        return damaged(url, str(cause), is_database=name != "SQLITE_NOTADB")
    if name.startswith(_NO_RIGHT) or (vague and _is_closed(url)):
        return _no_right(url, str(cause))
    if type(cause).__name__ == "OperationalError":
        return unreachable(url, cause)
    return error


def _busy(url: URL, waited: float) -> ForgeError:
    return DatabaseBusyError(
        "The database is busy",
        where=safe_url(url),
        why=f"Another process held it for more than {waited} seconds. Nothing was written.",
        fix="Try again. `forge doctor` shows what is running.",
    )


def _full(url: URL) -> ForgeError:
    return DiskFullError(
        "The disk of the database is full",
        where=safe_url(url),
        why="Nothing was written, and nothing that was written before is lost.",
        fix="Free space on that disk (`forge gc` deletes files that nothing needs), then try again.",
    )


def damaged(url: URL, found: str, *, is_database: bool = True) -> ForgeError:
    return StorageError(
        "E409",
        "The database is damaged" if is_database else "The file of the database is no database",
        where=safe_url(url),
        why=f"{found.strip().splitlines()[0]}. The files of the tables are not touched by that.",
        fix="Stop Forge, keep the file, and bring it back from a backup; without one, "
        "`sqlite3 forge.db .recover | sqlite3 new.db` saves what can be read."
        if url.get_backend_name() == "sqlite"
        else "Restore the database from a backup.",
    )


def _no_right(url: URL, found: str) -> ForgeError:
    return StorageError(
        "E411",
        "The database may not be read or written by this user",
        where=safe_url(url),
        why=f"{found.strip().splitlines()[0]}. SQLite needs to write its folder, too.",
        fix="Give the user that runs Forge the file and its folder: chown, or chmod u+rw (folder: u+rwx).",
    )


def unreachable(url: URL, error: BaseException) -> ForgeError:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    secret = str(url.password) if url.password else ""
    return DatabaseUnreachableError(
        "The database could not be opened",
        where=safe_url(url),
        why=reason.replace(secret, "***") if secret else reason,
        fix="Check `database` in forge.yaml, and that the server runs and the folder can be written.",
    )


def lost(url: URL, warehouse: str) -> ForgeError:
    return StorageError(
        "E412",
        "The database is gone, and the warehouse is full",
        where=safe_url(url),
        why=f"{warehouse} holds tables that only the database knows. A new one would begin with none of them.",
        fix="Bring the database back from a backup. To begin anew, move the warehouse away.",
    )


def file_of(url: URL) -> Path | None:
    """Of SQLite on a disk."""
    is_file = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    return Path(str(url.database)) if is_file else None


def refuse_lost(url: URL, warehouse: Path) -> None:
    """E412 where the database file is missing or empty next to existing tables."""
    file = file_of(url)
    if file is None or (file.exists() and file.stat().st_size > 0):
        return
    if next(warehouse.glob("*/*/metadata/*.metadata.json"), None) is not None:
        raise lost(url, str(warehouse))


def _is_full(url: URL) -> bool:
    file = file_of(url)
    try:
        found = os.statvfs(file.parent) if file else None
    except OSError:
        return False
    return found is not None and found.f_bavail * found.f_frsize < _ALMOST


def _is_closed(url: URL) -> bool:
    file = file_of(url)
    if file is None or not file.parent.is_dir():
        return False
    effective = os.access in os.supports_effective_ids
    closed = file.exists() and not os.access(file, os.R_OK | os.W_OK, effective_ids=effective)
    return closed or not os.access(file.parent, os.R_OK | os.W_OK | os.X_OK, effective_ids=effective)


def holders_of(file: Path) -> tuple[int, ...]:
    """Processes with a lock on a file, from Linux; none where unknown."""
    try:
        inode = f":{os.stat(file).st_ino}"
        rows = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    except OSError:
        return ()
    return tuple(sorted({int(row[4]) for row in rows if len(row) > 5 and row[5].endswith(inode) and row[4].isdigit()}))


def quick_check(connection: sqlite3.Connection) -> str | None:
    """What SQLite's quick_check reports; None: nothing."""
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return None if found == "ok" else str(found)
