"""The current table definitions. Migrations build them; a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    false,
)

from forge.stores.sql.columns import Code, Id, Json, UtcTime
from forge.stores.sql.values import TypedValue

CATALOG = "forge"  # the name of the Iceberg catalog, in each of its rows
STAGING = "forge_staging"  # namespace of hidden rows that runs write to
BRANCHES = "forge_branches"  # namespace of tables that live on a branch only
HIDDEN = (STAGING, BRANCHES)

metadata = MetaData()

# Iceberg's own, schema V1 of its JDBC catalog: Spark and PyIceberg open the same rows.
iceberg_tables = Table(
    "iceberg_tables",
    metadata,
    Column("catalog_name", String(255), primary_key=True),
    Column("table_namespace", String(255), primary_key=True),
    Column("table_name", String(255), primary_key=True),
    Column("metadata_location", String(1000)),
    Column("previous_metadata_location", String(1000)),
    Column("iceberg_type", String(5)),
)
iceberg_namespace_properties = Table(
    "iceberg_namespace_properties",
    metadata,
    Column("catalog_name", String(255), primary_key=True),
    Column("namespace", String(255), primary_key=True),
    Column("property_key", String(255), primary_key=True),
    Column("property_value", Text().with_variant(String(1000), "sqlite")),
)

branches = Table(
    "forge_branches",
    metadata,
    Column("name", String(255), primary_key=True),
    Column("head", String(64)),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("parent", String(255)),
    Column("fork_commit", String(64)),
    Column("description", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("is_default", Boolean, nullable=False),
    Column("is_protected", Boolean, nullable=False, server_default=false()),
    Column("require_approval", Boolean),
    Column("allowed_mergers", Json, nullable=False, server_default="[]"),
)
tags = Table(
    "forge_tags",
    metadata,
    Column("name", String(255), primary_key=True),
    Column("target", String(64), nullable=False),
    Column("target_type", String(16), nullable=False),
    Column("tagger_name", Text, nullable=False),
    Column("tagger_email", Text, nullable=False),
    Column("tagger_user_id", Text, nullable=False),
    Column("time", UtcTime, nullable=False),
    Column("message", Text, nullable=False),
    Column("signature", Json),
)
trees = Table(
    "forge_trees",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("body", Json, nullable=False),
    Column("view_files", Json),  # metadata files of views, which nothing but trees points at once a view has moved on
)
commits = Table(
    "forge_commits",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("tree_id", String(64), ForeignKey("forge_trees.id"), nullable=False),
    Column("author_name", Text, nullable=False),
    Column("author_email", Text, nullable=False),
    Column("author_user_id", Text, nullable=False),
    Column("committer_name", Text, nullable=False),
    Column("committer_email", Text, nullable=False),
    Column("committer_user_id", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("time", UtcTime, nullable=False),
    Column("branch", String(255), nullable=False),
    Column("metadata", Json, nullable=False),
    Column("signature", Json),
)
commit_parents = Table(
    "forge_commit_parents",
    metadata,
    Column("commit_id", String(64), ForeignKey("forge_commits.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("parent_id", String(64), ForeignKey("forge_commits.id"), nullable=False),
)
commit_tables = Table(
    "forge_commit_tables",
    metadata,
    Column("commit_id", String(64), ForeignKey("forge_commits.id"), primary_key=True),
    Column("table_name", String(255), primary_key=True),
    Column("rows_added", BigInteger, nullable=False),
    Column("rows_deleted", BigInteger, nullable=False),
    Column("bytes_added", BigInteger, nullable=False),
    Column("bytes_deleted", BigInteger, nullable=False),
    Column("record_count", BigInteger, nullable=False),
    Column("total_size", BigInteger, nullable=False),
    Column("rows_modified", BigInteger, nullable=False, server_default="0"),
    Index("forge_commit_tables_by_table", "table_name"),
)
merges = Table(
    "forge_merges",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("source", Text, nullable=False),
    Column("target", String(255), nullable=False),
    Column("source_commit", String(64), nullable=False),
    Column("target_commit", String(64), nullable=False),
    Column("base_commit", String(64)),
    Column("strategy", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("message", Text, nullable=False),
    Column("author_name", Text, nullable=False),
    Column("author_email", Text, nullable=False),
    Column("author_user_id", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("commit_id", String(64)),
    Column("run_id", String(64)),
    Column("other_bases", Json, nullable=False),
    Column("merge_keys", Json, nullable=False),
    Column("rules", TypedValue, nullable=False),
    Column("tables", Json, nullable=False),
    Column("approvals", TypedValue, nullable=False),
    Column("conflict_count", BigInteger, nullable=False),
    Column("resolved_count", BigInteger, nullable=False),
    Index("forge_merges_by_time", "created_at"),
    Index("forge_merges_by_status", "status"),
)
conflicts = Table(
    "forge_conflicts",
    metadata,
    Column("merge_id", String(64), ForeignKey("forge_merges.id"), primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("table_name", String(255)),
    Column("kind", String(32), nullable=False),
    Column("column_name", Text),
    Column("row_key", TypedValue),
    Column("base", TypedValue),
    Column("ours", TypedValue),
    Column("theirs", TypedValue),
    Column("location", Text),
    Column("resolution", String(16)),
    Column("resolved_value", TypedValue),
    Index("forge_conflicts_by_merge", "merge_id", "position"),
)
homes = Table(  # tables whose catalog row was renamed after commits recorded it, and its current name
    "forge_homes",
    metadata,
    Column("uuid", String(64), primary_key=True),
    Column("namespace", String(255), nullable=False),
    Column("name", String(255), nullable=False),
)
blobs = Table(  # numbered, so that the newest shows whether any came
    "forge_blobs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("path", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Index("forge_blobs_by_path", "path", unique=True),
)
table_trees = Table(
    "forge_table_trees",
    metadata,
    Column("id", Id, primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("body", Json, nullable=False),
    Index("forge_table_trees_by_digest", "digest", unique=True),
)
runs = Table(
    "forge_runs",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("branch", String(255), nullable=False),
    Column("status", String(16), nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("user", Text, nullable=False, quote=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("process_started", Text, nullable=False),
    Column("selection", Json, nullable=False),
    Column("params", Json, nullable=False),
    Column("step", String(64), nullable=False),
    Column("finished_at", UtcTime),
    Column("commit_id", String(64)),
    Column("error", Json),
    Column("range_start", UtcTime),
    Column("range_end", UtcTime),
    Column("kind", String(16), nullable=False, server_default="run"),
    Index("forge_runs_by_start", "started_at"),
    Index("forge_runs_by_status", "status"),
)
outputs = Table(
    "forge_outputs",
    metadata,
    Column("run_id", String(64), ForeignKey("forge_runs.id"), primary_key=True),
    Column("table_name", String(255), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("rows", BigInteger),
    Column("rows_added", BigInteger),
    Column("snapshot_id", BigInteger),
    Column("fingerprint", String(128)),
    Column("spark_jobs", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("inputs", Json, nullable=False),
    Column("error", Json),
    Column("parts", Json),
)
verdicts = Table(
    "forge_verdicts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", String(64), ForeignKey("forge_runs.id"), nullable=False),
    Column("table_name", String(255), nullable=False),
    Column("check_id", Text, nullable=False),
    Column("check_type", String(64), nullable=False),
    Column("columns", Json, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("severity", String(16), nullable=False),
    Column("message", Text, nullable=False),
    Column("blocks", Boolean, nullable=False),
    Column("details", Json, nullable=False),
    Index("forge_verdicts_by_run", "run_id"),
    Index("forge_verdicts_by_table", "table_name"),
)
edges = Table(
    "forge_edges",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", String(64), ForeignKey("forge_runs.id"), nullable=False),
    Column("commit_id", String(64), ForeignKey("forge_commits.id")),  # NULL: of an output that was not published
    Column("output", String(255), nullable=False),
    Column("source_table", Text, nullable=False),
    Column("source_column", Text, nullable=False),
    Column("source_field", Text, nullable=False),  # empty: all of the column
    Column("target_table", Text, nullable=False),
    Column("target_column", Text, nullable=False),
    Column("target_field", Text, nullable=False),
    Column("transformation", String(32), nullable=False),
    Column("expression", Text, nullable=False),
    Column("masking", Boolean, nullable=False),
    Column("confidence", Float, nullable=False),
    Index("forge_edges_by_run", "run_id"),
)
table_edges = Table(
    "forge_table_edges",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", String(64), ForeignKey("forge_runs.id"), nullable=False),
    Column("commit_id", String(64), ForeignKey("forge_commits.id")),  # NULL: of an output that was not published
    Column("output", String(255), nullable=False),
    Column("kind", String(16), nullable=False),  # table, or how a column shapes the rows: join, filter, group_by, sort
    Column("source_table", Text, nullable=False),
    Column("source_column", Text),  # NULL for kind table
    Column("source_field", Text, nullable=False),
    Column("target_table", Text, nullable=False),
    Index("forge_table_edges_by_run", "run_id"),
)
assets = Table(
    "forge_assets",
    metadata,
    Column("table_name", String(255), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("description", Text, nullable=False),
    Column("owner", Text),
    Column("tags", Json, nullable=False),
    Column("columns", Json, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("row_count", BigInteger),
    Column("size_bytes", BigInteger),
)
profiles = Table(
    "forge_profiles",
    metadata,
    Column("id", Id, primary_key=True),
    Column("table_name", String(255), nullable=False),
    Column("snapshot_id", BigInteger),
    Column("run_id", String(64), ForeignKey("forge_runs.id"), nullable=False),
    Column("readings", Json, nullable=False),
    Index("forge_profiles_by_snapshot", "table_name", "snapshot_id"),
)
loaded_files = Table(
    "forge_loaded_files",
    metadata,
    Column("id", Id, primary_key=True),
    Column("commit_id", String(64), ForeignKey("forge_commits.id"), nullable=False),
    Column("table_name", String(255), nullable=False),
    Column("path", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("modified_ns", BigInteger, nullable=False),
    Column("digest", String(64)),
    Index("forge_loaded_files_by_table", "table_name", "commit_id"),
)
jobs = Table(
    "forge_jobs",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("kind", String(32), nullable=False),
    Column("status", String(16), nullable=False),
    Column("request", Json, nullable=False),
    Column("progress", Json),
    Column("created_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("finished_at", UtcTime),
    Index("forge_jobs_by_status", "status"),
)
audit = Table(
    "forge_audit",
    metadata,
    Column("id", Id, primary_key=True),
    Column("time", UtcTime, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", String(64), nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", Json, nullable=False),
)
tokens = Table(
    "forge_tokens",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("scope", String(16), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime),
    Column("last_used_at", UtcTime),
    Column("revoked_at", UtcTime),
    Index("forge_tokens_by_digest", "digest", unique=True),
)

# The lineage graph. Times are microseconds since 1970, with the greatest number for no end, as the index reads them;
# what it reads stands first in a row. `revision` is that of the write that touched the row last.
lineage_state = Table(
    "forge_lineage_state",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("revision", BigInteger, nullable=False),
    Column("cursor", Text),
)
lineage_nodes = Table(
    "forge_lineage_nodes",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("type", SmallInteger, nullable=False),
    Column("parent", Integer, nullable=False),
    Column("mentioned", SmallInteger, nullable=False),  # the type according to edges
    Column("created_at", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("id", Code, nullable=False),
    Column("tail", Code, nullable=False),  # the id in small letters and from the end, to find by the last parts
    Index("forge_lineage_nodes_by_id", "id", unique=True),
    Index("forge_lineage_nodes_by_tail", "tail"),
    Index("forge_lineage_nodes_by_revision", "revision"),
)
lineage_producers = Table(
    "forge_lineage_producers",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Code, nullable=False),
    Column("newest", BigInteger, nullable=False),
    Index("forge_lineage_producers_by_name", "name", unique=True),
)
lineage_node_facts = Table(
    "forge_lineage_node_facts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("node", Integer, nullable=False),
    Column("producer", Integer, nullable=False),
    Column("valid_from", BigInteger, nullable=False),
    Column("valid_to", BigInteger, nullable=False),
    Column("type", SmallInteger, nullable=False),
    Column("details", Json, nullable=False),
    Index("forge_lineage_node_facts_by_node", "node", "producer", "valid_from", unique=True),
    Index("forge_lineage_node_facts_by_producer", "producer", "valid_to"),
)
lineage_facts = Table(
    "forge_lineage_facts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source", Integer, nullable=False),
    Column("target", Integer, nullable=False),
    Column("kind", SmallInteger, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("valid_from", BigInteger, nullable=False),
    Column("valid_to", BigInteger, nullable=False),
    Column("producer", Integer, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("masking", Boolean, nullable=False),
    Column("transformation", String(16), nullable=False),
    Column("expression", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("metadata", Json, nullable=False),
    Column("evidence", Json, nullable=False),
    Index("forge_lineage_facts_by_edge", "source", "target", "kind", "producer", "valid_from", unique=True),
    Index("forge_lineage_facts_by_producer", "producer", "valid_to"),
    Index("forge_lineage_facts_by_revision", "revision"),
)
lineage_gone = Table(  # edges that lost a fact, which none of their rows would show
    "forge_lineage_gone",
    metadata,
    Column("source", Integer, primary_key=True, autoincrement=False),
    Column("target", Integer, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("revision", BigInteger, nullable=False),
    Index("forge_lineage_gone_by_revision", "revision"),
)
lineage_snapshots = Table(
    "forge_lineage_snapshots",
    metadata,
    Column("name", Code, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("description", Text, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", UtcTime),
    Column("nodes", Json, nullable=False),
    Column("edges", Json, nullable=False),
)
# Code that was read for its lineage: what is needed to report on a file, and to know whether to read it again.
lineage_sources = Table(
    "forge_lineage_sources",
    metadata,
    Column("root", Code, primary_key=True),
    Column("path", Code, primary_key=True),
    Column("language", String(16), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("read_at", UtcTime, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("statements", Integer, nullable=False),
    Column("understood", Integer, nullable=False),
    Column("queries", Integer, nullable=False),
    Column("edges", Integer, nullable=False),
    Column("gaps", Json, nullable=False),
    Column("definitions", Json, nullable=False),
    Column("uses", Json, nullable=False),
)
# Events of OpenLineage, until all of their run are there: each says a part.
lineage_events = Table(
    "forge_lineage_events",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("producer", Code, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("received_at", UtcTime, nullable=False),
    Column("document", Text, nullable=False),
    Index("forge_lineage_events_by_receipt", "received_at"),
)


remediations = Table(
    "forge_quality_remediations",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("dataset", Code, nullable=False),
    Column("branch", Code, nullable=False),
    Column("status", String(16), nullable=False),
    Column("proposed_at", UtcTime, nullable=False),
    Column("document", Json, nullable=False),
    Index("forge_quality_remediations_by_dataset", "dataset", "proposed_at"),
    Index("forge_quality_remediations_by_status", "status", "proposed_at"),
)

# Counts the writes of findings of personal data: a part of the mark of all records, so that it belongs to no room.
pii_revisions = Table(
    "forge_pii_revision",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, nullable=False),
)
