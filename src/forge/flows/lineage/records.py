"""Row-level lineage, computed on request for one table version: the column edges of the run that wrote it name the
copied columns, and source rows with the same values, as of that commit, are the origins. Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from forge.flows.quality.incidents.impact import lake_table
from forge.flows.runs.records import TableLineage
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.read import commit_at
from forge.flows.versioning.time_travel import HistoricalRows, travel
from forge.lineage.edge import Transformation
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.versioning.commit import Commit
from forge.versioning.errors import FilterValueError, PersonalFilterError

DEPTH, ROWS = 5, 5


class RowMatch(StrEnum):
    """How source rows were matched."""

    ONE = "one"  # exactly one row has all the values that were copied
    SEVERAL = "several"  # multiple origins, or ambiguous ones
    NONE = "none"  # no row has them: they were changed in between
    UNKNOWN = "unknown"  # nothing was copied, so rows cannot be found
    OUTSIDE = "outside"  # a file or a database: its rows are not kept here


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOrigin:
    """`by`: the matched columns and values. `fields`: columns of the record, with the source columns they derive
    from."""

    table: str
    match: RowMatch
    by: Mapping[str, object] = field(default_factory=dict)
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: tuple[Mapping[str, object], ...] = ()
    more: bool = False
    version: int | None = None
    commit: Commit | None = None
    origins: tuple[RecordOrigin, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {
            "table": self.table,
            "match": str(self.match),
            "by": dict(self.by),
            "fields": {name: list(sources) for name, sources in self.fields.items()},
            "rows": [dict(row) for row in self.rows],
            "more": self.more,
            "version": self.version,
            "commit": self.commit.id if self.commit else None,
            "message": self.commit.message if self.commit else None,
            "origins": [origin.to_dict() for origin in self.origins],
        }


def trace_record(
    ports: VersionPorts,
    table: TableName,
    where: Mapping[str, str],
    *,
    at: str = "HEAD",
    column: str | None = None,
    depth: int = DEPTH,
    current: BranchName | None = None,
) -> RecordOrigin:
    """The record of the table with these values, and below it what it came from; with `column`, only what that value
    came from. E814 where there is no such record, or more than one."""
    if not where:
        raise ForgeError("E814", "Which record?", fix=f"Give its key, like `{table} order_id=7`.")
    commit = commit_at(ports.metadata, at, current or ports.default_branch, table)
    found = travel(ports, table, commit.id, where=where, limit=2)
    named = ", ".join(f"{name}={value}" for name, value in where.items())
    if len(found.rows) != 1:
        raise ForgeError(
            "E814",
            f"{table} has {'no record' if not found.rows else 'several records'} with {named}",
            where=f"{at} ({commit.id[:12]})",
            fix="Give the values of its key." if found.rows else None,
        )
    record = _dicts(found)[0]
    if column is not None and column not in record:
        raise UnknownNameError(f"{table} has no column {column}", fix=f"It has {', '.join(record)}.")
    return _origin(ports, table, commit.id, dict(where), found, None, {}, depth, column)


def _origin(
    ports: VersionPorts,
    table: TableName,
    at: CommitId,
    by: Mapping[str, object],
    found: HistoricalRows,
    match: RowMatch | None,
    fields: Mapping[str, tuple[str, ...]],
    depth: int,
    column: str | None,
) -> RecordOrigin:
    metadata = ports.metadata
    version = metadata.tree(at)[table]
    written = metadata.log(at, limit=1, table=table)
    records = _dicts(found)
    origins: tuple[RecordOrigin, ...] = ()
    if len(records) == 1 and depth > 0 and written and version.run_id:
        runs = metadata.lineage([RunId(version.run_id)])
        lineage = next((one for _, one in runs if one.table == table), TableLineage(table))
        origins = _sources(ports, lineage, records[0], found.masked, written[0], depth - 1, column)
    return RecordOrigin(
        table=str(table),
        match=match or RowMatch.ONE,
        by=by,
        fields=fields,
        rows=tuple(records),
        more=found.truncated,
        version=version.number,
        commit=written[0] if written else None,
        origins=origins,
    )


def _sources(
    ports: VersionPorts,
    lineage: TableLineage,
    record: Mapping[str, object],
    masked: frozenset[str],
    commit: Commit,
    depth: int,
    column: str | None,
) -> tuple[RecordOrigin, ...]:
    fields: dict[str, dict[str, list[str]]] = {}
    copied: dict[str, dict[str, object]] = {}
    for edge in lineage.edges:
        table, target = edge.source.table, edge.target.column
        if column is None or target == column:
            fields.setdefault(table, {}).setdefault(target, []).append(edge.source.column)
        value = record.get(target)
        whole = not edge.source.field and not edge.target.field
        if whole and edge.transformation is Transformation.IDENTITY and value is not None and target not in masked:
            copied.setdefault(table, {})[edge.source.column] = value
    found = []
    for name in sorted(fields):
        made = {target: tuple(sorted(set(sources))) for target, sources in sorted(fields[name].items())}
        found.append(_source(ports, name, copied.get(name, {}), made, commit, depth, column))
    return tuple(found)


def _source(
    ports: VersionPorts,
    name: str,
    by: Mapping[str, object],
    fields: Mapping[str, tuple[str, ...]],
    commit: Commit,
    depth: int,
    column: str | None,
) -> RecordOrigin:
    table = lake_table(name)
    if table is None:
        return RecordOrigin(table=name, match=RowMatch.OUTSIDE, by=by, fields=fields)
    if table not in ports.metadata.tree(commit.id) or not by:
        return RecordOrigin(table=name, match=RowMatch.UNKNOWN, by=by, fields=fields)
    where = {key: _text(value) for key, value in by.items()}
    try:
        found = travel(ports, table, commit.id, where=where, limit=ROWS)
    except (PersonalFilterError, UnknownNameError, FilterValueError):  # not shown, or not what its column can hold
        return RecordOrigin(table=name, match=RowMatch.UNKNOWN, by=by, fields=fields)
    match = RowMatch.NONE if not found.rows else RowMatch.ONE if len(found.rows) == 1 else RowMatch.SEVERAL
    wanted = None
    if column is not None and len(fields.get(column, ())) == 1:
        wanted = fields[column][0]
    return _origin(ports, table, commit.id, by, found, match, fields, depth, wanted)


def _dicts(found: HistoricalRows) -> list[dict[str, object]]:
    return [dict(zip(found.schema.names, row, strict=True)) for row in found.rows]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
