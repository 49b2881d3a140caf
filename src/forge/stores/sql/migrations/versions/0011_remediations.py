"""Proposals of remediation and what came of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_quality_remediations",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("dataset", CODE, nullable=False),
        sa.Column("branch", CODE, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("proposed_at", TIME, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index("forge_quality_remediations_by_dataset", "forge_quality_remediations", ["dataset", "proposed_at"])
    op.create_index("forge_quality_remediations_by_status", "forge_quality_remediations", ["status", "proposed_at"])
