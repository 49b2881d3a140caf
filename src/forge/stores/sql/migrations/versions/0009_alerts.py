"""States of alerts, deliveries, incidents and their timelines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _alerts()
    _incidents()
    _deliveries()


def _alerts() -> None:
    op.create_table(
        "forge_alert_states",
        sa.Column("scope", CODE, primary_key=True),
        sa.Column("check_id", CODE, primary_key=True),
        sa.Column("table_name", CODE, nullable=False),
        sa.Column("branch", CODE, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index("forge_alert_states_by_status", "forge_alert_states", ["status", "branch"])
    op.create_table(
        "forge_alert_mutes",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("scope", CODE),
        sa.Column("check_id", CODE),
        sa.Column("table_name", CODE),
        sa.Column("until", TIME, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
    )


def _incidents() -> None:
    op.create_table(
        "forge_incidents",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("scope", CODE, nullable=False),
        sa.Column("check_id", CODE, nullable=False),
        sa.Column("table_name", CODE, nullable=False),
        sa.Column("branch", CODE, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("opened_at", TIME, nullable=False),
        sa.Column("changes", sa.Integer, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index("forge_incidents_by_check", "forge_incidents", ["scope", "check_id", "opened_at"])
    op.create_index("forge_incidents_by_status", "forge_incidents", ["status", "opened_at"])
    op.create_index("forge_incidents_by_table", "forge_incidents", ["table_name", "opened_at"])
    op.create_table(
        "forge_incident_entries",
        sa.Column("number", ID, primary_key=True),
        sa.Column("incident_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index("forge_incident_entries_by_incident", "forge_incident_entries", ["incident_id", "number"])


def _deliveries() -> None:
    op.create_table(
        "forge_deliveries",
        sa.Column("number", ID, primary_key=True),
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("channel", CODE, nullable=False),
        sa.Column("thread", sa.String(32), nullable=False),
        sa.Column("scope", CODE, nullable=False),
        sa.Column("table_name", CODE, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("muted", sa.Boolean, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("next_at", TIME, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("message_id", sa.String(32)),
        sa.Column("claimed_by", sa.Text),
        sa.Column("claimed_until", TIME),
        sa.Column("sent_at", TIME),
        sa.Column("pager_key", sa.String(64)),
        sa.Column("notice", sa.Text, nullable=False),
    )
    op.create_index("forge_deliveries_by_id", "forge_deliveries", ["id"], unique=True)
    op.create_index("forge_deliveries_by_status", "forge_deliveries", ["status", "channel", "next_at"])
    op.create_index("forge_deliveries_by_thread", "forge_deliveries", ["channel", "thread", "number"])
    op.create_table(
        "forge_delivery_incidents",
        sa.Column("incident_id", sa.String(32), primary_key=True),
        sa.Column("delivery_id", sa.String(32), primary_key=True),
    )
    op.create_table(
        "forge_delivery_attempts",
        sa.Column("number", ID, primary_key=True),
        sa.Column("delivery_id", sa.String(32), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("ok", sa.Boolean, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("ms", sa.Float, nullable=False),
    )
    op.create_index("forge_delivery_attempts_by_delivery", "forge_delivery_attempts", ["delivery_id", "number"])
