"""Builds the facts of a project that policies are evaluated on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from forge.contracts.contract import Contract, ContractProperty, FilePlace, TableContract, Violation
from forge.contracts.policy.facts import CheckFacts, ColumnFacts, ContractFacts, InputFacts, ProjectFacts, TableFacts
from forge.flows.runs.project import Project, referenced_tables
from forge.model.errors import ForgeError, errors_of
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Check
from forge.transforms.transform import Transform

Schemas = Callable[[TableName], Schema | None]
"""What a table is like in the lake, from its metadata; None where it is not there yet."""
Versions = Callable[[Contract], tuple[Violation, ...]]
"""What a change of a contract breaks, against the version that is registered."""
MadeColumns = Mapping[TableName, tuple[ColumnFacts, ...]]
"""The columns of tables as derived from code."""

_RENAMED = {"E202": "E543", "E204": "E544"}  # what a project's files call it, and what the policy does


@dataclass(frozen=True, slots=True)
class LintResults:
    """Lint findings of contracts, by file."""

    lint: Mapping[str, tuple[Violation, ...]] = field(default_factory=dict)
    broken: Mapping[str, Contract] = field(default_factory=dict)  # files whose contracts cannot be used, as far as read


def facts_of(
    project: Project,
    judged: LintResults,
    versions: Versions,
    schema_of: Schemas = lambda table: None,
    known: Iterable[TableName] = (),
    unread: Iterable[TableName] = (),
    problems: Iterable[Violation] = (),
    made: MadeColumns | None = None,
) -> ProjectFacts:
    """`made`: columns of each table by the code of its transform, also where it never ran."""
    coded = made or {}
    owned = contracts_by_table(project)
    broken = {table.table for contract in judged.broken.values() for table in contract.tables}
    names = sorted({*project.transforms, *project.contracts, *(t for t, checks in project.checks.items() if checks)})
    return ProjectFacts(
        {
            str(table): _table(project, table, owned.get(table), schema_of(table), broken, coded.get(table, ()))
            for table in names
        },
        contract_facts(project, judged, versions),
        frozenset(map(str, known)),
        frozenset(map(str, unread)),
        tuple(problems),
    )


def contracts_by_table(project: Project) -> dict[TableName, Contract]:
    """The effective contract of each table."""
    holders = {id(table): one.effective for one in project.standing for table in one.effective.tables}
    return {name: holders[id(table)] for name, table in project.contracts.items() if id(table) in holders}


def contract_facts(project: Project, judged: LintResults, versions: Versions) -> tuple[ContractFacts, ...]:
    used = {
        one.file: ContractFacts(
            file=one.file,
            contract=one.contract,
            lint=judged.lint.get(one.file, ()),
            effective=one.effective,
            inherited=one.violations,
            origins=one.origins,
            versions=versions(one.contract),
        )
        for one in project.standing
    }
    broken = {
        file: ContractFacts(file=file, contract=judged.broken.get(file), lint=lint)
        for file, lint in judged.lint.items()
        if file not in used
    }
    above = {
        file: ContractFacts(file=file, contract=None, lint=tuple(each for each in project.above if each.file == file))
        for file in {each.file for each in project.above}
    }
    every = {**above, **used, **broken}
    return tuple(every[file] for file in sorted(every))


def _table(
    project: Project,
    table: TableName,
    contract: Contract | None,
    schema: Schema | None,
    broken: set[str],
    made: tuple[ColumnFacts, ...],
) -> TableFacts:
    transform = project.transforms.get(table)
    promised = project.contracts.get(table)
    place = _place_of(transform, promised, project, table)
    return TableFacts(
        table=str(table),
        place=place,
        kind="source" if transform and transform.is_source else str(transform.kind) if transform else "",
        is_source=bool(transform and transform.is_source),
        is_made=transform is not None,
        owner=project.owner(table) or (contract.owner if contract else None),
        description=(transform.description if transform else "") or (promised.description if promised else ""),
        tags=tuple(dict.fromkeys((*(transform.tags if transform else ()), *(contract.tags if contract else ())))),
        inputs=_inputs(transform),
        columns=_columns(transform, promised, schema, place, made),
        checks=_checks(project, table),
        contract=promised,
        contract_of=contract,
        has_broken_contract=str(table) in broken,
        schema=schema,
    )


def _place_of(
    transform: Transform | None, promised: TableContract | None, project: Project, table: TableName
) -> FilePlace:
    if transform is not None:
        return FilePlace(transform.file, transform.line)
    if promised is not None:
        return promised.place
    return place_of_text(next(iter(project.places.get(table, ())), "forge.yaml:1"))


def place_of_text(text: str) -> FilePlace:
    """`file:line` and `file:line:column` as a place."""
    parts = text.rsplit(":", 2)
    if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit():
        return FilePlace(parts[0], int(parts[1]), int(parts[2]))
    file, _, line = text.rpartition(":")
    return FilePlace(file, int(line)) if file and line.isdigit() else FilePlace(text, 1)


def _inputs(transform: Transform | None) -> tuple[InputFacts, ...]:
    if transform is None:
        return ()
    where = {
        reference.table: FilePlace(transform.file, reference.line, reference.column)
        for reference in reversed(transform.references)
    }
    default = FilePlace(transform.file, transform.line)
    return tuple(InputFacts(str(table), where.get(table, default)) for table in transform.inputs)


def _columns(
    transform: Transform | None,
    promised: TableContract | None,
    schema: Schema | None,
    place: FilePlace,
    made: tuple[ColumnFacts, ...],
) -> tuple[ColumnFacts, ...]:
    """Those of the contract first, then others: declared by the transform, in the lake, or made by its code."""
    descriptions = {name.lower(): text for name, text in (transform.columns if transform else {}).items()}
    places = {column.name.lower(): column.place for column in made}
    found: dict[str, ColumnFacts] = {}

    def add(name: str, type_: str | None, text: str) -> None:
        found.setdefault(
            name.lower(), ColumnFacts(name=name, place=places.get(name.lower(), place), type=type_, description=text)
        )

    for property_ in promised.columns if promised else ():
        found[property_.column.lower()] = _of_property(property_, descriptions)
    for name, text in (transform.columns if transform else {}).items():
        add(name, None, text)
    for column in schema.columns if schema else ():
        add(column.name, column.type, descriptions.get(column.name.lower(), "") or column.doc or "")
    for one in made:
        add(one.name, one.type, descriptions.get(one.name.lower(), ""))
    return tuple(found.values())


def _of_property(property_: ContractProperty, descriptions: Mapping[str, str]) -> ColumnFacts:
    return ColumnFacts(
        name=property_.column,
        place=property_.place,
        type=property_.physical_type or property_.logical_type,
        description=property_.description or descriptions.get(property_.column.lower(), ""),
        classification=property_.classification,
        tags=property_.tags,
        required=property_.required,
        unique=property_.unique,
        primary_key=property_.primary_key,
    )


def _checks(project: Project, table: TableName) -> tuple[CheckFacts, ...]:
    checks = project.checks.get(table, ())
    places = project.places.get(table, ())
    return tuple(_check(check, place) for check, place in zip(checks, places, strict=True))


def _check(check: Check, place: str) -> CheckFacts:
    return CheckFacts(
        check.type, tuple(check.targets()), place_of_text(place), tuple(sorted(map(str, referenced_tables(check))))
    )


def violation_of(error: ForgeError) -> tuple[Violation, ...]:
    """A project error as a finding of the semantic policy."""
    found = []
    for one in errors_of(error):
        place = place_of_text(one.where) if one.where else FilePlace("forge.yaml", 1)
        message = f"{one.what}: {one.why}" if one.why else one.what
        code = _RENAMED.get(one.code, one.code)
        found.append(
            Violation(
                code=code,
                severity="error",
                file=place.file,
                line=place.line,
                column=place.column,
                path="",
                message=message,
                fix=one.fix or "",
            )
        )
    return tuple(found)
