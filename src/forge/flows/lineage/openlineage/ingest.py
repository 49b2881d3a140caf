"""Ingests OpenLineage events. Events of a run are held until it completes, as each may be partial; then they are merged
and recorded at the end time of the run. Idempotent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Literal, Protocol

from forge.flows.lineage.ports import LineagePorts
from forge.lineage.extract.openlineage import (
    DatasetNaming,
    batch_of,
    claims_of,
    counts_alone,
    kept_part,
    merge_events,
    producer_of_event,
    read_event,
)
from forge.lineage.extract.openlineage.claims import UnclearPart
from forge.lineage.extract.openlineage.model import LineageEvent, RunState
from forge.lineage.facts.claim import WriteCounts
from forge.model.errors import ForgeError, StorageError

Status = Literal["recorded", "unchanged", "held", "left out"]


@dataclass(frozen=True, slots=True)
class PendingEvent:
    """An event of an incomplete run. `document`: its relevant part as JSON; `digest`: of the whole event."""

    producer: str
    run_id: str
    digest: str
    at: datetime
    document: str


class EventInbox(Protocol):
    def keep(self, event: PendingEvent, now: datetime) -> bool:
        """False where it was there already."""

    def of_run(self, producer: str, run_id: str) -> tuple[PendingEvent, ...]:
        """The oldest first."""


@dataclass(frozen=True)
class OpenLineagePorts:
    """`lock` serializes runs of one job that end at the same time."""

    lineage: LineagePorts
    inbox: EventInbox
    naming: DatasetNaming = field(default_factory=DatasetNaming)
    lock: Lock = field(default_factory=Lock, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EventOutcome:
    """The outcome of an event: recorded; unchanged, if all was known; held until its run is complete; left out if
    its run failed. `unclear`: parts that have no place in the graph."""

    status: Status
    producer: str
    recorded: WriteCounts | None = None
    unclear: tuple[UnclearPart, ...] = ()


def ingest_event(ports: OpenLineagePorts, data: object, *, actor: str | None = None, at: str = "") -> EventOutcome:
    """E818 with the pointer of each fault; nothing of the event is then kept."""
    event = read_event(data, at)
    who = actor or ports.lineage.actor
    if counts_alone(event):
        return _record(ports, event, who)
    assert isinstance(data, Mapping)
    producer = producer_of_event(event)
    new = ports.inbox.keep(_kept(event, producer, data), ports.lineage.clock())
    events = [read_event(json.loads(kept.document)) for kept in ports.inbox.of_run(producer, event.run_id)]
    whole = merge_events(events or [event])
    if whole is not None:
        return _record(ports, whole, who)
    if event.state in (RunState.FAIL, RunState.ABORT):
        return EventOutcome("left out", producer)
    return EventOutcome("held" if new else "unchanged", producer)


@dataclass(frozen=True, slots=True)
class EventResult:
    """The result of one event of a list."""

    index: int
    taken: EventOutcome | None = None
    error: ForgeError | None = None


def ingest_events(ports: OpenLineagePorts, data: list[object], *, actor: str | None = None) -> tuple[EventResult, ...]:
    """Ingest events one by one; a malformed one does not stop the others."""
    answers = []
    for index, one in enumerate(data):
        try:
            answers.append(EventResult(index, ingest_event(ports, one, actor=actor, at=f"/{index}")))
        except StorageError:  # the database cannot be reached: all are to be sent again
            raise
        except ForgeError as error:
            answers.append(EventResult(index, error=error))
    return tuple(answers)


def _record(ports: OpenLineagePorts, event: LineageEvent, actor: str) -> EventOutcome:
    claimed = claims_of(event, ports.naming)
    producer, store = producer_of_event(event), ports.lineage.store
    with ports.lock:
        batch = batch_of(event, claimed, store.edge_facts(producer=producer), actor)
        recorded = store.record([batch])
    moved = recorded.added or recorded.extended or recorded.changed or recorded.closed or recorded.nodes
    status: Status = "recorded" if moved else "unchanged"
    return EventOutcome(status, producer, recorded, claimed.unclear)


def _kept(event: LineageEvent, producer: str, data: Mapping[str, object]) -> PendingEvent:
    try:
        whole, kept = json.dumps(data, sort_keys=True), json.dumps(kept_part(data))
    except RecursionError:  # what could be read may still be too deep to be written
        raise ForgeError("E818", "The event is nested too deeply", where="/") from None
    return PendingEvent(producer, event.run_id, hashlib.sha256(whole.encode()).hexdigest(), event.at, kept)
