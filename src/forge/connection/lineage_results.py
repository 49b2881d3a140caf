"""What questions about lineage answer in Python and notebooks, where the domain's own types say too little."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from forge.lineage.claim import Recorded
from forge.lineage.diff import GraphDiff
from forge.lineage.exchange import Imported
from forge.lineage.order import Order
from forge.lineage.propagate import Propagation
from forge.lineage.store import Snapshot

if TYPE_CHECKING:
    import pandas

Row = dict[str, object]


class Told(Protocol):
    def to_dict(self) -> Row: ...


One = TypeVar("One", bound=Told)


class Found(tuple[One, ...]):
    """Several of a kind: a tuple that is also a table."""

    __slots__ = ()

    def rows(self) -> list[Row]:
        return [item.to_dict() for item in self]

    def to_dict(self) -> Row:
        return {"items": self.rows()}

    def to_pandas(self) -> pandas.DataFrame:
        return _frame(self.rows())

    def _repr_html_(self) -> str:
        return _table(self.rows())


class _Of:
    """A result of the domain, with more to say."""

    __slots__ = ()

    @classmethod
    def of(cls, given: Any) -> Self:
        return cls(*(getattr(given, field.name) for field in fields(given)))


@dataclass(frozen=True, slots=True)
class SnapshotView(Snapshot, _Of):
    def to_dict(self) -> Row:
        return {
            "name": self.name,
            "at": self.at.isoformat(),
            "description": self.description,
            "created_by": self.created_by,
            "created_at": self.created_at.isoformat() if self.created_at else None,
            "nodes": dict(sorted(self.nodes.items())),
            "edges": dict(sorted(self.edges.items())),
            "node_count": sum(self.nodes.values()),
            "edge_count": sum(self.edges.values()),
        }


@dataclass(frozen=True, slots=True)
class Written(Recorded, _Of):
    """What a write changed; nothing at all where it said what was known."""

    def to_dict(self) -> Row:
        return {field.name: getattr(self, field.name) for field in fields(Recorded)}


@dataclass(frozen=True, slots=True)
class ImportedFile(Imported, _Of):
    """What a file brought. `left`: this record has its own word on them, and keeps it."""

    def to_dict(self) -> Row:
        return {"written": self.written, "same": self.same, "left": self.left, "snapshots": self.snapshots}


@dataclass(frozen=True, slots=True)
class Changes(GraphDiff, _Of):
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

    def to_pandas(self) -> pandas.DataFrame:
        return _frame(self.rows())

    def _repr_html_(self) -> str:
        return _table(self.rows())


@dataclass(frozen=True, slots=True)
class Spread(Propagation, _Of):
    """Where a property goes, also as rows."""

    def rows(self) -> list[Row]:
        return [
            {"id": one.id, "origin": one.origin, "before": one.before, "hops": one.hops, "confidence": one.confidence}
            for one in self.carriers
        ]

    def to_pandas(self) -> pandas.DataFrame:
        return _frame(self.rows())

    def _repr_html_(self) -> str:
        return _table(self.rows())


@dataclass(frozen=True, slots=True)
class Ordered(Order, _Of):
    """What comes before what, also as rows: stage by stage, which is an order, too."""

    def rows(self) -> list[Row]:
        return [
            {"stage": step.stage, "name": name, "cycle": list(step.members) if step.cycle else []}
            for step in sorted(self.steps, key=lambda step: (step.stage, step.members))
            for name in step.members
        ]

    def to_pandas(self) -> pandas.DataFrame:
        return _frame(self.rows())

    def _repr_html_(self) -> str:
        return _table(self.rows())


def _frame(rows: Sequence[Row]) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame(list(rows))


def _table(rows: Sequence[Row]) -> str:
    """Columns without a word in any row are left out."""
    texts = [{name: _text(value) for name, value in row.items()} for row in rows]
    names = list(dict.fromkeys(name for row in texts for name, text in row.items() if text))
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(row.get(name, ''))}</td>" for name in names) + "</tr>" for row in texts
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case dict():
            return ", ".join(f"{name} {_text(one)}" for name, one in value.items())
        case list():
            return ", ".join(_text(one) for one in value)
    return str(value)
