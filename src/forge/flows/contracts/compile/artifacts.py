"""Artifacts of a compile besides contracts: transforms with their checks, and lineage extracted from their code."""

from __future__ import annotations

from forge.contracts.artifacts import contract_artifact, freeze
from forge.flows.contracts.compile.project import CompileResult
from forge.flows.contracts.facts import contracts_by_table
from forge.flows.runs.project import Project
from forge.lineage.edge import Extraction, TableEdge
from forge.lineage.extract.flatten import flatten
from forge.model.names import TableName
from forge.quality.check import Check
from forge.transforms.transform import PythonFunction, Transform


def artifacts_of(compiled: CompileResult, project_name: str, forge_version: str) -> dict[str, object]:
    """The document of artifacts.json. Deterministic except for the time."""
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
            "lineage": _lineage(compiled).to_dict(),
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


def _lineage(compiled: CompileResult) -> Extraction:
    """Column lineage from the code of transforms, with all known columns; for sources and unreadable code, table
    lineage."""
    found = flatten(compiled.code)
    known = {(edge.source, edge.target) for edge in found.table_edges}
    tables = list(found.table_edges)
    for one in compiled.project.transforms.values():
        tables += [
            TableEdge(str(table), str(one.output), one.file, one.line_of_input(table))
            for table in one.inputs
            if (str(table), str(one.output)) not in known
        ]
    return Extraction(found.edges, found.indirect, tuple(tables), found.gaps)
