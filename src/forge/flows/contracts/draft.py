"""Draft contract for a table of the lake, from its columns, the project's metadata, its rows and detected personal
data. A rule is drafted only where the data leaves little doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from forge.catalog.pii import PiiFinding, find_pii
from forge.contracts.contract import Violation
from forge.contracts.draft import KnownColumn, KnownTable, draft_contract
from forge.contracts.linter.lint import lint
from forge.flows.catalog.profile import profile_dataset
from forge.flows.contracts.drift import live_schema
from forge.flows.quality.judge import CheckPorts, personal_of
from forge.flows.runs.engine import Pin
from forge.flows.runs.project import Project
from forge.flows.versioning.read import RevisionReader
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, TableName
from forge.model.schema import Schema
from forge.quality.measure import Measure, Reading
from forge.quality.profile import Profile, first_measures, profile_of
from forge.quality.suggest import suggest_checks

SAMPLE = 1000  # rows whose values are looked at for personal data
SURE = 0.8  # of a suggestion that becomes a promise
PERSONAL = 0.7  # of a finding that makes a column personal
_FORMATS = {"UUID": "uuid", "e-mail address": "email", "web address": "uri", "IPv4 address": "ipv4"}
_FORMAT_OF = {"email": "email"}  # personal data that the standard has a format for


LookedAt = Literal["rows", "kept profile", "metadata"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractDraft:
    """`gaps`: findings of the strict profile. `rows`: the row count, None where unknown; `looked`: what was
    examined."""

    table: TableName
    text: str
    gaps: tuple[Violation, ...]
    personal: tuple[PiiFinding, ...]
    columns: int
    rows: int | None
    looked: LookedAt
    existing: str | None = None  # where the table has a contract already

    @property
    def file(self) -> str:
        return f"contracts/{self.table}.odcs.yaml"


def draft_for(dataset: str, ports: CheckPorts, project_name: str = "", *, profile: bool | None = None) -> ContractDraft:
    """`dataset`: core.orders, or core.orders@branch. `profile`: True reads all rows with Spark, False reads none; None
    uses readings of the last run and a sample, and Spark only where nothing was measured. Raises E108."""
    name, _, on = dataset.strip().partition("@")
    table = TableName.parse(name)
    branch = find_branch(ports.metadata, BranchName(on or ports.default_branch))
    reader = RevisionReader(ports.metadata, ports.lake, branch.name, ports.default_branch)
    schema = live_schema(str(table), reader)
    if schema is None:
        raise _unknown(table, reader)
    project = ports.project()
    pin = reader.pin(table, None)
    personal = personal_of(project, ports, branch.head)
    flagged = personal.of(table, schema.names)
    stored = _stored(ports, pin)
    looked: LookedAt = "rows"
    if profile or (profile is None and stored is None):
        measured = profile_dataset(f"{table}@{branch.name}", ports)[0]
    else:
        measured = _from_metadata(ports, pin, schema, stored or {}, flagged)
        looked = "metadata" if profile is False else "kept profile"
    values = {} if profile is False else _sample(ports, pin, schema)
    found = find_pii({column.name: values.get(column.name, ()) for column in schema.columns}, ports.pii_types)
    known = _known(project, ports, table, schema, measured, _personal(found, personal.personal().of(table)))
    kind: Literal["table", "view"] = "table" if pin.view_sql is None else "view"
    text = draft_contract(table, schema, replace(known, project=project_name, kind=kind))
    had = project.contracts.get(table)
    return ContractDraft(
        table=table,
        text=text,
        gaps=lint(text, f"contracts/{table}.odcs.yaml", "strict"),
        personal=tuple(one for one in found if one.type is not None),
        columns=len(schema.columns),
        rows=measured.rows if looked == "rows" or pin.snapshot_id is not None else None,
        looked=looked,
        existing=str(had.place) if had is not None else None,
    )


def _unknown(table: TableName, reader: RevisionReader) -> ForgeError:
    known = [str(each) for each in reader.metadata.tree(find_branch(reader.metadata, reader.branch).head)]
    return UnknownNameError(
        f"There is no table {table} on '{reader.branch}'",
        why=did_you_mean(str(table), known),
        fix="`forge show` lists the tables of the newest commit.",
    )


def _stored(ports: CheckPorts, pin: Pin) -> Mapping[str, object] | None:
    """Readings of the run that made this version."""
    if pin.snapshot_id is None:
        return None
    kept = ports.metadata.profile(pin.table, pin.snapshot_id)
    return kept.readings if kept else None


def _from_metadata(
    ports: CheckPorts, pin: Pin, schema: Schema, stored: Mapping[str, object], flagged: frozenset[str]
) -> Profile:
    """From Iceberg manifests and readings of the last run; no row is read."""
    readings: dict[Measure, Reading] = {}
    for key, value in stored.items():
        kind, *columns = key.split(":")
        if kind in ("rows", "nulls", "duplicates") and isinstance(value, int) and not isinstance(value, bool):
            readings[Measure(kind=kind, columns=tuple(columns))] = value
    if pin.snapshot_id is not None:
        readings |= ports.lake.measure(pin.catalog, pin.snapshot_id, first_measures(schema))
    return profile_of(pin.table, schema, readings, {}, (), flagged, ports.clock())


def _sample(ports: CheckPorts, pin: Pin, schema: Schema) -> Mapping[str, Sequence[object]]:
    """Some values of each column, from the table's files; none of a view."""
    if pin.snapshot_id is None:
        return {}
    rows = ports.lake.rows(pin.catalog, pin.snapshot_id, schema.names, SAMPLE)
    if not rows:
        return {}
    return dict(zip(schema.names, zip(*rows, strict=True), strict=True))


def _personal(found: Sequence[PiiFinding], flagged: frozenset[str]) -> dict[str, str]:
    """Lower-case column → kind of personal data; empty where known only by contract or lineage."""
    kinds = dict.fromkeys((name.lower() for name in flagged), "")
    certain = [one for one in found if one.type and not one.quasi and one.score >= PERSONAL]
    return kinds | {one.column.lower(): str(one.type) for one in certain}


def _known(
    project: Project,
    ports: CheckPorts,
    table: TableName,
    schema: Schema,
    measured: Profile,
    personal: Mapping[str, str],
) -> KnownTable:
    transform = project.transforms.get(table)
    asset = next((one for one in ports.metadata.assets() if one.table == table), None)
    descriptions = {str(c["name"]).lower(): str(c.get("description") or "") for c in (asset.columns if asset else ())}
    descriptions |= {name.lower(): text for name, text in (transform.columns if transform else {}).items() if text}
    columns = {
        column.name.lower(): KnownColumn(description=descriptions.get(column.name.lower(), ""))
        for column in schema.columns
    }
    columns |= _shown(measured, columns, personal)
    for name, kind in personal.items():
        if name in columns:
            form = {"format": _FORMAT_OF[kind]} if kind in _FORMAT_OF and columns[name].options else {}
            columns[name] = replace(columns[name], personal=kind, options={**columns[name].options, **form})
    key = tuple(transform.unique_key) if transform and transform.unique_key else _key(measured, columns)
    return KnownTable(
        description=(transform.description if transform else "") or (asset.description if asset else ""),
        owner=project.owner(table) or (asset.owner if asset else None),
        tags=transform.tags if transform else (),
        key=key,
        columns=columns,
    )


def _shown(
    measured: Profile, columns: Mapping[str, KnownColumn], personal: Mapping[str, str]
) -> dict[str, KnownColumn]:
    """What the rows show beyond doubt, without values of personal columns."""
    found = dict(columns)
    formats = {column.name.lower(): column.format for column in measured.columns}
    for one in suggest_checks(measured):
        spec = one.spec
        listed = spec.get("columns")
        name = str(spec.get("column") or (listed[0] if isinstance(listed, list) and listed else "")).lower()
        if one.confidence < SURE or name not in found:
            continue
        column = found[name]
        match spec["type"]:
            case "not_null" if "max_null_percentage" not in spec:
                found[name] = replace(column, required=True)
            case "unique":
                found[name] = replace(column, unique=True)
            case "foreign_key":
                found[name] = replace(column, reference=str(spec["references"]))
            case "accepted_values" if name not in personal and isinstance(spec["values"], list):
                found[name] = replace(column, allowed_values=spec["values"])
            case "range" if name not in personal:
                bounds = {"minimum": spec.get("min"), "maximum": spec.get("max")}
                given = {key: value for key, value in bounds.items() if value is not None}
                found[name] = replace(column, options={**column.options, **given})
            case "regex":
                form = formats.get(name)
                format_name = _FORMATS.get(form.name) if form else None
                option = {"format": format_name} if format_name else {"pattern": spec["pattern"]}
                found[name] = replace(column, options={**column.options, **option})
    return found


def _key(measured: Profile, columns: Mapping[str, KnownColumn]) -> tuple[str, ...]:
    """The first column named like a key without duplicates and NULLs."""
    for column in measured.columns:
        known = columns.get(column.name.lower())
        if known and known.unique and known.required and column.is_key_name:
            return (column.name,)
    return ()
