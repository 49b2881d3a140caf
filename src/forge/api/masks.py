"""Columns whose values nobody is shown: what is flagged as personal data, and what stands in lineage with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from forge.api.rows import plain
from forge.flows.impact import edges_at
from forge.flows.ports import Metadata
from forge.flows.sample import Key, find_personal
from forge.model.names import CommitId


@dataclass(frozen=True, slots=True)
class Masks:
    hidden: frozenset[Key] = frozenset()

    def hides(self, table: str | None, column: str) -> bool:
        return (table or "", column.lower()) in self.hidden

    def touches(self, table: str | None, columns: Iterable[str]) -> bool:
        return any(self.hides(table, column) for column in columns)

    def row(self, table: str | None, row: Mapping[str, object]) -> dict[str, Any]:
        return {str(name): None if self.hides(table, str(name)) else plain(value) for name, value in row.items()}

    def value(self, table: str | None, column: str | None, value: object) -> Any:
        """Of a cell; or, where there is no column, of a row or a count."""
        if column is not None and self.hides(table, column):
            return None
        if column is None and isinstance(value, Mapping):
            return self.row(table, value)
        return plain(value)


def masks_at(metadata: Metadata, commits: Iterable[CommitId | None]) -> Masks:
    """Hidden at one of the commits is hidden."""
    assets = metadata.assets()
    trees = [metadata.tree(commit) for commit in dict.fromkeys(commits) if commit is not None]
    return Masks(frozenset[Key]().union(*(find_personal(assets, edges_at(metadata, tree)) for tree in trees)))
