"""Tokens and sessions; edges of outputs that were not published, which belong to no commit; the time range of a run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_tokens",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME),
        sa.Column("last_used_at", TIME),
        sa.Column("revoked_at", TIME),
    )
    op.create_index("forge_tokens_by_digest", "forge_tokens", ["digest"], unique=True)
    op.add_column("forge_runs", sa.Column("range_start", TIME))
    op.add_column("forge_runs", sa.Column("range_end", TIME))
    for table in ("forge_edges", "forge_table_edges"):
        # SQLite cannot change a column: its table is written anew. Nothing refers to these tables.
        with op.batch_alter_table(table) as change:
            change.alter_column("commit_id", existing_type=sa.String(64), nullable=True)
