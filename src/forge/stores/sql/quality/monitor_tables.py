"""Tables of monitors, their runs and check results. Migration 0008 builds them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Index, Integer, String, Table, Text

from forge.stores.sql.columns import Code, Json, UtcTime
from forge.stores.sql.tables import metadata
from forge.stores.sql.values import TypedValue

monitors = Table(
    "forge_monitors",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("name", Code, nullable=False),
    Column("table_name", String(255), nullable=False),
    Column("dataset", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("checks", TypedValue, nullable=False),
    Column("schedule", Json),
    Column("enabled", Boolean, nullable=False),
    Column("channels", Json, nullable=False),
    Column("severity_threshold", String(16), nullable=False),
    Column("notify_on_recovery", Boolean, nullable=False),
    Column("sla_target_percentage", Float),
    Column("sla_window_days", Integer, nullable=False),
    Column("created_at", UtcTime),
    Column("updated_at", UtcTime),
    Column("created_by", Text, nullable=False),
    Column("file", Text),
    Column("scheduled_from", UtcTime),
    Column("removed_at", UtcTime),
    Index("forge_monitors_by_table", "table_name"),
)
runs = Table(
    "forge_monitor_runs",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("monitor_id", String(64), ForeignKey("forge_monitors.id")),  # NULL: by hand
    Column("table_name", String(255), nullable=False),
    Column("dataset", Text, nullable=False),
    Column("trigger", String(16), nullable=False),
    Column("claim", Code, nullable=False),
    Column("status", String(16), nullable=False),
    Column("queued_at", UtcTime, nullable=False),
    Column("due", UtcTime),
    Column("started_at", UtcTime),
    Column("finished_at", UtcTime),
    Column("branch", String(255)),
    Column("commit_id", String(64)),
    Column("snapshot_id", BigInteger),
    Column("passed", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("not_measured", Integer, nullable=False),
    Column("error", Json),
    Column("notes", Json, nullable=False),
    Column("by", Text, nullable=False, quote=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("process_started", Text, nullable=False),
    Column("seen_at", UtcTime, nullable=False),  # when its process last gave a sign
    Index("forge_monitor_runs_by_claim", "monitor_id", "claim", unique=True),
    Index("forge_monitor_runs_by_monitor", "monitor_id", "queued_at"),
    Index("forge_monitor_runs_by_table", "table_name", "queued_at"),
    Index("forge_monitor_runs_by_time", "queued_at"),
    Index("forge_monitor_runs_by_status", "status"),
)
results = Table(
    "forge_check_results",
    metadata,
    Column("run_id", String(64), ForeignKey("forge_monitor_runs.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("monitor_id", String(64)),
    Column("table_name", String(255), nullable=False),
    Column("check_id", Code, nullable=False),
    Column("check_type", String(64), nullable=False),
    Column("branch", String(255)),
    Column("commit_id", String(64)),
    Column("snapshot_id", BigInteger),
    Column("verdict", String(16), nullable=False),
    Column("severity", String(16), nullable=False),
    Column("message", Text, nullable=False),
    Column("executed_at", UtcTime, nullable=False),
    Column("columns", Json, nullable=False),
    Column("blocks", Boolean, nullable=False),
    Column("details", Json, nullable=False),
    Column("execution_ms", Float),
    Column("shared", Boolean, nullable=False),
    Index("forge_check_results_by_time", "executed_at"),
    Index("forge_check_results_by_monitor", "monitor_id", "executed_at"),
    Index("forge_check_results_by_check", "table_name", "check_id", "executed_at"),
    Index("forge_check_results_by_version", "table_name", "snapshot_id"),
)
