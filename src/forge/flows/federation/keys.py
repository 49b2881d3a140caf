"""The values of a column by which another source is filtered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

MOST_KEYS = 5_000  # as bound values of one statement


def key_values(column: pa.ChunkedArray) -> tuple[object, ...] | None:
    """Each once, without NULL, which equals nothing; None: too many, or of a type whose equal values look different
    to a source."""
    import pyarrow as pa
    import pyarrow.compute as compute

    if pa.types.is_floating(column.type) or pa.types.is_nested(column.type):
        return None
    found = compute.drop_null(compute.unique(column))
    return None if len(found) > MOST_KEYS else tuple(found.to_pylist())
