"""Database checks of `forge doctor`: page integrity, writability, free disk space."""

from __future__ import annotations

import shutil
from typing import Any

from sqlalchemy import Engine

from forge.model.errors import DatabaseBusyError, DiskFullError
from forge.stores.sql.database import reading, writing
from forge.stores.sql.failures import damaged, file_of, holders_of, quick_check, safe_url

ROOM = 50 * 2**20  # bytes
_PATIENCE_MS = 1000


def examine_database(engine: Engine) -> None:
    """Raises the first problem. Nothing is written."""
    if engine.dialect.name != "sqlite":
        with writing(engine):
            return
    with reading(engine) as connection:
        sqlite: Any = connection.connection.driver_connection
        found = quick_check(sqlite)
        if found is not None:
            raise damaged(engine.url, found)
        before = sqlite.execute("PRAGMA busy_timeout").fetchone()[0]
        sqlite.execute(f"PRAGMA busy_timeout={_PATIENCE_MS}")
        try:
            with connection.execution_options(forge_write=True).begin():
                pass
        except Exception as error:
            raise _lock_error(engine, error) from error
        finally:
            sqlite.execute(f"PRAGMA busy_timeout={before}")
    _refuse_full(engine)


def _lock_error(engine: Engine, error: Exception) -> Exception:
    """With the processes that lock it, where the system reports them."""
    file = file_of(engine.url)
    if "is locked" not in str(error) or file is None:
        return error
    holders = sorted({*holders_of(file), *holders_of(file.with_name(f"{file.name}-shm"))})
    by = f"process {', '.join(map(str, holders))}" if holders else "another process"
    return DatabaseBusyError(
        "The database is locked",
        where=safe_url(engine.url),
        why=f"It is held for writing by {by}, so nothing can be published.",
        fix="Wait until it has ended; if it hangs, end that process. Nothing is lost by that.",
    )


def _refuse_full(engine: Engine) -> None:
    file = file_of(engine.url)
    free = shutil.disk_usage(file.parent).free if file else ROOM
    if free < ROOM:
        raise DiskFullError(
            "The disk of the database is almost full",
            where=safe_url(engine.url),
            why=f"{free // 2**20} MB are left.",
            fix="Free space; `forge gc` deletes files that nothing needs.",
        )
