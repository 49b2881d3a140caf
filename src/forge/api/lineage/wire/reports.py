"""JSON of graph reports and impact analysis."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.api.lineage.wire.changes import EntityId
from forge.api.lineage.wire.graph import EdgeView, HopView, NodeView
from forge.api.wire import Name, Wire
from forge.lineage.impact.change import ChangeType
from forge.lineage.impact.path import DataUse
from forge.lineage.node import NodeType
from forge.model.widening import TypeChange

ChangeWord = Annotated[
    Name,
    Field(
        min_length=1,
        description="drop, rename, type, add, drop-table, location, permission, format, schema or semantics.",
        examples=["drop"],
    ),
]
SeverityWord = Literal["high", "medium", "low"]
MOST_CHANGES = 200
MOST_AFFECTED = 5000


class MomentView(Wire):
    """What was asked for, and the time it means; null for now."""

    label: str
    at: datetime | None


class FieldChangeView(Wire):
    field: str
    before: Any
    after: Any


class NodeChangeView(Wire):
    id: str
    type: NodeType
    changes: list[FieldChangeView]


class EdgeChangeView(Wire):
    id: str
    source: str
    target: str
    changes: list[FieldChangeView]


class DiffCounts(Wire):
    added: int
    removed: int
    modified: int


class DiffTotals(Wire):
    nodes: DiffCounts
    edges: DiffCounts


class NodesDiff(Wire):
    added: list[NodeView]
    removed: list[NodeView]
    modified: list[NodeChangeView]


class EdgesDiff(Wire):
    added: list[EdgeView]
    removed: list[EdgeView]
    modified: list[EdgeChangeView]


class LineageDiffView(Wire):
    """`counts` are whole; each list has at most `limit` (`truncated`: one of them has less than there are)."""

    a: MomentView
    b: MomentView
    seconds: float | None
    counts: DiffTotals
    nodes: NodesDiff
    edges: EdgesDiff
    truncated: bool


class HubView(Wire):
    id: str
    incoming: int = Field(alias="in")
    outgoing: int = Field(alias="out")


class HubsView(Wire):
    incoming: list[HubView] = Field(alias="in")
    outgoing: list[HubView] = Field(alias="out")


class FirstNames(Wire):
    """How many, and the first of them."""

    count: int
    first: list[str]


class FirstCycles(Wire):
    count: int
    first: list[list[str]]


class NodeStats(Wire):
    total: int
    by_type: dict[str, int]


class EdgeStats(Wire):
    total: int
    by_type: dict[str, int]
    by_relationship: dict[str, int]
    by_indirect: dict[str, int]
    by_transformation: dict[str, int]
    by_level: dict[str, int]
    masking: int
    column_share: float | None


class LineageStatsView(Wire):
    """Hubs, roots, leaves and cycles are those of the flow of data."""

    at: str
    nodes: NodeStats
    edges: EdgeStats
    producers: dict[str, int]
    hubs: HubsView
    roots: FirstNames
    leaves: FirstNames
    cycles: FirstCycles
    unresolved: FirstNames


class OrderStep(Wire):
    """One table, or all those of a cycle. Steps of one stage do not need each other."""

    members: list[str]
    stage: int
    cycle: bool


class OrderView(Wire):
    """`total` counts the steps; `cycles` are all of them, `looped` feed themselves."""

    order: list[OrderStep]
    cycles: list[list[str]]
    looped: list[str]
    total: int
    truncated: bool
    next_cursor: str | None


class ErdColumnView(Wire):
    name: str
    data_type: str | None
    nullable: bool | None
    primary_key: bool
    foreign_key: bool


class ErdTableView(Wire):
    """`outside`: not of the schema; a foreign key points at it, or it is joined."""

    name: str
    type: NodeType
    outside: bool
    columns: list[ErdColumnView]


class JoinEvidenceView(Wire):
    """Where a join was seen, or a key is declared. `expression` is empty of a declaration, and where only a run is
    known, not its code."""

    file: str
    line: int | None
    run_id: str
    expression: str


class ForeignKeyView(Wire):
    """Declared; `evidence` says where, as far as that is known."""

    type: Literal["foreign_key"]
    inferred: Literal[False]
    source: str
    source_columns: list[str]
    target: str
    target_columns: list[str]
    cardinality: Literal["one_to_one", "many_to_one"]
    evidence: list[JoinEvidenceView]


class JoinView(Wire):
    """Inferred: code joins by these columns, and no key is declared between the tables. Of unknown cardinality, source
    and target say nothing but the order of their names."""

    type: Literal["join"]
    inferred: Literal[True]
    source: str
    source_columns: list[str]
    target: str
    target_columns: list[str]
    cardinality: Literal["one_to_one", "many_to_one", "unknown"]
    confidence: float
    evidence: list[JoinEvidenceView]


class FlowView(Wire):
    """Data goes from one table to the other, by so many edges; the confidence is that of the most confident edge."""

    type: Literal["lineage"]
    source: str
    target: str
    edges: int
    confidence: float


class ErdView(Wire):
    """Tables, their columns and keys, and how they belong together. `total` counts the tables."""

    schema_name: str | None = Field(alias="schema")
    tables: list[ErdTableView]
    relations: list[Annotated[ForeignKeyView | JoinView | FlowView, Field(discriminator="type")]]
    total: int
    truncated: bool


class ImpactRequest(Wire):
    """`depth`: without it all the way down. `limit`: how many of what is hit are listed, the worst first."""

    at: Name = "HEAD"
    depth: Annotated[int, Field(ge=1, le=1000)] | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_AFFECTED)] = 500


class ColumnChange(ImpactRequest):
    """`to` is the new name or type."""

    column_id: EntityId = Field(examples=["core.orders.amount"])
    change_type: ChangeWord
    to: Name | None = None


class SchemaEdit(Wire):
    change_type: ChangeWord
    column_name: Name | None = None
    new_value: Name | None = None


class SchemaChanges(ImpactRequest):
    table_id: EntityId = Field(examples=["core.orders"])
    changes: Annotated[list[SchemaEdit], Field(min_length=1, max_length=MOST_CHANGES)]


class ImpactChange(Wire):
    type: ChangeType
    entity: str
    to: str | None
    direction: TypeChange | None  # of a change of type


class ImpactFactors(Wire):
    """What the score is the product of."""

    base: float
    entity: float
    confidence: float
    depth: float
    use: float
    direction: float  # of a change of type; of other changes 1


class ImpactPath(Wire):
    start: str
    end: str
    hops: list[HopView]
    confidence: float
    length: int


class AffectedView(Wire):
    id: str
    type: NodeType
    name: str
    group: str
    owner: str | None
    severity: SeverityWord
    score: float
    effort_hours: float
    depth: int
    confidence: float
    use: DataUse
    is_breaking: bool
    reason: str
    change: ImpactChange
    factors: ImpactFactors
    path: list[HopView]


class BreakingChange(Wire):
    asset: str
    type: str
    reason: str


class ImpactOwner(Wire):
    owner: str
    assets: list[str]
    severity: SeverityWord


class ImpactView(Wire):
    """What a change would hit, the worst first. Counts, groups and hours are whole; of the lists there may be more
    (`truncated`)."""

    change: ImpactChange
    changes: list[ImpactChange]
    risk: Literal["critical", "high", "medium", "low", "none"]
    is_breaking: bool
    summary: str
    counts: dict[str, int]  # by severity, and the total
    groups: dict[str, int]
    effort_hours: float
    affected: list[AffectedView]
    breaking_changes: list[BreakingChange]
    critical_paths: list[ImpactPath]
    migration_steps: list[str]
    recommended_actions: list[str]
    owners: list[ImpactOwner]
    hidden: int  # edges below the least confidence, not followed
    truncated: bool
