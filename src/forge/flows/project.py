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
from forge.model.errors import ForgeError, ForgeErrors
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
        hashes[table] = _hash([repr(by_table.get(table)), *texts])
    if errors:
        raise errors[0] if len(errors) == 1 else ForgeErrors(tuple(errors))
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


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _check_files(root: Path, transforms: Mapping[TableName, Transform]) -> dict[TableName, list[tuple[Spec, Place]]]:
    found: dict[TableName, list[tuple[Spec, Place]]] = {}
    for path in sorted((root / "checks").glob("**/*.y*ml")):
        file = path.relative_to(root).as_posix()
        document = load_yaml(path.read_text(encoding="utf-8"), file)
        if document.data is None:
            continue
        if not isinstance(document.data, dict):
            raise ForgeError("E103", "Checks are a mapping of table names to lists", where=file, fix="See the guide.")
        for name, specs in document.data.items():
            place = f"{file}:{document.line_of(name)}"
            table = TableName.parse(str(name))
            if transforms and table not in transforms:
                near = did_you_mean(str(table), map(str, transforms))
                raise ForgeError("E108", f"No transform or source writes {table}", where=place, why=near)
            if not isinstance(specs, list):
                raise ForgeError(
                    "E103", f"The checks of {table} must be a list", where=place, fix="Begin each with '-'."
                )
            lines = [f"{file}:{document.line_of(name, i)}" for i in range(len(specs))]
            found.setdefault(table, []).extend(zip(specs, lines, strict=True))
    return found
