"""Assets of the catalog: what was crawled, what people say, edits and their proposals, and the log of changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _assets()
    _names()
    _edits()
    _changes()


def _assets() -> None:
    op.create_table(
        "forge_catalog_assets",
        sa.Column("uid", sa.String(32), primary_key=True),
        sa.Column("name", CODE, nullable=False),
        sa.Column("type", sa.String(16), nullable=False),
        sa.Column("source", CODE, nullable=False),
        sa.Column("key", CODE, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("domain", CODE),
        sa.Column("owner", CODE),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("pointer", sa.Text, nullable=False),
        sa.Column("crawled", sa.Text, nullable=False),
        sa.Column("edited", sa.Text, nullable=False),
        sa.Column("filed", sa.Text),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
    )
    op.create_index("forge_catalog_assets_by_name", "forge_catalog_assets", ["name"], unique=True)
    for column in ("source", "domain", "owner"):
        op.create_index(f"forge_catalog_assets_by_{column}", "forge_catalog_assets", [column])


def _names() -> None:
    op.create_table(
        "forge_catalog_labels",
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("value", CODE, primary_key=True),
        sa.Column("uid", sa.String(32), primary_key=True),
        sa.Column("column_name", CODE, primary_key=True),
    )
    op.create_index("forge_catalog_labels_by_asset", "forge_catalog_labels", ["uid"])
    op.create_table(
        "forge_catalog_former_names",
        sa.Column("name", CODE, primary_key=True),
        sa.Column("uid", sa.String(32), nullable=False),
    )
    op.create_index("forge_catalog_former_names_by_asset", "forge_catalog_former_names", ["uid"])


def _edits() -> None:
    op.create_table(
        "forge_catalog_edits",
        sa.Column("uid", sa.String(32), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("undoes", sa.Integer),
        sa.Column("approved_by", sa.Text),
    )
    op.create_table(
        "forge_catalog_proposals",
        sa.Column("number", ID, primary_key=True),
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("asset", CODE, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("changes", sa.Text, nullable=False),
        sa.Column("base_version", sa.Integer, nullable=False),
        sa.Column("undoes", sa.Integer),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("decided_by", sa.Text),
        sa.Column("decided_at", TIME),
        sa.Column("comment", sa.Text, nullable=False),
    )
    op.create_index("forge_catalog_proposals_by_id", "forge_catalog_proposals", ["id"], unique=True)
    op.create_index("forge_catalog_proposals_by_state", "forge_catalog_proposals", ["state"])


def _changes() -> None:
    op.create_table(
        "forge_catalog_changes",
        sa.Column("id", ID, primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("name", CODE, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("forge_catalog_changes_by_name", "forge_catalog_changes", ["kind", "name"], unique=True)
