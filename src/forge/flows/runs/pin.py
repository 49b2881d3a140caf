"""A pin: a table fixed to one snapshot. Separate from the engine, because most readers of pins never need one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forge.model.names import CatalogName, SnapshotId, TableName


@dataclass(frozen=True, slots=True)
class Pin:
    """An input, fixed before anything is read: a snapshot of a catalog row, or a view's text over pins of its own."""

    table: TableName
    catalog: CatalogName
    snapshot_id: SnapshotId | None = None
    view_sql: str | None = None
    view_inputs: tuple[Pin, ...] = ()
    since: SnapshotId | None = None  # only the rows of files that were appended after this snapshot
