"""Monitors, their runs and results."""

from __future__ import annotations

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Filled in by its room."""
