"""The impact of a change on everything downstream. Pure: from a downstream traversal to a report.

The traversal must include indirect edges (dropping a filter column breaks the table) and intermediate entities, which
are followed but not reported."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

from forge.lineage.graph.traversal import ReachedNode, Traversal
from forge.lineage.graph.weights import Weights
from forge.lineage.impact.added_column import readers_of_column
from forge.lineage.impact.change import ChangeType, ProposedChange
from forge.lineage.impact.path import DataUse, ImpactPaths, TableReader, heaviest, is_table, use_of
from forge.lineage.impact.plan import plan_actions, plan_steps, summary_of
from forge.lineage.impact.report import AffectedEntity, BreakingAsset, ImpactReport, OwnerNotice, group_of, risk_of
from forge.lineage.impact.verdict import ImpactFinding, carries, judge
from forge.lineage.node import Node, NodeType

Owners = Callable[[Node], str | None]


def _nobody(node: Node) -> str | None:
    return None


def _plain_table(name: str) -> Node:
    return Node(id=name, type=NodeType.TABLE, name=name.rpartition(".")[2], table=name)


def impact_of(
    change: ProposedChange,
    traversal: Traversal,
    *,
    weights: Weights | None = None,
    owners: Owners = _nobody,
    readers: Iterable[TableReader] = (),
    table: Callable[[str], Node] = _plain_table,
    inside: Collection[str] = (),
) -> ImpactReport:
    """`traversal` goes downstream from the changed entity (for `add` from the table that gets the column). `readers`:
    who reads whole tables of which the walk only came to columns. `table` gives the node of a table by its id.
    `inside`: ids of tables that only live inside a statement."""
    weigh = weights or Weights()
    paths = ImpactPaths(traversal, readers)
    findings = readers_of_column(change, paths, table) if change.type is ChangeType.ADD else _judged(change, paths)
    seen = ((item, use, finding) for item, use, finding in findings if not _is_inside(item.node, inside))
    affected = sorted((_weighed(change, *one, paths, weigh, owners) for one in seen), key=AffectedEntity.sort_key)
    breaking = tuple(_breaking(affected))
    steps = plan_steps(change, affected, paths)
    return _report(change, (change,), affected, breaking, steps, weigh, traversal.hidden, traversal.truncated)


def merge_reports(table: str, reports: Sequence[ImpactReport], weights: Weights | None = None) -> ImpactReport:
    """Changes of one table: each entity once, with its worst change; it is broken if any of them breaks it."""
    if len(reports) == 1:
        return reports[0]
    found: dict[str, list[AffectedEntity]] = defaultdict(list)
    for report in reports:
        for one in report.affected:
            found[one.node.id].append(one)
    affected = sorted((_worst(same) for same in found.values()), key=AffectedEntity.sort_key)
    breaking = tuple(dict.fromkeys(one for report in reports for one in report.breaking_changes))
    steps = tuple(dict.fromkeys(step for report in reports for step in report.migration_steps))
    changes = tuple(change for report in reports for change in report.changes)
    change = ProposedChange(ChangeType.SCHEMA, table)
    hidden = max((report.hidden for report in reports), default=0)
    truncated = any(report.truncated for report in reports)
    return _report(change, changes, affected, breaking, steps, weights or Weights(), hidden, truncated)


def _worst(same: Sequence[AffectedEntity]) -> AffectedEntity:
    worst = min(same, key=lambda one: (-one.score, not one.is_breaking))
    broken = next((one for one in same if one.is_breaking), None)
    if worst.is_breaking or broken is None:
        return worst
    return worst.with_reason(broken.reason)


def _report(
    change: ProposedChange,
    changes: tuple[ProposedChange, ...],
    affected: Sequence[AffectedEntity],
    breaking: tuple[BreakingAsset, ...],
    steps: tuple[str, ...],
    weights: Weights,
    hidden: int,
    truncated: bool,
) -> ImpactReport:
    counts = Counter(one.severity for one in affected)
    risk = risk_of(counts, weights.raise_above)
    owners = tuple(_notices(affected))
    return ImpactReport(
        change=change,
        changes=changes,
        risk=risk,
        summary=summary_of(changes, change, affected, risk),
        affected=tuple(affected),
        breaking_changes=breaking,
        critical_paths=tuple(one.path for one in affected if one.severity == "high"),
        migration_steps=steps,
        recommended_actions=tuple(plan_actions(change, affected, owners, risk, hidden, truncated)),
        owners=owners,
        hidden=hidden,
        truncated=truncated,
    )


def _is_inside(node: Node, inside: Collection[str]) -> bool:
    return node.hidden or node.table in inside


def _judged(change: ProposedChange, paths: ImpactPaths) -> Iterable[tuple[ReachedNode, DataUse, ImpactFinding]]:
    of_table = is_table(paths.changed)
    carried = paths.carried(lambda link: carries(change, link, of_table=of_table))
    for item in paths.items.values():
        if item.direction == "downstream":
            yield item, use_of(heaviest(paths.nearest(item))), judge(change, item, paths, carried)


def _weighed(
    change: ProposedChange,
    item: ReachedNode,
    use: DataUse,
    finding: ImpactFinding,
    paths: ImpactPaths,
    weights: Weights,
    owners: Owners,
) -> AffectedEntity:
    factors = {
        "base": weights.of_change(str(change.type)),
        "entity": weights.of_entity(item.node.type),
        "confidence": round(item.confidence, 9),
        "depth": weights.of_depth(item.depth),
        "use": weights.use[str(use)],
        "direction": weights.of_direction(str(change.direction), is_breaking=finding.is_breaking),
    }
    score = 1.0
    for factor in factors.values():
        score *= factor
    score = round(score, 6)  # so that 0.8 × 5 is 4, whatever the order of the factors
    return AffectedEntity(
        node=item.node,
        change=change,
        group=group_of(item.node.type),
        owner=owners(item.node),
        severity=weights.severity_of(score),
        score=score,
        effort_hours=weights.effort_of(str(change.type), item.node.type, score),
        depth=item.depth,
        confidence=round(item.confidence, 9),
        use=use,
        is_breaking=finding.is_breaking,
        reason=finding.reason,
        factors=factors,
        path=paths.path_to(item),
        link=finding.link,
        met=finding.met,
    )


def _breaking(affected: Sequence[AffectedEntity]) -> Iterable[BreakingAsset]:
    """Columns affected only through their table are reported with it."""
    tables = {one.node.id for one in affected if one.is_breaking and is_table(one.node)}
    for one in affected:
        with_table = one.node.table in tables and one.link.target == one.node.table != one.node.id
        if one.is_breaking and not with_table:
            yield BreakingAsset(one.node.id, str(one.change.type), one.reason)


def _notices(affected: Sequence[AffectedEntity]) -> Iterable[OwnerNotice]:
    """Grouped by owner, who has the worst first."""
    assets: dict[str, dict[str, None]] = defaultdict(dict)
    severity: dict[str, str] = {}
    for one in affected:  # worst first
        if one.owner:
            assets[one.owner][one.asset] = None
            severity.setdefault(one.owner, one.severity)
    for owner, worst in severity.items():
        yield OwnerNotice(owner, tuple(assets[owner]), worst)
