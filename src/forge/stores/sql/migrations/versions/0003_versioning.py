"""Protected branches, tags, merges with their conflicts, tables that got another name, and the hashes of files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    extend()
    create_tags()
    create_merges()
    create_integrity()


def extend() -> None:
    """What is there gets the values that say: as before."""
    op.add_column("forge_branches", sa.Column("is_protected", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("forge_branches", sa.Column("require_approval", sa.Boolean))
    op.add_column("forge_branches", sa.Column("allowed_mergers", sa.Text, nullable=False, server_default="[]"))
    op.add_column("forge_commits", sa.Column("signature", sa.Text))
    op.add_column("forge_commit_tables", sa.Column("rows_modified", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("forge_runs", sa.Column("kind", sa.String(16), nullable=False, server_default="run"))


def create_tags() -> None:
    op.create_table(
        "forge_tags",
        sa.Column("name", sa.String(255), primary_key=True),
        sa.Column("target", sa.String(64), nullable=False),
        sa.Column("target_type", sa.String(16), nullable=False),
        sa.Column("tagger_name", sa.Text, nullable=False),
        sa.Column("tagger_email", sa.Text, nullable=False),
        sa.Column("tagger_user_id", sa.Text, nullable=False),
        sa.Column("time", TIME, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("signature", sa.Text),
    )


def create_merges() -> None:
    op.create_table(
        "forge_merges",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("target", sa.String(255), nullable=False),
        sa.Column("source_commit", sa.String(64), nullable=False),
        sa.Column("target_commit", sa.String(64), nullable=False),
        sa.Column("base_commit", sa.String(64)),
        sa.Column("strategy", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("author_name", sa.Text, nullable=False),
        sa.Column("author_email", sa.Text, nullable=False),
        sa.Column("author_user_id", sa.Text, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("commit_id", sa.String(64)),
        sa.Column("run_id", sa.String(64)),
        sa.Column("other_bases", sa.Text, nullable=False),
        sa.Column("merge_keys", sa.Text, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("tables", sa.Text, nullable=False),
        sa.Column("approvals", sa.Text, nullable=False),
        sa.Column("conflict_count", sa.BigInteger, nullable=False),
        sa.Column("resolved_count", sa.BigInteger, nullable=False),
    )
    op.create_index("forge_merges_by_time", "forge_merges", ["created_at"])
    op.create_index("forge_merges_by_status", "forge_merges", ["status"])
    op.create_table(
        "forge_conflicts",
        sa.Column("merge_id", sa.String(64), sa.ForeignKey("forge_merges.id"), primary_key=True),
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("table_name", sa.String(255)),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("column_name", sa.Text),
        sa.Column("row_key", sa.Text),
        sa.Column("base", sa.Text),
        sa.Column("ours", sa.Text),
        sa.Column("theirs", sa.Text),
        sa.Column("location", sa.Text),
        sa.Column("resolution", sa.String(16)),
        sa.Column("resolved_value", sa.Text),
    )
    op.create_index("forge_conflicts_by_merge", "forge_conflicts", ["merge_id", "position"])


def create_integrity() -> None:
    op.create_table(
        "forge_homes",
        sa.Column("uuid", sa.String(64), primary_key=True),
        sa.Column("namespace", sa.String(255), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
    )
    op.create_table(
        "forge_blobs",
        sa.Column("id", ID, primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
    )
    op.create_index("forge_blobs_by_path", "forge_blobs", ["path"], unique=True)
    op.create_table(
        "forge_table_trees",
        sa.Column("id", ID, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("forge_table_trees_by_digest", "forge_table_trees", ["digest"], unique=True)
