"""Contracts: ODCS documents, inheritance, lint, comparison of versions and drift of tables. May import `forge.model`
only.

`lint(text)`, `find_breaking_changes(old, new)`, `find_drift(contract, schema)` and `effective_of(chain)` are pure
functions of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.model.lazy_names import lazy_names

if TYPE_CHECKING:
    from forge.contracts.compare.versions import find_breaking_changes as find_breaking_changes
    from forge.contracts.drift.table import find_drift as find_drift
    from forge.contracts.inherit.contract import effective_of as effective_of
    from forge.contracts.linter.lint import lint as lint

# Imported when asked for: most users of the package need one of them.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "effective_of": "forge.contracts.inherit.contract",
        "find_breaking_changes": "forge.contracts.compare.versions",
        "find_drift": "forge.contracts.drift.table",
        "lint": "forge.contracts.linter.lint",
    },
)
