"""Root cause and impact of a failure from the lineage of its branch: the first dataset upstream with failed checks, and
the columns downstream with their owners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from forge.flows.quality.incidents.impact import lake_table
from forge.flows.quality.incidents.open_incidents import graph_with
from forge.flows.quality.incidents.ports import AlertPorts
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.traversal import ReachedNode
from forge.model.errors import ForgeError
from forge.model.names import BranchName, ColumnName, TableName
from forge.quality.alerts.alert import RANKS, AlertState, AlertStatus
from forge.quality.alerts.notice import MOST_HIT, AffectedColumn, Cause
from forge.quality.verdict import Verdict

Above = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class FailureReach:
    """`upstream`: tables, nearest first. `columns`: the columns reached there, by table."""

    hit: tuple[AffectedColumn, ...] = ()
    hit_count: int = 0
    upstream: tuple[str, ...] = ()
    columns: Mapping[str, frozenset[str]] | None = None
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class FailureLineage:
    """The current lineage of a branch, including the newest attempts; read once per judgement."""

    graph: Graph
    failing: tuple[AlertState, ...]
    owners: Mapping[TableName, str | None]
    owner: Callable[[TableName], str | None]

    def of(self, verdict: Verdict) -> FailureReach:
        starts = [str(ColumnName(verdict.table, name)) for name in verdict.columns] or [verdict.table]
        down = self._columns(starts, "downstream", verdict.table)
        up = self._columns(starts, "upstream", verdict.table)
        tables = self._tables(verdict.table)
        hit = tuple(AffectedColumn(str(column), self._owner(column.table)) for column in down[:MOST_HIT])
        met: dict[str, set[str]] = {}
        for column in up:
            met.setdefault(column.table, set()).add(column.column)
        columns = {table: frozenset(names) for table, names in met.items()}
        cause = pick_cause(tables, self.failing, self._tables, columns)
        return FailureReach(hit, len(down), tables, columns, cause)

    def _owner(self, table: str) -> str | None:
        name = lake_table(table)
        return (self.owners.get(name) or self.owner(name)) if name is not None else None

    def _columns(self, starts: Iterable[str], way: str, own: str) -> list[ColumnName]:
        found: dict[ColumnName, int] = {}
        for start in starts:
            for item in self._walk(start, way):
                if item.column and item.table != own and lake_table(item.table) is not None:
                    name = ColumnName(item.table, item.column)
                    found[name] = min(item.depth, found.get(name, item.depth))
        return sorted(found, key=lambda name: (found[name], str(name)))

    def _tables(self, table: str) -> tuple[str, ...]:
        """Upstream, nearest first."""
        depths: dict[str, int] = {}
        for item in self._walk(table, "upstream"):
            if item.table != table:
                depths[item.table] = min(item.depth, depths.get(item.table, item.depth))
        return tuple(sorted(depths, key=lambda name: (depths[name], name)))

    def _walk(self, start: str, way: str) -> Sequence[ReachedNode]:
        try:
            walked = self.graph.upstream(start, None) if way == "upstream" else self.graph.downstream(start, None)
        except ForgeError:  # nothing is recorded of it
            return ()
        return walked.items


def read_lineage(ports: AlertPorts, branch: BranchName) -> FailureLineage:
    metadata = ports.metadata
    known = metadata.branch(branch)
    tree = metadata.tree(known.head if known else None)
    graph = graph_with(metadata, tree, metadata.blocked(branch))
    owners = {asset.table: asset.owner for asset in metadata.assets()}
    failing = ports.store.states(branch=branch, statuses=(AlertStatus.FAILING,), limit=10_000)
    return FailureLineage(graph, failing, owners, ports.owner)


def pick_cause(
    upstream: Sequence[str],
    failing: Iterable[AlertState],
    above: Above | None = None,
    columns: Mapping[str, frozenset[str]] | None = None,
) -> Cause | None:
    """Of the failing datasets upstream, one without a failing dataset above it; of those the first to fail, and of
    its checks one on the path of the column, else the first to fail. Without `above`, which gives the datasets upstream
    of one, the farthest is taken."""
    places = {table: place for place, table in enumerate(upstream)}
    found: dict[str, list[AlertState]] = {}
    for state in failing:
        if state.table in places:
            found.setdefault(state.table, []).append(state)
    if not found:
        return None
    if above is not None:
        sources = [table for table in found if not found.keys() & (set(above(table)) - {table})] or list(found)
    else:
        sources = [max(found, key=lambda table: places[table])]
    table = min(sources, key=lambda one: (min(state.since for state in found[one]), -places[one], one))
    on_the_way = columns.get(table, frozenset()) if columns else frozenset[str]()

    def place(state: AlertState) -> tuple[bool, object, int, str]:
        return not on_the_way.intersection(state.columns), state.since, -RANKS[state.severity], state.check_id

    return _cause(min(found[table], key=place), on_the_way)


def _cause(state: AlertState, on_the_way: frozenset[str]) -> Cause:
    column = next((name for name in state.columns if name in on_the_way), next(iter(state.columns), None))
    return Cause(
        table=state.table,
        check_id=state.check_id,
        message=state.message,
        since=state.since,
        severity=state.severity,
        commit_id=state.commit_id,
        run_id=state.run_id,
        monitor_run_id=state.monitor_run_id,
        column=column,
        incident_id=state.incident_id,
    )


def cause_now(ports: AlertPorts, branch: str, upstream: Sequence[str]) -> Cause | None:
    """From current alerts, without reading lineage: an upstream failure may be found after the failures downstream of
    it."""
    if not upstream:
        return None
    return pick_cause(upstream, ports.store.states(branch=branch, statuses=(AlertStatus.FAILING,), limit=10_000))
