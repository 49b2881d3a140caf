"""Files and folders synced to disk, so that a power failure after a publication loses nothing of it.

Engines close files without fsync. On a local file system they are synced before anything points at them; an object
store is durable once it has acknowledged a write, and has nothing to sync."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from urllib.parse import urlparse

from forge.stores.lake.files import local_path, unwritable

_AT_ONCE = 8  # they wait for the disk and not for the processor; what waits together is written together


class DiskSync:
    """Remembers what it has synced: files of the lake never change, and a folder is new in its parent once."""

    def __init__(self, root: str) -> None:
        self._root = local_path(root) if is_local(root) else None
        self._done: set[str] = set()
        self._guard = Lock()

    def sync(self, locations: Iterable[str]) -> None:
        """Files first, with the checksum files of Hadoop; then their folders."""
        paths = [local_path(location) for location in locations if is_local(location)]
        files = [path for path in dict.fromkeys(paths) if path not in self._done]
        if not files:
            return
        checksums = (_checksum(path) for path in files)
        self._each(_sync_file, [*files, *(path for path in checksums if os.path.exists(path))])
        holding = {os.path.dirname(path) for path in files}
        above = {folder for path in holding for folder in self._above(path)} - holding - self._done
        self._each(_sync_file, sorted(holding | above, key=len, reverse=True))
        with self._guard:
            self._done |= {*files, *above}

    def _above(self, folder: str) -> list[str]:
        """The parent folders, up to the warehouse: those that may be as new as the file."""
        parents = [str(parent) for parent in Path(folder).parents]
        return parents[: parents.index(self._root) + 2] if self._root in parents else parents[:1]

    def _each(self, sync: Callable[[str], None], paths: list[str]) -> None:
        if len(paths) < 2:
            for path in paths:
                sync(path)
            return
        with ThreadPoolExecutor(min(_AT_ONCE, len(paths)), thread_name_prefix="forge-sync") as pool:
            list(pool.map(sync, paths))


def is_local(location: str) -> bool:
    return location.startswith("file:") or not urlparse(location).scheme


def _checksum(path: str) -> str:
    """Hadoop's checksum file of a file; a corrupt one makes the file unreadable to Spark."""
    return os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.crc")


def _sync_file(path: str) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise unwritable(path, error) from error
