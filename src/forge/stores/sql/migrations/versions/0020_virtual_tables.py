"""Virtual tables, and the columns of their sources when they were looked at."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_virtual_tables",
        sa.Column("name", CODE, primary_key=True),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("updated_by", sa.Text, nullable=False),
    )
    op.create_table(
        "forge_virtual_columns",
        sa.Column("name", CODE, primary_key=True),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("tables", sa.Text, nullable=False),
    )
