"""Commits and their trees in SQL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, func, or_, select
from sqlalchemy.sql.selectable import CTE

from forge.flows.runs.records import LoadedFile
from forge.model.lru_cache import LruCache
from forge.model.names import CatalogName, CommitId, TableName
from forge.stores.refusals import no_commit
from forge.stores.sql import rows, tables
from forge.stores.sql.database import reading
from forge.stores.sql.record_columns import record_of
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import batches, find_rows
from forge.stores.sql.versioning.log_order import newest_first
from forge.versioning.commit import Commit, Tree

_COMMITS, _TREES = 2000, 100  # kept in the process: a commit never changes


class SqlCommits(SqlRecords):
    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._commits: LruCache[CommitId, Commit] = LruCache(_COMMITS)
        self._trees: LruCache[CommitId, Tree] = LruCache(_TREES)

    def commit(self, commit_id: CommitId) -> Commit | None:
        return self.commits([commit_id]).get(commit_id)

    def commits(self, ids: Iterable[CommitId]) -> dict[CommitId, Commit]:
        wanted = list(dict.fromkeys(ids))
        found = self._commits.take(wanted)
        missing = [commit_id for commit_id in wanted if commit_id not in found]
        if missing:
            with reading(self._engine) as connection:
                new = _commits(connection, missing)
            self._commits.keep(new)
            found |= new
        return found

    def find_commits(self, prefix: str) -> tuple[CommitId, ...]:
        column = tables.commits.c.id
        query = select(column).where(column.startswith(prefix.lower(), autoescape=True)).order_by(column)
        return tuple(CommitId(row["id"]) for row in self._all(query))

    def tree(self, commit_id: CommitId | None) -> Tree:
        """Trees are stored as committed; the catalog row of a table may change at any time."""
        if commit_id is None:
            return {}
        tree = self.recorded_tree(commit_id)
        homes = self._homes() if tree else {}
        moved = {
            name: replace(version, catalog=homes[version.uuid])
            for name, version in tree.items()
            if version.uuid in homes
        }
        return MappingProxyType({**tree, **moved}) if moved else tree

    def recorded_tree(self, commit_id: CommitId) -> Tree:
        known = self._trees.take([commit_id])
        if known:
            return known[commit_id]
        query = (
            select(tables.trees.c.body)
            .join(tables.commits, tables.commits.c.tree_id == tables.trees.c.id)
            .where(tables.commits.c.id == commit_id)
        )
        found = self._all(query)
        if not found:
            raise no_commit(commit_id)
        tree = MappingProxyType(rows.tree_of(found[0]["body"]))
        self._trees.keep({commit_id: tree})
        return tree

    def log(
        self,
        head: CommitId,
        *,
        limit: int | None = None,
        table: TableName | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        author: str | None = None,
    ) -> tuple[Commit, ...]:
        with reading(self._engine) as connection:
            wanted = _wanted(connection, table, since, until, author)
            ids: list[CommitId] = []
            for commit_id in newest_first(head, *_ancestry(connection, head)):
                if limit is not None and len(ids) >= limit:
                    break
                if wanted is None or commit_id in wanted:
                    ids.append(commit_id)
            found = _commits(connection, ids)
        return tuple(found[commit_id] for commit_id in ids)

    def ancestry(self, heads: Iterable[CommitId]) -> dict[CommitId, tuple[CommitId, ...]]:
        ancestors, p = _ancestors(*heads), tables.commit_parents.c
        query = select(ancestors.c.id, p.parent_id).outerjoin(tables.commit_parents, p.commit_id == ancestors.c.id)
        found: dict[CommitId, tuple[CommitId, ...]] = {}
        with reading(self._engine) as connection:
            for commit_id, parent in connection.execute(query.order_by(ancestors.c.id, p.position)):
                found[commit_id] = (*found.get(commit_id, ()), *((parent,) if parent else ()))
        return found

    def touching(self, table: TableName) -> frozenset[CommitId]:
        t = tables.commit_tables.c
        return frozenset(row["commit_id"] for row in self._all(select(t.commit_id).where(t.table_name == str(table))))

    def loaded_files(self, table: TableName, head: CommitId | None) -> frozenset[LoadedFile]:
        if head is None:
            return frozenset()
        t = tables.loaded_files
        ancestors = _ancestors(head)
        query = select(t).join(ancestors, ancestors.c.id == t.c.commit_id).where(t.c.table_name == str(table))
        return frozenset(record_of(LoadedFile, row) for row in self._all(query))

    def _homes(self) -> dict[str, CatalogName]:
        """All of them: only tables that were created on another branch, or left the default one, have any."""
        return {row["uuid"]: CatalogName(row["namespace"], row["name"]) for row in self._all(select(tables.homes))}


def _ancestors(*heads: CommitId) -> CTE:
    """Ids of the heads and all their ancestors."""
    c = tables.commits.c
    p = tables.commit_parents.c
    start = select(c.id).where(c.id.in_(heads)).cte("ancestors", recursive=True)
    return start.union(select(p.parent_id).join(start, start.c.id == p.commit_id))


def _ancestry(
    connection: Connection, head: CommitId
) -> tuple[dict[CommitId, datetime], dict[CommitId, list[CommitId]]]:
    ancestors = _ancestors(head)
    c, p = tables.commits.c, tables.commit_parents.c
    times = {
        CommitId(commit_id): time
        for commit_id, time in connection.execute(select(c.id, c.time).join(ancestors, ancestors.c.id == c.id))
    }
    if head not in times:
        raise no_commit(head)
    parents: dict[CommitId, list[CommitId]] = defaultdict(list)
    links = select(p.commit_id, p.parent_id).join(ancestors, ancestors.c.id == p.commit_id).order_by(p.position)
    for commit_id, parent in connection.execute(links):
        parents[commit_id].append(parent)
    return times, parents


def _wanted(
    connection: Connection,
    table: TableName | None,
    since: datetime | None,
    until: datetime | None,
    author: str | None,
) -> frozenset[str] | None:
    """Ids of all commits that pass the filters, of any branch; None where there is no filter."""
    c = tables.commits.c
    filters: list[ColumnElement[bool]] = []
    if since is not None:
        filters.append(c.time >= since)
    if until is not None:
        filters.append(c.time <= until)
    if author is not None:
        part = author.lower()
        names = (c.author_name, c.author_email)
        filters.append(or_(*(func.lower(name).contains(part, autoescape=True) for name in names)))
    if table is not None:
        t = tables.commit_tables.c
        filters.append(c.id.in_(select(t.commit_id).where(t.table_name == str(table))))
    if not filters:
        return None
    return frozenset(connection.execute(select(c.id).where(*filters)).scalars())


def _commits(connection: Connection, ids: Sequence[CommitId]) -> dict[CommitId, Commit]:
    heads: list[Mapping[str, Any]] = []
    parents: dict[str, list[CommitId]] = defaultdict(list)
    statistics: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for some in batches(ids):
        c, p, s = tables.commits, tables.commit_parents, tables.commit_tables
        heads += find_rows(connection, select(c).where(c.c.id.in_(some)))
        for row in find_rows(connection, select(p).where(p.c.commit_id.in_(some)).order_by(p.c.position)):
            parents[row["commit_id"]].append(CommitId(row["parent_id"]))
        for row in find_rows(connection, select(s).where(s.c.commit_id.in_(some))):
            statistics[row["commit_id"]].append(row)
    return {CommitId(row["id"]): rows.commit_of(row, parents[row["id"]], statistics[row["id"]]) for row in heads}
