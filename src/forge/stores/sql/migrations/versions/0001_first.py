"""Forge's first tables, and the two tables of Iceberg's JDBC catalog (its schema V1) in the same database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    create_iceberg()
    create_versioning()
    create_runs()
    create_lineage()
    create_catalog_and_jobs()


def create_iceberg() -> None:
    """Spark or PyIceberg may have been here first, with the older schema V0 perhaps, which lacks the type."""
    op.create_table(
        "iceberg_tables",
        sa.Column("catalog_name", sa.String(255), nullable=False),
        sa.Column("table_namespace", sa.String(255), nullable=False),
        sa.Column("table_name", sa.String(255), nullable=False),
        sa.Column("metadata_location", sa.String(1000)),
        sa.Column("previous_metadata_location", sa.String(1000)),
        sa.Column("iceberg_type", sa.String(5)),
        sa.PrimaryKeyConstraint("catalog_name", "table_namespace", "table_name"),
        if_not_exists=True,
    )
    op.create_table(
        "iceberg_namespace_properties",
        sa.Column("catalog_name", sa.String(255), nullable=False),
        sa.Column("namespace", sa.String(255), nullable=False),
        sa.Column("property_key", sa.String(255)),
        sa.Column("property_value", sa.String(1000)),
        sa.PrimaryKeyConstraint("catalog_name", "namespace", "property_key"),
        if_not_exists=True,
    )
    known = sa.inspect(op.get_bind()).get_columns("iceberg_tables")
    if "iceberg_type" not in {column["name"] for column in known}:
        op.add_column("iceberg_tables", sa.Column("iceberg_type", sa.String(5)))
    create_hidden_namespaces()


def create_hidden_namespaces() -> None:
    """Spark refuses to create a table in a namespace that does not exist."""
    columns = ("catalog_name", "namespace", "property_key", "property_value")
    properties = sa.table("iceberg_namespace_properties", *(sa.column(name) for name in columns))
    bind = op.get_bind()
    for namespace in ("forge_staging", "forge_branches"):
        row = dict(zip(columns, ("forge", namespace, "exists", "true"), strict=True))
        same = [properties.c[name] == row[name] for name in columns[:3]]
        if bind.execute(sa.select(properties).where(*same)).first() is None:
            bind.execute(properties.insert().values(row))


def create_versioning() -> None:
    op.create_table(
        "forge_branches",
        sa.Column("name", sa.String(255), primary_key=True),
        sa.Column("head", sa.String(64)),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("parent", sa.String(255)),
        sa.Column("fork_commit", sa.String(64)),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("is_default", sa.Boolean, nullable=False),
    )
    op.create_table(
        "forge_trees",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("view_files", sa.Text),
    )
    op.create_table(
        "forge_commits",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("tree_id", sa.String(64), sa.ForeignKey("forge_trees.id"), nullable=False),
        sa.Column("author_name", sa.Text, nullable=False),
        sa.Column("author_email", sa.Text, nullable=False),
        sa.Column("author_user_id", sa.Text, nullable=False),
        sa.Column("committer_name", sa.Text, nullable=False),
        sa.Column("committer_email", sa.Text, nullable=False),
        sa.Column("committer_user_id", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("time", TIME, nullable=False),
        sa.Column("branch", sa.String(255), nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
    )
    op.create_table(
        "forge_commit_parents",
        sa.Column("commit_id", sa.String(64), sa.ForeignKey("forge_commits.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("parent_id", sa.String(64), sa.ForeignKey("forge_commits.id"), nullable=False),
    )
    op.create_table(
        "forge_commit_tables",
        sa.Column("commit_id", sa.String(64), sa.ForeignKey("forge_commits.id"), primary_key=True),
        sa.Column("table_name", sa.String(255), primary_key=True),
        sa.Column("rows_added", sa.BigInteger, nullable=False),
        sa.Column("rows_deleted", sa.BigInteger, nullable=False),
        sa.Column("bytes_added", sa.BigInteger, nullable=False),
        sa.Column("bytes_deleted", sa.BigInteger, nullable=False),
        sa.Column("record_count", sa.BigInteger, nullable=False),
        sa.Column("total_size", sa.BigInteger, nullable=False),
    )
    op.create_index("forge_commit_tables_by_table", "forge_commit_tables", ["table_name"])


def create_runs() -> None:
    op.create_table(
        "forge_runs",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("branch", sa.String(255), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("user", sa.Text, nullable=False, quote=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("process_started", sa.Text, nullable=False),
        sa.Column("selection", sa.Text, nullable=False),
        sa.Column("params", sa.Text, nullable=False),
        sa.Column("step", sa.String(64), nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("commit_id", sa.String(64)),
        sa.Column("error", sa.Text),
    )
    op.create_index("forge_runs_by_start", "forge_runs", ["started_at"])
    op.create_index("forge_runs_by_status", "forge_runs", ["status"])
    op.create_table(
        "forge_outputs",
        sa.Column("run_id", sa.String(64), sa.ForeignKey("forge_runs.id"), primary_key=True),
        sa.Column("table_name", sa.String(255), primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("rows", sa.BigInteger),
        sa.Column("rows_added", sa.BigInteger),
        sa.Column("snapshot_id", sa.BigInteger),
        sa.Column("fingerprint", sa.String(128)),
        sa.Column("spark_jobs", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("inputs", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
    )
    op.create_table(
        "forge_verdicts",
        sa.Column("id", ID, primary_key=True),
        sa.Column("run_id", sa.String(64), sa.ForeignKey("forge_runs.id"), nullable=False),
        sa.Column("table_name", sa.String(255), nullable=False),
        sa.Column("check_id", sa.Text, nullable=False),
        sa.Column("check_type", sa.String(64), nullable=False),
        sa.Column("columns", sa.Text, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("blocks", sa.Boolean, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
    )
    op.create_index("forge_verdicts_by_run", "forge_verdicts", ["run_id"])
    op.create_index("forge_verdicts_by_table", "forge_verdicts", ["table_name"])


def create_lineage() -> None:
    op.create_table(
        "forge_edges",
        sa.Column("id", ID, primary_key=True),
        sa.Column("run_id", sa.String(64), sa.ForeignKey("forge_runs.id"), nullable=False),
        sa.Column("commit_id", sa.String(64), sa.ForeignKey("forge_commits.id"), nullable=False),
        sa.Column("output", sa.String(255), nullable=False),
        sa.Column("source_table", sa.Text, nullable=False),
        sa.Column("source_column", sa.Text, nullable=False),
        sa.Column("target_table", sa.Text, nullable=False),
        sa.Column("target_column", sa.Text, nullable=False),
        sa.Column("transformation", sa.String(32), nullable=False),
        sa.Column("expression", sa.Text, nullable=False),
        sa.Column("masking", sa.Boolean, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
    )
    op.create_index("forge_edges_by_run", "forge_edges", ["run_id"])
    op.create_table(
        "forge_table_edges",
        sa.Column("id", ID, primary_key=True),
        sa.Column("run_id", sa.String(64), sa.ForeignKey("forge_runs.id"), nullable=False),
        sa.Column("commit_id", sa.String(64), sa.ForeignKey("forge_commits.id"), nullable=False),
        sa.Column("output", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("source_table", sa.Text, nullable=False),
        sa.Column("source_column", sa.Text),
        sa.Column("target_table", sa.Text, nullable=False),
    )
    op.create_index("forge_table_edges_by_run", "forge_table_edges", ["run_id"])


def create_catalog_and_jobs() -> None:
    op.create_table(
        "forge_assets",
        sa.Column("table_name", sa.String(255), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("columns", sa.Text, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("row_count", sa.BigInteger),
        sa.Column("size_bytes", sa.BigInteger),
    )
    op.create_table(
        "forge_profiles",
        sa.Column("id", ID, primary_key=True),
        sa.Column("table_name", sa.String(255), nullable=False),
        sa.Column("snapshot_id", sa.BigInteger),
        sa.Column("run_id", sa.String(64), sa.ForeignKey("forge_runs.id"), nullable=False),
        sa.Column("readings", sa.Text, nullable=False),
    )
    op.create_index("forge_profiles_by_snapshot", "forge_profiles", ["table_name", "snapshot_id"])
    op.create_table(
        "forge_loaded_files",
        sa.Column("id", ID, primary_key=True),
        sa.Column("commit_id", sa.String(64), sa.ForeignKey("forge_commits.id"), nullable=False),
        sa.Column("table_name", sa.String(255), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("modified_ns", sa.BigInteger, nullable=False),
    )
    op.create_index("forge_loaded_files_by_table", "forge_loaded_files", ["table_name", "commit_id"])
    op.create_table(
        "forge_jobs",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("progress", sa.Text),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("started_at", TIME),
        sa.Column("finished_at", TIME),
    )
    op.create_index("forge_jobs_by_status", "forge_jobs", ["status"])
    op.create_table(
        "forge_audit",
        sa.Column("id", ID, primary_key=True),
        sa.Column("time", TIME, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
