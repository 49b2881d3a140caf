"""States of alerts, deliveries, incidents and their timelines."""

from __future__ import annotations

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Filled in by its room."""
