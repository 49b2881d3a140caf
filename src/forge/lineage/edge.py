"""Edges of the lineage graph as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from forge.model.names import ColumnName


class Transformation(StrEnum):
    IDENTITY = "identity"
    TRANSFORMATION = "transformation"
    AGGREGATION = "aggregation"
    WINDOW = "window"
    CONDITIONAL = "conditional"
    GENERATOR = "generator"
    UNION = "union"
    UNKNOWN = "unknown"


class IndirectType(StrEnum):
    """How a column affects the rows of a table without its value arriving there."""

    JOIN = "join"
    FILTER = "filter"
    GROUP_BY = "group_by"
    SORT = "sort"
    WINDOW = "window"


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Edge:
    """The value of `source` arrives in `target`."""

    source: ColumnName
    target: ColumnName
    transformation: Transformation = Transformation.IDENTITY
    expression: str = ""
    masking: bool = False
    confidence: float = 1.0
    file: str = field(default="", compare=False)  # where it was read, if from code
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, order=True)
class IndirectEdge:
    """`source` affects which rows the table `target` has, or their order."""

    source: ColumnName
    target: str
    subtype: IndirectType
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, order=True)
class TableEdge:
    source: str
    target: str
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    confidence: float = field(default=1.0, compare=False)


@dataclass(frozen=True, slots=True)
class Gap:
    """A place that could not be followed, and why. Never swallowed."""

    place: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    edges: tuple[Edge, ...] = ()
    indirect: tuple[IndirectEdge, ...] = ()
    table_edges: tuple[TableEdge, ...] = ()
    gaps: tuple[Gap, ...] = field(default=())

    def to_dict(self) -> dict[str, object]:
        """What `forge lineage extract --json` prints."""
        return {
            "edges": [
                {
                    "source": str(edge.source),
                    "target": str(edge.target),
                    "kind": "direct",
                    "transformation": str(edge.transformation),
                    "masking": edge.masking,
                    "expression": edge.expression,
                    "confidence": edge.confidence,
                    "file": edge.file,
                    "line": edge.line,
                }
                for edge in self.edges
            ],
            "indirect": [
                {
                    "source": str(edge.source),
                    "target": edge.target,
                    "kind": "indirect",
                    "subtype": str(edge.subtype),
                    "file": edge.file,
                    "line": edge.line,
                }
                for edge in self.indirect
            ],
            "table_edges": [
                {
                    "source": edge.source,
                    "target": edge.target,
                    "transformation": str(Transformation.UNKNOWN),
                    "confidence": edge.confidence,
                    "file": edge.file,
                    "line": edge.line,
                }
                for edge in self.table_edges
            ],
            "gaps": [{"file": gap.place, "line": gap.line, "reason": gap.reason} for gap in self.gaps],
        }


ConfidenceLevel = Literal["certain", "high", "medium", "low", "uncertain"]
_LEVELS: tuple[tuple[ConfidenceLevel, float], ...] = (("certain", 1.0), ("high", 0.8), ("medium", 0.6), ("low", 0.3))


def level_of(confidence: float) -> ConfidenceLevel:
    """The highest anchor not above the value."""
    return next((level for level, anchor in _LEVELS if confidence >= anchor), "uncertain")
