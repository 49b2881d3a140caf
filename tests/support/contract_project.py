"""Small projects in a folder, to be compiled without a lake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from forge.contracts.contract import Contract, Violation
from forge.contracts.policy import Governance
from forge.flows.contracts.compile.project import CompilePorts, CompileResult, compile_project
from forge.model.names import TableName
from forge.model.schema import Column, Schema

NOW = datetime(2026, 11, 16, 6, tzinfo=UTC)

SOURCE = """\
sources:
  - output: raw.orders
    connector: files
    format: csv
    path: data/orders.csv
    columns: {id: int, amount: "decimal(12,2)"}
"""

ORDERS = "SELECT id, amount\nFROM raw.orders\n"

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: Orders
version: 1.0.0
status: active
schema:
  - name: core.orders
    properties:
      - name: id
        logicalType: integer
        required: true
      - name: amount
        logicalType: number
"""

FILES = {
    "forge.yaml": "project: shop\n",
    "sources/shop.yaml": SOURCE,
    "transforms/core/orders.sql": ORDERS,
    "contracts/core.orders.odcs.yaml": CONTRACT,
}


def write(root: Path, files: Mapping[str, str | None]) -> Path:
    """None: without that file."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text, encoding="utf-8")
    return root


@dataclass(frozen=True)
class Site:
    """A project and the tables that its lake would have."""

    root: Path
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    registered: Mapping[str, tuple[Violation, ...]] = field(default_factory=dict)

    def compile(self, governance: Governance | None = None) -> CompileResult:
        def schema_of(table: TableName) -> Schema | None:
            columns = self.tables.get(str(table))
            return Schema(tuple(Column(name, type_) for name, type_ in columns.items())) if columns else None

        def versions(contract: Contract) -> tuple[Violation, ...]:
            return self.registered.get(contract.id, ())

        return compile_project(
            CompilePorts(
                root=self.root,
                governance=governance or Governance(),
                owner_of=lambda table: None,
                clock=lambda: NOW,
                known=lambda: [TableName.parse(name) for name in self.tables],
                schema_of=schema_of,
                versions=lambda: versions,
            )
        )


def told(compiled: CompileResult) -> list[str]:
    """`data_contract E531 contracts/a.yaml:3`, one each."""
    return [
        f"{each.policy_type} {each.violation.code or each.rule} {each.violation.where}" for each in compiled.findings
    ]
