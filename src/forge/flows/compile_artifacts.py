"""What a compile freezes beside the contracts: transforms with their checks, and lineage read from their code."""

from __future__ import annotations

from forge.contracts.artifacts import contract_artifact, freeze
from forge.flows.compile import Compiled
from forge.flows.contract_facts import contracts_by_table
from forge.flows.project import Project
from forge.lineage.edge import Extraction, Gap, TableEdge
from forge.lineage.extract.catalog import Catalog
from forge.lineage.extract.codebase import Run, Shared, Unit, in_turn, read_codebase
from forge.lineage.extract.contract import contract
from forge.lineage.extract.definition import definitions_of
from forge.model.names import TableName
from forge.quality.check import Check
from forge.transforms.transform import FileSource, PythonFunction, SqlQuery, Transform


def artifacts_of(compiled: Compiled, project_name: str, forge_version: str, read: Run = in_turn) -> dict[str, object]:
    """The document of artifacts.json. The same files give the same document but for the time."""
    project = compiled.project
    contracts = [contract_artifact(facts) for facts in compiled.facts.contracts]
    return freeze(
        {
            "project": project_name,
            "forge_version": forge_version,
            "valid": compiled.valid,
            "enforcement": compiled.enforcement,
            "summary": compiled.summary(),
            "schema_hash": compiled.schema_hash,
            "data_contracts": [one for one in contracts if one is not None],
            "transforms": [_transform(project, project.transforms[table]) for table in sorted(project.transforms)],
            "lineage": _lineage(compiled, read).to_dict(),
            "violations": [finding.to_dict() for finding in compiled.findings],
        },
        compiled.validated_at.isoformat(),
    )


def _transform(project: Project, transform: Transform) -> dict[str, object]:
    table = transform.output
    holder = contracts_by_table(project).get(table)
    checks, places = project.checks.get(table, ()), project.places.get(table, ())
    return {
        "table": str(table),
        "kind": "source" if transform.is_source else str(transform.kind),
        "language": _language(transform),
        "file": transform.file,
        "line": transform.line,
        "owner": project.owner(table),
        "description": transform.description,
        "tags": list(transform.tags),
        "inputs": [str(one) for one in transform.inputs],
        "unique_key": list(transform.unique_key),
        "columns": dict(transform.columns),
        "code_hash": transform.code_hash,
        "rules_hash": project.rules_hash.get(table, ""),
        "contract": holder.id if holder else None,
        "checks": [_check(check, table, place) for check, place in zip(checks, places, strict=True)],
    }


def _language(transform: Transform) -> str:
    if transform.is_source:
        return "yaml"
    return "python" if isinstance(transform.body, PythonFunction) else "sql"


def _check(check: Check, table: TableName, place: str) -> dict[str, object]:
    return {
        "id": check.check_id(table),
        "type": check.type,
        "columns": list(check.targets()),
        "severity": str(check.severity),
        "place": place,
    }


def _lineage(compiled: Compiled, read: Run) -> Extraction:
    """Columns out of SQL, read with all columns that are known; of Python, whose lineage only a run tells, and of
    sources, the tables."""
    transforms = compiled.project.transforms
    units = tuple(
        Unit(one.file, "sql", {one.file: one.body.text}, str(one.output))
        for one in transforms.values()
        if isinstance(one.body, SqlQuery)
    )
    found = Extraction()
    if units:
        catalog = Catalog(definitions_of(_schemas(compiled)), None, None)
        done = read_codebase(units, Shared(catalog), read)
        found = contract(tuple(program for unit in units for program in done[unit.name].programs))
    known = {(edge.source, edge.target) for edge in found.table_edges}
    tables = list(found.table_edges)
    gaps = list(found.gaps)
    for one in transforms.values():
        tables += [
            TableEdge(str(table), str(one.output), one.file, one.line_of_input(table))
            for table in one.inputs
            if (str(table), str(one.output)) not in known
        ]
        if isinstance(one.body, PythonFunction):
            gaps.append(Gap(one.file, one.line, f"columns of {one.output} come from Python and are known after a run"))
    return Extraction(found.edges, found.indirect, tuple(tables), tuple(gaps))


def _schemas(compiled: Compiled) -> dict[str, dict[str, str]]:
    """Of tables of the lake as they are, and of sources as they are declared. Contracts may leave columns out."""
    found: dict[str, dict[str, str]] = {}
    for table, transform in compiled.project.transforms.items():
        if isinstance(transform.body, FileSource) and transform.body.columns:
            found[str(table)] = dict(transform.body.columns)
    for name, facts in compiled.facts.tables.items():
        if facts.schema is not None and not _is_sql(compiled.project.transforms.get(TableName.parse(name))):
            found[name] = {column.name: column.type for column in facts.schema.columns}
    return found


def _is_sql(transform: Transform | None) -> bool:
    """Whether its own text tells its columns."""
    return transform is not None and isinstance(transform.body, SqlQuery)
