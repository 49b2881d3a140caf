"""JSON of declared lineage: nodes, edges, derivations, snapshots."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from forge.api.lineage.wire.graph import EdgeWord, NodeWord
from forge.api.wire import MomentAsWritten, Name, Text, Wire

MOST_EDGES = 1000  # in one request


def _plain(given: dict[str, Any]) -> dict[str, Any]:
    if "\\u0000" in json.dumps(given):
        raise ValueError("a text holds no NUL character")
    return given


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("this is empty")
    return text


EntityId = Annotated[Text, Field(min_length=1, max_length=1000), AfterValidator(_not_blank)]
Reason = Annotated[Text, Field(min_length=1, max_length=1000), AfterValidator(_not_blank)]
Attributes = Annotated[dict[str, Any], Field(max_length=100), AfterValidator(_plain)]
RelationshipWord = Literal[
    "derived", "transformed", "copied", "merged", "filtered", "aggregated", "anonymized", "sampled", "joined"
]
IndirectWord = Literal["join", "filter", "group_by", "sort", "window"]
# `direct` and `expression` are other words for identity and transformation.
TransformationWord = Literal[
    "identity",
    "transformation",
    "aggregation",
    "window",
    "conditional",
    "generator",
    "union",
    "unknown",
    "direct",
    "expression",
]


class NodeCreate(Wire):
    """A node that the edges of the same request may name. `table` is the table of a column, the column of a field;
    without it, all but the last part of the id."""

    id: EntityId = Field(examples=["dashboard:revenue"])
    type: NodeWord
    table: EntityId | None = None
    attributes: Attributes = {}


class EdgeCreate(Wire):
    """From source to target as data flows. Without a relationship, that of the transformation; without a confidence, it
    is certain."""

    source: EntityId = Field(examples=["core.orders.amount"])
    target: EntityId = Field(examples=["dashboard:revenue"])
    type: EdgeWord = "derives_from"
    relationship: RelationshipWord | None = None
    subtype: IndirectWord | None = None
    transformation: TransformationWord = "unknown"
    expression: Text = ""
    masking: bool = False
    confidence: float | None = None
    valid_from: MomentAsWritten | None = None
    valid_to: MomentAsWritten | None = None
    metadata: Attributes = {}


class EdgesCreate(Wire):
    """Written whole or not at all."""

    reason: Reason
    edges: Annotated[list[EdgeCreate], Field(min_length=1, max_length=MOST_EDGES)]
    nodes: Annotated[list[NodeCreate], Field(max_length=MOST_EDGES)] = []


class NamedCreate(Wire):
    """A transformation or a policy: all that makes it the one it is."""

    name: Annotated[Name, Field(min_length=1), AfterValidator(_not_blank)]
    version: Name = ""
    parameters: Attributes = {}
    code_hash: Name = ""


class DerivationCreate(Wire):
    """Source and target are datasets, where it matters with a version, or columns."""

    source: EntityId = Field(examples=["core.orders@v3"])
    target: EntityId
    transformation: NamedCreate


class AnonymizationCreate(Wire):
    source: EntityId
    target: EntityId
    policy: NamedCreate


class RecordedView(Wire):
    """What a write changed. `extended`: seen again, so that only evidence grew."""

    revision: int
    added: int
    extended: int
    changed: int
    closed: int
    nodes: int
    edges: list[str] = []  # the ids of those that were named


class SnapshotCreate(Wire):
    name: Annotated[Name, Field(min_length=1), AfterValidator(_not_blank)]
    at: Name | None = None  # a time, a branch, a tag or a commit; without it now
    description: Text = ""


class SnapshotView(Wire):
    """A name for a time, with what the graph was then."""

    name: str
    at: datetime
    description: str
    created_by: str
    created_at: datetime | None
    nodes: dict[str, int]  # by type
    edges: dict[str, int]  # by relationship
