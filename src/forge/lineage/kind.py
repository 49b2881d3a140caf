"""The kind of an edge: type, relationship, and direct or indirect subtype. With source and target it identifies an
edge. Stored as one small number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from forge.lineage.edge import IndirectType, Transformation


class EdgeType(StrEnum):
    """Edges point in the direction in which data, or control, flows: `consumes` goes from the consumed data to the
    consumer. `passes` goes through intermediate relations (a CTE, a temporary view, a variable), parallel to the
    edge from table to table. The order is stored: add at the end."""

    DERIVES_FROM = "derives_from"
    CONTAINS = "contains"
    EXECUTES = "executes"
    PRODUCES = "produces"
    CONSUMES = "consumes"
    PASSES = "passes"


class EdgeRelationship(StrEnum):
    """The order is stored: add at the end."""

    DERIVED = "derived"
    TRANSFORMED = "transformed"
    COPIED = "copied"
    MERGED = "merged"
    FILTERED = "filtered"
    AGGREGATED = "aggregated"
    ANONYMIZED = "anonymized"
    SAMPLED = "sampled"
    JOINED = "joined"


FLOWS = frozenset({EdgeType.DERIVES_FROM, EdgeType.PRODUCES, EdgeType.CONSUMES})  # followed by default
CODES = 1 << 10  # all codes are below

_PARALLEL = frozenset({EdgeType.PRODUCES, EdgeType.CONSUMES})
_TYPES, _RELATIONSHIPS, _INDIRECT = tuple(EdgeType), tuple(EdgeRelationship), (None, *IndirectType)


@dataclass(frozen=True, slots=True)
class EdgeKind:
    """`relationship` is None except for derives_from. `consumes` and `produces` connect transforms and jobs to the
    data, parallel to derives_from; traversals follow them only on request."""

    type: EdgeType = EdgeType.DERIVES_FROM
    relationship: EdgeRelationship | None = EdgeRelationship.DERIVED
    indirect: IndirectType | None = None

    @property
    def code(self) -> int:
        relationship = 0 if self.relationship is None else 1 + _RELATIONSHIPS.index(self.relationship)
        return _TYPES.index(self.type) | relationship << 3 | _INDIRECT.index(self.indirect) << 7

    @property
    def parallel(self) -> bool:
        return self.type in _PARALLEL and self.relationship is EdgeRelationship.DERIVED

    @property
    def flows(self) -> bool:
        """Whether traversals follow it by default."""
        return self.type in FLOWS and not self.parallel

    @property
    def counted(self) -> str:
        """Under which word it is counted."""
        return str(self.relationship if self.relationship and not self.parallel else self.type)

    @property
    def word(self) -> str:
        """The shortest unique form: `filter`, `aggregated`, `consumes`; `filter:joined` where the relationship is
        not the default of the indirect type."""
        if self.indirect is not None:
            usual = self.relationship is RELATIONSHIP_OF[self.indirect]
            return str(self.indirect) if usual else f"{self.indirect}:{self.relationship}"
        return f"{self.type}:{self.relationship}" if self.parallel else self.counted


RELATIONSHIP_OF: dict[IndirectType, EdgeRelationship] = {
    IndirectType.JOIN: EdgeRelationship.JOINED,
    IndirectType.FILTER: EdgeRelationship.FILTERED,
    IndirectType.GROUP_BY: EdgeRelationship.AGGREGATED,
    IndirectType.SORT: EdgeRelationship.DERIVED,
    IndirectType.WINDOW: EdgeRelationship.DERIVED,
}


@cache
def kind_of(code: int) -> EdgeKind:
    relationship = code >> 3 & 15
    return EdgeKind(
        _TYPES[code & 7], None if relationship == 0 else _RELATIONSHIPS[relationship - 1], _INDIRECT[code >> 7]
    )


def indirect_kind(subtype: IndirectType) -> EdgeKind:
    return EdgeKind(EdgeType.DERIVES_FROM, RELATIONSHIP_OF[subtype], subtype)


def relationship_of(transformation: Transformation, *, masking: bool = False) -> EdgeRelationship:
    """The default relationship of an operation."""
    if masking:
        return EdgeRelationship.ANONYMIZED
    return _BY_TRANSFORMATION.get(transformation, EdgeRelationship.DERIVED)


_BY_TRANSFORMATION = {
    Transformation.IDENTITY: EdgeRelationship.COPIED,
    Transformation.TRANSFORMATION: EdgeRelationship.TRANSFORMED,
    Transformation.CONDITIONAL: EdgeRelationship.TRANSFORMED,
    Transformation.WINDOW: EdgeRelationship.TRANSFORMED,
    Transformation.AGGREGATION: EdgeRelationship.AGGREGATED,
    Transformation.UNION: EdgeRelationship.MERGED,
}
