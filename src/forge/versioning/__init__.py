"""Versioning: commits, trees, refs, revisions. Pure: may import `forge.model` only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forge.versioning.arrow_tables import diff_tables as diff_tables
    from forge.versioning.arrow_tables import merge_tables as merge_tables


def __getattr__(name: str) -> object:
    """`merge_tables` and `diff_tables` work on Arrow, which takes its time to import: only when they are asked for."""
    if name in ("merge_tables", "diff_tables"):
        from forge.versioning import arrow_tables

        return getattr(arrow_tables, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
