"""The log of changes of the catalog, which its search index follows. Written in the transaction of the change."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, text

from forge.flows.catalog.asset_store import ChangeKind
from forge.stores.sql.catalog import asset_tables as t
from forge.stores.sql.statements import add, batches

_LOCK = 0x464F5241  # of all who write to the catalog: "FORA"


def lock_catalog(connection: Connection) -> None:
    """One writer at a time, so that ids of the log grow in the order of commits; SQLite has a single writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def log_changes(connection: Connection, kind: ChangeKind, names: Iterable[str]) -> None:
    """The caller has locked the catalog."""
    once = list(dict.fromkeys(names))
    c = t.changes.c
    for some in batches(once):
        connection.execute(t.changes.delete().where(c.kind == kind, c.name.in_(some)))
    add(connection, t.changes, [{"kind": kind, "name": name} for name in once])
