"""What a run says of itself, and who listens: progress, what its checks said, and its end, by one port."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from forge.flows.quality.judge import JudgedTable
from forge.flows.runs.build import Event

if TYPE_CHECKING:
    from forge.flows.runs.project import Project
    from forge.model.names import BranchName, RunId, TableName


@dataclass(frozen=True, slots=True)
class RunEnded:
    """It is recorded, however it ended."""

    run_id: RunId
    project: Project


@dataclass(frozen=True, slots=True)
class RunSettled:
    """Tables of which the checks of a run said nothing: whether they were made, or found up to date."""

    branch: BranchName
    run_id: RunId
    outputs: Mapping[TableName, bool]


RunEvent = Event | RunEnded | JudgedTable | RunSettled
E = TypeVar("E", Event, RunEnded, JudgedTable, RunSettled)


class RunEvents(Protocol):
    """Told of everything in the order in which it happens. Once a run has ended, nothing that is raised here may undo
    it: a listener logs what it could not do."""

    def __call__(self, event: RunEvent) -> None: ...


@dataclass(frozen=True, slots=True)
class RunListeners:
    """Each is told of everything, one after the other."""

    all: tuple[RunEvents, ...] = ()

    def __call__(self, event: RunEvent) -> None:
        for listener in self.all:
            listener(event)


def on(kind: type[E], act: Callable[[E], object]) -> RunEvents:
    """A listener to one kind of event."""

    def listen(event: RunEvent) -> None:
        if isinstance(event, kind):
            act(event)

    return listen
