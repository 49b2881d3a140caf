"""Up to which size the driver reads a table by itself, to scan or to profile it: larger ones are for an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forge.versioning.commit import TableStatistics

SMALL_ROWS = 200_000
SMALL_BYTES = 32_000_000  # of files, which are compressed


def is_small_size(counted: TableStatistics) -> bool:
    return counted.record_count <= SMALL_ROWS and counted.total_size <= SMALL_BYTES
