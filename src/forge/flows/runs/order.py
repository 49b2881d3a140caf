"""The order in which a run builds its outputs, and which of them cannot be built because of a faulty file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forge.flows.runs.project import Project
from forge.model.errors import ForgeError, ForgeErrors, raise_errors
from forge.model.fault import FileFault
from forge.model.names import TableName
from forge.transforms.dag import dependency_order
from forge.transforms.selector import select
from forge.transforms.transform import SqlQuery, Transform


@dataclass(frozen=True, slots=True)
class RunSelection:
    """`order`: what can be built, in dependency order. `faults`: selected tables that cannot, and why. `unrelated`:
    faults of files that no selected table depends on."""

    order: tuple[Transform, ...]
    faults: tuple[FileFault, ...] = ()
    unrelated: tuple[FileFault, ...] = ()


def find_order(project: Project, selection: Sequence[str]) -> RunSelection:
    """The selected transforms; all of them where nothing is selected. An unreadable file is represented by the table
    that it would make."""
    unread = {table: _unread(fault, table) for fault in project.faults for table in fault.tables if _makes(fault)}
    every = {**unread, **project.transforms}
    chosen = _chosen(project, selection, every)
    whole = not any(text.strip() for text in selection)
    faults = tuple(f for f in project.faults if f.tables & chosen or (whole and not f.tables))
    lost = frozenset(table for fault in project.faults for table in fault.tables)
    sound = {table: transform for table, transform in project.transforms.items() if table not in lost}
    order = tuple(sound[table] for table in dependency_order(sound) if table in chosen)
    return RunSelection(order, faults, tuple(f for f in project.faults if f not in faults))


def plan_order(project: Project, selection: Sequence[str]) -> tuple[Transform, ...]:
    """Like `find_order`, for a run: what cannot be built is refused before anything is."""
    found = find_order(project, selection)
    raise_errors(fault.error for fault in found.faults)
    return found.order


def _makes(fault: FileFault) -> bool:
    return fault.file.startswith(("transforms/", "sources/"))


def _unread(fault: FileFault, table: TableName) -> Transform:
    """Placeholder of a transform that could not be read: its inputs are unknown."""
    return Transform(output=table, body=SqlQuery(""), file=fault.file, line=1, code_hash="")


def _chosen(project: Project, selection: Sequence[str], every: dict[TableName, Transform]) -> frozenset[TableName]:
    try:
        return select(selection, every)
    except ForgeError as error:
        untold = [fault.error for fault in project.faults if not fault.tables and _makes(fault)]
        raise ForgeErrors([error, *untold]) if untold else error from None
