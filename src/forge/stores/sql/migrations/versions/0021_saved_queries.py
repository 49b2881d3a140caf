"""Queries that people keep by a name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_saved_queries",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", CODE, nullable=False),
        sa.Column("name", CODE, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("sql", sa.Text, nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("at", sa.Text),
        sa.Column("is_shared", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.UniqueConstraint("owner", "name", name="forge_saved_queries_name"),
    )
    op.create_index("forge_saved_queries_shared", "forge_saved_queries", ["is_shared"])
