"""Values of small tables for scans of personal data, read without an engine."""

from __future__ import annotations

from forge.flows.catalog.pii.ports import TableSample
from forge.flows.catalog.pii.values import sample_of
from forge.flows.ports import Lake
from forge.flows.runs.pin import Pin

SMALL_ROWS = 50_000
SMALL_BYTES = 16_000_000  # of files, which are compressed


class LakeSampler:
    """Tables that are read as a whole: larger ones and views are for an engine."""

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
        size = state.statistics
        if size.record_count > SMALL_ROWS or size.total_size > SMALL_BYTES:
            return None
        names = state.schema.names
        found = self._lake.rows(pin.catalog, pin.snapshot_id, names, SMALL_ROWS)
        if found is None:
            return None
        step = max(1, -(-len(found) // rows))
        return sample_of(names, found[::step], complete=step == 1)
