"""A project as the flows see it: transforms with their contracts, checks and owners, all read and validated before
anything runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from forge.contracts.contract import TableContract
from forge.contracts.load import load_contracts
from forge.contracts.rules import checks_of
from forge.model.errors import ForgeError, ForgeErrors, raise_errors
from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.model.yaml_file import load_yaml
from forge.quality.check import Check
from forge.quality.checks import ForeignKey
from forge.quality.spec import load_check
from forge.transforms.project import load_transforms
from forge.transforms.transform import Transform

T = TypeVar("T")
Place = str
Spec = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Project:
    root: Path
    transforms: Mapping[TableName, Transform]
    contracts: Mapping[TableName, TableContract]
    checks: Mapping[TableName, tuple[Check, ...]]
    rules_hash: Mapping[TableName, str]  # of contract and checks: a new rule is a reason to run again
    owner_of: Callable[[TableName], str | None]
    notes: tuple[str, ...] = ()

    def owner(self, table: TableName) -> str | None:
        transform = self.transforms.get(table)
        return (transform.owner if transform else None) or self.owner_of(table)

    def references(self, table: TableName) -> frozenset[TableName]:
        """Tables that a foreign key of this one looks up."""
        return frozenset(c.table for c in self.checks.get(table, ()) if isinstance(c, ForeignKey))


def load_project(root: Path, owner_of: Callable[[TableName], str | None], known: Iterable[TableName] = ()) -> Project:
    """Everything of the project; all errors at once."""
    errors: list[ForgeError] = []
    load = partial(load_transforms, root, known=frozenset(known))
    transforms: Mapping[TableName, Transform] = _collect(errors, load, dict[TableName, Transform]())
    contracts = _collect(errors, partial(load_contracts, root), dict[str, TableContract]())
    files = _collect(errors, partial(_check_files, root, transforms), dict[TableName, list[tuple[Spec, Place]]]())
    checks: dict[TableName, tuple[Check, ...]] = {}
    hashes: dict[TableName, str] = {}
    notes: list[str] = []
    by_table = {TableName.parse(name): contract for name, contract in contracts.items()}
    for table in {*transforms, *by_table, *files}:
        specs: list[tuple[Spec, Place]] = []
        if table in transforms:
            specs += _own_checks(transforms[table])
        specs += files.get(table, [])
        if table in by_table:
            compiled = checks_of(by_table[table])
            specs += list(compiled.checks)
            notes += [f"{note.place}: {note.reason}" for note in compiled.notes]
        loaded = [_collect(errors, partial(_load_check, spec, table, place), None) for spec, place in specs]
        checks[table] = _distinct(check for check in loaded if check is not None)
        texts = [json.dumps(spec, sort_keys=True, default=str) for spec, _ in specs]
        hashes[table] = _hash([*_shape_of(by_table.get(table)), *texts])
    raise_errors(errors)
    return Project(root, transforms, by_table, checks, hashes, owner_of, tuple(notes))


def _own_checks(transform: Transform) -> list[tuple[Spec, Place]]:
    lines = transform.check_lines or (transform.line,) * len(transform.checks)
    return [(spec, f"{transform.file}:{line}") for spec, line in zip(transform.checks, lines, strict=True)]


def _load_check(spec: Spec, table: TableName, place: Place) -> Check | None:
    return load_check(spec, table=table, where=place)


def _collect(errors: list[ForgeError], load: Callable[[], T], default: T) -> T:
    try:
        return load()
    except ForgeErrors as group:
        errors.extend(group.errors)
    except ForgeError as error:
        errors.append(error)
    return default


def _distinct(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The same check from the contract and from a file is one check, whatever each calls it; the first name stays."""
    first: dict[Check, Check] = {}
    for check in checks:
        first.setdefault(replace(check, name=None), check)
    return tuple(first.values())


def _shape_of(contract: TableContract | None) -> list[str]:
    """What the schema gate looks at; where it stands in the file does not matter."""
    return [f"{p.column} {p.logical_type} {p.physical_type}" for p in contract.columns] if contract else []


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _check_files(root: Path, transforms: Mapping[TableName, Transform]) -> dict[TableName, list[tuple[Spec, Place]]]:
    """checks/**/*.yaml, by table; all that is wrong at once."""
    found: dict[TableName, list[tuple[Spec, Place]]] = {}
    errors: list[ForgeError] = []
    for path in sorted((root / "checks").glob("**/*.y*ml")):
        read = partial(_check_file, path, path.relative_to(root).as_posix(), transforms)
        for table, spec, place in _collect(errors, read, list[tuple[TableName, Spec, Place]]()):
            found.setdefault(table, []).append((spec, place))
    raise_errors(errors)
    return found


def _check_file(
    path: Path, file: str, transforms: Mapping[TableName, Transform]
) -> list[tuple[TableName, Spec, Place]]:
    try:
        document = load_yaml(path.read_text(encoding="utf-8"), file)
    except UnicodeDecodeError as error:
        raise ForgeError("E103", "The checks are not UTF-8", where=file, why=str(error), fix="Save it so.") from error
    if document.data is None:
        return []
    if not isinstance(document.data, dict):
        raise ForgeError("E103", "Checks are a mapping of tables to lists", where=file, fix="Begin with core.orders:")
    found: list[tuple[TableName, Spec, Place]] = []
    errors: list[ForgeError] = []
    for name, specs in document.data.items():
        place = f"{file}:{document.line_of(name)}"
        table = _collect(errors, partial(_checked_table, str(name), place, transforms), None)
        if table is not None and not isinstance(specs, list):
            errors.append(ForgeError("E103", f"The checks of {name} are no list", where=place, fix="Begin each with -"))
        elif table is not None:
            found += [(table, spec, f"{file}:{document.line_of(name, i)}") for i, spec in enumerate(specs)]
    raise_errors(errors)
    return found


def _checked_table(name: str, place: Place, transforms: Mapping[TableName, Transform]) -> TableName | None:
    table = TableName.parse(name)
    if transforms and table not in transforms:
        near = did_you_mean(name, map(str, transforms))
        raise ForgeError(
            "E202",
            f"No transform or source makes {table}",
            where=place,
            why="Checks belong to a table that this project makes.",
            fix=near or "Correct the name, or take its checks out.",
        )
    return table
