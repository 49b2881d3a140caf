"""The log of changes of the catalog, which its search index follows. Written in the transaction of the change, by all
rooms that know something of assets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, Index, String, Table, text

from forge.stores.sql.columns import Code, Id
from forge.stores.sql.statements import add, batches
from forge.stores.sql.tables import metadata

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forge.flows.catalog.asset_store import ChangeKind

_LOCK = 0x464F5241  # of all who write to the catalog: "FORA"

changes = Table(  # one row of each name, numbered again with each change: ids are never used twice
    "forge_catalog_changes",
    metadata,
    Column("id", Id, primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("name", Code, nullable=False),
    Index("forge_catalog_changes_by_name", "kind", "name", unique=True),
    sqlite_autoincrement=True,
)


def lock_catalog(connection: Connection) -> None:
    """One writer at a time, so that ids of the log grow in the order of commits; SQLite has a single writer anyway.
    Rooms other than the catalog lock it last, so that writers never wait for each other in a circle."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def log_changes(connection: Connection, kind: ChangeKind, names: Iterable[str]) -> None:
    """The caller has locked the catalog."""
    once = list(dict.fromkeys(names))
    c = changes.c
    for some in batches(once):
        connection.execute(changes.delete().where(c.kind == kind, c.name.in_(some)))
    add(connection, changes, [{"kind": kind, "name": name} for name in once])


def touch(connection: Connection, kind: ChangeKind, names: Iterable[str]) -> None:
    """At the end of a transaction of another room than the catalog's."""
    once = sorted(set(names))
    if once:
        lock_catalog(connection)
        log_changes(connection, kind, once)
