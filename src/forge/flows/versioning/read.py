"""Reading at a revision: tables, queries, diffs between commits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from forge.flows.runs.input_pins import PinnedBranch, at_commit, find_pin, inputs_of, pin_branch
from forge.flows.upkeep.unreadable_metadata import UNREADABLE, UnreadableMetadata
from forge.flows.versioning.revisions import find_commit, find_version
from forge.model.errors import UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CommitId, TableName
from forge.versioning.changes import TableChangeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from forge.flows.ports import Lake
    from forge.flows.runs.engine import Engine, Pin
    from forge.flows.upkeep.ports import Audit
    from forge.flows.versioning.record_ports import CommitHistory, Commits
    from forge.model.schema import Schema
    from forge.model.time import Clock
    from forge.versioning.commit import Commit, TableVersion, Tree

    class AuditedHistory(CommitHistory, Audit, Protocol):
        """What is read from, and where it is noted that it was."""


_VERSION = re.compile(r"(?:(?P<table>[A-Za-z_]\w*\.[A-Za-z_]\w*)@)?v(?P<number>[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class RevisionReader:
    """Pins tables at one revision; without one, at the current branch, foreign writes included."""

    metadata: AuditedHistory
    lake: Lake
    branch: BranchName
    default: BranchName

    def pin(self, table: TableName, at: str | None) -> Pin:
        if at is not None:
            return self._pin_of(table, commit_at(self.metadata, at, self.branch, table).id, at)
        line: PinnedBranch = pin_branch(self.metadata, self.branch, self.default)
        pin = find_pin(table, line, self.lake)
        if pin is None:
            raise UnknownTableError(table, f"on '{self.branch}'", line.tree)
        return pin

    def pins(self, sql: str, at: str | None) -> dict[TableName, Pin]:
        commit = self._commit(at)
        head = commit or pin_branch(self.metadata, self.branch, self.default).head
        known = self.metadata.tree(head) if head is not None else ()
        return {table: self.pin(table, commit) for table in inputs_of(sql, "query", known)}

    def pins_of(self, tables: Iterable[TableName], at: str | None) -> dict[TableName, Pin]:
        commit = self._commit(at)
        return {table: self.pin(table, commit) for table in tables}

    def pins_beside(self, named: Iterable[tuple[TableName, str]]) -> dict[tuple[TableName, str], tuple[Pin, CommitId]]:
        """Tables at revisions that a query names beside them, with the commits that these are; one revision is the
        same commit for all tables."""
        commits: dict[tuple[str, TableName | None], CommitId] = {}
        found = {}
        for table, at in named:
            key = (at, table if _VERSION.fullmatch(at) else None)
            if key not in commits:
                commits[key] = commit_at(self.metadata, at, self.branch, table).id
            found[table, at] = (self._pin_of(table, commits[key], at), commits[key])
        return found

    def _pin_of(self, table: TableName, commit: CommitId, at: str) -> Pin:
        tree = self.metadata.tree(commit)
        pin = at_commit(table, tree, self.lake)
        if pin is None:
            raise UnknownTableError(table, f"at {at}", tree)
        return pin

    def _commit(self, at: str | None) -> CommitId | None:
        """The same for all tables."""
        return commit_at(self.metadata, at, self.branch).id if at is not None else None


class UnknownTableError(UnknownNameError):
    """Of the lake. `known`: the tables that it has there."""

    def __init__(self, table: TableName, where: str, known: Iterable[TableName]) -> None:
        self.table, self.known = str(table), tuple(map(str, known))
        super().__init__(
            f"There is no table {table} {where}",
            why=did_you_mean(self.table, self.known),
            fix="`forge show` lists the tables of the newest commit.",
        )


def commit_at(metadata: CommitHistory, at: str, current: BranchName, table: TableName | None = None) -> Commit:
    """The commit of a revision. `core.orders@v12` is the one that gave the table this version on the current branch;
    so is `v12` where a table is given, unless a branch or a tag has that name."""
    match = _VERSION.fullmatch(at.strip())
    is_ref = match is not None and (metadata.branch(BranchName(at.strip())) or metadata.tag(at.strip()))
    if match is None or is_ref or not (match["table"] or table):
        return find_commit(metadata, at, current)
    named = TableName.parse(match["table"]) if match["table"] else table
    assert named is not None
    return find_version(metadata, named, int(match["number"]), current)


@dataclass(frozen=True, slots=True)
class QueryCaller:
    """The caller of a query, and the channel."""

    name: str
    door: str
    clock: Clock


def query(
    reader: RevisionReader,
    engine: Engine,
    sql: str,
    *,
    at: str | None,
    params: Mapping[str, object],
    limit: int | None,
    asker: QueryCaller,
) -> tuple[Schema, tuple[tuple[object, ...], ...]]:
    """SELECT only: `find_inputs` refuses anything else before Spark is used, and the engine judges what it parses."""
    from forge.flows.upkeep.query_audit import audited

    return audited(
        reader.metadata,
        asker.clock,
        asker.name,
        asker.door,
        sql,
        lambda: inputs_of(sql, "query"),
        lambda: engine.query(sql, reader.pins(sql, at), params, limit),
        lambda found: {"rows": len(found[1])},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChange:
    """How a table differs between two commits, from metadata alone."""

    table: TableName
    change: TableChangeKind
    rows_before: int
    rows_after: int
    bytes_before: int
    bytes_after: int
    versions: int  # how many versions lie between
    columns_added: tuple[str, ...] = ()
    columns_removed: tuple[str, ...] = ()
    columns_retyped: tuple[str, ...] = ()


def diff_stat(metadata: Commits, lake: Lake, left: Commit, right: Commit) -> tuple[TableChange, ...]:
    before, after = metadata.tree(left.id), metadata.tree(right.id)
    changes = []
    for table in sorted({*before, *after}):
        old, new = before.get(table), after.get(table)
        if _same(old, new):
            continue
        changes.append(_change(lake, table, old, new))
    return tuple(changes)


def _same(old: TableVersion | None, new: TableVersion | None) -> bool:
    if old is None or new is None:
        return False
    return (old.uuid, old.snapshot_id, old.metadata_location) == (new.uuid, new.snapshot_id, new.metadata_location)


def _change(lake: Lake, table: TableName, old: TableVersion | None, new: TableVersion | None) -> TableChange:
    rows, sizes, schemas = [], [], []
    for version in (old, new):
        found = None
        try:
            if version is not None and version.snapshot_id is not None:
                found = lake.snapshot(version.catalog, version.snapshot_id)
        except UnreadableMetadata:
            return TableChange(
                table=table, change=UNREADABLE, rows_before=0, rows_after=0, bytes_before=0, bytes_after=0, versions=0
            )
        rows.append(found.statistics.record_count if found else 0)
        sizes.append(found.statistics.total_size if found else 0)
        schemas.append({c.name: c.type for c in found.schema.columns} if found else {})
    first, second = schemas
    both = old is not None and new is not None
    return TableChange(
        table=table,
        change="changed" if both else ("added" if new is not None else "removed"),
        rows_before=rows[0],
        rows_after=rows[1],
        bytes_before=sizes[0],
        bytes_after=sizes[1],
        versions=abs((new.number if new else 0) - (old.number if old else 0)),
        columns_added=tuple(n for n in second if n not in first) if both else (),
        columns_removed=tuple(n for n in first if n not in second) if both else (),
        columns_retyped=tuple(f"{n}: {first[n]} → {second[n]}" for n in second if n in first and first[n] != second[n]),
    )


def table_at(tree: Tree, table: TableName) -> TableVersion:
    version = tree.get(table)
    if version is None:
        raise UnknownNameError(f"There is no table {table}", why=did_you_mean(str(table), map(str, tree)))
    return version
