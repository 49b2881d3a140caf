"""HTTP views of lineage reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forge.api.lineage.views import edge_view, node_view
from forge.api.lineage.wire.reports import (
    DiffTotals,
    EdgeChangeView,
    EdgesDiff,
    ErdView,
    ImpactView,
    LineageDiffView,
    LineageStatsView,
    MomentView,
    NodeChangeView,
    NodesDiff,
    OrderStep,
    OrderView,
)
from forge.api.paging import Window
from forge.flows.lineage.reader import GraphReader, state_of
from forge.flows.lineage.snapshots import diff_readers
from forge.lineage.erd.diagram import Erd
from forge.lineage.graph.diff import EdgeChange, GraphDiff
from forge.lineage.graph.order import dependency_order
from forge.lineage.graph.state import link_of
from forge.lineage.impact.report import ImpactReport
from forge.lineage.stats import stats_of


def diff_view(
    a: GraphReader, b: GraphReader, labels: tuple[str, str], limit: int, *, with_expressions: bool = True
) -> LineageDiffView:
    found = diff_readers(a, b)
    lists: Sequence[Sequence[object]] = (
        found.nodes_added,
        found.nodes_removed,
        found.nodes_modified,
        found.edges_added,
        found.edges_removed,
        found.edges_modified,
    )
    return LineageDiffView(
        a=MomentView(label=labels[0], at=a.at),
        b=MomentView(label=labels[1], at=b.at),
        seconds=found.seconds,
        counts=DiffTotals.model_validate(found.counts),
        nodes=_nodes_diff(found, limit),
        edges=_edges_diff(found, limit, with_expressions),
        truncated=any(len(one) > limit for one in lists),
    )


def _nodes_diff(found: GraphDiff, limit: int) -> NodesDiff:
    return NodesDiff(
        added=[node_view(node) for node in found.nodes_added[:limit]],
        removed=[node_view(node) for node in found.nodes_removed[:limit]],
        modified=[NodeChangeView.model_validate(change.to_dict()) for change in found.nodes_modified[:limit]],
    )


def _edges_diff(found: GraphDiff, limit: int, with_expressions: bool) -> EdgesDiff:
    return EdgesDiff(
        added=[edge_view(link_of(edge), with_expressions=with_expressions) for edge in found.edges_added[:limit]],
        removed=[edge_view(link_of(edge), with_expressions=with_expressions) for edge in found.edges_removed[:limit]],
        modified=[_edge_change(change, with_expressions) for change in found.edges_modified[:limit]],
    )


def _edge_change(change: EdgeChange, with_expressions: bool) -> EdgeChangeView:
    """A changed expression is listed even for readers who may not see it."""
    view = EdgeChangeView.model_validate(change.to_dict())
    if with_expressions:
        return view
    hidden = {"before": "", "after": ""}
    changes = [one.model_copy(update=hidden) if one.field == "expression" else one for one in view.changes]
    return view.model_copy(update={"changes": changes})


def first_tables(erd: Erd, limit: int) -> Erd:
    """With what joins them."""
    if len(erd.tables) <= limit:
        return erd
    tables = erd.tables[:limit]
    names = {table.name for table in tables}
    return replace(
        erd,
        tables=tables,
        foreign_keys=tuple(key for key in erd.foreign_keys if {key.table, key.to_table} <= names),
        joins=tuple(join for join in erd.joins if {join.table, join.to_table} <= names),
        flows=tuple(flow for flow in erd.flows if {flow.source, flow.target} <= names),
    )


def erd_view(erd: Erd, total: int) -> ErdView:
    return ErdView.model_validate({**erd.to_dict(), "total": total, "truncated": len(erd.tables) < total})


def stats_view(view: GraphReader, at: str) -> LineageStatsView:
    return LineageStatsView.model_validate({"at": at, **stats_of(state_of(view)).to_dict()})


def order_view(view: GraphReader, window: Window) -> OrderView:
    """Of tables, and of what else data flows through."""
    state = state_of(view)
    tables = {node.id: node.table or node.id for node in state.nodes.values()}
    order = dependency_order(state.links(), lift=lambda name: tables.get(name, name))
    page = window.page(order.steps, OrderStep.model_validate, total=len(order.steps))
    more = page.has_more
    return OrderView.of(order, order=page.items, total=page.total_count, truncated=more, next_cursor=page.next_cursor)


def impact_view(report: ImpactReport, limit: int) -> ImpactView:
    """The worst of what is hit; counts, groups and hours are of all of it."""
    document = report.to_dict()
    document["affected"] = [one.to_dict() for one in report.affected[:limit]]
    document["breaking_changes"] = [one.to_dict() for one in report.breaking_changes[:limit]]
    document["critical_paths"] = [path.to_dict() for path in report.critical_paths[:limit]]
    document["truncated"] = report.truncated or len(report.affected) > limit
    return ImpactView.model_validate(document)
