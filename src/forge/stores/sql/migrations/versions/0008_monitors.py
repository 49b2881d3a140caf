"""Monitors, their runs and results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "forge_monitors",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", CODE, nullable=False),
        sa.Column("table_name", sa.String(255), nullable=False),
        sa.Column("dataset", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("checks", sa.Text, nullable=False),
        sa.Column("schedule", sa.Text),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("channels", sa.Text, nullable=False),
        sa.Column("severity_threshold", sa.String(16), nullable=False),
        sa.Column("notify_on_recovery", sa.Boolean, nullable=False),
        sa.Column("sla_target_percentage", sa.Float),
        sa.Column("sla_window_days", sa.Integer, nullable=False),
        sa.Column("created_at", TIME),
        sa.Column("updated_at", TIME),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("file", sa.Text),
        sa.Column("scheduled_from", TIME),
        sa.Column("removed_at", TIME),
    )
    op.create_index("forge_monitors_by_table", "forge_monitors", ["table_name"])
    op.create_table(
        "forge_monitor_runs",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("monitor_id", sa.String(64), sa.ForeignKey("forge_monitors.id")),
        sa.Column("table_name", sa.String(255), nullable=False),
        sa.Column("dataset", sa.Text, nullable=False),
        sa.Column("trigger", sa.String(16), nullable=False),
        sa.Column("claim", CODE, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("queued_at", TIME, nullable=False),
        sa.Column("due", TIME),
        sa.Column("started_at", TIME),
        sa.Column("finished_at", TIME),
        sa.Column("branch", sa.String(255)),
        sa.Column("commit_id", sa.String(64)),
        sa.Column("snapshot_id", sa.BigInteger),
        sa.Column("passed", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("not_measured", sa.Integer, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False, quote=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("process_started", sa.Text, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
    )
    op.create_index("forge_monitor_runs_by_claim", "forge_monitor_runs", ["monitor_id", "claim"], unique=True)
    op.create_index("forge_monitor_runs_by_monitor", "forge_monitor_runs", ["monitor_id", "queued_at"])
    op.create_index("forge_monitor_runs_by_table", "forge_monitor_runs", ["table_name", "queued_at"])
    op.create_index("forge_monitor_runs_by_time", "forge_monitor_runs", ["queued_at"])
    op.create_index("forge_monitor_runs_by_status", "forge_monitor_runs", ["status"])
    op.create_table(
        "forge_check_results",
        sa.Column("run_id", sa.String(64), sa.ForeignKey("forge_monitor_runs.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("monitor_id", sa.String(64)),
        sa.Column("table_name", sa.String(255), nullable=False),
        sa.Column("check_id", CODE, nullable=False),
        sa.Column("check_type", sa.String(64), nullable=False),
        sa.Column("branch", sa.String(255)),
        sa.Column("commit_id", sa.String(64)),
        sa.Column("snapshot_id", sa.BigInteger),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("executed_at", TIME, nullable=False),
        sa.Column("columns", sa.Text, nullable=False),
        sa.Column("blocks", sa.Boolean, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("execution_ms", sa.Float),
        sa.Column("shared", sa.Boolean, nullable=False),
    )
    op.create_index("forge_check_results_by_time", "forge_check_results", ["executed_at"])
    op.create_index("forge_check_results_by_monitor", "forge_check_results", ["monitor_id", "executed_at"])
    op.create_index("forge_check_results_by_check", "forge_check_results", ["table_name", "check_id", "executed_at"])
    op.create_index("forge_check_results_by_version", "forge_check_results", ["table_name", "snapshot_id"])
