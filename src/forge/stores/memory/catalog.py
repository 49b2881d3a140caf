"""The catalog rows shared by the memory metadata and the memory lake, as the real ones share a database."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from forge.flows.ports import CatalogKind
from forge.model.names import CatalogName


@dataclass(slots=True)
class MemoryCatalog:
    """`rows` maps a name to the location of its metadata and its kind, TABLE or VIEW. Take `lock` to change them."""

    rows: dict[CatalogName, tuple[str, CatalogKind]] = field(default_factory=dict)
    view_files: set[str] = field(default_factory=set)  # that commits remember
    lock: threading.RLock = field(default_factory=threading.RLock)

    def location(self, name: CatalogName) -> str | None:
        row = self.rows.get(name)
        return row[0] if row else None
