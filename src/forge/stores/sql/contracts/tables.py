"""The tables of registered contracts."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, String, Table, Text

from forge.stores.sql.columns import Code, Id, Json, UtcTime
from forge.stores.sql.tables import metadata

contracts = Table(  # the head of each: its highest version and its state
    "forge_contracts",
    metadata,
    Column("id", Code, primary_key=True),
    Column("name", Code, nullable=False),
    Column("version", Code, nullable=False),
    Column("state", String(16), nullable=False),
    Column("versions", Integer, nullable=False),
    Index("forge_contracts_by_name", "name"),
)
versions = Table(
    "forge_contract_versions",
    metadata,
    Column("contract_id", Code, primary_key=True),
    Column("version", Code, primary_key=True),
    Column("schema_hash", String(80), nullable=False),
    Column("digest", String(80), nullable=False),
    Column("registered_at", UtcTime, nullable=False),
    Column("registered_by", Text, nullable=False),
    Column("document", Json, nullable=False),
    Column("text", Text, nullable=False),
)
states = Table(
    "forge_contract_states",
    metadata,
    Column("number", Id, primary_key=True),
    Column("contract_id", Code, nullable=False),
    Column("state", String(16), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("document", Json, nullable=False),
    Index("forge_contract_states_by_contract", "contract_id", "number"),
)
results = Table(
    "forge_contract_results",
    metadata,
    Column("id", Code, primary_key=True),
    Column("contract_id", Code, nullable=False),
    Column("result", String(16), nullable=False),
    Column("received_at", UtcTime, nullable=False),
    Column("document", Json, nullable=False),
    Column("summary", Json),  # what lists show, so that they read no checks
    Index("forge_contract_results_by_contract", "contract_id", "received_at"),
)
checks = Table(
    "forge_contract_checks",
    metadata,
    Column("contract_id", Code, primary_key=True),
    Column("checked_at", UtcTime, nullable=False),
    Column("document", Json, nullable=False),
)
compiles = Table(
    "forge_compiles",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("validated_at", UtcTime, nullable=False),
    Column("document", Json, nullable=False),
)
