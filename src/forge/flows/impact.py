"""Who is hit: from the failed columns of a run back to where their data came in, and on to who would have got it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forge.flows.ports import Metadata
from forge.flows.project import Project
from forge.flows.records import OutputStatus
from forge.flows.run import RunResult
from forge.lineage.edge import Edge
from forge.lineage.graph import Graph
from forge.model.errors import ForgeError
from forge.model.names import ColumnName, CommitId, RunId, TableName
from forge.quality.verdict import Verdict
from forge.versioning.commit import Commit, Tree


@dataclass(frozen=True, slots=True)
class Spared:
    column: ColumnName
    owner: str | None


@dataclass(frozen=True, slots=True)
class Incident:
    """One blocked column: where it came from, since which commit, and which columns downstream were spared."""

    verdict: Verdict
    column: ColumnName
    origin: ColumnName | None
    commit: Commit | None  # the commit that brought the data in
    spared: tuple[Spared, ...]


def edges_at(metadata: Metadata, tree: Tree) -> tuple[Edge, ...]:
    """The column edges behind the versions of a tree."""
    runs = {RunId(v.run_id): set[TableName]() for v in tree.values() if v.run_id}
    for table, version in tree.items():
        if version.run_id:
            runs[RunId(version.run_id)].add(table)
    found = metadata.lineage(runs)
    return tuple(edge for run_id, lineage in found if lineage.table in runs[run_id] for edge in lineage.edges)


def find_incidents(
    result: RunResult, project: Project, metadata: Metadata, tree: Tree, head: CommitId | None
) -> tuple[Incident, ...]:
    """`tree` and `head` are the branch after the run. What the run made but did not publish is traced too."""
    made = tuple(edge for lineage in result.lineage for edge in lineage.edges)
    graph = Graph(edges_at(metadata, tree) + made)
    blocked = {o.table for o in result.run.outputs if o.status is OutputStatus.BLOCKED}
    incidents = []
    for verdict in result.verdicts:
        table = TableName.parse(verdict.table)
        if not verdict.blocks or table not in blocked:
            continue
        for name in verdict.columns or ("",):
            column = ColumnName(str(table), name)
            incidents.append(_incident(verdict, column, graph, project, metadata, tree, head))
    return tuple(incidents)


def _incident(
    verdict: Verdict,
    column: ColumnName,
    graph: Graph,
    project: Project,
    metadata: Metadata,
    tree: Tree,
    head: CommitId | None,
) -> Incident:
    hit = _reach(graph, column, "downstream")
    origins = [c for c in _reach(graph, column, "upstream") if _is_lake_table(c, tree)]
    origin = origins[-1] if origins else None
    commit = None
    if origin and head:
        touching = metadata.log(head, limit=1, table=TableName.parse(origin.table))
        commit = touching[0] if touching else None
    spared = tuple(Spared(c, project.owner(TableName.parse(c.table))) for c in hit)
    return Incident(verdict, column, origin, commit, spared)


def _reach(graph: Graph, column: ColumnName, direction: str) -> tuple[ColumnName, ...]:
    """Nearest first."""
    try:
        found = graph.downstream(column) if direction == "downstream" else graph.upstream(column)
    except ForgeError:
        return ()
    return tuple(ColumnName(item.table, item.column) for item in found.items if item.column)


def _is_lake_table(column: ColumnName, tree: Mapping[TableName, object]) -> bool:
    try:
        return TableName.parse(column.table) in tree
    except ForgeError:
        return False
