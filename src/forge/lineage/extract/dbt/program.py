"""One dbt model as a program: its compiled SQL, with the line numbers of the model file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from forge.lineage.edge import Gap, Transformation
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.dbt.node import CompiledModel, DbtNode, SnapshotColumns
from forge.lineage.extract.definition import ColumnDefinition, TableDefinition
from forge.lineage.extract.lines import with_lines
from forge.lineage.extract.program import OutputKind, Program, ProgramStep
from forge.lineage.extract.relation import copy_of
from forge.lineage.extract.sql.program import read_sql
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace, add, through
from forge.model.names import ColumnName

LANGUAGE = "dbt"


def read_node(
    node: DbtNode, compiled: CompiledModel, catalog: TableCatalog, dialect: str, reads: Iterable[str]
) -> Program:
    """`reads`: the names of what it needs, for where the text cannot be read."""
    target = catalog.complete(node.name.split("."))
    programs: list[Program] = []
    for sql in compiled.texts:
        # What an incremental model reads from itself is what its first run made.
        around = catalog.with_(programs[0].definitions) if programs else catalog
        found = read_sql(sql.text, around, dialect=dialect, file=node.file, result=_quoted(node.name))
        programs.append(with_lines(found, sql.line))
    steps = [_step(step, node, target) for program in programs for step in program.steps]
    gaps = list(dict.fromkeys((*compiled.gaps, *(gap for program in programs for gap in program.gaps))))
    whole = [step for step in steps if step.target.lower() == target.lower()]
    if not whole and not gaps:
        gaps.append(Gap(node.file, node.line, "the model has no query"))
    if gaps:
        known = frozenset(catalog.complete(name.split(".")) for name in reads) - {target}
        steps = [replace(step, reads=step.reads | known) if step in whole else step for step in steps]
        if not whole and known:
            steps.append(
                ProgramStep(target=target, made=node.made, columns={}, reads=known, file=node.file, line=node.line)
            )
    definitions = [_typed(one, node) for program in programs[:1] for one in program.definitions]
    return Program(
        file=node.file,
        language=LANGUAGE,
        steps=tuple(steps),
        gaps=tuple(gaps),
        definitions=(*definitions, *declared_of(node)),
        statements=1,
        understood=0 if gaps else 1,
        queries=0,
        unknown=frozenset().union(*(program.unknown for program in programs)),
    )


def declared_of(node: DbtNode) -> tuple[TableDefinition, ...]:
    """What is known of a relation's columns before anything of it is read."""
    if not node.complete:
        return ()
    kind = "view" if node.made is OutputKind.VIEW else "physical"
    return (TableDefinition(name=node.name, columns=node.columns, kind=kind, file=node.file, line=node.line),)


def _quoted(name: str) -> str:
    """dbt's names keep their case."""
    return ".".join(f"`{part}`" for part in name.split("."))


def _step(step: ProgramStep, node: DbtNode, target: str) -> ProgramStep:
    if step.target.lower() != target.lower():
        return step
    columns = step.columns if node.history is None else {**step.columns, **_kept_by(node.history, step)}
    return replace(step, made=node.made, columns=columns)


def _kept_by(history: SnapshotColumns, step: ProgramStep) -> Mapping[str, ColumnValue]:
    """The columns that a snapshot adds: since when a row was so, until when, and a key for that interval."""
    now = _value(step, history.updated_at)
    found: dict[str, ColumnValue] = {"dbt_updated_at": now, "dbt_valid_from": now}
    found["dbt_valid_to"] = through(
        now, SourceTrace(Transformation.CONDITIONAL, f"NULLIF({history.updated_at}, {history.updated_at})")
    )
    hashed = SourceTrace(Transformation.TRANSFORMATION, "MD5(…)", masking=True)
    sources: dict[ColumnName, SourceTrace] = {}
    for name in (*history.unique_key, history.updated_at):
        for source, trace in through(_value(step, name), hashed).sources.items():
            add(sources, source, trace)
    found["dbt_scd_id"] = ColumnValue(sources)
    return found


def _value(step: ProgramStep, name: str) -> ColumnValue:
    for column, value in step.columns.items():
        if column.lower() == name.lower():
            return value
    return copy_of(step.open[0], name) if name and len(step.open) == 1 else NOTHING


def _typed(definition: TableDefinition, node: DbtNode) -> TableDefinition:
    """With the types that the project declares."""
    types = {column.name.lower(): column.type for column in node.columns if column.type}
    columns = tuple(
        ColumnDefinition(one.name, types.get(one.name.lower(), one.type), one.nullable) for one in definition.columns
    )
    more = tuple(ColumnDefinition(name) for name in _HISTORY) if node.history is not None else ()
    kind = "view" if node.made is OutputKind.VIEW else "physical"
    return replace(definition, columns=(*columns, *more), kind=kind)


_HISTORY = ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to")
