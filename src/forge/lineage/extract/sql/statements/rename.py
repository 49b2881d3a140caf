"""Renamed tables and columns: earlier writes are found under the new name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from forge.lineage.extract.program import ProgramStep
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.value import ColumnValue
from forge.model.names import ColumnName


def rename(state: SessionState, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    made = state.temporary.pop(state.key_of(old), None)
    if made is not None:
        state.temporary[state.key_of(new)] = made
        return
    before, after = state.find(old).name, state.complete(new)
    definition = state.find(old).definition
    _follow(state, {before: after})
    state.current.pop(before.lower(), None)
    state.dropped.add(before.lower())
    if definition is not None:
        state.settle(replace(definition, name=after, given=False))


def swap(state: SessionState, one: tuple[str, ...], other: tuple[str, ...]) -> None:
    first, second = state.find(one), state.find(other)
    _follow(state, {first.name: second.name, second.name: first.name})
    for name, meant in ((first.name, second), (second.name, first)):
        if meant.definition is None:
            state.current.pop(name.lower(), None)
        else:
            state.settle(replace(meant.definition, name=name, given=False))


def _follow(state: SessionState, names: Mapping[str, str]) -> None:
    """Tables that this program wrote go by their new name wherever they are read after that; those it only read were
    there before, and keep the name by which others know them."""
    written: set[str] = set()
    steps: list[ProgramStep] = []
    for step in state.steps:
        steps.append(_renamed(step, names, written))
        if step.made.real and step.target in names:
            written.add(step.target)
    state.steps[:] = steps


def _renamed(step: ProgramStep, names: Mapping[str, str], written: set[str]) -> ProgramStep:
    target = names.get(step.target, step.target) if step.made.real else step.target
    moved = {old: new for old, new in names.items() if old in written}
    if not moved:
        return replace(step, target=target) if target != step.target else step
    return replace(
        step,
        target=target,
        columns={name: _value(value, moved) for name, value in step.columns.items()},
        shaped=frozenset((_column(column, moved), subtype) for column, subtype in step.shaped),
        reads=frozenset(moved.get(one, one) for one in step.reads),
        open=tuple(moved.get(one, one) for one in step.open),
    )


def _value(value: ColumnValue, names: Mapping[str, str]) -> ColumnValue:
    sources = {_column(column, names): trace for column, trace in value.sources.items()}
    members = {name: _value(member, names) for name, member in value.members.items()}
    return replace(value, sources=sources, members=members)


def rename_column(state: SessionState, table: str, old: str, new: str) -> None:
    """Of a table that this program wrote; who read it before reads the column of the new name."""
    written = False
    for place, step in enumerate(state.steps):
        changed = step
        if written:
            changed = replace(
                step,
                columns={name: _with_column(value, table, old, new) for name, value in step.columns.items()},
                shaped=frozenset((_renamed_column(one, table, old, new), subtype) for one, subtype in step.shaped),
            )
        if step.made.real and step.target == table:
            written = True
            columns = {new if name.lower() == old.lower() else name: one for name, one in changed.columns.items()}
            changed = replace(changed, columns=columns)
        state.steps[place] = changed


def _with_column(value: ColumnValue, table: str, old: str, new: str) -> ColumnValue:
    sources = {_renamed_column(one, table, old, new): trace for one, trace in value.sources.items()}
    members = {name: _with_column(member, table, old, new) for name, member in value.members.items()}
    return replace(value, sources=sources, members=members)


def _renamed_column(column: ColumnName, table: str, old: str, new: str) -> ColumnName:
    is_it = column.table == table and column.column.lower() == old.lower()
    return replace(column, column=new) if is_it else column


def _column(column: ColumnName, names: Mapping[str, str]) -> ColumnName:
    new = names.get(column.table)
    return column if new is None else replace(column, table=new)
