"""Content hashes in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forge.flows.runs.records import Blob, HashRecords
from forge.stores.memory.records import MemoryRecords


class MemoryContentHashes(MemoryRecords):
    def blobs(self, paths: Iterable[str]) -> dict[str, Blob]:
        with self._lock:
            return {path: self._blobs[path] for path in paths if path in self._blobs}

    def table_trees(self, digests: Iterable[str]) -> dict[str, Mapping[str, object]]:
        with self._lock:
            return {digest: self._table_trees[digest] for digest in digests if digest in self._table_trees}

    def add_hashes(self, hashes: HashRecords) -> None:
        with self._lock:
            self._keep_hashes(hashes)
