"""OpenLineage, from events to batches of claims.

What the events of one run say adds up, whatever their order: each may tell a part, and of the same facet the newest
word counts. A run counts once it is complete; one that failed never does. A job that never completes (a stream) counts
as soon as it runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from forge.lineage.extract.openlineage.claims import Claimed, Fed, claims_of
from forge.lineage.extract.openlineage.names import Naming, producer_of, producer_of_dataset
from forge.lineage.extract.openlineage.read import kept_part, read_event
from forge.lineage.extract.openlineage.said import About, Dataset, Event, Job, Name, State
from forge.lineage.facts.claim import Batch, EdgeClaim
from forge.lineage.facts.fact import EdgeFact, EdgeKey
from forge.lineage.kind import EdgeType
from forge.lineage.node import Entity, NodeType

__all__ = [
    "Naming",
    "batch_of",
    "claims_of",
    "counts_alone",
    "kept_part",
    "producer_of_event",
    "read_event",
    "together",
]


def producer_of_event(event: Event) -> str:
    """Who says it: the job, or the dataset itself."""
    return producer_of(event.job.name) if event.job is not None else producer_of_dataset(event.outputs[0].name)


def together(events: Iterable[Event]) -> Event | None:
    """What the events of one run say; None as long as it does not count."""
    told = sorted(events, key=lambda event: event.at)
    ends = [event for event in told if event.state is State.COMPLETE]
    endless = [event for event in told if event.job is not None and event.job.endless and event.state in _LIVE]
    last = (ends or endless)[-1] if ends or endless else None
    if last is None or last.job is None:
        return None
    return Event(
        about=last.about,
        at=last.at,
        state=last.state,
        run_id=last.run_id,
        job=_job(told, last.job),
        inputs=_datasets(one for event in told for one in event.inputs),
        outputs=_datasets(one for event in told for one in event.outputs),
        entries=tuple({(entry.target, entry.is_job): entry for event in told for entry in event.entries}.values()),
    )


_LIVE = (State.RUNNING, State.COMPLETE)


def _job(told: Sequence[Event], last: Job) -> Job:
    jobs = [event.job for event in told if event.job is not None]
    details: dict[str, object] = {}
    for job in jobs:
        details |= job.details
    location = next((job.location for job in reversed(jobs) if job.location), "")
    parent = next((job.parent for job in reversed(jobs) if job.parent), None)
    return replace(last, details=details, location=location, parent=parent)


def _datasets(given: Iterable[Dataset]) -> tuple[Dataset, ...]:
    """The oldest first; of each facet the last one that is there."""
    found: dict[Name, Dataset] = {}
    for one in given:
        known = found.get(one.name)
        if known is not None:
            one = Dataset(
                one.name,
                known.fields if one.fields is None else one.fields,
                one.lineage or known.lineage,
                one.column_lineage or known.column_lineage,
                one.links or known.links,
                {**known.details, **one.details},
            )
        found[one.name] = one
    return tuple(found.values())


def batch_of(event: Event, claimed: Claimed, known: Iterable[EdgeFact], actor: str = "") -> Batch:
    """`known`: all that the same producer ever said. Of each output that is told of now, what is not said any more
    ends; outputs that are not told of stay as they are, for a job may write another table each day. Where something
    newer is known of an output, this is history: it holds until then and ends nothing."""
    facts = tuple(known)
    edges: list[EdgeClaim] = []
    closes: list[EdgeKey] = []
    said = {claim.key for claim in claimed.edges}
    newer = {table: _next_time(facts, table, event.at) for table in {_owner(c.target) for c in claimed.edges}}
    for claim in claimed.edges:
        until = newer[_owner(claim.target)]
        edges.append(claim if until is None else replace(claim, valid_to=until))
    for table, fed in claimed.outputs.items():
        if _next_time(facts, table, event.at) is None:
            closes += _left_out(facts, table, fed, said, event.at)
    nodes = claimed.nodes
    return Batch(
        producer=producer_of_event(event),
        at=event.at,
        edges=tuple(edges),
        nodes=nodes,
        complete=False,
        strict=False,
        actor=actor,
        closes=tuple(closes),
    )


def _left_out(facts: Iterable[EdgeFact], table: str, fed: Fed, said: set[EdgeKey], at: datetime) -> Iterable[EdgeKey]:
    """Who tells only of tables says nothing against the columns that were told of before, and who names no parent
    nothing against the one that was."""
    started = any(key.kind.type is EdgeType.EXECUTES for key in said)
    for fact in facts:
        open_ = fact.valid_from <= at and (fact.valid_to is None or fact.valid_to > at)
        if open_ and _owner(fact.target) == table and fact.key not in said:
            source = _owner(fact.source)
            if fact.kind.beside and fact.kind.type is EdgeType.PRODUCES:
                continue  # it still makes the table, whatever from
            if fact.kind.type is EdgeType.EXECUTES and not started:
                continue
            if fed.by_column or source not in fed.sources:
                yield fact.key


def _next_time(facts: Iterable[EdgeFact], table: str, at: datetime) -> datetime | None:
    """When the producer told of a table for the first time after a moment."""
    times = (
        time
        for fact in facts
        if _owner(fact.target) == table
        for time in (fact.valid_from, fact.valid_to, *(one.seen_at for one in fact.evidence))
        if time is not None and time > at
    )
    return min(times, default=None)


def _owner(entity: Entity) -> str:
    """The table of a column or field; of anything else, itself."""
    while entity.type in (NodeType.COLUMN, NodeType.FIELD):
        parent = entity.parent
        assert parent is not None
        entity = parent
    return entity.id


def counts_alone(event: Event) -> bool:
    """Whether it says something without others: what is known of a job or dataset, not what a run did."""
    return event.about is not About.RUN
