"""`extends:`: platform files that a project inherits (enterprise → domain → product), each a layer of settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forge.model.errors import ForgeError
from forge.settings.layers import Layer, file_layer

MOST = 20  # files in a chain; more is a mistake


@dataclass(frozen=True)
class PlatformFile:
    """A platform file: its layer, its name in messages, and its path."""

    layer: Layer
    name: str
    path: Path

    @property
    def folder(self) -> Path:
        return self.path.parent


def find_platform_files(layer: Layer, folder: Path, root: Path) -> tuple[PlatformFile, ...]:
    """The files that a layer extends, transitively, outermost first. Raises E105 for a missing file and for cycles."""
    return tuple(_walk(layer, folder, root, ()))


def _walk(layer: Layer, folder: Path, root: Path, below: tuple[Path, ...]) -> list[PlatformFile]:
    found: list[PlatformFile] = []
    for name in _names(layer):
        path = Path(os.path.normpath(folder / Path(name).expanduser()))
        shown = _shown(path, root)
        if path in below or len(below) >= MOST:
            cycle = " → ".join(
                _shown(each, root) for each in (*below[below.index(path) if path in below else 0 :], path)
            )
            raise _wrong(layer, f"extends: the files extend each other in a circle: {cycle}", "Take one of them out.")
        if not path.is_file():
            raise _wrong(
                layer, f"extends: there is no file {shown}", "Paths start at the file that names them; correct it."
            )
        above = file_layer(path, shown)
        for each in [*_walk(above, path.parent, root, (*below, path)), PlatformFile(above, shown, path)]:
            if each.path not in {known.path for known in found}:
                found.append(each)
    return found


def _names(layer: Layer) -> Sequence[str]:
    given = layer.data.get("extends")
    if isinstance(given, str):
        return [part.strip() for part in given.split(",") if part.strip()]
    return [name for name in given if isinstance(name, str)] if isinstance(given, list) else []


def _shown(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def _wrong(layer: Layer, what: str, fix: str) -> ForgeError:
    return ForgeError("E105", what, where=layer.place(("extends",)), fix=fix)
