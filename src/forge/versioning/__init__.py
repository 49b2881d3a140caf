"""Versioning: commits, trees, refs, revisions, diff and merge. Pure: may import `forge.model` only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.model.lazy_names import lazy_names

if TYPE_CHECKING:
    from forge.versioning.arrow_tables import diff_tables as diff_tables
    from forge.versioning.arrow_tables import merge_tables as merge_tables

# They work on Arrow, which takes its time to import: only when they are asked for.
__getattr__, __dir__ = lazy_names(
    __name__, {"diff_tables": "forge.versioning.arrow_tables", "merge_tables": "forge.versioning.arrow_tables"}
)
