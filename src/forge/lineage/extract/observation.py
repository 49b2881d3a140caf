"""Writes observed while a program ran, and their serialization between processes.

A stream is observed twice: its sources when it starts, its target at each batch. Both are joined here, and writes that
are only the inner side of another one are dropped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from forge.lineage.edge import Edge, Extraction, Gap, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.lineage.extract.flatten import arrivals, flatten_steps, last_name
from forge.lineage.extract.program import OutputKind, ProgramStep
from forge.lineage.extract.value import ColumnValue, SourceTrace, add
from forge.model.names import ColumnName


@dataclass(frozen=True, slots=True)
class ObservedWrite:
    """One write. `location`: the folder of a table, as Spark writes some tables as files first."""

    target: str
    made: OutputKind
    extraction: Extraction
    location: str = ""


def join_writes(seen: Iterable[ObservedWrite]) -> tuple[ObservedWrite, ...]:
    """What is real, each target once, in the order of the first write."""
    given = tuple(dict.fromkeys(seen))
    folders = {one.location for one in given if one.location}
    steps = [_step(one) for one in given if not (one.made is OutputKind.FILE and one.target in folders)]
    gaps: dict[str, dict[Gap, None]] = {}
    for one in given:
        gaps.setdefault(one.target, {}).update(dict.fromkeys(one.extraction.gaps))
    found: dict[str, ObservedWrite] = {}
    for step, joined in flatten_steps(steps):
        edges = (
            Edge(
                source=source,
                target=into,
                transformation=t.transformation,
                expression=t.expression or last_name(source),
                masking=t.masking,
                confidence=t.confidence,
            )
            for name, value in joined.columns.items()
            for into, source, t in arrivals(ColumnName(step.target, name), value)
        )
        indirect = (IndirectEdge(source, step.target, subtype) for source, subtype in joined.shaped)
        tables = (TableEdge(table, step.target) for table in joined.reads)
        before = found.get(step.target)
        old = before.extraction if before else Extraction()
        found[step.target] = ObservedWrite(
            step.target,
            before.made if before else step.made,
            Extraction(
                tuple(sorted({*old.edges, *edges})),
                tuple(sorted({*old.indirect, *indirect})),
                tuple(sorted({*old.table_edges, *tables})),
                tuple(gaps.get(step.target, ())),
            ),
        )
    return tuple(found.values())


def renamed(seen: ObservedWrite, names: Mapping[str, str]) -> ObservedWrite:
    """With other names for tables, where `names` has them."""

    def table(name: str) -> str:
        return names.get(name, name)

    def column(one: ColumnName) -> ColumnName:
        return replace(one, table=table(one.table))

    old = seen.extraction
    return replace(
        seen,
        target=table(seen.target),
        extraction=Extraction(
            tuple(replace(edge, source=column(edge.source), target=column(edge.target)) for edge in old.edges),
            tuple(replace(edge, source=column(edge.source), target=table(edge.target)) for edge in old.indirect),
            tuple(replace(edge, source=table(edge.source), target=table(edge.target)) for edge in old.table_edges),
            tuple(replace(gap, place=table(gap.place)) for gap in old.gaps),
        ),
    )


def tables_of(seen: Iterable[ObservedWrite]) -> frozenset[str]:
    """All that is read or written."""
    return frozenset({one.target for one in seen} | {e.source for one in seen for e in one.extraction.table_edges})


def _step(one: ObservedWrite) -> ProgramStep:
    columns: dict[str, ColumnValue] = {}
    by_column: dict[str, list[Edge]] = {}
    for edge in one.extraction.edges:
        by_column.setdefault(edge.target.column, []).append(edge)
    for name, edges in by_column.items():
        columns[name] = _value([(edge.target.field.split(".") if edge.target.field else [], edge) for edge in edges])
    shaped = frozenset((edge.source, edge.subtype) for edge in one.extraction.indirect)
    reads = frozenset(edge.source for edge in one.extraction.table_edges)
    return ProgramStep(target=one.target, made=one.made, columns=columns, shaped=shaped, reads=reads)


def _value(edges: list[tuple[list[str], Edge]]) -> ColumnValue:
    found: dict[ColumnName, SourceTrace] = {}
    inner: dict[str, list[tuple[list[str], Edge]]] = {}
    for path, edge in edges:
        add(found, edge.source, SourceTrace(edge.transformation, edge.expression, edge.masking, edge.confidence))
        if path:
            inner.setdefault(path[0], []).append((path[1:], edge))
    return ColumnValue(found, {name: _value(some) for name, some in inner.items()})


# as text, a line for each


def to_line(seen: ObservedWrite) -> str:
    old = seen.extraction
    return json.dumps(
        {
            "target": seen.target,
            "made": str(seen.made),
            "location": seen.location,
            "edges": [
                [*_parts(e.source), *_parts(e.target), str(e.transformation), e.expression, e.masking, e.confidence]
                for e in old.edges
            ],
            "indirect": [[*_parts(edge.source), str(edge.subtype)] for edge in old.indirect],
            "tables": [edge.source for edge in old.table_edges],
            "gaps": [gap.reason for gap in old.gaps],
        }
    )


def from_lines(text: str) -> Iterator[ObservedWrite]:
    """A last line that was cut off, for the process died, is left out."""
    for line in text.splitlines():
        try:
            known = json.loads(line)
        except ValueError:
            continue
        yield _seen(known)


def _seen(known: Mapping[str, Any]) -> ObservedWrite:
    target = str(known["target"])
    edges = tuple(
        Edge(
            source=ColumnName(*row[:3]),
            target=ColumnName(*row[3:6]),
            transformation=Transformation(row[6]),
            expression=row[7],
            masking=row[8],
            confidence=row[9],
        )
        for row in known["edges"]
    )
    indirect = tuple(IndirectEdge(ColumnName(*row[:3]), target, IndirectType(row[3])) for row in known["indirect"])
    tables = tuple(TableEdge(source, target) for source in known["tables"])
    gaps = tuple(Gap(target, 0, reason) for reason in known["gaps"])
    return ObservedWrite(
        target, OutputKind(known["made"]), Extraction(edges, indirect, tables, gaps), str(known["location"])
    )


def _parts(column: ColumnName) -> tuple[str, str, str]:
    return column.table, column.column, column.field
