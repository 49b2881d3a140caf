"""Merges OpenLineage events and converts them to batches of claims.

Events of a run are cumulative in any order; of the same facet the newest wins. A run counts once it is complete, a
failed run never. A job that never completes (a stream) counts as soon as it runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from forge.lineage.extract.openlineage.claims import EventClaims, OutputSources
from forge.lineage.extract.openlineage.model import (
    EventDataset,
    EventJob,
    EventSubject,
    LineageEvent,
    NamespacedName,
    RunState,
)
from forge.lineage.extract.openlineage.names import producer_of, producer_of_dataset
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim
from forge.lineage.facts.fact import EdgeFact, EdgeKey
from forge.lineage.kind import EdgeType
from forge.lineage.node import Entity, NodeType


def producer_of_event(event: LineageEvent) -> str:
    """Who says it: the job, or the dataset itself."""
    return producer_of(event.job.name) if event.job is not None else producer_of_dataset(event.outputs[0].name)


def merge_events(events: Iterable[LineageEvent]) -> LineageEvent | None:
    """What the events of one run say; None as long as it does not count."""
    ordered = sorted(events, key=lambda event: event.at)
    ends = [event for event in ordered if event.state is RunState.COMPLETE]
    endless = [event for event in ordered if event.job is not None and event.job.endless and event.state in _LIVE]
    last = (ends or endless)[-1] if ends or endless else None
    if last is None or last.job is None:
        return None
    return LineageEvent(
        about=last.about,
        at=last.at,
        state=last.state,
        run_id=last.run_id,
        job=_job(ordered, last.job),
        inputs=_datasets(one for event in ordered for one in event.inputs),
        outputs=_datasets(one for event in ordered for one in event.outputs),
        entries=tuple({(entry.target, entry.is_job): entry for event in ordered for entry in event.entries}.values()),
    )


_LIVE = (RunState.RUNNING, RunState.COMPLETE)


def _job(events: Sequence[LineageEvent], last: EventJob) -> EventJob:
    jobs = [event.job for event in events if event.job is not None]
    details: dict[str, object] = {}
    for job in jobs:
        details |= job.details
    location = next((job.location for job in reversed(jobs) if job.location), "")
    parent = next((job.parent for job in reversed(jobs) if job.parent), None)
    return replace(last, details=details, location=location, parent=parent)


def _datasets(given: Iterable[EventDataset]) -> tuple[EventDataset, ...]:
    """The oldest first; of each facet the last one that is there."""
    found: dict[NamespacedName, EventDataset] = {}
    for one in given:
        known = found.get(one.name)
        if known is not None:
            one = EventDataset(
                one.name,
                known.fields if one.fields is None else one.fields,
                one.lineage or known.lineage,
                one.column_lineage or known.column_lineage,
                one.links or known.links,
                {**known.details, **one.details},
            )
        found[one.name] = one
    return tuple(found.values())


def batch_of(event: LineageEvent, claimed: EventClaims, known: Iterable[EdgeFact], actor: str = "") -> ClaimBatch:
    """`known`: all facts of the producer. For each output in this event, missing edges are closed; other outputs are
    kept, as a job may write another table each day. Where something newer is known of an output, this is history:
    valid until then, closing nothing."""
    facts = tuple(known)
    edges: list[EdgeClaim] = []
    closes: list[EdgeKey] = []
    claimed_keys = {claim.key for claim in claimed.edges}
    newer = {table: _next_time(facts, table, event.at) for table in {_owner(c.target) for c in claimed.edges}}
    for claim in claimed.edges:
        until = newer[_owner(claim.target)]
        edges.append(claim if until is None else replace(claim, valid_to=until))
    for table, fed in claimed.outputs.items():
        if _next_time(facts, table, event.at) is None:
            closes += _left_out(facts, table, fed, claimed_keys, event.at)
    nodes = claimed.nodes
    return ClaimBatch(
        producer=producer_of_event(event),
        at=event.at,
        edges=tuple(edges),
        nodes=nodes,
        complete=False,
        strict=False,
        actor=actor,
        closes=tuple(closes),
    )


def _left_out(
    facts: Iterable[EdgeFact], table: str, fed: OutputSources, claimed_keys: set[EdgeKey], at: datetime
) -> Iterable[EdgeKey]:
    """Table-level events do not close column edges, and events without a parent do not close the parent."""
    started = any(key.kind.type is EdgeType.EXECUTES for key in claimed_keys)
    for fact in facts:
        open_ = fact.valid_from <= at and (fact.valid_to is None or fact.valid_to > at)
        if open_ and _owner(fact.target) == table and fact.key not in claimed_keys:
            source = _owner(fact.source)
            if fact.kind.parallel and fact.kind.type is EdgeType.PRODUCES:
                continue  # it still makes the table, whatever from
            if fact.kind.type is EdgeType.EXECUTES and not started:
                continue
            if fed.by_column or source not in fed.sources:
                yield fact.key


def _next_time(facts: Iterable[EdgeFact], table: str, at: datetime) -> datetime | None:
    """The next time after a moment at which the producer claimed something of a table."""
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


def counts_alone(event: LineageEvent) -> bool:
    """Whether it says something without others: what is known of a job or dataset, not what a run did."""
    return event.about is not EventSubject.RUN
