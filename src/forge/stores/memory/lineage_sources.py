"""Records of source files in memory."""

from __future__ import annotations

from collections.abc import Sequence

from forge.flows.lineage.code.records import SourceRecord


class MemorySources:
    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], SourceRecord] = {}

    def sources(self, root: str | None = None) -> tuple[SourceRecord, ...]:
        return tuple(self._kept[key] for key in sorted(self._kept) if root is None or key[0] == root)

    def keep(self, records: Sequence[SourceRecord]) -> None:
        self._kept.update({(one.root, one.path): one for one in records})

    def forget(self, root: str, paths: Sequence[str]) -> None:
        for path in paths:
            self._kept.pop((root, path), None)
