"""Flattens the steps of a program to edges from table to table, across CTEs, temporary views and variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from forge.lineage.edge import Edge, Extraction, Gap, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.lineage.extract.program import RESOLVED, Program, ProgramStep
from forge.lineage.extract.value import LOW_CONFIDENCE, ColumnValue, SourceTrace, add, compose, through
from forge.model.names import ColumnName

ShapingColumns = frozenset[tuple[ColumnName, IndirectType]]


@dataclass(frozen=True, slots=True)
class FlatStep:
    """A step in terms of tables only."""

    columns: Mapping[str, ColumnValue] = field(default_factory=dict)
    shaped: ShapingColumns = frozenset()
    reads: frozenset[str] = frozenset()
    open: tuple[str, ...] = ()


def flatten(programs: Iterable[Program]) -> Extraction:
    edges: dict[tuple[object, ...], Edge] = {}
    indirect: dict[IndirectEdge, None] = {}
    tables: dict[TableEdge, TableEdge] = {}
    gaps: dict[Gap, None] = {}
    for program in programs:
        gaps.update(dict.fromkeys(program.gaps))
        for step, joined in flatten_steps(program.steps):
            for edge in edges_of(step, joined):
                edges.setdefault((edge.source, edge.target, edge.transformation, edge.masking), edge)
            for source, subtype in sorted(joined.shaped):
                indirect[IndirectEdge(source, step.target, subtype, step.file, step.line)] = None
            for table in table_edges_of(step, joined):
                before = tables.get(table)
                if before is None or before.confidence < table.confidence:
                    tables[table] = table
            if joined.open:
                gaps[open_gap(step, joined)] = None
    return Extraction(
        tuple(sorted(edges.values())), tuple(sorted(indirect)), tuple(sorted(tables.values())), in_order(gaps)
    )


def flatten_steps(steps: Iterable[ProgramStep]) -> Iterable[tuple[ProgramStep, FlatStep]]:
    """The steps that make something real, in terms of what is real."""
    between: dict[str, FlatStep] = {}
    for step in steps:
        joined = _join(step, between)
        if step.target in joined.reads and not step.made.real:
            joined = _settle(step, joined)
        if step.made.real:
            yield step, joined
        else:
            between[step.target] = joined


def _settle(step: ProgramStep, first: FlatStep) -> FlatStep:
    """A recursive step, perhaps through others: the rows of each round come from the round before, so repeat until
    nothing is added."""
    step = replace(step, columns=first.columns, shaped=first.shaped, reads=first.reads, open=first.open)
    before, joined = FlatStep(), first
    for _ in range(len(step.columns) + 2):
        joined = _join(step, {step.target: before})
        if _sources(joined) == _sources(before) and joined.shaped == before.shaped:
            break
        before = joined
    return replace(joined, reads=joined.reads - {step.target})


def _sources(joined: FlatStep) -> dict[str, frozenset[ColumnName]]:
    return {name: frozenset(value.sources) for name, value in joined.columns.items()}


def _join(step: ProgramStep, between: Mapping[str, FlatStep]) -> FlatStep:
    reads: set[str] = set()
    shaped: set[tuple[ColumnName, IndirectType]] = set()
    for table in step.reads:
        made = between.get(table)
        if made is None:
            reads.add(table)
        else:
            reads |= made.reads
            shaped |= made.shaped
    for source, subtype in step.shaped:
        shaped |= {(found, subtype) for found in _resolve(source, between).sources}
    open_: dict[str, None] = {}
    columns = {name: _value(value, between) for name, value in step.columns.items()}
    for table in step.open:
        made = between.get(table)
        if made is None:
            open_[table] = None
        else:
            open_.update(dict.fromkeys(made.open))
            columns.update({name: value for name, value in made.columns.items() if name not in columns})
    return FlatStep(columns, frozenset(shaped), frozenset(reads), tuple(open_))


def _value(value: ColumnValue, between: Mapping[str, FlatStep]) -> ColumnValue:
    found: dict[ColumnName, SourceTrace] = {}
    members: Mapping[str, ColumnValue] = {}
    for source, trace in value.sources.items():
        inner = _resolve(source, between)
        for real, inner_trace in inner.sources.items():
            add(found, real, compose(inner_trace, trace))
        if len(value.sources) == 1 and trace.transformation is Transformation.IDENTITY:
            members = inner.members
    own = {name: _value(member, between) for name, member in value.members.items()}
    return ColumnValue(found, own or members)


_SAME = SourceTrace(Transformation.IDENTITY, "")


def _resolve(source: ColumnName, between: Mapping[str, FlatStep]) -> ColumnValue:
    """A column in terms of tables; one of a table is itself."""
    made = between.get(source.table)
    if made is None:
        return ColumnValue({source: _SAME})
    value = made.columns.get(source.column)
    if value is None:
        wanted = source.column.lower()
        value = next((v for name, v in made.columns.items() if name.lower() == wanted), None)
    if value is None:
        # It is none of those that are known; where only one relation is open, it must be from there.
        value = ColumnValue({ColumnName(made.open[0], source.column): _SAME}) if len(made.open) == 1 else ColumnValue()
    return field_of(value, source.field) if source.field else value


def field_of(value: ColumnValue, path: str) -> ColumnValue:
    """A field of a struct: that of one that is built here, or the same field of the columns it is a copy of."""
    for name in path.split("."):
        member = value.members.get(name)
        if member is not None:
            value = member
            continue
        found: dict[ColumnName, SourceTrace] = {}
        for source, trace in value.sources.items():
            if trace.transformation is Transformation.IDENTITY:
                inner = f"{source.field}.{name}" if source.field else name
                add(found, replace(source, field=inner), replace(trace, expression=""))
            else:
                add(found, source, trace)
        value = ColumnValue(found)
    return through(value, _SAME)


def edges_of(step: ProgramStep, joined: FlatStep) -> Iterable[Edge]:
    for name, value in joined.columns.items():
        for target, source, trace in arrivals(ColumnName(step.target, name), value):
            text = trace.expression or last_name(source)
            named = is_guess(source.table) or is_guess(step.target)
            sure = min(trace.confidence, LOW_CONFIDENCE if named else RESOLVED)
            yield Edge(
                source=source,
                target=target,
                transformation=trace.transformation,
                expression=text,
                masking=trace.masking,
                confidence=sure,
                file=step.file,
                line=step.line,
            )


def is_guess(table: str) -> bool:
    """A name that holds something that is known only when the code runs."""
    return "${" in table


def arrivals(target: ColumnName, value: ColumnValue) -> Iterable[tuple[ColumnName, ColumnName, SourceTrace]]:
    """(target, source, how): what a value brings into a column; of a struct that is built, into each of its fields."""
    if not value.members:
        yield from ((target, source, trace) for source, trace in value.sources.items())
    for name, member in value.members.items():
        inner = f"{target.field}.{name}" if target.field else name
        yield from arrivals(replace(target, field=inner), member)


def last_name(column: ColumnName) -> str:
    return column.field.rpartition(".")[2] or column.column


def table_edges_of(step: ProgramStep, joined: FlatStep) -> Iterable[TableEdge]:
    """What a statement reads, surely where its columns are known. One of which nothing but tables is known was not
    understood."""
    blind = not joined.columns and not joined.shaped
    for table in sorted(joined.reads):
        low = blind or table in joined.open or is_guess(table) or is_guess(step.target)
        sure = LOW_CONFIDENCE if low else RESOLVED
        yield TableEdge(table, step.target, step.file, step.line, sure)


def in_order(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """By file and line, as they are read."""
    return tuple(sorted(gaps, key=lambda gap: (gap.place, gap.line)))


def open_gap(step: ProgramStep, joined: FlatStep) -> Gap:
    tables = " and ".join(joined.open)
    reason = f"the columns of {tables} are not known, so * cannot be told apart; give them with --schema"
    return Gap(step.file, step.line, reason)
