"""Stored readings of snapshots, in memory."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime

from forge.model.names import SnapshotId, TableName

HELD = 20  # snapshots of each table


class MemoryStates:
    def __init__(self) -> None:
        self._states: dict[TableName, dict[SnapshotId, dict[str, str]]] = {}
        self._lock = threading.Lock()

    def kept(
        self, table: TableName, snapshots: Sequence[SnapshotId], keys: Sequence[str]
    ) -> Mapping[tuple[SnapshotId, str], str]:
        with self._lock:
            known = self._states.get(table, {})
            return {
                (snapshot, key): known[snapshot][key]
                for snapshot in snapshots
                for key in keys
                if key in known.get(snapshot, {})
            }

    def keep(self, table: TableName, snapshot: SnapshotId, states: Mapping[str, str], at: datetime) -> None:
        with self._lock:
            known = self._states.setdefault(table, {})
            known[snapshot] = {**known.pop(snapshot, {}), **states}  # the newest is the last
            for old in list(known)[:-HELD]:
                del known[old]
