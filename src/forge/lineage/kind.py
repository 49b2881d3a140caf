"""The kind of an edge: its type, its relationship, and direct or in which way indirect. With source and target it is
what makes two edges the same edge. Stored as one small number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from forge.lineage.edge import Indirect, Transformation


class EdgeType(StrEnum):
    """From source to target always in the direction in which data, or control, flows: `consumes` goes from what is
    consumed to who consumes it. `passes` goes through what exists only inside a program (a CTE, a temporary view, a
    variable); beside it stands the edge from table to table. The order is stored: add at the end."""

    DERIVES_FROM = "derives_from"
    CONTAINS = "contains"
    EXECUTES = "executes"
    PRODUCES = "produces"
    CONSUMES = "consumes"
    PASSES = "passes"


class Relationship(StrEnum):
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


FLOWS = frozenset({EdgeType.DERIVES_FROM, EdgeType.PRODUCES, EdgeType.CONSUMES})  # what a walk follows unless told
CODES = 1 << 10  # all codes are below

_BESIDE = frozenset({EdgeType.PRODUCES, EdgeType.CONSUMES})
_TYPES, _RELATIONSHIPS, _INDIRECT = tuple(EdgeType), tuple(Relationship), (None, *Indirect)


@dataclass(frozen=True, slots=True)
class Kind:
    """`relationship` is None for all but derives_from, and for edges that stand beside those: who makes the data (a
    transform, a job) consumes and produces what they join. A walk takes those only where they are asked for."""

    type: EdgeType = EdgeType.DERIVES_FROM
    relationship: Relationship | None = Relationship.DERIVED
    indirect: Indirect | None = None

    @property
    def code(self) -> int:
        relationship = 0 if self.relationship is None else 1 + _RELATIONSHIPS.index(self.relationship)
        return _TYPES.index(self.type) | relationship << 3 | _INDIRECT.index(self.indirect) << 7

    @property
    def beside(self) -> bool:
        return self.type in _BESIDE and self.relationship is Relationship.DERIVED

    @property
    def flows(self) -> bool:
        """Whether a walk follows it unless told."""
        return self.type in FLOWS and not self.beside

    @property
    def counted(self) -> str:
        """Under which word it is counted."""
        return str(self.relationship if self.relationship and not self.beside else self.type)

    @property
    def word(self) -> str:
        """The shortest that tells it from the others: `filter`, `aggregated`, `consumes`; `filter:joined` where the
        relationship is not the one that goes with the way."""
        if self.indirect is not None:
            usual = self.relationship is RELATIONSHIP_OF[self.indirect]
            return str(self.indirect) if usual else f"{self.indirect}:{self.relationship}"
        return f"{self.type}:{self.relationship}" if self.beside else self.counted

    def sort_key(self) -> int:
        return self.code


RELATIONSHIP_OF: dict[Indirect, Relationship] = {
    Indirect.JOIN: Relationship.JOINED,
    Indirect.FILTER: Relationship.FILTERED,
    Indirect.GROUP_BY: Relationship.AGGREGATED,
    Indirect.SORT: Relationship.DERIVED,
    Indirect.WINDOW: Relationship.DERIVED,
}


@cache
def kind_of(code: int) -> Kind:
    relationship = code >> 3 & 15
    return Kind(_TYPES[code & 7], None if relationship == 0 else _RELATIONSHIPS[relationship - 1], _INDIRECT[code >> 7])


def indirect_kind(way: Indirect) -> Kind:
    return Kind(EdgeType.DERIVES_FROM, RELATIONSHIP_OF[way], way)


def relationship_of(transformation: Transformation, *, masking: bool = False) -> Relationship:
    """What the operation says, where nobody said it."""
    if masking:
        return Relationship.ANONYMIZED
    return _BY_TRANSFORMATION.get(transformation, Relationship.DERIVED)


_BY_TRANSFORMATION = {
    Transformation.IDENTITY: Relationship.COPIED,
    Transformation.TRANSFORMATION: Relationship.TRANSFORMED,
    Transformation.CONDITIONAL: Relationship.TRANSFORMED,
    Transformation.WINDOW: Relationship.TRANSFORMED,
    Transformation.AGGREGATION: Relationship.AGGREGATED,
    Transformation.UNION: Relationship.MERGED,
}
