"""JSON of traversals, edges and paths."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from forge.api.wire import Wire
from forge.lineage.edge import ConfidenceLevel, IndirectType, Transformation
from forge.lineage.facts.evidence import Basis
from forge.lineage.kind import EdgeRelationship, EdgeType
from forge.lineage.node import NodeType

NodeWord = Literal[
    "system",
    "database",
    "schema",
    "table",
    "view",
    "dataset",
    "column",
    "field",
    "record",
    "transform",
    "pipeline",
    "process",
    "dashboard",
    "report",
    "model",
    "external",
]
EdgeWord = Literal["derives_from", "contains", "executes", "produces", "consumes", "passes"]
LevelWord = Literal["field", "column", "table", "schema", "database", "system"]
DirectionWord = Literal["upstream", "downstream", "both"]


class NodeView(Wire):
    """Attributes of a table, and of everything else that stands for itself: columns (how many it has), more_columns
    (that this picture does not show), owner, kind, layer (0 = no inputs in this picture), order, external, in_catalog
    (it has a page of its own), failing,
    hidden_upstream and hidden_downstream (neighbours that the picture does not show; null = not counted), depth,
    confidence, intermediate, unresolved, source_file. Where intermediate is true, kind is cte, temporary or
    dataframe, and label and source_line are there too.
    Of a column: table, data_type, nullable, pii, failing, depth (hops from the root), confidence (of the most
    confident path), direction."""

    id: str
    type: NodeType
    name: str
    qualified_name: str
    attributes: dict[str, Any] = {}
    created_at: datetime | None = None
    updated_at: datetime | None = None


class EdgeView(Wire):
    id: str
    source: str
    target: str
    type: EdgeType = EdgeType.DERIVES_FROM
    relationship: EdgeRelationship | None = None
    kind: Literal["direct", "indirect"] = "direct"
    subtype: IndirectType | None = None  # of an indirect one
    transformation: Transformation = Transformation.UNKNOWN
    expression: str = ""
    masking: bool = False
    confidence: float = 1.0
    level: ConfidenceLevel = "certain"
    valid_from: datetime | None = None
    valid_to: datetime | None = None


class GraphView(Wire):
    """Only what is reached from the root: tables, and of their columns those that are touched. `total_entities` and
    `levels` count all that is reached; where it is more than the limit, the next page has what comes next by
    distance."""

    root_id: str
    direction: DirectionWord
    depth: int
    at: str
    level: LevelWord = "column"
    min_confidence: float = 0.5
    indirect: bool = False
    nodes: list[NodeView]
    edges: list[EdgeView]
    total_entities: int
    greatest_depth: int
    levels: dict[str, int] = {}  # entities by level of confidence
    hidden: int  # edges below the least confidence, not followed
    truncated: bool = False
    next_cursor: str | None = None


class ReachedView(Wire):
    """An entity that is reached, and the last hop of the most confident path to it."""

    id: str
    type: NodeType
    name: str
    table: str
    column: str | None
    depth: int
    confidence: float
    level: ConfidenceLevel
    relationship: EdgeRelationship | None
    kind: Literal["direct", "indirect"]
    subtype: IndirectType | None
    transformation: Transformation
    expression: str
    masking: bool


class LineageView(GraphView):
    """The picture, and the same as two lists, nearest first."""

    upstream: list[ReachedView]
    downstream: list[ReachedView]


class HopView(Wire):
    id: str
    type: NodeType
    qualified_name: str
    relationship: str
    transformation: Transformation
    expression: str
    confidence: float
    depth: int


class PathView(Wire):
    start: str
    end: str
    hops: list[HopView]
    confidence: float
    level: ConfidenceLevel
    length: int


class PathsView(Wire):
    """The best first; none where no data goes from the one to the other."""

    source: str
    target: str
    paths: list[PathView]


class EvidenceView(Wire):
    """Where and when a producer saw an edge."""

    producer: str
    basis: Basis
    extractor: str
    file: str
    line: int | None
    statement: str
    run_id: str
    seen_at: datetime | None
    times: int


class ProducerView(Wire):
    """What one producer says of an edge."""

    producer: str
    confidence: float
    level: ConfidenceLevel
    transformation: Transformation
    expression: str
    masking: bool
    valid_from: datetime
    valid_to: datetime | None
    actor: str
    metadata: dict[str, Any]
    created_at: datetime | None


class EdgeLife(Wire):
    """An edge as it was in one interval of time."""

    valid_from: datetime
    valid_to: datetime | None
    confidence: float
    level: ConfidenceLevel
    transformation: Transformation
    expression: str
    masking: bool
    producers: list[str]


class EdgeDetail(EdgeView):
    """`behind`: of an edge between tables, the edges between their columns that it stands for. `confirmed`: it was read
    out of code and seen in a run."""

    confirmed: bool = False
    actor: str = ""
    metadata: dict[str, Any] = {}
    created_at: datetime | None = None
    evidence: list[EvidenceView] = []
    producers: list[ProducerView] = []
    history: list[EdgeLife] = []  # newest first
    behind: list[EdgeView] = []
