"""Contracts: ODCS files, their promises, and what holds tables and versions to them. May import `forge.model` only.

`lint(text)`, `find_breaking_changes(old, new)`, `find_drift(contract, schema)` and `effective_of(chain)` need nothing
but what they are given."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forge.contracts.compare.versions import find_breaking_changes as find_breaking_changes
    from forge.contracts.drift.table import find_drift as find_drift
    from forge.contracts.inherit.contract import effective_of as effective_of
    from forge.contracts.linter.lint import lint as lint

_FACES = {  # imported when asked for: most users of the package need one of them
    "effective_of": "forge.contracts.inherit.contract",
    "find_breaking_changes": "forge.contracts.compare.versions",
    "find_drift": "forge.contracts.drift.table",
    "lint": "forge.contracts.linter.lint",
}


class _Package(ModuleType):
    """`lint` is the function, also after the module of that name was imported, which Python would put in its place."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _FACES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        if name in _FACES:
            return getattr(import_module(_FACES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


sys.modules[__name__].__class__ = _Package
