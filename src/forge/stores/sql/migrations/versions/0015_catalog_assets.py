"""catalog assets."""

from __future__ import annotations

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    pass
