"""Facts and snapshots to and from JSON. Entities are {"type", "name", "owner"?}; a kind is {"type", "relationship"?,
"indirect"?}; times are ISO 8601 with a zone. Empty fields are omitted; unknown fields are rejected. Invalid input
raises ValueError with the reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.facts.fact import EdgeFact, NodeFact
from forge.lineage.graph.store import Snapshot
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, NodeType

W = TypeVar("W", bound=StrEnum)
V = TypeVar("V")


def node_fact_json(fact: NodeFact) -> dict[str, object]:
    return _without_empty(
        producer=fact.producer,
        entity=_entity_json(fact.entity),
        valid_from=_time_json(fact.valid_from),
        valid_to=_time_json(fact.valid_to),
        details=_in_order(fact.details),
    )


def edge_fact_json(fact: EdgeFact) -> dict[str, object]:
    return _without_empty(
        producer=fact.producer,
        source=_entity_json(fact.source),
        target=_entity_json(fact.target),
        kind=_kind_json(fact.kind),
        confidence=fact.confidence,
        valid_from=_time_json(fact.valid_from),
        valid_to=_time_json(fact.valid_to),
        transformation=str(fact.transformation),
        expression=fact.expression,
        masking=fact.masking or None,
        actor=fact.actor,
        created_at=_time_json(fact.created_at),
        metadata=_in_order(fact.metadata),
        evidence=[_evidence_json(one) for one in fact.evidence],
    )


def snapshot_json(snapshot: Snapshot) -> dict[str, object]:
    return _without_empty(
        name=snapshot.name,
        at=_time_json(snapshot.at),
        description=snapshot.description,
        created_by=snapshot.created_by,
        created_at=_time_json(snapshot.created_at),
        nodes=_in_order(snapshot.nodes),
        edges=_in_order(snapshot.edges),
    )


def node_fact_from(value: object) -> NodeFact:
    fields = _Fields(value)
    fact = NodeFact(
        fields.given("entity", _entity_from),
        fields.given("producer", _name_from),
        fields.given("valid_from", _time_from),
        fields.maybe("valid_to", _time_from, None),
        fields.maybe("details", _mapping_from, {}),
    )
    fields.end()
    _check_interval(fact.valid_from, fact.valid_to)
    return fact


def edge_fact_from(value: object) -> EdgeFact:
    fields = _Fields(value)
    fact = EdgeFact(
        source=fields.given("source", _entity_from),
        target=fields.given("target", _entity_from),
        kind=fields.given("kind", _kind_from),
        producer=fields.given("producer", _name_from),
        confidence=fields.given("confidence", _confidence_from),
        valid_from=fields.given("valid_from", _time_from),
        valid_to=fields.maybe("valid_to", _time_from, None),
        transformation=fields.maybe("transformation", _word_of(Transformation), Transformation.UNKNOWN),
        expression=fields.maybe("expression", _text_from, ""),
        masking=fields.maybe("masking", _flag_from, False),
        evidence=fields.maybe("evidence", _evidence_list_from, ()),
        actor=fields.maybe("actor", _text_from, ""),
        metadata=fields.maybe("metadata", _mapping_from, {}),
        created_at=fields.maybe("created_at", _time_from, None),
    )
    fields.end()
    _check_interval(fact.valid_from, fact.valid_to)
    return fact


def snapshot_from(value: object) -> Snapshot:
    fields = _Fields(value)
    snapshot = Snapshot(
        name=fields.given("name", _name_from),
        at=fields.given("at", _time_from),
        description=fields.maybe("description", _text_from, ""),
        created_by=fields.maybe("created_by", _text_from, ""),
        created_at=fields.maybe("created_at", _time_from, None),
        nodes=fields.maybe("nodes", counts_from, {}),
        edges=fields.maybe("edges", counts_from, {}),
    )
    fields.end()
    return snapshot


def counts_from(value: object) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, count in _mapping_from(value).items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ValueError(f"{name} is not a count")
        found[name] = count
    return found


def _entity_json(entity: Entity) -> dict[str, object]:
    return _without_empty(type=str(entity.type), name=entity.name, owner=entity.owner)


def _kind_json(kind: EdgeKind) -> dict[str, object]:
    return _without_empty(
        type=str(kind.type),
        relationship=str(kind.relationship) if kind.relationship else None,
        indirect=str(kind.indirect) if kind.indirect else None,
    )


def _evidence_json(evidence: Evidence) -> dict[str, object]:
    return _without_empty(**{**evidence.to_dict(), "times": None if evidence.times == 1 else evidence.times})


def _without_empty(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None and value not in ("", [], {})}


def _in_order(value: Mapping[str, object]) -> dict[str, object]:
    return {
        name: _in_order(one) if isinstance(one, Mapping) else one
        for name, one in sorted(value.items(), key=lambda o: o[0])
    }


def _time_json(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


class _Fields:
    """Reads the fields of an object one by one and reports which is invalid."""

    def __init__(self, value: object) -> None:
        self._rest = dict(_mapping_from(value))

    def given(self, name: str, read: Callable[[object], V]) -> V:
        if self._rest.get(name) is None:
            raise ValueError(f"{name} is missing")
        return self._read(name, read)

    def maybe(self, name: str, read: Callable[[object], V], otherwise: V) -> V:
        if self._rest.get(name) is None:
            self._rest.pop(name, None)
            return otherwise
        return self._read(name, read)

    def end(self) -> None:
        if self._rest:
            raise ValueError(f"nobody knows the field {sorted(self._rest)[0]}")

    def _read(self, name: str, read: Callable[[object], V]) -> V:
        try:
            return read(self._rest.pop(name))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error


def _entity_from(value: object) -> Entity:
    fields = _Fields(value)
    entity = Entity(
        fields.given("type", _word_of(NodeType)),
        fields.given("name", _name_from),
        fields.maybe("owner", _name_from, ""),
    )
    fields.end()
    if bool(entity.owner) != (entity.type in (NodeType.COLUMN, NodeType.FIELD)):
        raise ValueError("columns and fields have an owner, nothing else has")
    return entity


def _kind_from(value: object) -> EdgeKind:
    fields = _Fields(value)
    type_ = fields.given("type", _word_of(EdgeType))
    relationship: EdgeRelationship | None = fields.maybe("relationship", _word_of(EdgeRelationship), None)
    indirect: IndirectType | None = fields.maybe("indirect", _word_of(IndirectType), None)
    fields.end()
    kind = EdgeKind(type_, relationship, indirect)
    odd = (type_ is EdgeType.DERIVES_FROM) != (relationship is not None) and not kind.parallel
    if odd or (indirect and type_ is not EdgeType.DERIVES_FROM):
        raise ValueError("derives_from has a relationship, the other types have none and are never indirect")
    return kind


def _evidence_list_from(value: object) -> tuple[Evidence, ...]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return tuple(map(_evidence_from, value))


def _evidence_from(value: object) -> Evidence:
    fields = _Fields(value)
    evidence = Evidence(
        basis=fields.given("basis", _word_of(Basis)),
        extractor=fields.maybe("extractor", _text_from, ""),
        file=fields.maybe("file", _text_from, ""),
        line=fields.maybe("line", _number_from, 0),
        statement=fields.maybe("statement", _text_from, ""),
        run_id=fields.maybe("run_id", _text_from, ""),
        seen_at=fields.maybe("seen_at", _time_from, None),
        times=fields.maybe("times", _number_from, 1),
    )
    fields.end()
    return evidence


def _word_of(words: type[W]) -> Callable[[object], W]:
    def read(value: object) -> W:
        if not isinstance(value, str) or value not in list(words):
            raise ValueError(f"{value!r} is not one of {', '.join(words)}")
        return words(value)

    return read


def _text_from(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


def _name_from(value: object) -> str:
    if not _text_from(value).strip():
        raise ValueError("is empty")
    return str(value)


def _flag_from(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("neither true nor false")
    return value


def _number_from(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("not a number from 1 on")
    return value


def _confidence_from(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value) or not 0 <= value <= 1:
        raise ValueError(f"{value!r} is not a number from 0 to 1")
    return float(value)


def _mapping_from(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _time_from(value: object) -> datetime:
    try:
        time = datetime.fromisoformat(_text_from(value))
    except ValueError as error:
        raise ValueError(f"{value!r} is not a time") from error
    if time.tzinfo is None:
        raise ValueError(f"the time {value} has no zone")
    return time


def _check_interval(start: datetime, end: datetime | None) -> None:
    if end is not None and end <= start:
        raise ValueError(f"valid_to {end.isoformat()} is not after valid_from {start.isoformat()}")
