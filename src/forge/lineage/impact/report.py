"""The impact report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

from forge.lineage.graph.traversal import Link, Path
from forge.lineage.impact.change import ProposedChange
from forge.lineage.impact.path import DataUse
from forge.lineage.node import Node, NodeType

if TYPE_CHECKING:
    import pandas

RISKS = ("none", "low", "medium", "high", "critical")
SEVERITIES = ("high", "medium", "low")
_GROUPS = {
    NodeType.COLUMN: "columns",
    NodeType.FIELD: "columns",
    NodeType.TABLE: "datasets",
    NodeType.VIEW: "datasets",
    NodeType.DATASET: "datasets",
    NodeType.TRANSFORM: "transforms",
    NodeType.PIPELINE: "pipelines",
    NodeType.PROCESS: "processes",
    NodeType.DASHBOARD: "dashboards",
    NodeType.REPORT: "reports",
    NodeType.MODEL: "models",
    NodeType.EXTERNAL: "externals",
    NodeType.RECORD: "records",
}
_REST = "others"


def group_of(type_: NodeType) -> str:
    return _GROUPS.get(type_, _REST)


def risk_of(counts: Mapping[str, int], raise_above: float) -> str:
    """The highest severity; more than `raise_above` high ones raise it by a step."""
    highest = next((severity for severity in SEVERITIES if counts.get(severity)), "none")
    return "critical" if counts.get("high", 0) > raise_above else highest


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedEntity:
    """An affected entity. `link`: the deciding edge; `met`: the change itself arrives here, not only its
    consequences."""

    node: Node
    change: ProposedChange
    group: str
    owner: str | None
    severity: str
    score: float
    effort_hours: float
    depth: int
    confidence: float
    use: DataUse
    is_breaking: bool
    reason: str
    factors: Mapping[str, float]
    path: Path
    link: Link
    met: bool = True

    @property
    def asset(self) -> str:
        """What an owner fixes: the table of a column, else itself."""
        return self.node.table or self.node.id

    def sort_key(self) -> tuple[float, int, str]:
        return -self.score, self.depth, self.node.id

    def with_reason(self, reason: str) -> AffectedEntity:
        return replace(self, is_breaking=True, reason=reason)

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.node.id,
            "type": str(self.node.type),
            "name": self.node.name,
            "group": self.group,
            "owner": self.owner,
            "severity": self.severity,
            "score": self.score,
            "effort_hours": self.effort_hours,
            "depth": self.depth,
            "confidence": self.confidence,
            "use": str(self.use),
            "is_breaking": self.is_breaking,
            "reason": self.reason,
            "change": self.change.to_dict(),
            "factors": dict(self.factors),
            "path": [hop.to_dict() for hop in self.path.hops],
        }


@dataclass(frozen=True, slots=True)
class BreakingAsset:
    asset: str
    type: str
    reason: str

    def to_dict(self) -> dict[str, str]:
        return {"asset": self.asset, "type": self.type, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class OwnerNotice:
    """An owner to notify, with the affected assets and the worst severity."""

    owner: str
    assets: tuple[str, ...]
    severity: str

    def to_dict(self) -> dict[str, object]:
        return {"owner": self.owner, "assets": list(self.assets), "severity": self.severity}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactReport:
    """`affected`: worst first. `changes`: as requested; `change`: the only one, or `schema` of the table. `hidden`:
    edges below the confidence limit."""

    change: ProposedChange
    changes: tuple[ProposedChange, ...]
    risk: str
    summary: str
    affected: tuple[AffectedEntity, ...]
    breaking_changes: tuple[BreakingAsset, ...]
    critical_paths: tuple[Path, ...]
    migration_steps: tuple[str, ...]
    recommended_actions: tuple[str, ...]
    owners: tuple[OwnerNotice, ...]
    hidden: int = 0
    truncated: bool = False

    @property
    def is_breaking(self) -> bool:
        return any(one.is_breaking for one in self.affected)

    @property
    def counts(self) -> dict[str, int]:
        found = Counter(one.severity for one in self.affected)
        return {**{severity: found[severity] for severity in SEVERITIES}, "total": len(self.affected)}

    @property
    def groups(self) -> dict[str, int]:
        found = Counter(one.group for one in self.affected)
        return {group: found[group] for group in dict.fromkeys((*_GROUPS.values(), _REST))}

    @property
    def effort_hours(self) -> float:
        return round(sum(one.effort_hours for one in self.affected), 6)

    def at_least(self, severity: str) -> bool:
        """Whether the risk is that, or worse: `--fail-on high`."""
        return RISKS.index(self.risk) >= RISKS.index(severity)

    def to_dict(self) -> dict[str, object]:
        return {
            "change": self.change.to_dict(),
            "changes": [change.to_dict() for change in self.changes],
            "risk": self.risk,
            "is_breaking": self.is_breaking,
            "summary": self.summary,
            "counts": self.counts,
            "groups": self.groups,
            "effort_hours": self.effort_hours,
            "affected": [one.to_dict() for one in self.affected],
            "breaking_changes": [one.to_dict() for one in self.breaking_changes],
            "critical_paths": [path.to_dict() for path in self.critical_paths],
            "migration_steps": list(self.migration_steps),
            "recommended_actions": list(self.recommended_actions),
            "owners": [one.to_dict() for one in self.owners],
            "hidden": self.hidden,
            "truncated": self.truncated,
        }

    def to_pandas(self) -> pandas.DataFrame:
        import pandas

        columns = ["id", "type", "severity", "score", "effort_hours", "depth", "confidence", "use", "is_breaking"]
        columns += ["owner", "reason"]
        rows = [[one.to_dict()[name] for name in columns] for one in self.affected]
        return pandas.DataFrame(rows, columns=columns)

    def _repr_html_(self) -> str:
        """In a notebook; it loads nothing."""
        rows = "".join(
            f"<tr><td>{one.severity}</td><td>{one.score:g}</td><td>{escape(one.node.id)}</td>"
            f"<td>{escape(one.owner or '')}</td><td>{escape(one.reason)}</td></tr>"
            for one in self.affected
        )
        titles = "<tr><th>severity</th><th>score</th><th>entity</th><th>owner</th><th>why</th></tr>"
        return f"<table><caption>{escape(self.summary)}</caption>{titles}{rows}</table>"
