"""What is wrong with one file of a project: it stops what the file is about, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from forge.model.errors import ForgeError
from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
class FileFault:
    """`tables`: those that the file makes or judges; none where that cannot be told. `only_runs`: the table cannot be
    made, and what judges it is whole all the same."""

    error: ForgeError
    tables: frozenset[TableName] = frozenset()
    only_runs: bool = False

    @property
    def file(self) -> str:
        return file_of(self.error)


def file_of(error: ForgeError) -> str:
    """Of its place, `checks/core.yaml:3`; empty where it has none."""
    return (error.where or "").partition(":")[0]


def errors_about(
    faults: Iterable[FileFault], tables: Collection[TableName], *, of_runs: bool = True
) -> tuple[ForgeError, ...]:
    """What is wrong with these tables. `of_runs`: also what only hinders making them."""
    return tuple(f.error for f in faults if (of_runs or not f.only_runs) and not f.tables.isdisjoint(tables))
