"""Histories of metrics, and what people said of anomalies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_metric_points",
        sa.Column("table_name", sa.String(255), primary_key=True),
        sa.Column("metric", CODE, primary_key=True),
        sa.Column("version", sa.String(300), primary_key=True),
        sa.Column("at", TIME, nullable=False),
        sa.Column("value", sa.Float, nullable=False),
        sa.Column("branch", sa.String(255), nullable=False),
        sa.Column("commit_id", sa.String(64)),
        sa.Column("run_id", sa.String(64)),
        sa.Column("recorded_at", TIME, nullable=False),
        sa.Column("is_anomaly", sa.Boolean),
        sa.Column("score", sa.Float),
        sa.Column("explanation", sa.Text),
        sa.Column("expected", sa.Float),
        sa.Column("low", sa.Float),
        sa.Column("high", sa.Float),
    )
    op.create_index("forge_metric_points_by_time", "forge_metric_points", ["table_name", "metric", "at"])
    op.create_index("forge_metric_points_flagged", "forge_metric_points", ["is_anomaly", "at"])
    op.create_table(
        "forge_metric_feedback",
        sa.Column("table_name", sa.String(255), primary_key=True),
        sa.Column("metric", CODE, primary_key=True),
        sa.Column("at", TIME, primary_key=True),
        sa.Column("feedback", sa.String(16), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("said_by", sa.Text, nullable=False),
        sa.Column("said_at", TIME, nullable=False),
    )
