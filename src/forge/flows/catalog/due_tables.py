"""Which tables are due for a scan or a profile: those whose version now is not the one that was scanned or profiled.

By these records alone, so that what could not be reached, failed, or was crawled by somebody else is not forgotten."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.runs.pin import Pin
    from forge.model.names import TableName
    from forge.versioning.commit import Tree

PinOf = Callable[["TableName"], "Pin | None"]


def states_of(tree: Tree, pin_of: PinOf | None, state_of: Callable[[Pin], str]) -> dict[TableName, str]:
    """The state of each table of the default branch. Views only with `pin_of`: their text has to be read for it."""
    found: dict[TableName, str] = {}
    for table, version in tree.items():
        if version.kind != "view":
            if version.snapshot_id is not None:
                found[table] = str(version.snapshot_id)
        elif pin_of is not None:
            try:
                pin = pin_of(table)
            except (ForgeError, OSError):  # its reader gets the error
                continue
            if pin is not None:
                found[table] = state_of(pin)
    return found


def find_unscanned(states: Mapping[TableName, str], scanned: Mapping[str, str]) -> tuple[TableName, ...]:
    return tuple(table for table, state in states.items() if scanned.get(str(table)) != state)


def find_unprofiled(
    states: Mapping[TableName, str], profiled: Collection[tuple[TableName, str]]
) -> tuple[TableName, ...]:
    return tuple(table for table, state in states.items() if (table, state) not in profiled)
