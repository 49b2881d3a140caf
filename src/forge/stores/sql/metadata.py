"""Forge's records in SQL: `SqlMetadata` is the Metadata port on SQLite and PostgreSQL."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, func, insert, or_, select, update
from sqlalchemy.sql.selectable import CTE

from forge.flows.runs.records import (
    Advance,
    AssetRecord,
    AuditRecord,
    LoadedFile,
    Moved,
    ProfileRecord,
    Publication,
    Published,
    RunRecord,
    TableLineage,
)
from forge.model.lru_cache import Recent
from forge.model.names import CommitId, RunId, SnapshotId, TableName
from forge.stores.refusals import no_commit
from forge.stores.sql import rows, tables
from forge.stores.sql.database import reading, writing
from forge.stores.sql.publish import (
    PointerMoved,
    write_advance,
    write_lineage,
    write_publication,
    write_run,
    write_verdicts,
)
from forge.stores.sql.statements import batches, find_rows
from forge.stores.sql.versioning.log_order import newest_first
from forge.stores.sql.versioning.refs import SqlVersions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from forge.flows.ports import Seam
    from forge.quality.verdict import Verdict
    from forge.versioning.commit import Commit, Tree

_COMMITS, _TREES = 2000, 100  # kept in the process: a commit never changes


class SqlMetadata(SqlVersions):
    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._commits: Recent[CommitId, Commit] = Recent(_COMMITS)
        self._trees: Recent[CommitId, Tree] = Recent(_TREES)
        self.published: Callable[[], None] = lambda: None  # called after a branch has moved

    # commits

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
        """Trees are kept as they were committed: where a table stands may change at any time."""
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

    # runs

    def start_run(self, run: RunRecord) -> None:
        with writing(self._engine) as connection:
            write_run(connection, run)

    def enter_step(self, run_id: RunId, step: str) -> None:
        with writing(self._engine) as connection:
            connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(step=step))

    def finish_run(
        self,
        run: RunRecord,
        verdicts: Sequence[Verdict],
        audit: Sequence[AuditRecord],
        lineage: Sequence[TableLineage] = (),
    ) -> None:
        with writing(self._engine) as connection:
            write_run(connection, run)
            write_verdicts(connection, run.id, verdicts)
            write_lineage(connection, run.id, None, lineage)
            if audit:
                connection.execute(tables.audit.insert(), [rows.audit_row(record) for record in audit])

    def lineage(self, run_ids: Iterable[RunId]) -> tuple[tuple[RunId, TableLineage], ...]:
        wanted = list(dict.fromkeys(run_ids))
        with reading(self._engine) as connection:
            edges = _by_output(connection, tables.edges, wanted)
            table_edges = _by_output(connection, tables.table_edges, wanted)
        keys = sorted(set(edges) | set(table_edges), key=lambda key: (wanted.index(key[0]), key[1]))
        return tuple(
            (run_id, rows.lineage_of(rows.table_of(output), edges[run_id, output], table_edges[run_id, output]))
            for run_id, output in keys
        )

    def assets(self) -> tuple[AssetRecord, ...]:
        return tuple(
            rows.asset_of(row) for row in self._all(select(tables.assets).order_by(tables.assets.c.table_name))
        )

    def profile(self, table: TableName, snapshot_id: SnapshotId) -> ProfileRecord | None:
        t = tables.profiles.c
        query = select(t.readings).where(t.table_name == str(table), t.snapshot_id == snapshot_id)
        found = self._all(query.order_by(t.id.desc()).limit(1))
        return ProfileRecord(table, snapshot_id, found[0]["readings"]) if found else None

    def loaded_files(self, table: TableName, head: CommitId | None) -> frozenset[LoadedFile]:
        if head is None:
            return frozenset()
        t = tables.loaded_files
        ancestors = _ancestors(head)
        query = select(t).join(ancestors, ancestors.c.id == t.c.commit_id).where(t.c.table_name == str(table))
        return frozenset(rows.loaded_of(row) for row in self._all(query))

    def audit(self, *, limit: int = 100) -> tuple[AuditRecord, ...]:
        """Newest first."""
        query = select(tables.audit).order_by(tables.audit.c.id.desc()).limit(limit)
        return tuple(rows.audit_of(row) for row in self._all(query))

    def note(self, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            connection.execute(insert(tables.audit), [rows.audit_row(audit)])

    def publish(self, publication: Publication, seam: Seam) -> Published | Moved:
        try:
            with writing(self._engine, durable=True) as connection:
                write_publication(connection, publication, seam)
        except PointerMoved as news:
            return news.moved
        self.published()
        return Published(publication.commit.id)

    def advance(self, advance: Advance, seam: Seam) -> Published | Moved:
        try:
            with writing(self._engine, durable=True) as connection:
                write_advance(connection, advance, seam)
        except PointerMoved as news:
            return news.moved
        self.published()
        return Published(advance.head)


def _ancestors(*heads: CommitId) -> CTE:
    """Ids of the heads and of all they descend from."""
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
    """Ids of all commits the filters let through, of whatever branch; None where there is no filter."""
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


def _by_output(
    connection: Connection, table: Table, run_ids: Sequence[RunId]
) -> dict[tuple[RunId, str], list[Mapping[str, Any]]]:
    found: dict[tuple[RunId, str], list[Mapping[str, Any]]] = defaultdict(list)
    for some in batches(run_ids):
        query = select(table).where(table.c.run_id.in_(some)).order_by(table.c.id)
        for row in find_rows(connection, query):
            found[RunId(row["run_id"]), row["output"]].append(row)
    return found
