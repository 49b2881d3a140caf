"""Findings of personal data, what was scanned, and one number that grows with each change of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_pii_findings",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("table_name", CODE, nullable=False),
        sa.Column("table_key", sa.String(64), nullable=False),
        sa.Column("column_key", CODE, nullable=False),
        sa.Column("column_name", sa.Text, nullable=False),
        sa.Column("type", sa.String(64)),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("quasi", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("source", sa.Text),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("reviewed_by", sa.Text),
        sa.Column("reviewed_at", TIME),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("snapshot_id", sa.BigInteger),
        sa.Column("first_seen", TIME, nullable=False),
        sa.Column("last_seen", TIME, nullable=False),
        sa.Column("closed_at", TIME),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_index("forge_pii_findings_by_column", "forge_pii_findings", ["table_name", "column_key"], unique=True)
    op.create_index("forge_pii_findings_by_key", "forge_pii_findings", ["table_key"])
    op.create_index("forge_pii_findings_by_state", "forge_pii_findings", ["state"])
    op.create_table(
        "forge_pii_scans",
        sa.Column("table_name", CODE, primary_key=True),
        sa.Column("table_key", sa.String(64), nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("snapshot_id", sa.BigInteger),
        sa.Column("rows", sa.BigInteger, nullable=False, quote=True),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("scanned_at", TIME, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
    )
    op.create_table(
        "forge_pii_revision",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger, nullable=False),
    )
