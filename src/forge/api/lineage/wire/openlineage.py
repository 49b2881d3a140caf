"""JSON of the outcome of OpenLineage events."""

from __future__ import annotations

from typing import Literal

from forge.api.lineage.wire.changes import RecordedView
from forge.api.wire import ErrorView, Wire

TakenWord = Literal["recorded", "unchanged", "held", "left out"]


class UnclearView(Wire):
    """Something that the event says, at a JSON pointer, and that has no place in the graph."""

    pointer: str
    reason: str


class TakenView(Wire):
    """`held`: until its run is complete. `left out`: its run failed. `unchanged`: all of it was known."""

    status: TakenWord
    producer: str
    recorded: RecordedView | None = None
    unclear: list[UnclearView] = []


class EventAnswer(Wire):
    """Of one event in a list: what became of it, or all that is wrong with it."""

    index: int
    status: TakenWord | Literal["failed"]
    taken: TakenView | None = None
    errors: list[ErrorView] = []


class BatchSummary(Wire):
    received: int
    successful: int
    failed: int


class BatchTakenView(Wire):
    """Each event is taken for itself."""

    status: Literal["success", "partial_success"]
    summary: BatchSummary
    events: list[EventAnswer]
