"""What a column of a plan is made from: its sources, and what happened to each on the way.

Along one way the strongest step wins, in this order, weakest first:
identity < union < transformation < conditional < generator < window < aggregation < unknown.
`unknown` wins over all: once a value went through code that cannot be read, nothing is certain any more. A way is
masked if any of its steps masks, and as sure as its least sure step. Where a source arrives by several ways, the
strongest and the surest are kept, and it is masked only if all of them are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from forge.lineage.edge import Transformation
from forge.model.names import ColumnName

LOW_CONFIDENCE = 0.3

_STRENGTH = {
    kind: strength
    for strength, kind in enumerate(
        (
            Transformation.IDENTITY,
            Transformation.UNION,
            Transformation.TRANSFORMATION,
            Transformation.CONDITIONAL,
            Transformation.GENERATOR,
            Transformation.WINDOW,
            Transformation.AGGREGATION,
            Transformation.UNKNOWN,
        )
    )
}


@dataclass(frozen=True, slots=True)
class Trace:
    """How one source arrives."""

    transformation: Transformation
    expression: str
    masking: bool = False
    confidence: float = 1.0


Sources = Mapping[ColumnName, Trace]


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """`members`: of a struct built in the plan, so that taking a field out again finds its own sources."""

    sources: Sources = field(default_factory=dict)
    members: tuple[Value, ...] = ()


NOTHING = Value()


def stronger(one: Transformation, other: Transformation) -> Transformation:
    return one if _STRENGTH[one] >= _STRENGTH[other] else other


def merge(one: Trace, other: Trace) -> Trace:
    """The same source by two ways."""
    if one == other:
        return one
    leading = one if _STRENGTH[one.transformation] >= _STRENGTH[other.transformation] else other
    return replace(leading, masking=one.masking and other.masking, confidence=max(one.confidence, other.confidence))


def add(into: dict[ColumnName, Trace], source: ColumnName, trace: Trace) -> None:
    present = into.get(source)
    into[source] = trace if present is None else merge(present, trace)


def union(values: Iterable[Value]) -> Value:
    """One column filled from several, as by UNION."""
    found: dict[ColumnName, Trace] = {}
    for value in values:
        for source, trace in value.sources.items():
            step = stronger(trace.transformation, Transformation.UNION)
            add(found, source, replace(trace, transformation=step))
    return Value(found)


def opaque(values: Iterable[Value], text: str) -> Value:
    """What comes out of code that cannot be read: perhaps something of everything that went in."""
    found: dict[ColumnName, Trace] = {}
    for value in values:
        for source, trace in value.sources.items():
            add(found, source, Trace(Transformation.UNKNOWN, text, trace.masking, LOW_CONFIDENCE))
    return Value(found)
