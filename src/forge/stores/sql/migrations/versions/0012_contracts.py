"""Registered contracts: versions, the states of their lives, results of tests and what the last checks found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

TIME = sa.String(32).with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
CODE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _contracts()
    _told_about_them()
    if op.get_bind().dialect.name == "postgresql":  # the list of a namespace's contracts is longer than 1,000 letters
        op.alter_column("iceberg_namespace_properties", "property_value", type_=sa.Text)


def _contracts() -> None:
    op.create_table(
        "forge_contracts",
        sa.Column("id", CODE, primary_key=True),
        sa.Column("name", CODE, nullable=False),
        sa.Column("version", CODE, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("versions", sa.Integer, nullable=False),
    )
    op.create_index("forge_contracts_by_name", "forge_contracts", ["name"])
    op.create_table(
        "forge_contract_versions",
        sa.Column("contract_id", CODE, primary_key=True),
        sa.Column("version", CODE, primary_key=True),
        sa.Column("schema_hash", sa.String(80), nullable=False),
        sa.Column("digest", sa.String(80), nullable=False),
        sa.Column("registered_at", TIME, nullable=False),
        sa.Column("registered_by", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_table(
        "forge_contract_states",
        sa.Column("number", ID, primary_key=True),
        sa.Column("contract_id", CODE, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index("forge_contract_states_by_contract", "forge_contract_states", ["contract_id", "number"])


def _told_about_them() -> None:
    op.create_table(
        "forge_contract_results",
        sa.Column("id", CODE, primary_key=True),
        sa.Column("contract_id", CODE, nullable=False),
        sa.Column("result", sa.String(16), nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index("forge_contract_results_by_contract", "forge_contract_results", ["contract_id", "received_at"])
    op.create_table(
        "forge_contract_checks",
        sa.Column("contract_id", CODE, primary_key=True),
        sa.Column("checked_at", TIME, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_table(
        "forge_compiles",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("validated_at", TIME, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
