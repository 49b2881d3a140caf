"""What a check of one contract finds is what a compile of the project finds of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from contract_project import FILES, write

from forge.contracts.policy import Enforcement, Governance
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.queries import check, find_known
from forge.flows.runs.project import load_project
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.flows.versioning.branches import create_default_branch
from forge.model.names import BranchName, TableName
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.contracts import MemoryContracts
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform
from forge.versioning.commit import Author

NOW = datetime(2026, 11, 16, 6, tzinfo=UTC)
TABLE = TableName.parse("core.orders")


def test_of_a_table_that_runs_make_nothing_is_said_of_null(tmp_path: Path) -> None:
    catalog = MemoryCatalog()
    metadata, lake = MemoryMetadata(catalog), MemoryLake(catalog)
    ada, main = Author("Ada", "ada@example.com"), BranchName("main")
    create_default_branch(metadata, main, ada, NOW)
    governance = Governance(enforcement=Enforcement.WARN)
    project = load_project(write(tmp_path, FILES), lambda table: None, governance=governance)
    rows = [{"id": 1, "amount": 2.5, "more": "x"}]
    transform = Transform(
        output=TABLE,
        body=PythonFunction(lambda: rows, {}, False),
        file="transforms/core/orders.py",
        line=1,
        code_hash="1",
    )
    project = replace(project, transforms={TABLE: transform}, checks={})
    run(
        RunRequest(branch=main),
        project,
        RunPorts(
            metadata=metadata,
            lake=lake,
            engine=MemoryEngine(lake),
            clock=lambda: NOW,
            author=ada,
            secrets=lambda reference: "",
        ),
    )
    ports = ContractPorts(
        store=MemoryContracts(),
        root=tmp_path,
        clock=lambda: NOW,
        actor="ada",
        metadata=metadata,
        lake=lambda: lake,
        governance=governance,
    )
    found = [one.violation for one in check(find_known(ports, "orders"), ports).findings]
    assert [one.code for one in found] == ["E532"]  # and no warning that `id` may be NULL
