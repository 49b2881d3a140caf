"""What the contracts of a run and of its gate do where something they ask cannot be read."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from contract_project import CONTRACT, FILES, write
from migrated import lay_database

from forge.contracts.document.file import read_document
from forge.contracts.lifecycle import ContractState, LifecycleStep
from forge.contracts.load import contract_of
from forge.contracts.registry import registered_of
from forge.flows.contracts.ports import ContractPorts, LifecycleWrite, Registration
from forge.flows.lineage.ports import LineagePorts
from forge.model.errors import DatabaseUnreachableError
from forge.model.names import RunId, TableName
from forge.settings import load_settings
from forge.wiring import Wiring
from forge.wiring.contracts import ContractParts
from forge.wiring.lineage import LineageParts

NOW = datetime(2026, 11, 16, 6, tzinfo=UTC)
TABLE = TableName.parse("core.orders")


def lineage_store_away(parts: LineageParts) -> LineagePorts:
    raise DatabaseUnreachableError("The lineage store cannot be reached")


def disk_gone(parts: ContractParts, actor: str | None = None) -> ContractPorts:
    raise OSError("the disk is gone")


@pytest.fixture
def wiring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wiring]:
    """Its lineage store is away, and so is the disk when a run asks for what registering needs."""
    monkeypatch.setattr(LineageParts, "graph", property(lineage_store_away))
    monkeypatch.setattr(ContractParts, "ports", disk_gone)
    settings = "project: shop\ngovernance: {contracts: {enforcement: warn}}\n"
    root = write(tmp_path, {**FILES, "forge.yaml": settings})
    lay_database(root / ".forge" / "forge.db")
    made = Wiring(load_settings(root, {"HOME": str(root), "PATH": "", "USER": "ada"}))
    yield made
    made.close()


def test_what_breaks_is_told_without_names_where_the_lineage_cannot_be_read(wiring: Wiring) -> None:
    text = CONTRACT + "      - name: gone\n        logicalType: string\n"
    contract = contract_of(read_document(text, "contracts/core.orders.odcs.yaml"))
    first = LifecycleWrite(
        LifecycleStep(state=ContractState.ACTIVE, before=None, at=NOW, by="ada", version=contract.version)
    )
    new = registered_of(contract, text, "sha256:x", at=NOW, by="ada")
    wiring.contracts.registry.register(Registration(new, lambda head: first))
    found = wiring.project().judged()[TABLE]
    assert [each.violation.code for each in found] == ["E520"]


def test_registering_fails_no_run(wiring: Wiring, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="forge.contracts"):
        assert wiring.contracts.register([TABLE], RunId("r1")) == ()
    assert "The contracts of run r1 are not registered: the disk is gone" in caplog.text
