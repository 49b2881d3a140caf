"""A project as the flows see it: transforms with their contracts, checks and owners, all read and validated before
anything runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from forge.contracts.contract import Contract, Property, TableContract, Violation
from forge.contracts.load import by_table, load_all
from forge.contracts.policy.facts import Finding
from forge.contracts.policy.governance import Enforcement, Governance
from forge.contracts.rules import checks_of
from forge.contracts.sla_checks import sla_checks_of
from forge.flows.contract_files import project_files
from forge.flows.contract_set import Standing, claims_of, stand_all
from forge.model.errors import ForgeError, ForgeErrors, raise_errors
from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.model.yaml_file import YamlFile, load_yaml
from forge.quality.check import Check
from forge.quality.checks import Query
from forge.quality.monitor_file import open_quality_file
from forge.quality.spec import load_check
from forge.transforms.dag import Transforms
from forge.transforms.project import load_transforms
from forge.transforms.transform import Transform

T = TypeVar("T")
Place = str
Spec = Mapping[str, object]

LENIENT = (Enforcement.OFF, Enforcement.WARN)  # contracts hold nothing back, also where they are not right
_ENCODER = json.JSONEncoder(sort_keys=True, default=str)


@dataclass(frozen=True, slots=True)
class Project:
    root: Path
    transforms: Mapping[TableName, Transform]
    contracts: Mapping[TableName, TableContract]  # with what contracts above them promise; read whatever is enforced
    checks: Mapping[TableName, tuple[Check, ...]]
    rules_hash: Mapping[TableName, str]  # of contract and checks: a new rule is a reason to run again
    owner_of: Callable[[TableName], str | None]
    notes: tuple[str, ...] = ()
    places: Mapping[TableName, tuple[Place, ...]] = field(default_factory=dict)  # file:line of each check, in order
    standing: tuple[Standing, ...] = ()  # the contracts, as written and in effect
    above: tuple[Violation, ...] = ()  # what is wrong with contracts above the project's
    governance: Governance = field(default_factory=Governance)
    judged: Callable[[], Mapping[TableName, tuple[Finding, ...]]] = dict  # what the contracts themselves violate
    promises: Mapping[TableName, tuple[Check, ...]] = field(default_factory=dict)
    """Service levels that depend on the clock: for monitors and `forge quality run`, never in the way of a run."""
    promise_places: Mapping[TableName, tuple[Place, ...]] = field(default_factory=dict)

    def owner(self, table: TableName) -> str | None:
        transform = self.transforms.get(table)
        return (transform.owner if transform else None) or self.owner_of(table)

    def references(self, table: TableName) -> frozenset[TableName]:
        """Tables that a check of this one looks up."""
        return frozenset(other for check in self.checks.get(table, ()) for other in looked_up(check))


def looked_up(check: Check) -> frozenset[TableName]:
    """Keys say which table they refer to; a query is read for its tables. What cannot be read is told when it runs."""
    if not isinstance(check, Query):
        return check.others()
    from forge.flows.pins import inputs_of

    try:
        return check.others() | frozenset(inputs_of(check.query, "query"))
    except ForgeError:
        return check.others()


def load_project(
    root: Path,
    owner_of: Callable[[TableName], str | None],
    known: Iterable[TableName] = (),
    governance: Governance | None = None,
) -> Project:
    """Everything of the project; all errors at once."""
    errors: list[ForgeError] = []
    known = frozenset(known)
    load = partial(load_transforms, root, known=known)
    transforms: Transforms = _collect(errors, load, dict[TableName, Transform]())
    governance = governance or Governance()
    contracts, notes = _contracts(root, governance, errors)
    checkable = frozenset({*transforms, *known}) if transforms else frozenset()
    project, wrong = assemble(root, owner_of, transforms, contracts, checkable, governance)
    if governance.enforcement in LENIENT:
        notes += tuple(f"{error.where}: {error.what}" for error in wrong if error.code == "E502")
        wrong = tuple(error for error in wrong if error.code != "E502")
    raise_errors([*errors, *wrong])
    return replace(project, notes=(*notes, *project.notes)) if notes else project


def _contracts(
    root: Path, governance: Governance, errors: list[ForgeError]
) -> tuple[Sequence[Contract], tuple[str, ...]]:
    """A contract that is not right is an error, unless the settings say that contracts hold nothing back: then it is
    used as far as it can be read, and what cannot be is told."""
    if governance.enforcement not in LENIENT:
        return _collect(errors, partial(load_all, root), ()), ()
    files = project_files(root)
    notes = tuple(f"{one.file} is left out: {one.violations[0].message}" for one in files if one.contract is None)
    return [one.contract for one in files if one.contract is not None], notes


def assemble(
    root: Path,
    owner_of: Callable[[TableName], str | None],
    transforms: Transforms,
    contracts: Sequence[Contract],
    checkable: frozenset[TableName],
    governance: Governance,
) -> tuple[Project, tuple[ForgeError, ...]]:
    """The project out of what was read, and what is wrong with its checks and with contracts that claim one table.
    `checkable`: the tables that may have checks; none: any may. Where enforcement is off, contracts give no checks;
    which columns are personal is still theirs to say."""
    errors: list[ForgeError] = []
    stood = stand_all(contracts, governance, root)
    claims = claims_of(stood.standing)
    _collect(errors, partial(by_table, claims.own), dict[str, TableContract]())
    files = _collect(errors, partial(_check_files, root, checkable), dict[TableName, list[tuple[Spec, Place]]]())
    checks: dict[TableName, tuple[Check, ...]] = {}
    hashes: dict[TableName, str] = {}
    places: dict[TableName, tuple[Place, ...]] = {}
    notes: list[str] = []
    promises: dict[TableName, tuple[Check, ...]] = {}
    promise_places: dict[TableName, tuple[Place, ...]] = {}
    whole = {id(table): one.effective for one in stood.standing for table in one.effective.tables}
    peers = [table for one in stood.standing for table in one.effective.tables]
    named = _by_name((*(table for contract in claims.own for table in contract.tables), *claims.more))
    for table in {*transforms, *named, *files}:
        specs: list[tuple[Spec, Place]] = []
        timed: dict[Check, Place] = {}
        if table in transforms:
            specs += _own_checks(transforms[table])
        specs += files.get(table, [])
        promised = None if governance.is_off else named.get(table)
        if promised is not None:
            levels = sla_checks_of(promised, whole.get(id(promised)))
            for compiled in (checks_of(promised, peers), levels.always):
                specs += list(compiled.checks)
                notes += [f"{note.place}: {note.reason}" for note in compiled.notes]
            timed = _loaded(levels.timed.checks, table, errors)
        found = _loaded(specs, table, errors)
        checks[table], places[table] = tuple(found), tuple(found.values())
        same = {_key(check) for check in found} if timed else frozenset()
        late = {check: place for check, place in timed.items() if _key(check) not in same}
        promises[table], promise_places[table] = tuple(late), tuple(late.values())
        texts = [_ENCODER.encode(spec) for spec, _ in specs]
        hashes[table] = _hash([*_shape_of(promised), *texts])
    project = Project(
        *(root, transforms, named, checks, hashes, owner_of, tuple(notes), places),
        *(stood.standing, stood.above, governance),
        promises=promises,
        promise_places=promise_places,
    )
    return project, tuple(errors)


def _loaded(specs: Iterable[tuple[Spec, Place]], table: TableName, errors: list[ForgeError]) -> dict[Check, Place]:
    loaded = [(_collect(errors, partial(_load_check, spec, table, place), None), place) for spec, place in specs]
    return _distinct((check, place) for check, place in loaded if check is not None)


def _by_name(tables: Iterable[TableContract]) -> dict[TableName, TableContract]:
    """Each table and its contract; of two that claim one table, the first."""
    found: dict[TableName, TableContract] = {}
    for table in tables:
        try:
            found.setdefault(TableName.parse(table.table), table)
        except ForgeError:
            continue  # a name that is none of the lake is among the errors, or a parent's, which needs none
    return found


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


def _distinct(checks: Iterable[tuple[Check, Place]]) -> dict[Check, Place]:
    """The same check from the contract and from a file is one check, whatever each calls it; the first name stays."""
    first: dict[tuple[object, ...], tuple[Check, Place]] = {}
    for check, place in checks:
        first.setdefault(_key(check), (check, place))
    return dict(first.values())


def _key(check: Check) -> tuple[object, ...]:
    """What it asks, whatever it is called."""
    return (type(check), *(getattr(check, name) for name in _unnamed(type(check))))


@cache
def _unnamed(kind: type[Check]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.compare and each.name != "name")


def _shape_of(contract: TableContract | None) -> list[str]:
    """What the schema gate looks at; where it stands in the file does not matter."""
    return [_shape(p) for p in contract.columns] if contract else []


def _shape(of: Property) -> str:
    inside = [_shape(p) for p in (*of.properties, of.items, of.map_key, of.map_value) if p is not None]
    return " ".join([f"{of.column} {of.logical_type} {of.physical_type}", *(f"({each})" for each in inside)])


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _check_files(root: Path, tables: frozenset[TableName]) -> dict[TableName, list[tuple[Spec, Place]]]:
    """checks/**/*.yaml and the checks of quality/*.yaml, by table; all that is wrong at once. `tables` are those that
    may have checks; none: any may."""
    found: dict[TableName, list[tuple[Spec, Place]]] = {}
    errors: list[ForgeError] = []
    files = [(path, _check_file) for path in sorted((root / "checks").glob("**/*.y*ml"))]
    files += [(path, _quality_file) for path in sorted((root / "quality").glob("*.y*ml"))]
    for path, read_file in files:
        read = partial(read_file, path, path.relative_to(root).as_posix(), tables)
        for table, spec, place in _collect(errors, read, list[tuple[TableName, Spec, Place]]()):
            found.setdefault(table, []).append((spec, place))
    raise_errors(errors)
    return found


def _check_file(path: Path, file: str, tables: frozenset[TableName]) -> list[tuple[TableName, Spec, Place]]:
    document = load_yaml(_text_of(path, file), file)
    return _checks_in(document, document.data, (), tables)


def _quality_file(path: Path, file: str, tables: frozenset[TableName]) -> list[tuple[TableName, Spec, Place]]:
    document, data = open_quality_file(_text_of(path, file), file)
    return _checks_in(document, data.get("checks"), ("checks",), tables)


def _text_of(path: Path, file: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ForgeError("E103", "The checks are not UTF-8", where=file, why=str(error), fix="Save it so.") from error


def _checks_in(
    document: YamlFile, data: object, above: tuple[str, ...], tables: frozenset[TableName]
) -> list[tuple[TableName, Spec, Place]]:
    """`above`: the keys under which `data` stands."""
    if data is None:
        return []
    if not isinstance(data, dict):
        where = document.where(*above) if above else document.file
        raise ForgeError("E103", "Checks are a mapping of tables to lists", where=where, fix="Begin with core.orders:")
    found: list[tuple[TableName, Spec, Place]] = []
    errors: list[ForgeError] = []
    for name, specs in data.items():
        place = document.where(*above, str(name))
        table = _collect(errors, partial(_checked_table, str(name), place, tables), None)
        if table is not None and not isinstance(specs, list):
            errors.append(ForgeError("E103", f"The checks of {name} are no list", where=place, fix="Begin each with -"))
        elif table is not None:
            found += [(table, spec, document.where(*above, str(name), i)) for i, spec in enumerate(specs)]
    raise_errors(errors)
    return found


def _checked_table(name: str, place: Place, tables: frozenset[TableName]) -> TableName | None:
    table = TableName.parse(name)
    if tables and table not in tables:
        near = did_you_mean(name, map(str, tables))
        raise ForgeError(
            "E202",
            f"No transform or source makes {table}",
            where=place,
            why="Checks belong to a table that this project makes, or that is in the lake.",
            fix=near or "Correct the name, or take its checks out.",
        )
    return table
