"""Files of a project are imported while other threads import, too."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from types import ModuleType

import pytest

from forge.transforms.imports import project_imports


@pytest.mark.slow
def test_a_project_is_imported_while_another_thread_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server answers its first request while a thread of its own still imports Spark. Threads take turns where
    Python collects garbage, so that is when a module appears here."""
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    numbers = iter(range(1_000_000))

    def import_another(phase: str, details: object) -> None:
        name = f"test_imports_{next(numbers)}"
        sys.modules[name] = ModuleType(name)

    before = gc.get_threshold()
    gc.callbacks.append(import_another)
    gc.set_threshold(10, 1_000, 1_000)
    try:
        with project_imports(tmp_path) as package:
            assert package in sys.modules
    finally:
        gc.callbacks.remove(import_another)
        gc.set_threshold(*before)
    assert next(numbers) > 0
