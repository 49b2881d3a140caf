"""Values of small tables for scans of personal data, read without an engine."""

from __future__ import annotations

from forge.flows.catalog.pii.ports import TableSample
from forge.flows.catalog.pii.values import sample_of
from forge.flows.catalog.small_tables import is_small_size
from forge.flows.ports import Lake
from forge.flows.runs.pin import Pin

_MOST_CELLS = 4_000_000  # that are read: of a wide table fewer rows


class LakeSampler:
    """Tables that are read as a whole, or nearly so where they are wide: larger ones and views are for an engine."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def sample(self, pin: Pin, rows: int) -> TableSample | None:
        if pin.view_sql is not None:
            return None
        if pin.snapshot_id is None:  # nothing was written yet
            schema = self._lake.schema(pin.catalog)
            return sample_of(schema.names, (), complete=True) if schema is not None else None
        state = self._lake.snapshot(pin.catalog, pin.snapshot_id)
        if state is None:
            return None
        if not is_small_size(state.statistics):
            return None
        names = state.schema.names
        most = max(rows, _MOST_CELLS // max(1, len(names)))
        found = self._lake.rows(pin.catalog, pin.snapshot_id, names, most)
        if found is None:
            return None
        step = max(1, -(-len(found) // rows))
        return sample_of(names, found[::step], complete=step == 1 and len(found) < most)
