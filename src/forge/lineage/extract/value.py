"""The value of a column: its sources, and the transformation of each.

Along a path the strongest step wins, weakest first:
identity < union < transformation < conditional < generator < window < aggregation < unknown.
`unknown` wins over all: after opaque code nothing is certain. A path is masked if any step masks, and its confidence is
that of its least certain step. Over multiple paths from one source the strongest transformation and the highest
confidence are kept, and it is masked only if all of them are.
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
class SourceTrace:
    """The path of one source: transformation, expression, masking, confidence."""

    transformation: Transformation
    expression: str
    masking: bool = False
    confidence: float = 1.0


Sources = Mapping[ColumnName, SourceTrace]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValue:
    """`members`: fields of a struct built here, in order, so that field access finds its own sources. `type`: of a
    function result, where the code states it (from_json)."""

    sources: Sources = field(default_factory=dict)
    members: Mapping[str, ColumnValue] = field(default_factory=dict)
    type: str = ""


NOTHING = ColumnValue()


def stronger(one: Transformation, other: Transformation) -> Transformation:
    return one if _STRENGTH[one] >= _STRENGTH[other] else other


def merge(one: SourceTrace, other: SourceTrace) -> SourceTrace:
    """The same source by two paths."""
    if one == other:
        return one
    leading = one if _STRENGTH[one.transformation] >= _STRENGTH[other.transformation] else other
    return replace(leading, masking=one.masking and other.masking, confidence=max(one.confidence, other.confidence))


def add(into: dict[ColumnName, SourceTrace], source: ColumnName, trace: SourceTrace) -> None:
    present = into.get(source)
    into[source] = trace if present is None else merge(present, trace)


def compose(inner: SourceTrace, outer: SourceTrace) -> SourceTrace:
    """A source that arrives as `inner` and continues as `outer`. The expression is that of the stronger step; of
    equals the last, which readers find where the column is written."""
    last = _STRENGTH[outer.transformation] >= _STRENGTH[inner.transformation]
    copied = outer.transformation is Transformation.IDENTITY
    return SourceTrace(
        stronger(inner.transformation, outer.transformation),
        outer.expression if last and not copied else inner.expression,
        inner.masking or outer.masking,
        min(inner.confidence, outer.confidence),
    )


def through(value: ColumnValue, outer: SourceTrace) -> ColumnValue:
    """The sources of a value, after one more step. A copy keeps its members."""
    found = {source: compose(trace, outer) for source, trace in value.sources.items()}
    if outer.transformation is Transformation.IDENTITY and not outer.masking:
        return ColumnValue(found, {name: through(member, outer) for name, member in value.members.items()}, value.type)
    return ColumnValue(found)


def union(values: Iterable[ColumnValue]) -> ColumnValue:
    """One column filled from others, as by UNION. Structs of as many fields are united field by field, under the
    names of the first."""
    given = tuple(values)
    found: dict[ColumnName, SourceTrace] = {}
    for value in given:
        for source, trace in value.sources.items():
            step = stronger(trace.transformation, Transformation.UNION)
            add(found, source, replace(trace, transformation=step))
    if len({len(value.members) for value in given}) != 1:
        return ColumnValue(found)
    fields = zip(*(value.members.values() for value in given), strict=True)
    return ColumnValue(found, {name: union(parts) for name, parts in zip(given[0].members, fields, strict=True)})


def opaque(values: Iterable[ColumnValue], text: str) -> ColumnValue:
    """What comes out of code that cannot be read: perhaps something of everything that went in."""
    found: dict[ColumnName, SourceTrace] = {}
    for value in values:
        for source, trace in value.sources.items():
            add(found, source, SourceTrace(Transformation.UNKNOWN, text, trace.masking, LOW_CONFIDENCE))
    return ColumnValue(found)
