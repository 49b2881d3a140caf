"""Contracts in the namespaces of an external catalog, as any Iceberg client reads them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from forge.contracts.registry import NAMESPACE_KEY, RegisteredContract
from forge.model.errors import ForgeError
from forge.stores.lake.external_lake import ExternalLake
from forge.stores.lake.namespaces import write_external


def registered(name: str = "orders", version: str = "1.0.0") -> RegisteredContract:
    at = datetime(2026, 11, 16, 6, tzinfo=UTC)
    return RegisteredContract(
        id=name,
        name=name,
        version=version,
        api_version="v3.1.0",
        schema_hash="sha256:x",
        digest="sha256:y",
        text="",
        registered_at=at,
        registered_by="ada",
        tables=("core.orders",),
    )


def test_an_external_namespace_lists_its_contracts_and_keeps_the_rest(tmp_path: Path) -> None:
    known = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": str(tmp_path)}
    catalog = SqlCatalog("forge", **known)
    catalog.create_namespace("core", {"owner": "ada"})
    lake = ExternalLake("sql", known, str(tmp_path))
    write_external(lake, ["core"], lambda: [registered(), registered("lines")])
    write_external(lake, ["core"], lambda: [registered(version="1.1.0")])
    found = catalog.load_namespace_properties("core")
    assert found["owner"] == "ada"
    listed = json.loads(found[NAMESPACE_KEY])
    assert [(one["name"], one["version"]) for one in listed] == [("lines", "1.0.0"), ("orders", "1.1.0")]
    lake.close()
    catalog.engine.dispose()


def test_what_another_server_registers_meanwhile_is_not_lost(tmp_path: Path) -> None:
    known = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": str(tmp_path)}
    catalog = SqlCatalog("forge", **known)
    catalog.create_namespace("core")
    lake = ExternalLake("sql", known, str(tmp_path))
    kept = [registered()]

    def late() -> list[RegisteredContract]:
        """Another one is registered, and its entry overwritten, after this server has read the registry."""
        found = list(kept)
        kept[:] = [registered(), registered("lines")]
        return found

    write_external(lake, ["core"], late)
    listed = json.loads(catalog.load_namespace_properties("core")[NAMESPACE_KEY])
    assert [one["name"] for one in listed] == ["lines", "orders"]
    lake.close()
    catalog.engine.dispose()


def test_a_namespace_that_is_not_there_is_left_alone(tmp_path: Path) -> None:
    known = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": str(tmp_path)}
    lake = ExternalLake("sql", known, str(tmp_path))
    write_external(lake, ["core"], lambda: [registered()])
    catalog = SqlCatalog("forge", **known)
    assert catalog.list_namespaces() == []
    lake.close()
    catalog.engine.dispose()


def test_a_catalog_that_does_not_answer_says_so(tmp_path: Path) -> None:
    lake = ExternalLake("rest", {"uri": "http://127.0.0.1:9"}, str(tmp_path))
    with pytest.raises(ForgeError) as refused:
        write_external(lake, ["core"], lambda: [registered()])
    assert refused.value.code == "E405"
