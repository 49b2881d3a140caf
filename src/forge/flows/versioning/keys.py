"""The declared keys of tables: from the settings, else from transforms, contracts and checks of the project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from forge.contracts.checks.relations import relation_checks
from forge.contracts.contract import Note
from forge.model.names import TableName
from forge.quality.check import Check
from forge.quality.checks.foreign_key import ForeignKeyCheck
from forge.quality.checks.not_null import NotNullCheck
from forge.quality.checks.unique import UniqueCheck
from forge.quality.verdict import Severity

_BLOCKING = (Severity.ERROR, Severity.CRITICAL)

if TYPE_CHECKING:
    from forge.flows.runs.project import Project


class DeclaredKeys(Mapping[TableName, tuple[str, ...]]):
    """The project is read when a key is first requested that the settings do not have."""

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
        for table, checks in project.checks.items():
            if table not in found and (key := key_of_checks(checks)):
                found[table] = key
        return found


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: columns of a table whose values occur in those of another. `places`: the `file:line` of each
    declaration."""

    columns: tuple[str, ...]
    table: TableName
    references: tuple[str, ...]
    places: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {
            "columns": list(self.columns),
            "table": str(self.table),
            "references": list(self.references),
            "places": list(self.places),
        }


def find_references(project: Project) -> dict[TableName, tuple[Reference, ...]]:
    """The foreign keys of the project's tables: of checks, and the relationships of contracts, enforced or not."""
    found: dict[TableName, dict[Reference, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for table, checks in project.checks.items():
        for check, place in zip_longest(checks, project.places.get(table, ())):
            if isinstance(check, ForeignKeyCheck):
                places = found[table][Reference(check.columns, check.table, check.references)]
                places.update({place: None} if place else {})
    peers = tuple(project.contracts.values())
    for table, promised in project.contracts.items():
        for one in relation_checks(promised, peers):  # of those that are enforced, too: a check may stand for both
            if not isinstance(one, Note):
                found[table][_reference(one[0])][str(one[1])] = None
    return {
        table: tuple(replace(one, places=tuple(places)) for one, places in references.items())
        for table, references in found.items()
    }


def _reference(check: Mapping[str, Any]) -> Reference:
    to = check["references"]
    return Reference(tuple(check["columns"]), TableName.parse(to["table"]), tuple(to["columns"]))


def key_of_checks(checks: Sequence[Check]) -> tuple[str, ...]:
    """Columns that must be unique and never NULL; the first such key."""
    filled = {
        name for check in checks if isinstance(check, NotNullCheck) and _is_whole(check) for name in check.columns
    }
    every = (check.columns for check in checks if isinstance(check, UniqueCheck) and _is_whole(check))
    return next((columns for columns in every if filled.issuperset(columns)), ())


def judges_key(checks: Sequence[Check], key: Sequence[str]) -> bool:
    """Whether a blocking check of the whole table already reports duplicates of this key."""
    return any(isinstance(c, UniqueCheck) and _is_whole(c) and set(c.columns) == set(key) for c in checks)


def _is_whole(check: Check) -> bool:
    allowed = (
        check.max_null_percentage
        if isinstance(check, NotNullCheck)
        else check.max_violation_percentage + check.max_duplicates
        if isinstance(check, UniqueCheck)
        else 0
    )
    is_all = not (check.where or check.partition_by or check.since or allowed)
    return is_all and check.severity in _BLOCKING
