"""Personal data along lineage: what is copied, cast or concatenated carries it on; hashes, masks and counts stop it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from forge.catalog.pii.review import DerivedFinding, FindingOrigin, PiiRecord, ReviewState
from forge.flows.catalog.personal_data import Key, carries_values
from forge.lineage.edge import Edge
from forge.model.names import ColumnName

_FARTHEST = 20  # hops
_Step = tuple[Key, PiiRecord, float, tuple[str, ...]]  # a column, its source, how sure, and the path between


def derive_findings(
    records: Collection[PiiRecord], edges: Iterable[Edge], threshold: float
) -> tuple[DerivedFinding, ...]:
    """Every column that gets values of a personal one, by the shortest path to the source with the highest score. What
    a person rejected neither gets nor passes on anything."""
    rejected = {_place(one) for one in records if one.state is ReviewState.REJECTED}
    sources = {
        (one.table, top): one
        for one in sorted(records, key=lambda one: (one.score, one.id))
        if one.is_personal(threshold) and one.type is not None
        if one.origin is FindingOrigin.SCAN or one.state is ReviewState.CONFIRMED
        for top in {one.key, one.key.partition(".")[0]}
    }
    following: dict[Key, list[Edge]] = defaultdict(list)
    for edge in sorted(edges):
        if carries_values(edge) and _end(edge) not in rejected:
            following[edge.source.table, edge.source.column.lower()].append(edge)
    found: dict[Key, DerivedFinding] = {}
    order = sorted(sources, key=lambda key: (-sources[key].score, key))
    todo: list[_Step] = [(key, sources[key], 1.0, (_name(sources[key]),)) for key in order]
    for _ in range(_FARTHEST):
        if not todo:
            break
        reached: list[_Step] = []
        for key, source, confidence, path in todo:
            for edge in following.get(key, ()):
                end = _end(edge)
                if end in sources or end in found:
                    continue
                sure, way = confidence * edge.confidence, (*path, str(edge.target))
                found[end] = _derived(edge.target, source, sure, way)
                reached.append((end, source, sure, way))
        todo = reached
    return tuple(found.values())


def _derived(target: ColumnName, source: PiiRecord, confidence: float, path: tuple[str, ...]) -> DerivedFinding:
    hops = len(path) - 1
    steps = "directly" if hops == 1 else f"in {hops} steps"
    assert source.type is not None
    return DerivedFinding(
        table=target.table,
        column=target.column,
        type=source.type,
        score=round(source.score * confidence, 2),
        evidence=(f"its values come from {path[0]}, {steps}",),
        source=path[0],
        path=path,
    )


def _place(record: PiiRecord) -> Key:
    return record.table, record.key


def _end(edge: Edge) -> Key:
    return edge.target.table, edge.target.column.lower()


def _name(record: PiiRecord) -> str:
    return f"{record.table}.{record.column}"
