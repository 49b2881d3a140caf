"""Mapping between rows and alerts, incidents and mutes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from forge.quality.alerts.alert import AlertScope, AlertState
from forge.quality.alerts.incident import EntryKind, IncidentEntry, TrackedIncident, join
from forge.quality.alerts.json import entry_dict, entry_of, incident_dict, state_dict
from forge.quality.alerts.quiet import Mute
from forge.stores.sql.quality import alert_tables as t
from forge.stores.sql.record_columns import columns_of, record_of

Row = Mapping[Any, Any]


def state_row(state: AlertState) -> dict[str, Any]:
    return {
        "scope": str(state.scope),
        "check_id": state.check_id,
        "table_name": state.table,
        "branch": state.branch,
        "status": str(state.status),
        "seen_at": state.seen_at,
        "document": state_dict(state),
    }


def incident_row(incident: TrackedIncident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "scope": str(incident.scope),
        "check_id": incident.check_id,
        "table_name": incident.table,
        "branch": incident.branch,
        "status": str(incident.status),
        "opened_at": incident.opened_at,
        "document": incident_dict(incident),
    }


def mute_row(mute: Mute) -> dict[str, Any]:
    scope = str(mute.scope) if mute.scope else None
    return {**columns_of(mute, "table"), "scope": scope, "table_name": mute.table}


def read_mute(row: Row) -> Mute:
    scope = AlertScope.parse(row["scope"]) if row["scope"] else None
    return record_of(Mute, row, scope=scope, table=row["table_name"])


def add_entries(connection: Connection, incident_id: str, entries: Sequence[IncidentEntry]) -> None:
    """In order. Consecutive failures are merged into one entry."""
    last = _last_entry(connection, incident_id) if entries and entries[0].kind is EntryKind.SEEN else None
    for entry in entries:
        if last is not None and entry.kind is EntryKind.SEEN:
            joined = join(entry_of(last["document"]), entry)
            change = update(t.incident_entries).where(t.incident_entries.c.number == last["number"])
            connection.execute(change.values(document=entry_dict(joined)))
        else:
            row = {"incident_id": incident_id, "kind": str(entry.kind), "document": entry_dict(entry)}
            connection.execute(t.incident_entries.insert(), [row])
        last = None


def _last_entry(connection: Connection, incident_id: str) -> Row | None:
    """The entry that a failure may be merged into."""
    e = t.incident_entries
    query = select(e).where(e.c.incident_id == incident_id).order_by(e.c.number.desc()).limit(1)
    row = connection.execute(query).mappings().first()
    return row if row is not None and row["kind"] == EntryKind.SEEN.value else None
