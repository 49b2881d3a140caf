"""Lineage from code: the fields of structs in what runs saw, and the files that were read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    for table, names in (
        ("forge_edges", ("source_field", "target_field")),
        ("forge_table_edges", ("source_field",)),
    ):
        for name in names:
            op.add_column(table, sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.create_table(
        "forge_lineage_sources",
        sa.Column("root", CODE, primary_key=True),
        sa.Column("path", CODE, primary_key=True),
        sa.Column("language", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("read_at", TIME, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("statements", sa.Integer, nullable=False),
        sa.Column("understood", sa.Integer, nullable=False),
        sa.Column("queries", sa.Integer, nullable=False),
        sa.Column("edges", sa.Integer, nullable=False),
        sa.Column("gaps", sa.Text, nullable=False),
        sa.Column("definitions", sa.Text, nullable=False),
        sa.Column("uses", sa.Text, nullable=False),
    )
