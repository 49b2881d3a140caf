"""The bytes of a file given to a contract command; only `-` is stdin."""

from __future__ import annotations

import sys
from pathlib import Path


def bytes_of(path: Path | str) -> bytes:
    """Of a file that is too large only enough to detect it. Raises E103 for anything but a file."""
    from forge.contracts.document.regular_file import NO_REGULAR_FILE, read_regular
    from forge.model.errors import ForgeError
    from forge.model.yaml_reader import MAX_BYTES

    if str(path) == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        return read_regular(Path(path), MAX_BYTES + 1)
    except OSError as error:
        why = error.strerror or str(error)
        fix = "Give the path of a file that is there."
        if why == NO_REGULAR_FILE:
            fix = "Give the path of a file; - reads stdin."
        raise ForgeError("E103", f"{path} cannot be read", where=str(path), why=why, fix=fix) from error
