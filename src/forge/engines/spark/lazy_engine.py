"""The engine, loaded on first use. The files of a source are listed without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from forge.engines.spark import sources
from forge.flows.runs.records import LoadedFile
from forge.transforms.transform import FileSource, Transform


def files_of(transform: Transform, root: Path) -> tuple[LoadedFile, ...]:
    if not isinstance(transform.body, FileSource):
        return ()
    return sources.find_files(transform.body, root, transform.where)


class LazyEngine:
    """Delegates to what `load` returns. A plan needs no engine: importing pyspark takes longer than the rest of a
    plan."""

    def __init__(self, load: Callable[[], Any], root: Path) -> None:
        self._load = load
        self._root = root

    def files_of(self, transform: Transform) -> tuple[LoadedFile, ...]:
        return files_of(transform, self._root)

    def with_digests(self, files: Sequence[LoadedFile]) -> tuple[LoadedFile, ...]:
        return sources.with_digests(files, self._root)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)
