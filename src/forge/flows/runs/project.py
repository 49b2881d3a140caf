"""A project as the flows see it: transforms with their contracts, checks and owners, and the faults of its files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from forge.contracts.checks.rules import checks_of
from forge.contracts.checks.sla_checks import sla_checks_of
from forge.contracts.contract import Contract, ContractProperty, TableContract, Violation
from forge.contracts.document.file import ContractError
from forge.contracts.load import by_table
from forge.contracts.policy.governance import Enforcement, Governance
from forge.federation.source import Source
from forge.flows.contracts.effective import ResolvedContract, claims_of, resolve_all
from forge.flows.contracts.files import ContractFile, project_files
from forge.flows.federation.source_files import read_project_loads
from forge.flows.quality.check_files import Place, Spec, read_check_files
from forge.model.errors import ForgeError, raise_errors
from forge.model.fault import FileFault, errors_about
from forge.model.names import TableName, find_table_names
from forge.quality.check import Check
from forge.quality.checks import QueryCheck
from forge.quality.spec import load_check
from forge.transforms.dag import Transforms
from forge.transforms.project import LoadedTransforms, find_transform_faults
from forge.transforms.transform import Transform

if TYPE_CHECKING:
    from forge.contracts.policy.facts import PolicyFinding

_NAMED = re.compile(r"""\b(?:physicalName|name)["']?\s*:\s*["']?(\w+\.\w+)""")
LENIENT = (Enforcement.OFF, Enforcement.WARN)  # contracts hold nothing back, also where they are not right
_ENCODER = json.JSONEncoder(sort_keys=True, default=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    root: Path
    transforms: Mapping[TableName, Transform]
    contracts: Mapping[TableName, TableContract]  # with what contracts above them promise; read whatever is enforced
    checks: Mapping[TableName, tuple[Check, ...]]
    rules_hash: Mapping[TableName, str]  # of contract and checks: a new rule is a reason to run again
    owner_of: Callable[[TableName], str | None]
    notes: tuple[str, ...] = ()
    places: Mapping[TableName, tuple[Place, ...]] = field(default_factory=dict)  # file:line of each check, in order
    standing: tuple[ResolvedContract, ...] = ()  # the contracts, as written and in effect
    above: tuple[Violation, ...] = ()  # what is wrong with contracts above the project's
    governance: Governance = field(default_factory=Governance)
    judged: Callable[[], Mapping[TableName, tuple[PolicyFinding, ...]]] = dict  # what the contracts themselves violate
    promises: Mapping[TableName, tuple[Check, ...]] = field(default_factory=dict)
    """Service levels that depend on the clock: for monitors and `forge quality run`, never in the way of a run."""
    promise_places: Mapping[TableName, tuple[Place, ...]] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()  # that files declare for queries
    faults: tuple[FileFault, ...] = ()  # what is wrong with files; the rest of the project is there all the same

    def refuse_faulty(self, *tables: TableName) -> None:
        """Raises the faults of the files that judge these tables: an incomplete set of checks lets nothing through."""
        raise_errors(errors_about(self.faults, tables, of_runs=False))

    def checks_of(self, table: TableName) -> tuple[Check, ...]:
        """All checks of the project for it; raises where they cannot be known."""
        self.refuse_faulty(table)
        return self.checks.get(table, ())

    def owner(self, table: TableName) -> str | None:
        transform = self.transforms.get(table)
        return (transform.owner if transform else None) or self.owner_of(table)

    def references(self, table: TableName) -> frozenset[TableName]:
        """Tables that a check of this one refers to."""
        return frozenset(other for check in self.checks.get(table, ()) for other in referenced_tables(check))


def referenced_tables(check: Check) -> frozenset[TableName]:
    """Foreign keys name the table they refer to; a query is parsed for its tables. Parse errors are reported when it
    runs."""
    if not isinstance(check, QueryCheck):
        return check.others()
    from forge.flows.runs.input_pins import inputs_of

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
    """Everything of the project that can be read. The faults of a file are kept with it, and raised when something
    needs the file."""
    known = frozenset(known)
    reading, sources = read_project_loads(root, known)
    governance = governance or Governance()
    contracts, wrong, notes = _contracts(root, governance)
    checkable = checkable_of(reading, known)
    project = assemble(root, owner_of, reading.transforms, contracts, checkable, governance)
    faults = project.faults
    if governance.enforcement in LENIENT:
        lenient = [error for fault in faults if isinstance(fault.error, ContractError) for error in fault.error.errors]
        notes += tuple(f"{error.where}: {error.what}" for error in lenient)
        faults = tuple(fault for fault in faults if not isinstance(fault.error, ContractError))
    faults = (*find_transform_faults(reading, known), *sources.faults, *wrong, *faults)
    return replace(project, sources=sources.sources, notes=(*notes, *project.notes), faults=faults)


def checkable_of(reading: LoadedTransforms, known: frozenset[TableName]) -> frozenset[TableName]:
    """The tables that may have checks; none, which means any, where not all outputs of the project are known."""
    if reading.is_partial or not reading.transforms:
        return frozenset()
    return frozenset({*reading.transforms, *reading.unread, *known})


def _contracts(root: Path, governance: Governance) -> tuple[Sequence[Contract], tuple[FileFault, ...], tuple[str, ...]]:
    """A contract is used as far as it can be read, to know which columns are personal. Its errors are faults of its
    tables, or notes where the settings say that contracts do not block."""
    files = project_files(root)
    contracts = [one.contract for one in files if one.contract is not None]
    if governance.enforcement in LENIENT:
        lost = (one for one in files if one.contract is None)
        return contracts, (), tuple(f"{one.file} is left out: {one.violations[0].message}" for one in lost)
    wrong = (one for one in files if one.violations)
    return contracts, tuple(FileFault(ContractError(one.violations), _tables_of(one)) for one in wrong), ()


def _tables_of(file: ContractFile) -> frozenset[TableName]:
    """Of a contract or, where it cannot be read at all, those that its name and text mention."""
    stem = PurePosixPath(file.file).name.partition(".odcs.")[0]
    tables = file.contract.tables if file.contract is not None else ()
    return find_table_names(
        [stem, *(table.table for table in tables)] if tables else [stem, *_NAMED.findall(file.text)]
    )


def assemble(
    root: Path,
    owner_of: Callable[[TableName], str | None],
    transforms: Transforms,
    contracts: Sequence[Contract],
    checkable: frozenset[TableName],
    governance: Governance,
) -> Project:
    """The project from what was read, with the faults of its checks and of contracts that claim the same table.
    `checkable`: the tables that may have checks; none: any may. Where enforcement is off, contracts give no checks,
    but still declare personal columns."""
    stood = resolve_all(contracts, governance, root)
    claims = claims_of(stood.standing)
    faults = list(_find_claims(claims.own))
    files, wrong = read_check_files(root, checkable)
    faults += wrong
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
            timed = _loaded(levels.timed.checks, table, faults)
        found = _loaded(specs, table, faults)
        checks[table], places[table] = tuple(found), tuple(found.values())
        same = {_key(check) for check in found} if timed else frozenset()
        late = {check: place for check, place in timed.items() if _key(check) not in same}
        promises[table], promise_places[table] = tuple(late), tuple(late.values())
        texts = [_ENCODER.encode(spec) for spec, _ in specs]
        hashes[table] = _hash([*_shape_of(promised), *texts])
    return Project(
        root=root,
        transforms=transforms,
        contracts=named,
        checks=checks,
        rules_hash=hashes,
        owner_of=owner_of,
        notes=tuple(notes),
        places=places,
        standing=stood.standing,
        above=stood.above,
        governance=governance,
        promises=promises,
        promise_places=promise_places,
        faults=tuple(faults),
    )


def _find_claims(contracts: Sequence[Contract]) -> Iterator[FileFault]:
    """A table with two contracts, or whose name is no table name."""
    try:
        by_table(contracts)
    except ContractError as error:
        for violation in error.violations:
            tables = [t.table for one in contracts if one.file == violation.file for t in one.tables]
            yield FileFault(ContractError((violation,)), find_table_names(tables))


def _loaded(specs: Iterable[tuple[Spec, Place]], table: TableName, faults: list[FileFault]) -> dict[Check, Place]:
    found: list[tuple[Check, Place]] = []
    for spec, place in specs:
        try:
            found.append((load_check(spec, table=table, where=place), place))
        except ForgeError as error:
            faults.append(FileFault(error, frozenset({table})))
    return _distinct(found)


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


def _distinct(checks: Iterable[tuple[Check, Place]]) -> dict[Check, Place]:
    """The same check from the contract and from a file is one check, under the first name."""
    first: dict[tuple[object, ...], tuple[Check, Place]] = {}
    for check, place in checks:
        first.setdefault(_key(check), (check, place))
    return dict(first.values())


def _key(check: Check) -> tuple[object, ...]:
    """What it checks, regardless of its name."""
    return (type(check), *(getattr(check, name) for name in _unnamed(type(check))))


@cache
def _unnamed(kind: type[Check]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.compare and each.name != "name")


def _shape_of(contract: TableContract | None) -> list[str]:
    """What the schema gate compares; its place in the file does not matter."""
    return [_shape(p) for p in contract.columns] if contract else []


def _shape(of: ContractProperty) -> str:
    inside = [_shape(p) for p in (*of.properties, of.items, of.map_key, of.map_value) if p is not None]
    return " ".join([f"{of.column} {of.logical_type} {of.physical_type}", *(f"({each})" for each in inside)])


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
