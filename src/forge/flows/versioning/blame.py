"""Blame: which commit, and which run, last wrote a row and each of its cells.

The history is walked from the newest commit back. The value of a cell is constant along the walk, so it is enough to
check at each commit that touched the table whether a parent has the row with the same value. Only files that the
commit added or removed, and whose bounds may include one of the keys, are opened."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from forge.flows.catalog.sample import version_at
from forge.flows.versioning.diff import choose_key
from forge.flows.versioning.key_check import with_remembered_key
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.revisions import find_commit
from forge.flows.versioning.tables import TableFiles
from forge.model.errors import UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CommitId, TableName
from forge.versioning.commit import Author, Commit, TableVersion, same
from forge.versioning.errors import IncomparableError, NothingToDoError
from forge.versioning.graph import generations

if TYPE_CHECKING:
    from forge.flows.versioning.blame_rows import BlameRows

Key = tuple[object, ...]
Cell = tuple[Key, int | str]
"""A key and the id of a column."""


@dataclass(frozen=True, slots=True)
class BlameOrigin:
    """The commit and run that wrote a row or cell."""

    commit: CommitId
    time: datetime
    author: Author
    message: str
    run_id: str | None

    def to_dict(self) -> dict[str, object]:
        return {
            "commit": self.commit,
            "run_id": self.run_id,
            "author": self.author.text,
            "time": self.time,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class RowBlame:
    key: Mapping[str, object]
    row: BlameOrigin  # the newest of its cells
    cells: Mapping[str, BlameOrigin]

    def to_dict(self) -> dict[str, object]:
        cells = [{"column": name, **by.to_dict()} for name, by in self.cells.items()]
        return {"key": dict(self.key), **self.row.to_dict(), "cells": cells}


@dataclass(frozen=True, slots=True)
class Blame:
    table: TableName
    commit: CommitId
    key: tuple[str, ...]
    rows: tuple[RowBlame, ...]
    truncated: bool = False  # there are more rows

    def to_dict(self) -> dict[str, object]:
        return {
            "table": str(self.table),
            "commit": self.commit,
            "key": list(self.key),
            "rows": [row.to_dict() for row in self.rows],
            "truncated": self.truncated,
        }


def blame(
    ports: VersionPorts,
    table: TableName,
    *,
    at: str = "HEAD",
    key: Mapping[str, object] | None = None,
    columns: Sequence[str] | None = None,
    limit: int = 100,
    current: BranchName | None = None,
) -> Blame:
    """Of the rows with these values in key columns, else of the first by key."""
    from forge.flows.versioning.blame_rows import BlameRows

    head = find_commit(ports.metadata, at, current or ports.default_branch)
    version = version_at(ports.metadata.tree(head.id), table, at)
    files = _files(ports, table, version)
    names = _key(ports, table, files, key)
    wanted = _columns(table, files, columns)
    rows = BlameRows(ports, table, names, version.uuid, files.fields)
    found = rows.first(files, key or {}, limit + 1)
    if key is not None and not found:
        shown = ", ".join(f"{name}={value}" for name, value in key.items())
        raise UnknownNameError(f"{table} has no row with {shown} at {at}", fix="Look at another revision with --at.")
    shown_rows = dict(list(found.items())[:limit])
    ids = {f.name: f.id for f in files.fields}
    walk = _Walk(ports, table, rows, shown_rows)
    walk.run(head, version, [(each, ids[name]) for each in shown_rows for name in wanted])
    blamed = tuple(_row(walk, each, names, wanted, ids) for each in shown_rows)
    return Blame(table, head.id, names, blamed, len(found) > limit)


def _files(ports: VersionPorts, table: TableName, version: TableVersion) -> TableFiles:
    if version.snapshot_id is None:
        raise NothingToDoError(
            f"{table} is a view, and holds no rows of its own",
            fix="Ask for the blame of a table it reads.",
        )
    return with_remembered_key(version, ports.tables.files(version.catalog, version.snapshot_id))


def _key(
    ports: VersionPorts, table: TableName, files: TableFiles, given: Mapping[str, object] | None
) -> tuple[str, ...]:
    known = [f.name for f in files.fields]
    for name in given or ():
        if name not in known:
            raise UnknownNameError(
                f"{table} has no column {name}",
                why=did_you_mean(name, known),
                fix=f"It has {', '.join(known)}.",
            )
    key = choose_key(ports, table, None, (files,)) or tuple(given or ())
    if not key:
        raise IncomparableError(
            "E613",
            f"{table} has no key to follow its rows by",
            why="Neither the call, nor the project, nor the table itself says what tells its rows apart.",
            fix=f"Give --key id=1, or versioning.keys: {{{table}: [id]}} in forge.yaml.",
        )
    return key


def _columns(table: TableName, files: TableFiles, columns: Sequence[str] | None) -> list[str]:
    known = [f.name for f in files.fields]
    for name in columns or ():
        if name not in known:
            raise UnknownNameError(f"{table} has no column {name}", why=did_you_mean(name, known))
    return list(columns) if columns else known


@dataclass(slots=True)
class _Walk:
    """Cells followed back through the history, until the commit that wrote each is found."""

    ports: VersionPorts
    table: TableName
    rows: BlameRows
    values: Mapping[Key, Mapping[int | str, object]]  # of the rows, by the ids of columns
    found: dict[Cell, Commit] = field(default_factory=dict)

    def run(self, head: Commit, version: TableVersion, cells: Iterable[Cell]) -> None:
        metadata = self.ports.metadata
        parents = metadata.ancestry([head.id])
        age = generations(parents)
        touching = metadata.touching(self.table)
        pending: dict[CommitId, set[Cell]] = {head.id: set(cells)}
        queue = [(-age[head.id], head.id)]
        while queue:  # children before their parents: all that reaches a commit is there when its turn comes
            _, at = heapq.heappop(queue)
            here = pending.pop(at, set())
            if not here:
                continue
            above = parents.get(at, ())
            shared = {above[0]: here} if above and at not in touching else self._settle(at, above, here)
            for parent, rest in shared.items():
                if parent not in pending:
                    heapq.heappush(queue, (-age[parent], parent))
                pending.setdefault(parent, set()).update(rest)

    def _settle(self, at: CommitId, above: Sequence[CommitId], cells: set[Cell]) -> dict[CommitId, set[Cell]]:
        """The parent each cell comes from; cells that come from none were written here."""
        metadata = self.ports.metadata
        version = metadata.tree(at).get(self.table)
        passed: dict[CommitId, set[Cell]] = {}
        left = set(cells)
        for parent in above:
            older = metadata.tree(parent).get(self.table)
            if not left or version is None or older is None or older.snapshot_id is None:
                continue
            known = left if same(version, older) else self._unchanged(version, older, left)
            if known:
                passed[parent] = set(known)
                left -= known
        commit = metadata.commit(at) if left else None
        if commit is not None:
            self.found |= dict.fromkeys(left, commit)
        return passed

    def _unchanged(self, version: TableVersion, older: TableVersion, cells: set[Cell]) -> set[Cell]:
        keys = list(dict.fromkeys(key for key, _ in cells))
        before = self.rows.before(version, older, keys)
        return {
            (key, column)
            for key, column in cells
            if key in before and before[key].has(column, self.values[key][column])
        }


def _row(
    walk: _Walk, key: Key, names: tuple[str, ...], wanted: Sequence[str], ids: Mapping[str, int | str]
) -> RowBlame:
    commits = {name: walk.found[key, ids[name]] for name in wanted}
    newest = max(commits.values(), key=lambda commit: commit.time)
    cells = {name: _written(commit) for name, commit in commits.items()}
    return RowBlame(dict(zip(names, key, strict=True)), _written(newest), cells)


def _written(commit: Commit) -> BlameOrigin:
    run_id = commit.metadata.get("run_id")
    return BlameOrigin(commit.id, commit.time, commit.author, commit.message, str(run_id) if run_id else None)
