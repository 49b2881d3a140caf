"""What a tool for data contracts can do for us: read other formats, write other formats, have an opinion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from forge.contracts.contract import Violation


@dataclass(frozen=True, slots=True)
class Exported:
    """`content` is text, or bytes where the format is no text. `notes`: what the tool said about it."""

    content: str | bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolChange:
    """One difference between two contracts, as the tool tells it."""

    path: str
    kind: Literal["added", "removed", "updated"]
    old: str | None = None
    new: str | None = None

    def to_dict(self) -> dict[str, object]:
        return {"path": self.path, "kind": self.kind, "old": self.old, "new": self.new}


class ContractTool(Protocol):
    """It never reaches for the network: references stay as they are, and sources are files of this machine."""

    name: str

    def imports(self) -> tuple[str, ...]: ...

    def exports(self) -> tuple[str, ...]: ...

    def read(self, file: Path, format: str, dialect: str | None = None) -> tuple[Mapping[str, object], tuple[str, ...]]:
        """The data of a contract made of a file in another format, and notes. Raises E105, E508, E509."""
        ...

    def export(self, text: str, format: str, *, table: str | None = None, dialect: str | None = None) -> Exported:
        """A contract in another format. `table`: only that one. Raises E105, E508, E509."""
        ...

    def find_problems(self, text: str, file: str) -> tuple[Violation, ...]:
        """What it thinks is wrong with a contract. These have no code of ours and no place but the file."""
        ...

    def find_changes(self, old: str, new: str) -> tuple[ToolChange, ...]: ...
