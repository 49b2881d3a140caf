"""The lineage graph: nodes, what producers say of them and of edges and when, snapshots, and how far it has come."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    create_nodes()
    create_edges()
    create_state()


def create_nodes() -> None:
    op.create_table(
        "forge_lineage_producers",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", CODE, nullable=False),
        sa.Column("newest", sa.BigInteger, nullable=False),
    )
    op.create_index("forge_lineage_producers_by_name", "forge_lineage_producers", ["name"], unique=True)
    op.create_table(
        "forge_lineage_nodes",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("type", sa.SmallInteger, nullable=False),
        sa.Column("parent", sa.Integer, nullable=False),
        sa.Column("mentioned", sa.SmallInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("id", CODE, nullable=False),
        sa.Column("tail", CODE, nullable=False),
    )
    op.create_index("forge_lineage_nodes_by_id", "forge_lineage_nodes", ["id"], unique=True)
    op.create_index("forge_lineage_nodes_by_tail", "forge_lineage_nodes", ["tail"])
    op.create_index("forge_lineage_nodes_by_revision", "forge_lineage_nodes", ["revision"])
    op.create_table(
        "forge_lineage_node_facts",
        sa.Column("id", ID, primary_key=True),
        sa.Column("node", sa.Integer, nullable=False),
        sa.Column("producer", sa.Integer, nullable=False),
        sa.Column("valid_from", sa.BigInteger, nullable=False),
        sa.Column("valid_to", sa.BigInteger, nullable=False),
        sa.Column("type", sa.SmallInteger, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
    )
    op.create_index(
        "forge_lineage_node_facts_by_node", "forge_lineage_node_facts", ["node", "producer", "valid_from"], unique=True
    )
    op.create_index("forge_lineage_node_facts_by_producer", "forge_lineage_node_facts", ["producer", "valid_to"])


def create_edges() -> None:
    op.create_table(
        "forge_lineage_facts",
        sa.Column("id", ID, primary_key=True),
        sa.Column("source", sa.Integer, nullable=False),
        sa.Column("target", sa.Integer, nullable=False),
        sa.Column("kind", sa.SmallInteger, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("valid_from", sa.BigInteger, nullable=False),
        sa.Column("valid_to", sa.BigInteger, nullable=False),
        sa.Column("producer", sa.Integer, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("masking", sa.Boolean, nullable=False),
        sa.Column("transformation", sa.String(16), nullable=False),
        sa.Column("expression", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
    )
    op.create_index(
        "forge_lineage_facts_by_edge",
        "forge_lineage_facts",
        ["source", "target", "kind", "producer", "valid_from"],
        unique=True,
    )
    op.create_index("forge_lineage_facts_by_producer", "forge_lineage_facts", ["producer", "valid_to"])
    op.create_index("forge_lineage_facts_by_revision", "forge_lineage_facts", ["revision"])
    op.create_table(
        "forge_lineage_gone",
        sa.Column("source", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("target", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
    )
    op.create_index("forge_lineage_gone_by_revision", "forge_lineage_gone", ["revision"])


def create_state() -> None:
    op.create_table(
        "forge_lineage_snapshots",
        sa.Column("name", CODE, primary_key=True),
        sa.Column("at", TIME, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("created_at", TIME),
        sa.Column("nodes", sa.Text, nullable=False),
        sa.Column("edges", sa.Text, nullable=False),
    )
    state = op.create_table(
        "forge_lineage_state",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("cursor", sa.Text),
    )
    op.bulk_insert(state, [{"id": 1, "revision": 0, "cursor": None}])
