"""What was measured of a snapshot, kept so that a table that grew is not read again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_measured_states",
        sa.Column("table_name", sa.String(255), primary_key=True),
        sa.Column("measure", sa.String(64), primary_key=True),
        sa.Column("snapshot_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("measured_at", TIME, nullable=False),
    )
