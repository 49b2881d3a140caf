"""Events of a run and their listeners: progress, verdicts and its end, by one port."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from forge.flows.quality.judge import JudgedTable
from forge.flows.runs.build import StepEvent
from forge.flows.runs.project import Project
from forge.model.names import BranchName, RunId, TableName


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is recorded, however it ended."""

    run_id: RunId
    project: Project


@dataclass(frozen=True, slots=True)
class RunSettled:
    """Tables without verdicts in a run: whether they were built, or found up to date."""

    branch: BranchName
    run_id: RunId
    outputs: Mapping[TableName, bool]


RunEvent = StepEvent | RunEnded | JudgedTable | RunSettled
E = TypeVar("E", StepEvent, RunEnded, JudgedTable, RunSettled)


class RunEvents(Protocol):
    """Receives all events in order. Once a run has ended, an error raised here cannot undo it: a listener logs its
    own failures."""

    def __call__(self, event: RunEvent) -> None: ...


@dataclass(frozen=True, slots=True)
class RunListeners:
    """Forwards every event to each listener in turn."""

    all: tuple[RunEvents, ...] = ()

    def __call__(self, event: RunEvent) -> None:
        for listener in self.all:
            listener(event)


def on(kind: type[E], act: Callable[[E], object]) -> RunEvents:
    """A listener for one kind of event."""

    def listen(event: RunEvent) -> None:
        if isinstance(event, kind):
            act(event)

    return listen
