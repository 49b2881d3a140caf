"""A few rows of a table or view at a revision, personal data masked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.flows.catalog.personal_data import PersonalAt
from forge.flows.ports import Lake
from forge.flows.runs.engine import Engine
from forge.flows.versioning.read import RevisionReader
from forge.flows.versioning.revisions import find_commit
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CommitId, TableName
from forge.model.schema import Schema
from forge.versioning.commit import TableVersion, Tree

if TYPE_CHECKING:
    from forge.flows.versioning.read import AuditedHistory


@dataclass(frozen=True, slots=True)
class Sample:
    commit_id: CommitId
    schema: Schema
    masked: frozenset[str]  # columns whose values are not here
    rows: tuple[tuple[object, ...], ...]
    truncated: bool


def sample_rows(
    metadata: AuditedHistory,
    lake: Lake,
    engine: Callable[[], Engine],
    personal: PersonalAt,
    table: TableName,
    at: str,
    *,
    default: BranchName,
    limit: int,
) -> Sample:
    """Rows of a table come from its files; `engine` is used only for a view, or for files that need it."""
    commit = find_commit(metadata, at, default)
    tree = metadata.tree(commit.id)
    version = version_at(tree, table, at)
    hidden = personal(commit.id)
    hidden.refuse_rows(table)
    masked = hidden.of(table)
    found = None if version.kind == "view" else _from_files(lake, table, version, masked, limit + 1)
    if found is None:
        reader = RevisionReader(metadata, lake, default, default)
        sql = f"SELECT * FROM {table.schema}.{table.name}"  # noqa: S608  a parsed name: letters, digits, underscores
        pins = reader.pins(sql, commit.id)
        for pin in pins.values():
            hidden.refuse_pinned(pin)
        found = engine().query(sql, pins, {}, limit + 1)
    schema, rows = found
    names = frozenset(name for name in schema.names if name.lower() in masked)
    return Sample(
        commit.id, schema, names, tuple(_blank(row, schema, names) for row in rows[:limit]), len(rows) > limit
    )


def version_at(tree: Tree, table: TableName, at: str) -> TableVersion:
    version = tree.get(table)
    if version is None:
        raise UnknownNameError(
            f"There is no table {table} at {at}",
            why=did_you_mean(str(table), map(str, tree)),
            fix="`forge show` lists the tables of a commit.",
        )
    return version


def _from_files(
    lake: Lake, table: TableName, version: TableVersion, masked: frozenset[str], limit: int
) -> tuple[Schema, tuple[tuple[object, ...], ...]] | None:
    """Masked columns are not even read. None: only an engine can read it."""
    state = lake.snapshot(version.catalog, version.snapshot_id) if version.snapshot_id is not None else None
    if state is None:
        raise ForgeError(
            "E410",
            f"The rows of {table} v{version.number} are gone",
            why=f"Snapshot {version.snapshot_id} was expired, or the table replaced, by something other than Forge.",
            fix="Look at a newer commit; `forge doctor` tells what else is missing.",
        )
    read = [name for name in state.schema.names if name.lower() not in masked]
    rows = lake.rows(version.catalog, state.snapshot_id, read, limit)
    if rows is None:
        return None
    whole = (dict(zip(read, row, strict=True)) for row in rows)
    return state.schema, tuple(tuple(row.get(name) for name in state.schema.names) for row in whole)


def _blank(row: tuple[object, ...], schema: Schema, masked: frozenset[str]) -> tuple[object, ...]:
    return tuple(None if name in masked else value for name, value in zip(schema.names, row, strict=True))
