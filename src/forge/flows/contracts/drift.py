"""Drift of contracts from live schemas: tables and views of the lake at a revision, sources and transforms; from
metadata alone, without a Spark job."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from forge.contracts.contract import Contract, TableContract
from forge.contracts.drift.table import ContractDrift, drift_of
from forge.flows.runs.engine import Engine, LineageRecorder, RunContext
from forge.flows.runs.input_pins import find_base, pin_branch
from forge.flows.versioning.read import RevisionReader, commit_at
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import RunId, TableName
from forge.model.schema import Column, Schema
from forge.transforms.transform import ConnectorSource, FileSource, Transform

if TYPE_CHECKING:
    from forge.flows.runs.project import Project
    from forge.flows.runs.source_rows import SourceLoads

Secrets = Callable[[str], str]

_NAMED = 10  # tables in a message


def find_live_drift(contract: Contract, reader: RevisionReader, at: str | None = None) -> tuple[ContractDrift, ...]:
    """Each table of the contract as in the lake: at a revision, or on the reader's branch now. A missing table has no
    drift."""
    schemas = {table.table: live_schema(table.table, reader, at) for table in contract.tables}
    return tuple(drift for table in contract.tables for drift in _drift_of_one(contract, table, schemas[table.table]))


def live_schema(table: str, reader: RevisionReader, at: str | None = None) -> Schema | None:
    """The columns of a table or view of the lake; None where it does not exist."""
    try:
        name = TableName.parse(table)
    except ForgeError:
        return None  # no table of the lake is called so
    lake = reader.lake
    if at is not None:
        version = reader.metadata.tree(commit_at(reader.metadata, at, reader.branch, name).id).get(name)
        if version is None:
            return None
        if version.kind == "view":
            return lake.view_schema(version.metadata_location or "")
        snapshot = lake.snapshot(version.catalog, version.snapshot_id)
        return snapshot.schema if snapshot else lake.schema(version.catalog)
    line = pin_branch(reader.metadata, reader.branch, reader.default)
    base = find_base(name, line, lake)
    if base.version is not None and base.version.kind == "view":
        return lake.view_schema(base.version.metadata_location or "")
    if base.catalog is None:
        return None
    if line.is_default:
        return lake.schema(base.catalog)  # also a column that was added and not written yet
    snapshot = lake.snapshot(base.catalog, base.snapshot_id) if base.snapshot_id is not None else None
    return snapshot.schema if snapshot else lake.schema(base.catalog)


def find_source_drift(
    contract: Contract,
    table: TableName,
    project: Project,
    engine: Callable[[], Engine],
    secrets: Secrets,
    params: Mapping[str, object] | None = None,
    loads: SourceLoads | None = None,
) -> tuple[ContractDrift, ...]:
    """The contract's table against the current schema of the project's source of that name: the database or files are
    asked for their columns, without a job. Nullability is not compared: most drivers do not know it."""
    transform = source_of(table, project)
    mine = [each for each in contract.tables if each.table.lower() == str(table)]
    if not mine:
        raise _about_others(contract, table)
    if isinstance(transform.body, ConnectorSource):
        assert loads is not None, "wiring gives them"
        given: object = _connector_schema(transform, loads)
    else:
        files = engine().files_of(transform) if isinstance(transform.body, FileSource) else ()
        run_id = RunId(f"drift-{table}")
        context = RunContext(
            run_id=run_id, params=params or {}, secrets=secrets, logger=None, lineage=LineageRecorder(table)
        )
        planned = engine().plan(transform, {}, params or {}, context, files)
        has_json = hasattr(getattr(planned.frame, "schema", None), "jsonValue")
        given = planned.frame if has_json else planned.schema  # Spark keeps varchar(20) in the frame's schema alone
    found = [drift for each in mine for drift in drift_of(replace(contract, tables=(each,)), given)]
    return tuple(replace(each, found=tuple(f for f in each.found if f.violation.code)) for each in found)


def _connector_schema(transform: Transform, loads: SourceLoads) -> Schema:
    rows = loads.open(transform, loads.state(transform), "")
    with rows.until:
        return Schema(tuple(Column(each.name, str(each.type), each.nullable) for each in rows.columns))


def _drift_of_one(contract: Contract, table: TableContract, schema: Schema | None) -> Sequence[ContractDrift]:
    if schema is None:
        return (ContractDrift(table.table, exists=False),)
    return drift_of(replace(contract, tables=(table,)), schema)


def source_of(table: TableName, project: Project) -> Transform:
    """The source of a table. E108 with the nearest names."""
    transform = project.transforms.get(table)
    if transform is not None and not transform.inputs:
        return transform
    sources = [str(name) for name, each in project.transforms.items() if not each.inputs]
    raise UnknownNameError(
        f"{table} is no source of the project",
        why=did_you_mean(str(table), sources),
        fix=f"Name the table that a file or database is read into: {', '.join(sorted(sources)[:_NAMED]) or 'none yet'}."
        if transform is None
        else "Leave out --source: a table that the project makes is compared as it is in the lake.",
    )


def _about_others(contract: Contract, table: TableName) -> ForgeError:
    about = " and ".join(each.table for each in contract.tables[:_NAMED]) or "no table"
    return ForgeError(
        "E105",
        f"{contract.name or contract.id or contract.file} is about {about}, not {table}: nothing was compared",
        where="--source",
        fix=f"Name a contract of {table}, or leave out --source to compare {about} with the lake.",
    )
