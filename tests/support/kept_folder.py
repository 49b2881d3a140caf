"""A folder that is dear to make, made once and put back for every test that wants it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path


class KeptFolder:
    """It lies at the same path each time: the metadata of tables names their files by full paths. So one test at a
    time can have it, and nothing may be at work in it when the next one comes."""

    def __init__(self, parent: Path) -> None:
        self.root = parent / "project"
        self._kept = parent / "kept"

    def lay(self, name: str, make: Callable[[Path], None]) -> Path:
        """The folder as `make` left it when it was asked for by this name first. What is there is gone by then, but
        for `make` itself, which may build on it."""
        kept = self._kept / name
        if kept.exists():
            shutil.rmtree(self.root, ignore_errors=True)
            shutil.copytree(kept, self.root)
        else:
            make(self.root)
            shutil.copytree(self.root, kept)
        return self.root
