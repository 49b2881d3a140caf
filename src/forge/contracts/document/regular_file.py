"""Reads regular files only: a pipe below contracts/ would block, and a device has no end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

NO_REGULAR_FILE = "It is a pipe or a device, no regular file."


def read_regular(path: Path, most: int) -> bytes:
    """The first bytes of a file. Raises OSError with a readable message for other kinds."""
    _refuse(path, path.stat().st_mode)
    # Were it exchanged for a pipe just now, this does not wait for it.
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
        _refuse(path, os.fstat(stream.fileno()).st_mode)
        return stream.read(most)


def _refuse(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, NO_REGULAR_FILE, str(path))
