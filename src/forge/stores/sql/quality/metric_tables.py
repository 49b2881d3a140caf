"""The tables of metrics. Migration 0010 builds them."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, String, Table, Text

from forge.stores.sql.columns import Code, UtcTime
from forge.stores.sql.tables import metadata

points = Table(
    "forge_metric_points",
    metadata,
    Column("table_name", String(255), primary_key=True),
    Column("metric", Code, primary_key=True),
    Column("version", String(300), primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("value", Float, nullable=False),
    Column("branch", String(255), nullable=False),
    Column("commit_id", String(64)),
    Column("run_id", String(64)),
    Column("recorded_at", UtcTime, nullable=False),
    Column("is_anomaly", Boolean),
    Column("score", Float),
    Column("explanation", Text),
    Column("expected", Float),
    Column("low", Float),
    Column("high", Float),
    Index("forge_metric_points_by_time", "table_name", "metric", "at"),
    Index("forge_metric_points_flagged", "is_anomaly", "at"),
)
feedback = Table(
    "forge_metric_feedback",
    metadata,
    Column("table_name", String(255), primary_key=True),
    Column("metric", Code, primary_key=True),
    Column("at", UtcTime, primary_key=True),
    Column("feedback", String(16), nullable=False),
    Column("note", Text, nullable=False),
    Column("said_by", Text, nullable=False),
    Column("said_at", UtcTime, nullable=False),
)
