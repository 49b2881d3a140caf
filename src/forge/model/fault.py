"""A fault of one project file: it stops what depends on the file, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from forge.model.errors import ForgeError
from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
class FileFault:
    """`tables`: those that the file makes or judges; none where unknown. `only_runs`: the table cannot be built, but
    what judges it is intact."""

    error: ForgeError
    tables: frozenset[TableName] = frozenset()
    only_runs: bool = False

    @property
    def file(self) -> str:
        return file_of(self.error)


def file_of(error: ForgeError) -> str:
    """The file of its place, `checks/core.yaml:3`; empty where it has none."""
    return (error.where or "").partition(":")[0]


def errors_about(
    faults: Iterable[FileFault], tables: Collection[TableName], *, of_runs: bool = True
) -> tuple[ForgeError, ...]:
    """The errors about these tables. `of_runs`: also those that only prevent building them."""
    return tuple(f.error for f in faults if (of_runs or not f.only_runs) and not f.tables.isdisjoint(tables))
