"""Takes in OpenLineage events. Those of a run are kept until it is complete, for each may say only a part; then they
are recorded together, at the time the run ended. The same event again changes nothing."""

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
    Naming,
    batch_of,
    claims_of,
    counts_alone,
    kept_part,
    producer_of_event,
    read_event,
    together,
)
from forge.lineage.extract.openlineage.claims import Unclear
from forge.lineage.extract.openlineage.said import Event, State
from forge.lineage.facts.claim import Recorded
from forge.model.errors import ForgeError

Status = Literal["recorded", "unchanged", "held", "left out"]


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """An event of a run. `document`: the part of it that tells something, as JSON; `digest`: of all of it."""

    producer: str
    run_id: str
    digest: str
    at: datetime
    document: str


class Inbox(Protocol):
    def keep(self, event: KeptEvent, now: datetime) -> bool:
        """False where it was there already."""
        ...

    def of_run(self, producer: str, run_id: str) -> tuple[KeptEvent, ...]:
        """The oldest first."""
        ...


@dataclass(frozen=True)
class OpenLineagePorts:
    """`lock`: of two runs of one job that end at once, one is recorded after the other."""

    lineage: LineagePorts
    inbox: Inbox
    naming: Naming = field(default_factory=Naming)
    lock: Lock = field(default_factory=Lock, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an event: recorded; unchanged, for all of it was known; held, until its run is complete; left
    out, because its run failed. `unclear`: what it says and what has no place in the graph."""

    status: Status
    producer: str
    recorded: Recorded | None = None
    unclear: tuple[Unclear, ...] = ()


def take_event(ports: OpenLineagePorts, data: object, *, actor: str | None = None, at: str = "") -> Taken:
    """E818 with the pointer of each fault; nothing of the event is then kept."""
    event = read_event(data, at)
    who = actor or ports.lineage.actor
    if counts_alone(event):
        return _record(ports, event, who)
    assert isinstance(data, Mapping)
    producer = producer_of_event(event)
    new = ports.inbox.keep(_kept(event, producer, data), ports.lineage.clock())
    told = [read_event(json.loads(kept.document)) for kept in ports.inbox.of_run(producer, event.run_id)]
    whole = together(told or [event])
    if whole is not None:
        return _record(ports, whole, who)
    if event.state in (State.FAIL, State.ABORT):
        return Taken("left out", producer)
    return Taken("held" if new else "unchanged", producer)


@dataclass(frozen=True, slots=True)
class Answer:
    """Of one event in a list."""

    index: int
    taken: Taken | None = None
    error: ForgeError | None = None


def take_events(ports: OpenLineagePorts, data: list[object], *, actor: str | None = None) -> tuple[Answer, ...]:
    """Each for itself: one that is malformed keeps back no other."""
    answers = []
    for index, one in enumerate(data):
        try:
            answers.append(Answer(index, take_event(ports, one, actor=actor, at=f"/{index}")))
        except ForgeError as error:
            if not error.code.startswith("E8"):  # the database cannot be reached: all are to be sent again
                raise
            answers.append(Answer(index, error=error))
    return tuple(answers)


def _record(ports: OpenLineagePorts, event: Event, actor: str) -> Taken:
    claimed = claims_of(event, ports.naming)
    producer, store = producer_of_event(event), ports.lineage.store
    with ports.lock:
        batch = batch_of(event, claimed, store.edge_facts(producer=producer), actor)
        recorded = store.record([batch])
    moved = recorded.added or recorded.extended or recorded.changed or recorded.closed or recorded.nodes
    status: Status = "recorded" if moved else "unchanged"
    return Taken(status, producer, recorded, claimed.unclear)


def _kept(event: Event, producer: str, data: Mapping[str, object]) -> KeptEvent:
    try:
        whole, kept = json.dumps(data, sort_keys=True), json.dumps(kept_part(data))
    except RecursionError:  # what could be read may still be too deep to be written
        raise ForgeError("E818", "The event is nested too deeply", where="/") from None
    return KeptEvent(producer, event.run_id, hashlib.sha256(whole.encode()).hexdigest(), event.at, kept)
