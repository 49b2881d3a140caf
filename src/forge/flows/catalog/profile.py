"""Profiling a table: all columns in one scan per cost class, then follow-up measures of a few columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.flows.quality.judge import CheckPorts, personal_of
from forge.flows.runs.engine import Engine, Pin
from forge.flows.runs.project import Project
from forge.flows.versioning.read import RevisionReader
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import UnknownNameError
from forge.model.names import BranchName, TableName
from forge.model.schema import Schema
from forge.quality.check import Check
from forge.quality.checks import UniqueCheck
from forge.quality.measure import Measure, Reading
from forge.quality.profile import KeyColumn, Profile, first_measures, guess_formats, profile_of, second_measures
from forge.quality.suggest import CheckSuggestion, suggest_checks
from forge.transforms.dag import downstream_of

SAMPLE = 1000  # rows from which formats are guessed; they are counted over all rows afterwards


def profile_dataset(dataset: str, ports: CheckPorts, *, at: str | None = None) -> tuple[Profile, tuple[Check, ...]]:
    """The profile of a published table or view, and the project's checks for it. Its rows are read once for cheap
    measures and once for sketches; follow-up measures of a few columns come after."""
    name, _, on = dataset.partition("@")
    table = TableName.parse(name)
    branch = find_branch(ports.metadata, BranchName(on or ports.default_branch))
    reader = RevisionReader(ports.metadata, ports.lake, branch.name, ports.default_branch)
    project = ports.project()
    pin = reader.pin(table, at)
    engine = ports.engine()
    sql = f"SELECT * FROM {table.schema}.{table.name}"  # noqa: S608  a parsed name: letters, digits, underscores
    schema, rows = engine.query(sql, {table: pin}, {}, SAMPLE)
    schema = _schema(ports, pin) or schema
    sample = [dict(zip(schema.names, row, strict=True)) for row in rows]
    guessed = guess_formats(schema, sample)
    keys, others = _keys(project, reader, ports, at, table)
    readings = _measured(ports, engine, pin, first_measures(schema), {})
    asked = second_measures(schema, readings, guessed, keys)
    readings |= _measured(ports, engine, pin, asked, others)
    # columns whose values no suggestion may name
    masked = personal_of(project, ports, branch.head).of(table, schema.names)
    profile = profile_of(table, schema, readings, guessed, keys, masked, ports.clock())
    return profile, project.checks.get(table, ())


def suggest_for(
    dataset: str, ports: CheckPorts, *, at: str | None = None
) -> tuple[Profile, tuple[CheckSuggestion, ...]]:
    profile, existing = profile_dataset(dataset, ports, at=at)
    return profile, suggest_checks(profile, existing)


def _schema(ports: CheckPorts, pin: Pin) -> Schema | None:
    """None: a view, whose query knows its columns."""
    if pin.snapshot_id is None:
        return None
    found = ports.lake.snapshot(pin.catalog, pin.snapshot_id)
    return found.schema if found else None


def _measured(
    ports: CheckPorts, engine: Engine, pin: Pin, measures: Sequence[Measure], others: Mapping[TableName, Pin]
) -> dict[Measure, Reading]:
    """What the manifests answer costs no job."""
    found: dict[Measure, Reading] = {}
    if pin.snapshot_id is not None:
        found |= ports.lake.measure(pin.catalog, pin.snapshot_id, measures)
    rest = tuple(measure for measure in measures if measure not in found)
    return {**found, **engine.measure(pin, rest, others)} if rest else found


def _keys(
    project: Project, reader: RevisionReader, ports: CheckPorts, at: str | None, table: TableName
) -> tuple[tuple[KeyColumn, ...], dict[TableName, Pin]]:
    """Columns of other existing tables that a check or a contract declares a key. Tables derived from this one are
    excluded: their values come from here. Tables of the same schema come first."""
    keys: list[KeyColumn] = []
    pins: dict[TableName, Pin] = {}
    made = downstream_of(project.transforms, table)
    for other, checks in sorted(project.checks.items(), key=lambda one: (one[0].schema != table.schema, one[0])):
        if other in made:
            continue
        names = {check.columns[0] for check in checks if isinstance(check, UniqueCheck) and len(check.columns) == 1}
        pin = _pin(reader, other, at) if names and other != table else None
        schema = _schema(ports, pin) if pin else None
        if pin is None or schema is None:
            continue
        for name in sorted(names):
            column = schema.get(name)
            if column is not None:
                keys.append(KeyColumn(other, column.name, column.type))
                pins[other] = pin
    return tuple(keys), pins


def _pin(reader: RevisionReader, table: TableName, at: str | None) -> Pin | None:
    try:
        return reader.pin(table, at)
    except UnknownNameError:
        return None  # it has checks, but was never published
