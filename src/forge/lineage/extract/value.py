"""What a column is made from: its sources, and what happened to each on the way.

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
    """`members`: of a struct that is built here, its fields by name and in order, so that taking a field out again
    finds its own sources. `type`: of what a function makes, where the code says it (from_json)."""

    sources: Sources = field(default_factory=dict)
    members: Mapping[str, Value] = field(default_factory=dict)
    type: str = ""


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


def compose(inner: Trace, outer: Trace) -> Trace:
    """A source that arrives in between as `inner` tells, and goes on from there as `outer` tells. The expression is
    that of the stronger step; of equals that of the last, for it is what a reader finds where the column is written."""
    last = _STRENGTH[outer.transformation] >= _STRENGTH[inner.transformation]
    copied = outer.transformation is Transformation.IDENTITY
    return Trace(
        stronger(inner.transformation, outer.transformation),
        outer.expression if last and not copied else inner.expression,
        inner.masking or outer.masking,
        min(inner.confidence, outer.confidence),
    )


def through(value: Value, outer: Trace) -> Value:
    """The sources of a value, after one more step. A copy keeps its members."""
    found = {source: compose(trace, outer) for source, trace in value.sources.items()}
    if outer.transformation is Transformation.IDENTITY and not outer.masking:
        return Value(found, {name: through(member, outer) for name, member in value.members.items()}, value.type)
    return Value(found)


def union(values: Iterable[Value]) -> Value:
    """One column filled from several, as by UNION. Structs of as many fields are united field by field, under the
    names of the first."""
    given = tuple(values)
    found: dict[ColumnName, Trace] = {}
    for value in given:
        for source, trace in value.sources.items():
            step = stronger(trace.transformation, Transformation.UNION)
            add(found, source, replace(trace, transformation=step))
    if len({len(value.members) for value in given}) != 1:
        return Value(found)
    fields = zip(*(value.members.values() for value in given), strict=True)
    return Value(found, {name: union(parts) for name, parts in zip(given[0].members, fields, strict=True)})


def opaque(values: Iterable[Value], text: str) -> Value:
    """What comes out of code that cannot be read: perhaps something of everything that went in."""
    found: dict[ColumnName, Trace] = {}
    for value in values:
        for source, trace in value.sources.items():
            add(found, source, Trace(Transformation.UNKNOWN, text, trace.masking, LOW_CONFIDENCE))
    return Value(found)
