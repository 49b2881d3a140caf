"""Proposals of remediation and what came of them."""

from __future__ import annotations

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Filled in by its room."""
