"""What was measured of a snapshot, kept so that a table that grew is not read again."""

from __future__ import annotations

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Filled in by its room."""
