"""What questions about lineage answer in Python and notebooks, where the domain's own types say too little."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from forge.connection.tabular import Row, Tabular
from forge.lineage.exchange import Imported
from forge.lineage.facts.claim import Recorded
from forge.lineage.graph.diff import GraphDiff
from forge.lineage.graph.order import Order
from forge.lineage.graph.propagate import Propagation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.lineage.edge import Gap
    from forge.model.errors import ForgeError


class Told(Protocol):
    def to_dict(self) -> Row: ...


One = TypeVar("One", bound=Told)


class Found(tuple[One, ...], Tabular):
    """Several of a kind: a tuple that is also a table."""

    __slots__ = ()

    def rows(self) -> list[Row]:
        return [item.to_dict() for item in self]

    def to_dict(self) -> Row:
        return {"items": self.rows()}


class _Of:
    """A result of the domain, with more to say."""

    __slots__ = ()

    @classmethod
    def of(cls, given: Any) -> Self:
        return cls(**{one.name: getattr(given, one.name) for one in fields(given)})


@dataclass(frozen=True, slots=True)
class ImportedFile(Imported, _Of):
    """What a file brought. `left`: this record has its own word on them, and keeps it."""

    def to_dict(self) -> Row:
        return {"written": self.written, "same": self.same, "left": self.left, "snapshots": self.snapshots}


@dataclass(frozen=True, slots=True)
class DeclaredFile:
    """What a file of declared edges says, and what the graph gained. `unknown`: names that only this file tells of."""

    edges: int
    written: Recorded
    unknown: tuple[Gap, ...] = ()

    def to_dict(self) -> Row:
        unknown = [{"file": gap.place, "line": gap.line, "reason": gap.reason} for gap in self.unknown]
        return {"edges": self.edges, **self.written.to_dict(), "unknown": unknown}


@dataclass(frozen=True, slots=True)
class EventFile:
    """What became of the events of a file. `faults`: of those that are malformed; the others count all the same."""

    events: int
    statuses: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[ForgeError, ...] = ()

    def to_dict(self) -> Row:
        words = ("recorded", "unchanged", "held", "left out")
        told: Row = {word.replace(" ", "_"): self.statuses.get(word, 0) for word in words}
        malformed = self.events - sum(self.statuses.values())
        return {"events": self.events, **told, "malformed": malformed, "faults": [one.to_dict() for one in self.faults]}


@dataclass(frozen=True, slots=True)
class ImportedAssets:
    """What Dagster told. `older`: assets of which something newer was recorded before; they stay as they are."""

    assets: int
    edges: int
    written: Recorded
    older: tuple[str, ...] = ()

    def to_dict(self) -> Row:
        return {"assets": self.assets, "edges": self.edges, **self.written.to_dict(), "older": list(self.older)}


@dataclass(frozen=True, slots=True)
class Changes(GraphDiff, _Of, Tabular):
    """What changed in the graph, also as rows."""

    def rows(self) -> list[Row]:
        found: list[Row] = []
        for kind in ("node", "edge"):
            for change, word in (("added", "+"), ("removed", "-"), ("modified", "~")):
                for one in getattr(self, f"{kind}s_{change}"):
                    said = one.to_dict()
                    changed = said.get("changes", [])
                    found.append({"change": change, "sign": word, "what": kind, "id": said["id"], "changes": changed})
        return found


@dataclass(frozen=True, slots=True)
class Spread(Propagation, _Of, Tabular):
    """Where a property goes, also as rows."""

    def rows(self) -> list[Row]:
        return [
            {"id": one.id, "origin": one.origin, "before": one.before, "hops": one.hops, "confidence": one.confidence}
            for one in self.carriers
        ]


@dataclass(frozen=True, slots=True)
class Ordered(Order, _Of, Tabular):
    """What comes before what, also as rows: stage by stage, which is an order, too."""

    def rows(self) -> list[Row]:
        return [
            {"stage": step.stage, "name": name, "cycle": list(step.members) if step.cycle else []}
            for step in sorted(self.steps, key=lambda step: (step.stage, step.members))
            for name in step.members
        ]
