"""The declared keys of tables: by the settings, else as the project's transforms and contracts say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from forge.flows.project import Project
from forge.model.names import TableName


class DeclaredKeys(Mapping[TableName, tuple[str, ...]]):
    """The project is read when a key is first asked for that the settings do not have."""

    def __init__(self, given: Mapping[str, Sequence[str]], project: Callable[[], Project]) -> None:
        self._given = {TableName.parse(table): tuple(columns) for table, columns in given.items()}
        self._project = project

    def __getitem__(self, table: TableName) -> tuple[str, ...]:
        found = self._given.get(table) or self._of_project.get(table)
        if not found:
            raise KeyError(table)
        return found

    def __iter__(self) -> Iterator[TableName]:
        return iter({**self._of_project, **self._given})

    def __len__(self) -> int:
        return len({**self._of_project, **self._given})

    @cached_property
    def _of_project(self) -> dict[TableName, tuple[str, ...]]:
        project = self._project()
        found = {table: transform.unique_key for table, transform in project.transforms.items() if transform.unique_key}
        for table, contract in project.contracts.items():
            primary = sorted(
                (p for p in contract.columns if p.primary_key), key=lambda p: (p.primary_key_position or 0, p.line)
            )
            if primary:
                found.setdefault(table, tuple(p.column for p in primary))
        return found
