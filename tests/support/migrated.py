"""A database with all migrations. They are run once in a process: they are the dearest part of most tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine

from forge.stores.sql.database import migrate, open_database

SQLITE = "sqlite:///"


@cache
def _empty_database() -> bytes:
    with TemporaryDirectory() as folder:
        database = open_database(f"{SQLITE}{folder}/forge.db")
        migrate(database)
        database.dispose()
        return Path(folder, "forge.db").read_bytes()


def lay_database(file: Path) -> None:
    """An empty database at the newest migration; one that is there already stays as it is."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_empty_database())


def open_migrated(url: str) -> Engine:
    """What `open_database` and `migrate` give, for any URL."""
    if url.startswith(SQLITE):
        lay_database(Path(url.removeprefix(SQLITE)))
    engine = open_database(url)
    migrate(engine)
    return engine
