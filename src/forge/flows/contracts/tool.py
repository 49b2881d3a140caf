"""Port of an external contract tool: import, export and a second opinion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from forge.contracts.contract import Violation


@dataclass(frozen=True, slots=True)
class ExportedContract:
    """`content` is text, or bytes for binary formats. `notes`: the tool's remarks."""

    content: str | bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolChange:
    """One difference between two contracts, as reported by the tool."""

    path: str
    kind: Literal["added", "removed", "updated"]
    old: str | None = None
    new: str | None = None

    def to_dict(self) -> dict[str, object]:
        return {"path": self.path, "kind": self.kind, "old": self.old, "new": self.new}


class ContractTool(Protocol):
    """It never uses the network: references are not resolved, and sources are local files."""

    name: str

    def imports(self) -> tuple[str, ...]: ...

    def exports(self) -> tuple[str, ...]: ...

    def read(self, file: Path, format: str, dialect: str | None = None) -> tuple[Mapping[str, object], tuple[str, ...]]:
        """Contract data from a file in another format, and notes. Raises E105, E508, E509."""

    def export(
        self, text: str, format: str, *, table: str | None = None, dialect: str | None = None
    ) -> ExportedContract:
        """A contract in another format. `table`: only that one. Raises E105, E508, E509."""

    def find_problems(self, text: str, file: str) -> tuple[Violation, ...]:
        """Its findings on a contract, without our codes and without lines."""

    def find_changes(self, old: str, new: str) -> tuple[ToolChange, ...]: ...
