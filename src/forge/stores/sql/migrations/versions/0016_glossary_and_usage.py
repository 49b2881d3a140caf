"""Terms of the glossary with their history, and usage of assets by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "forge_glossary_terms",
        sa.Column("id", sa.String(120), primary_key=True),
        sa.Column("domain", CODE, nullable=False),
        sa.Column("name", CODE, nullable=False),
        sa.Column("name_key", CODE, nullable=False),
        sa.Column("definition", sa.Text, nullable=False),
        sa.Column("synonyms", sa.Text, nullable=False),
        sa.Column("related", sa.Text, nullable=False),
        sa.Column("examples", sa.Text, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", TIME),
        sa.Column("updated_at", TIME),
        sa.Column("updated_by", sa.Text, nullable=False),
        sa.Column("file", sa.Text),
    )
    op.create_index("forge_glossary_terms_by_name", "forge_glossary_terms", ["domain", "name_key"], unique=True)
    op.create_table(
        "forge_glossary_revisions",
        sa.Column("number", ID, primary_key=True),
        sa.Column("term", sa.String(120), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("by", sa.Text, nullable=False, quote=True),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text),
    )
    op.create_index("forge_glossary_revisions_by_term", "forge_glossary_revisions", ["term"])
    op.create_table(
        "forge_catalog_usage",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("asset", CODE, primary_key=True),
        sa.Column("actor", CODE, primary_key=True),
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("uses", sa.BigInteger, nullable=False),
        sa.Column("last_at", TIME, nullable=False),
    )
    op.create_index("forge_catalog_usage_by_asset", "forge_catalog_usage", ["asset", "day"])
    op.create_index("forge_catalog_usage_by_actor", "forge_catalog_usage", ["actor", "day"])
