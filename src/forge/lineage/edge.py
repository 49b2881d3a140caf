"""Edges of the lineage graph as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

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


class Indirect(StrEnum):
    """How a column shapes the rows of a table without its value arriving in one of its columns."""

    JOIN = "join"
    FILTER = "filter"
    GROUP_BY = "group_by"
    SORT = "sort"


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """The value of `source` arrives in `target`."""

    source: ColumnName
    target: ColumnName
    transformation: Transformation = Transformation.IDENTITY
    expression: str = ""
    masking: bool = False
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, order=True)
class IndirectEdge:
    """`source` decides which rows of the table `target` exist, or in what order."""

    source: ColumnName
    target: str
    subtype: Indirect


@dataclass(frozen=True, slots=True, order=True)
class TableEdge:
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that was not understood: where, and why. Never swallowed."""

    place: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    edges: tuple[Edge, ...] = ()
    indirect: tuple[IndirectEdge, ...] = ()
    table_edges: tuple[TableEdge, ...] = ()
    gaps: tuple[Gap, ...] = field(default=())


_LEVELS = (("certain", 1.0), ("high", 0.8), ("medium", 0.6), ("low", 0.3))


def level_of(confidence: float) -> str:
    """The highest anchor not above the value."""
    return next((level for level, anchor in _LEVELS if confidence >= anchor), "uncertain")
