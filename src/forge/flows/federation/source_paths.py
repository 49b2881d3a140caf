"""Where the files of a source really are: links are followed, and what leads out of the allowed folders is refused."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from forge.federation.limits import SourceLimits
from forge.federation.object_path import parse_object_path
from forge.federation.source import Source
from forge.model.errors import SourceNotAllowedError

_MOST = 100_000


@dataclass(frozen=True, slots=True)
class FileGuard:
    """Of one source: what it may read, by where a path really is. `apart`: the lake's files and Forge's own."""

    source: str
    folders: tuple[Path, ...]
    apart: tuple[Path, ...]

    @classmethod
    def of(cls, source: Source, root: Path, limits: SourceLimits, kept_apart: Iterable[Path]) -> FileGuard:
        folders = tuple((root / folder).resolve() for folder in limits.folders)
        return cls(source.name, folders, tuple(path.resolve() for path in kept_apart))

    def refuse(self, path: Path) -> None:
        """E886 where it is not in the folders, or in one that is kept apart."""
        real = Path(os.path.realpath(path))
        inside = any(real.is_relative_to(folder) and _is_open(real, folder) for folder in self.folders)
        if not inside or any(real.is_relative_to(other) or other.is_relative_to(real) for other in self.apart):
            raise SourceNotAllowedError(
                f"The path of the source {self.source} leads to where it may not be read from",
                where="path",
                why="A link or a hidden folder is below it.",
                fix="Name a folder that holds nothing else, or let the operator allow another in forge.yaml.",
            )


def refuse_outside(source: Source, root: Path, guard: FileGuard) -> None:
    """E886 for a path below which anything leads out. What a pattern finds behind links, and what a log names, the
    guard is asked about once more where it is read."""
    for path in _reached(root, source.path):
        guard.refuse(path)


def refuse_lake(source: Source, warehouse: str) -> None:
    """E886 for objects that may be files of the lake, which has masks."""
    path, lake = parse_object_path(source.path), parse_object_path(warehouse)
    if path is None or (lake is not None and path.overlaps(lake)):
        what = f"The path of the source {source.name} leads to the files of the lake"
        raise SourceNotAllowedError(what, where="path", fix="Name a folder that holds nothing else.")


def _is_open(real: Path, folder: Path) -> bool:
    return not any(part.startswith(".") for part in real.relative_to(folder).parts)


def _reached(root: Path, path: str) -> Iterator[Path]:
    """The path without its pattern, and all that is below it; folders behind links are named, and not entered."""
    parts = PurePosixPath(path).parts
    fixed = next((index for index, part in enumerate(parts) if re.search(r"[*?\[{]", part)), len(parts))
    start = root.joinpath(*parts[:fixed])
    yield start
    found = 0
    for folder, folders, files in os.walk(start, followlinks=False):
        for name in (*folders, *files):
            if name.startswith("."):
                continue  # few patterns find it
            found += 1
            if found > _MOST:
                raise SourceNotAllowedError(f"There are more than {_MOST:,} files below {path}", where="path")
            yield Path(folder, name)
        folders[:] = [name for name in folders if not name.startswith(".")]
