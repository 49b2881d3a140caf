"""Converts the arguments of lineage queries to what the flows take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, TypedDict, TypeVar

from forge.flows.lineage.write import entity_of
from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.errors import BadEdgeError
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.kind import RELATIONSHIP_OF, EdgeKind, EdgeRelationship, EdgeType, relationship_of
from forge.lineage.node import Entity, GraphLevel, NodeType
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.time import as_utc

if TYPE_CHECKING:
    from forge.flows.lineage.reader import GraphReader

Word = TypeVar("Word", bound=StrEnum)
Words = str | Iterable[str]
NodeDeclaration = str | Mapping[str, object]


class WalkArguments(TypedDict, total=False):
    """Traversal arguments. `depth`: None for the maximum (10); `min_confidence`: default from the settings;
    `transforms`: include transforms, pipelines and jobs."""

    depth: int | None
    min_confidence: float | None
    indirect: bool
    level: str
    node_types: Words
    edge_types: Words
    schemas: Words
    files: Words
    intermediate: bool
    limit: int | None
    paths: int
    transforms: bool


class EdgeArguments(TypedDict, total=False):
    """Attributes of an edge."""

    type: str
    relationship: str | None
    transformation: str
    indirect: str | None
    expression: str
    masking: bool
    confidence: float | None
    valid_from: datetime | str | None
    valid_to: datetime | str | None
    metadata: Mapping[str, object] | None


class WalkOptions(TypedDict):
    """The same, validated."""

    depth: int | None
    min_confidence: float | None
    indirect: bool
    level: GraphLevel
    node_types: tuple[NodeType, ...]
    edge_types: tuple[EdgeType, ...]
    schemas: tuple[str, ...]
    files: tuple[str, ...]
    intermediate: bool
    limit: int | None
    paths: int
    transforms: bool


@dataclass(frozen=True, slots=True)
class LineageSubject:
    """`core.orders.amount@HEAD~1`: an entity and a revision. `at` is empty for now."""

    name: str
    at: str = ""


def read_subject(text: str) -> LineageSubject:
    """Names from outside (`files:data/x@2.csv`) and versions that belong to a name (`model:churn@3`) are left alone."""
    name, _, at = text.strip().partition("@")
    return LineageSubject(text.strip()) if ":" in name or "/" in name else LineageSubject(name, at)


def read_word(kinds: type[Word], text: str, what: str) -> Word:
    """One of the words of an enumeration; `group-by` is `group_by`."""
    name = text.strip().lower().replace("-", "_")
    known = {str(kind): kind for kind in kinds}
    if name not in known:
        raise ForgeError(
            "E105", f"'{text}' is no {what}", why=did_you_mean(name, known), fix=f"Take one of {', '.join(known)}."
        )
    return known[name]


def read_words(kinds: type[Word], given: Words, what: str) -> tuple[Word, ...]:
    """`"table, view"` or `["table", "view"]`."""
    return tuple(read_word(kinds, name, what) for name in names_in(given))


def names_in(given: Words) -> tuple[str, ...]:
    parts = [given] if isinstance(given, str) else given
    return tuple(name.strip() for part in parts for name in part.split(",") if name.strip())


def walk_options(
    *,
    depth: int | None = 10,
    min_confidence: float | None = None,
    indirect: bool = False,
    level: str = "column",
    node_types: Words = (),
    edge_types: Words = (),
    schemas: Words = (),
    files: Words = (),
    intermediate: bool = False,
    limit: int | None = None,
    paths: int = 0,
    transforms: bool = False,
) -> WalkOptions:
    _check_numbers(depth, min_confidence, limit, paths)
    return {
        "depth": depth,
        "min_confidence": min_confidence,
        "indirect": indirect,
        "level": read_word(GraphLevel, level, "level"),
        "node_types": read_words(NodeType, node_types, "type of node"),
        "edge_types": read_words(EdgeType, edge_types, "type of edge"),
        "schemas": names_in(schemas),
        "files": names_in(files),
        "intermediate": intermediate,
        "limit": limit,
        "paths": paths,
        "transforms": transforms,
    }


def _check_numbers(depth: int | None, min_confidence: float | None, limit: int | None, paths: int) -> None:
    if min_confidence is not None and not 0 <= min_confidence <= 1:
        raise ForgeError(
            "E803", f"The confidence {min_confidence} is not between 0 and 1", fix="Give a number from 0 to 1."
        )
    for name, number, least in (("depth", depth, 1), ("limit", limit, 1), ("paths", paths, 0)):
        if number is not None and number < least:
            raise ForgeError("E105", f"{name}: {number} is less than {least}", fix=f"Give {least} or more.")


def read_nodes(given: Iterable[NodeDeclaration]) -> tuple[NodeClaim, ...]:
    return tuple(_read_node(one) for one in given)


def _read_node(given: NodeDeclaration) -> NodeClaim:
    """`dashboard:revenue`, `column:core.orders.note`, `core.new` (a table), or a mapping with `id` and what is known
    of it."""
    details = {} if isinstance(given, str) else {key: value for key, value in given.items() if key != "id"}
    text = (given if isinstance(given, str) else str(given.get("id", ""))).strip()
    word, colon, rest = text.partition(":")
    type_ = NodeType(word) if colon and word in set(NodeType) else None
    if not text or (type_ is not None and not rest.strip()):
        raise BadEdgeError("A node needs a name", fix="Write it like dashboard:revenue or column:core.orders.note.")
    if type_ in (NodeType.COLUMN, NodeType.FIELD):
        owner, dot, name = rest.rpartition(".")
        if not dot:
            raise BadEdgeError(f"'{text}' does not say of what", fix=f"Write it like {word}:core.orders.note.")
        return NodeClaim(Entity(type_, name, owner), details)
    if type_ is not None:
        return NodeClaim(Entity(type_, rest), details)
    outside = NodeType.EXTERNAL if colon or "/" in text else NodeType.TABLE
    return NodeClaim(Entity(outside, text), details)


def read_edge(
    view: GraphReader,
    source: str,
    target: str,
    declared: Iterable[NodeClaim] = (),
    *,
    type: str = "derives_from",
    relationship: str | None = None,
    transformation: str = "unknown",
    indirect: str | None = None,
    expression: str = "",
    masking: bool = False,
    confidence: float | None = None,
    valid_from: datetime | str | None = None,
    valid_to: datetime | str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> EdgeClaim:
    """An edge from its arguments. The default relationship is that of its transformation or indirect type."""
    known = {claim.entity.id: claim.entity for claim in declared}
    how = read_transformation(transformation)
    return EdgeClaim(
        source=known.get(source.strip()) or entity_of(view, source),
        target=known.get(target.strip()) or entity_of(view, target),
        kind=_read_kind(type, relationship, how, indirect, masking=masking),
        transformation=how,
        expression=expression,
        masking=masking,
        confidence=confidence,
        valid_from=_read_time(valid_from),
        valid_to=_read_time(valid_to),
        metadata=dict(metadata or {}),
    )


def _read_kind(
    type_: str, relationship: str | None, how: Transformation, indirect: str | None, *, masking: bool
) -> EdgeKind:
    kind = read_word(EdgeType, type_, "type of edge")
    given = read_word(EdgeRelationship, relationship, "relationship") if relationship else None
    if kind is not EdgeType.DERIVES_FROM:
        return EdgeKind(kind, given, read_word(IndirectType, indirect, "indirect way") if indirect else None)
    if indirect:
        subtype = read_word(IndirectType, indirect, "indirect way")
        return EdgeKind(kind, given or RELATIONSHIP_OF[subtype], subtype)
    return EdgeKind(kind, given or relationship_of(how, masking=masking))


def read_transformation(text: str) -> Transformation:
    """`direct` and `expression` are other names for identity and transformation."""
    other = {"direct": "identity", "expression": "transformation"}
    return read_word(Transformation, other.get(text.strip().lower(), text), "transformation")


def _read_time(value: datetime | str | None) -> datetime | None:
    if not isinstance(value, str):
        return as_utc(value) if value is not None else None
    try:
        return as_utc(datetime.fromisoformat(value))
    except ValueError as error:
        raise ForgeError("E105", f"'{value}' is not a time", fix="Write 2026-11-14 or 2026-11-14T06:00.") from error
