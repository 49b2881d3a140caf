"""Impact of failed columns of a run: their origin upstream and the columns downstream that were spared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from forge.flows.runs.records import OutputStatus, RunRecord, TableLineage, published_by
from forge.lineage.graph.graph import Graph
from forge.model.errors import ForgeError
from forge.model.names import ColumnName, CommitId, RunId, TableName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from forge.flows.runs.ports import Runs
    from forge.flows.runs.project import Project
    from forge.flows.runs.run import RunResult
    from forge.flows.versioning.record_ports import Commits
    from forge.lineage.edge import Edge
    from forge.quality.verdict import Verdict
    from forge.versioning.commit import Commit, Tree

    class _Records(Commits, Runs, Protocol): ...


@dataclass(frozen=True, slots=True)
class SparedColumn:
    column: ColumnName
    owner: str | None


@dataclass(frozen=True, slots=True)
class BlockedColumn:
    """One blocked column: its origin, the commit that introduced the failure, and the columns downstream that were
    spared."""

    verdict: Verdict
    column: ColumnName  # its `column` is empty where the check is of the whole table
    origin: ColumnName | None
    commit: Commit | None  # the commit that brought the data in
    spared: tuple[SparedColumn, ...]
    origin_table: str | None = None


@dataclass(frozen=True, slots=True)
class ColumnTrace:
    """The path of one column, or of a whole table, through the lineage."""

    origin: ColumnName | None
    origin_table: str | None
    reached: tuple[ColumnName, ...]  # nearest first


def lineage_at(metadata: Runs, tree: Tree) -> tuple[TableLineage, ...]:
    """The lineage of the versions of a tree. Lineage that a run recorded for unpublished outputs is excluded."""
    runs = {RunId(v.run_id): set[TableName]() for v in tree.values() if v.run_id}
    for table, version in tree.items():
        if version.run_id:
            runs[RunId(version.run_id)].add(table)
    return tuple(lineage for run_id, lineage in metadata.lineage(runs) if lineage.table in runs[run_id])


def edges_at(metadata: Runs, tree: Tree) -> tuple[Edge, ...]:
    """The column edges of the versions of a tree."""
    return tuple(edge for lineage in lineage_at(metadata, tree) for edge in lineage.edges)


def graph_of(published: Iterable[TableLineage], attempted: Iterable[TableLineage] = ()) -> Graph:
    """`attempted`: lineage of tables that a run made and held back; it replaces that of their published versions."""
    newer = {lineage.table: lineage for lineage in attempted}
    used = [lineage for lineage in published if lineage.table not in newer] + list(newer.values())
    return Graph.of(
        (edge for lineage in used for edge in lineage.edges),
        (edge for lineage in used for edge in lineage.table_edges),
        (edge for lineage in used for edge in lineage.indirect),
    )


def find_incidents(
    result: RunResult, project: Project, metadata: _Records, tree: Tree, head: CommitId | None
) -> tuple[BlockedColumn, ...]:
    """`tree` and `head`: the branch after the run. Unpublished outputs of the run are traced too."""
    blocked = {o.table for o in result.run.outputs if o.status is OutputStatus.BLOCKED}
    if not blocked:
        return ()
    graph = graph_of(lineage_at(metadata, tree), (one for one in result.lineage if one.table in blocked))
    incidents = []
    for verdict, column in blocking(result.verdicts, blocked):
        traced = trace(graph, column, tree, published_by(result.run))
        commit = commit_behind(metadata, head, traced.origin_table, result.run, result.commit)
        spared = tuple(SparedColumn(c, project.owner(TableName.parse(c.table))) for c in traced.reached)
        incidents.append(BlockedColumn(verdict, column, traced.origin, commit, spared, traced.origin_table))
    return tuple(incidents)


def blocking(verdicts: Iterable[Verdict], blocked: Collection[TableName]) -> list[tuple[Verdict, ColumnName]]:
    """One for each column of each verdict that blocked one of these tables."""
    return [
        (verdict, ColumnName(verdict.table, name))
        for verdict in verdicts
        if verdict.blocks and TableName.parse(verdict.table) in blocked
        for name in verdict.columns or ("",)
    ]


def commit_behind(
    metadata: Commits, head: CommitId | None, table: str | None, run: RunRecord, commit: Commit | None
) -> Commit | None:
    """The commit of the table version that the run read: the run's own, if it published the table."""
    name = lake_table(table) if table else None
    if name is None:
        return None
    if commit is not None and name in published_by(run):
        return commit
    touching = metadata.log(head, limit=1, table=name, until=run.started_at) if head else ()
    return touching[0] if touching else None


def trace(graph: Graph, column: ColumnName, tree: Tree, changed: Collection[TableName]) -> ColumnTrace:
    """The origin is the farthest column upstream: preferably of a table that just changed, else of any in the lake,
    else of an external source."""
    before = _reach(graph, column, "upstream")
    known = [(c, name) for c in before if (name := lake_table(c.table)) is not None and name in tree]
    new = [c for c, name in known if name in changed]
    origins = new or [c for c, _ in known] or list(before)
    origin = origins[-1] if origins else None
    reached = tuple(c for c in _reach(graph, column, "downstream") if lake_table(c.table) is not None)
    return ColumnTrace(origin if column.column else None, origin.table if origin else None, reached)


def _reach(graph: Graph, column: ColumnName, direction: str) -> tuple[ColumnName, ...]:
    """Nearest first."""
    start = str(column) if column.column else column.table
    try:
        found = graph.downstream(start) if direction == "downstream" else graph.upstream(start)
    except ForgeError:
        return ()
    return tuple(ColumnName(item.table, item.column) for item in found.items if item.column)


def lake_table(text: str) -> TableName | None:
    """None for an entity outside the lake."""
    try:
        return TableName.parse(text)
    except ForgeError:
        return None
