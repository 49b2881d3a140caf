"""Profiles of tables and views, by the state of their rows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_table_profiles",
        sa.Column("table_name", sa.String(255), primary_key=True),
        sa.Column("state", sa.String(64), primary_key=True),
        sa.Column("detail", sa.String(40), primary_key=True),
        sa.Column("snapshot_id", sa.BigInteger),
        sa.Column("commit_id", sa.String(64)),
        sa.Column("profiled_at", TIME, nullable=False),
        sa.Column("profile", sa.Text, nullable=False),
    )
    op.create_index("forge_table_profiles_by_time", "forge_table_profiles", ["table_name", "profiled_at"])
