"""Applies a batch of claims to the recorded facts. Pure: stores fetch the facts and write the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from forge.lineage.errors import OlderBatchError
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Evidence, is_same_sighting
from forge.lineage.facts.fact import EdgeFact, EdgeKey, NodeFact

SIGHTS = 20  # the most that one fact keeps; the newest stay

Fact = TypeVar("Fact", EdgeFact, NodeFact)


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeWritePlan:
    """`kept`: old fact → its update, with the same start; `new`: rows to insert; `gone`: rows to delete, because a
    wider one absorbed them or they never became valid."""

    kept: tuple[tuple[EdgeFact, EdgeFact], ...] = ()
    new: tuple[EdgeFact, ...] = ()
    gone: tuple[EdgeFact, ...] = ()
    added: int = 0
    extended: int = 0
    changed: int = 0
    closed: int = 0


@dataclass(frozen=True, slots=True)
class NodeWritePlan:
    kept: tuple[tuple[NodeFact, NodeFact], ...] = ()
    new: tuple[NodeFact, ...] = ()
    gone: tuple[NodeFact, ...] = ()


def check_order(batch: ClaimBatch, newest: datetime | None) -> None:
    """A complete batch is the state at its time; an older one cannot undo a newer one."""
    if batch.complete and newest is not None and batch.at < newest:
        raise OlderBatchError(
            f"{batch.producer} was already recorded at {newest.isoformat()}, after {batch.at.isoformat()}",
            why="What a producer says replaces what it said before, so it must come in the order of time.",
            fix="Record it with a later time.",
        )


def plan_edges(batch: ClaimBatch, known: Iterable[EdgeFact]) -> EdgeWritePlan:
    """`known`: the facts of this producer on `batch.keys`; of a complete batch also all that hold after its time."""
    rows_of: dict[EdgeKey, list[EdgeFact]] = {}
    for fact in known:
        rows_of.setdefault(fact.key, []).append(fact)
    claims, closes = _claims_of(batch), frozenset(batch.closes)
    kept: list[tuple[EdgeFact, EdgeFact]] = []
    new: list[EdgeFact] = []
    gone: list[EdgeFact] = []
    counts = {"added": 0, "extended": 0, "changed": 0, "closed": 0}
    for key in dict.fromkeys((*claims, *rows_of)):
        before = sorted(rows_of.get(key, ()), key=_start)
        claimed = claims.get(key, [])
        cut = batch.complete or key in closes
        if not claimed and not cut:
            continue
        after = _merge_claims(before, claimed, batch.at if cut else None, _with_evidence)
        more = _difference(before, after)
        kept += more[0]
        new += more[1]
        gone += more[2]
        if any(more):
            counts[_what_happened(before, claimed)] += 1
    return EdgeWritePlan(kept=tuple(kept), new=tuple(new), gone=tuple(gone), **counts)


def plan_nodes(batch: ClaimBatch, known: Iterable[NodeFact]) -> NodeWritePlan:
    """`known`: the facts of this producer on the claimed nodes; of a complete batch also all that hold after it."""
    rows_of: dict[str, list[NodeFact]] = {}
    for fact in known:
        rows_of.setdefault(fact.entity.id, []).append(fact)
    claims: dict[str, NodeFact] = {}
    for claim in batch.nodes:
        before_it = claims.get(claim.entity.id)
        claims[claim.entity.id] = _node_fact(claim, batch, before_it.details if before_it else {})
    kept: list[tuple[NodeFact, NodeFact]] = []
    new: list[NodeFact] = []
    gone: list[NodeFact] = []
    for node_id in dict.fromkeys((*claims, *rows_of)):
        before = sorted(rows_of.get(node_id, ()), key=_start)
        claimed = [claims[node_id]] if node_id in claims else []
        if claimed or batch.complete:
            after = _merge_claims(before, claimed, batch.at if batch.complete else None, lambda whole, rows: whole)
            more = _difference(before, after)
            kept += more[0]
            new += more[1]
            gone += more[2]
    return NodeWritePlan(tuple(kept), tuple(new), tuple(gone))


def details_of(facts: Iterable[NodeFact]) -> Mapping[str, object]:
    """What the producers say together; the newest word on each thing counts."""
    found: dict[str, object] = {}
    for fact in sorted(facts, key=lambda fact: (fact.valid_from, fact.producer)):
        found |= fact.details
    return found


def extend_evidence(known: Sequence[Evidence], more: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The same sight at a later time counts; a new one is added. What was counted is not counted again, so that
    writing twice is writing once."""
    found = list(known)
    for one in more:
        place = next((number for number, other in enumerate(found) if is_same_sighting(one, other)), None)
        if place is None:
            found.append(one)
        elif _seen(one) > _seen(found[place]):
            found[place] = replace(one, times=found[place].times + one.times)
    if len(found) <= SIGHTS:
        return tuple(found)
    newest = sorted(range(len(found)), key=lambda number: (_seen(found[number]), _text(found[number])))[-SIGHTS:]
    return tuple(found[number] for number in sorted(newest))


def _claims_of(batch: ClaimBatch) -> dict[EdgeKey, list[EdgeFact]]:
    """One fact per edge and interval: two places of one producer are two pieces of evidence; the most confident
    decides the rest."""
    by_key: dict[EdgeKey, list[EdgeClaim]] = {}
    for claim in batch.edges:
        by_key.setdefault(claim.key, []).append(claim)
    found: dict[EdgeKey, list[EdgeFact]] = {}
    for key, claims in by_key.items():
        facts = [_fact_of(claim, batch) for claim in claims]
        found[key] = facts if len(facts) == 1 else _merged(facts)
    return found


def _merged(facts: Sequence[EdgeFact]) -> list[EdgeFact]:
    merged: list[EdgeFact] = []
    for fact in sorted(facts, key=lambda fact: (fact.valid_from, _order(fact))):
        other = merged[-1] if merged else None
        if other is None or not (_overlap(other, fact) or (_meet(other, fact) and other.says() == fact.says())):
            merged.append(fact)
            continue
        first, second = sorted((fact, other), key=_order)
        merged[-1] = replace(
            first,
            evidence=extend_evidence(first.evidence, second.evidence),
            valid_from=other.valid_from,
            valid_to=_latest([fact.valid_to, other.valid_to]),
        )
    return merged


def _fact_of(claim: EdgeClaim, batch: ClaimBatch) -> EdgeFact:
    seen = (one if one.seen_at else replace(one, seen_at=batch.at) for one in claim.evidence)
    return EdgeFact(
        source=claim.source,
        target=claim.target,
        kind=claim.kind,
        producer=batch.producer,
        confidence=claim.sure,
        valid_from=claim.valid_from or batch.at,
        valid_to=claim.valid_to,
        transformation=claim.transformation,
        expression=claim.expression,
        masking=claim.masking,
        evidence=extend_evidence((), seen),
        actor=batch.actor,
        metadata=dict(claim.metadata),
        created_at=batch.at,
    )


def _node_fact(claim: NodeClaim, batch: ClaimBatch, details: Mapping[str, object]) -> NodeFact:
    return NodeFact(claim.entity, batch.producer, batch.at, None, {**details, **claim.details})


def _order(fact: EdgeFact) -> tuple[float, str, str, str]:
    return -fact.confidence, str(fact.transformation), fact.expression, str(sorted(fact.metadata.items()))


def _merge_claims(
    before: Sequence[Fact],
    claimed: Sequence[Fact],
    cut: datetime | None,
    join: Callable[[Fact, Sequence[Fact]], Fact],
) -> list[Fact]:
    """The facts of one producer on one edge or node after further claims. From `cut` on, only the new claims count.
    Equal adjacent intervals are merged; different ones yield to the new."""
    rows = list(before) if cut is None else [row for fact in before for row in _before(fact, cut)]
    for fact in claimed:
        joined: list[Fact] = [row for row in rows if row.says() == fact.says() and _meet(row, fact)]
        again: list[Fact] = [row for row in before if row.says() == fact.says() and _meet(row, fact)]
        seen: list[Fact] = joined + again
        whole = fact
        if seen:
            start = min([fact.valid_from, *(row.valid_from for row in joined)])
            end = _latest([fact.valid_to, *(row.valid_to for row in joined)])
            whole = join(replace(seen[0], valid_from=start, valid_to=end), seen + [fact])  # noqa: RUF005, mypy
        others = [row for row in rows if not any(row is one for one in joined)]
        rows = [part for row in others for part in (_outside(row, whole) if _overlap(row, whole) else (row,))]
        rows.append(whole)
    return sorted(rows, key=_start)


def _with_evidence(whole: EdgeFact, rows: Sequence[EdgeFact]) -> EdgeFact:
    found = rows[0].evidence
    for row in rows[1:]:
        found = extend_evidence(found, row.evidence)
    return replace(whole, evidence=found)


def _difference(
    before: Sequence[Fact], after: Sequence[Fact]
) -> tuple[list[tuple[Fact, Fact]], list[Fact], list[Fact]]:
    """A row is known by the moment it begins."""
    old, now = {row.valid_from: row for row in before}, {row.valid_from: row for row in after}
    kept = [(row, now[start]) for start, row in old.items() if start in now and now[start] != row]
    new = [row for start, row in now.items() if start not in old]
    return kept, new, [row for start, row in old.items() if start not in now]


def _what_happened(before: Sequence[EdgeFact], claimed: Sequence[EdgeFact]) -> str:
    if not claimed:
        return "closed"
    pairs = [(row, fact) for row in before for fact in claimed]
    if any(_overlap(row, fact) and row.says() != fact.says() for row, fact in pairs):
        return "changed"
    return "extended" if any(_meet(row, fact) and row.says() == fact.says() for row, fact in pairs) else "added"


def _before(row: Fact, cut: datetime) -> list[Fact]:
    """What is left of a row before a moment: nothing, where it had not begun."""
    if row.valid_to is not None and row.valid_to <= cut:
        return [row]
    return [replace(row, valid_to=cut)] if row.valid_from < cut else []


def _outside(row: Fact, fact: Fact) -> list[Fact]:
    """What is left of a row before and after an interval that says something else."""
    left = []
    if row.valid_from < fact.valid_from:
        left.append(replace(row, valid_to=fact.valid_from))
    if fact.valid_to is not None and (row.valid_to is None or fact.valid_to < row.valid_to):
        left.append(replace(row, valid_from=fact.valid_to))
    return left


def _meet(one: Fact, other: Fact) -> bool:
    return (one.valid_to is None or other.valid_from <= one.valid_to) and (
        other.valid_to is None or one.valid_from <= other.valid_to
    )


def _overlap(one: Fact, other: Fact) -> bool:
    return (one.valid_to is None or other.valid_from < one.valid_to) and (
        other.valid_to is None or one.valid_from < other.valid_to
    )


def _latest(ends: Sequence[datetime | None]) -> datetime | None:
    return None if None in ends else max(end for end in ends if end)


def _start(fact: EdgeFact | NodeFact) -> datetime:
    return fact.valid_from


def _seen(one: Evidence) -> datetime:
    return one.seen_at or _NEVER


def _text(one: Evidence) -> tuple[str, str, str, int, str]:
    return str(one.basis), one.extractor, one.file, one.line, one.statement


_NEVER = datetime.min.replace(tzinfo=UTC)
