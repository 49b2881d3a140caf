"""Whether the warehouse is writable and has space: tested, on a local file system."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from forge.model.errors import DiskFullError
from forge.stores.lake.files import unwritable

ROOM = 50 * 2**20  # bytes; with less, the next run will hardly end well
_PROBE = 64 * 1024


def examine_warehouse(folder: Path) -> str:
    """The free space, as text. E408: not writable; E305: full, or almost."""
    if not folder.exists():
        return f"{folder}, not made yet"
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".forge-doctor-") as probe:
            probe.write(bytes(_PROBE))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        raise unwritable(str(folder), error) from error
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        raise DiskFullError(
            "The disk of the warehouse is almost full",
            where=str(folder),
            why=f"{free // 2**20} MB are left.",
            fix="Free space; `forge gc` deletes files that nothing needs.",
        )
    return f"{folder}, {free // 2**30} GB free" if free >= 2**30 else f"{folder}, {free // 2**20} MB free"


def holds_tables(folder: Path) -> bool:
    return next(folder.glob("*/*/metadata/*.metadata.json"), None) is not None
