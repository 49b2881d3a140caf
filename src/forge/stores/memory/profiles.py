"""The store of profiles in memory."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

from forge.catalog.profile import TableProfile, mask_profile
from forge.flows.catalog.profiling.ports import HELD, detail_of, in_order
from forge.model.names import TableName


class MemoryProfiles:
    def __init__(self) -> None:
        self._profiles: dict[tuple[TableName, str, str], TableProfile] = {}
        self._lock = threading.Lock()

    def add(self, profile: TableProfile) -> None:
        with self._lock:
            self._profiles.setdefault((profile.table, profile.state, detail_of(profile)), profile)
            for old in self._newest_first(profile.table)[HELD:]:
                del self._profiles[old.table, old.state, detail_of(old)]

    def of_state(self, table: TableName, state: str) -> tuple[TableProfile, ...]:
        return in_order(one for one in tuple(self._profiles.values()) if (one.table, one.state) == (table, state))

    def profiled(self, states: Collection[str]) -> frozenset[tuple[TableName, str]]:
        return frozenset((table, state) for table, state, _ in tuple(self._profiles) if state in states)

    def history(self, table: TableName, *, limit: int = 100, offset: int = 0) -> tuple[TableProfile, ...]:
        return tuple(self._newest_first(table)[offset : offset + limit])

    def newest(self, tables: Sequence[TableName]) -> dict[TableName, TableProfile]:
        return {table: found[0] for table in tables if (found := self._newest_first(table))}

    def mask(self, table: TableName, columns: Collection[str]) -> int:
        with self._lock:
            own = {key: one for key, one in self._profiles.items() if one.table == table}
            changed = {key: new for key, one in own.items() if (new := mask_profile(one, columns)) != one}
            self._profiles |= changed
            return len(changed)

    def _newest_first(self, table: TableName) -> list[TableProfile]:
        own = sorted((one for one in tuple(self._profiles.values()) if one.table == table), key=detail_of)
        return sorted(own, key=lambda one: (one.profiled_at, one.state), reverse=True)
