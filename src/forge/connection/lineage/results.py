"""Results of lineage queries in Python and notebooks, where the domain types do not suffice."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from forge.connection.tabular import Row, Tabular
from forge.lineage.exchange import GraphImport
from forge.lineage.facts.claim import WriteCounts
from forge.lineage.graph.diff import GraphDiff
from forge.lineage.graph.order import DependencyOrder
from forge.lineage.graph.propagate import Propagation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.lineage.edge import Gap
    from forge.model.errors import ForgeError


class _DomainResult:
    """A domain result with more methods."""

    __slots__ = ()

    @classmethod
    def of(cls, given: Any) -> Self:
        return cls(**{one.name: getattr(given, one.name) for one in fields(given)})


@dataclass(frozen=True, slots=True)
class ImportedFile(GraphImport, _DomainResult):
    """The result of an import. `left`: facts skipped because this graph has its own."""

    def to_dict(self) -> Row:
        return {"written": self.written, "same": self.same, "left": self.left, "snapshots": self.snapshots}


@dataclass(frozen=True, slots=True)
class DeclaredFile:
    """Edges declared in a file, and changes of the graph. `unknown`: names that occur only in this file."""

    edges: int
    written: WriteCounts
    unknown: tuple[Gap, ...] = ()

    def to_dict(self) -> Row:
        unknown = [{"file": gap.place, "line": gap.line, "reason": gap.reason} for gap in self.unknown]
        return {"edges": self.edges, **self.written.to_dict(), "unknown": unknown}


@dataclass(frozen=True, slots=True)
class EventFile:
    """Outcomes of the events of a file. `faults`: of malformed events, which do not affect the others."""

    events: int
    statuses: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[ForgeError, ...] = ()

    def to_dict(self) -> Row:
        words = ("recorded", "unchanged", "held", "left out")
        counts: Row = {word.replace(" ", "_"): self.statuses.get(word, 0) for word in words}
        malformed = self.events - sum(self.statuses.values())
        return {
            "events": self.events,
            **counts,
            "malformed": malformed,
            "faults": [one.to_dict() for one in self.faults],
        }


@dataclass(frozen=True, slots=True)
class ImportedAssets:
    """Imported Dagster assets. `older`: assets skipped because something newer was recorded."""

    assets: int
    edges: int
    written: WriteCounts
    older: tuple[str, ...] = ()

    def to_dict(self) -> Row:
        return {"assets": self.assets, "edges": self.edges, **self.written.to_dict(), "older": list(self.older)}


@dataclass(frozen=True, slots=True)
class DiffResult(GraphDiff, _DomainResult, Tabular):
    """A graph diff, also as rows."""

    def rows(self) -> list[Row]:
        found: list[Row] = []
        for kind in ("node", "edge"):
            for change, word in (("added", "+"), ("removed", "-"), ("modified", "~")):
                for one in getattr(self, f"{kind}s_{change}"):
                    document = one.to_dict()
                    changed = document.get("changes", [])
                    found.append(
                        {"change": change, "sign": word, "what": kind, "id": document["id"], "changes": changed}
                    )
        return found


@dataclass(frozen=True, slots=True)
class PropagationResult(Propagation, _DomainResult, Tabular):
    """A propagation, also as rows."""

    def rows(self) -> list[Row]:
        return [
            {"id": one.id, "origin": one.origin, "before": one.before, "hops": one.hops, "confidence": one.confidence}
            for one in self.carriers
        ]


@dataclass(frozen=True, slots=True)
class OrderResult(DependencyOrder, _DomainResult, Tabular):
    """A dependency order, also as rows, stage by stage."""

    def rows(self) -> list[Row]:
        return [
            {"stage": step.stage, "name": name, "cycle": list(step.members) if step.cycle else []}
            for step in sorted(self.steps, key=lambda step: (step.stage, step.members))
            for name in step.members
        ]
