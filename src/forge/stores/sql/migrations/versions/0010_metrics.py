"""Histories of metrics, and what people said of anomalies."""

from __future__ import annotations

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Filled in by its room."""
