"""HTTP views of the lineage graph: nodes, edges, layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from forge.api.lineage.wire.graph import EdgeView, GraphView, LineageView, NodeView, ReachedView
from forge.api.paging import offset_cursor
from forge.api.quality.views import RevisionTables, read_revision
from forge.api.site import Site
from forge.flows.lineage.reader import GraphReader, includes_makers
from forge.flows.quality.health import all_count, failing_columns, find_verdicts, newest_attempts
from forge.flows.quality.incidents.impact import lake_table
from forge.flows.quality.incidents.open_incidents import graph_with
from forge.flows.runs.records import AssetRecord
from forge.lineage.errors import NotInGraphError
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.layout import GraphLayout, LayoutTable, layout_of, lone_table
from forge.lineage.graph.request import EdgeFilter, TraversalRequest, WalkDirection
from forge.lineage.graph.store import LineageAnswers
from forge.lineage.graph.traversal import Link, ReachedNode
from forge.lineage.kind import EdgeType
from forge.lineage.node import GraphLevel, Node, NodeType, place_of
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.verdict import Outcome
from forge.versioning.commit import Tree

if TYPE_CHECKING:
    from forge.lineage.graph.neighbours import NeighbourCounts

MOST_ENTITIES, MOST_EDGES = 2000, 20_000  # in one answer
_ALL_THE_WAY = 10
_COUNTED = (GraphLevel.FIELD, GraphLevel.COLUMN, GraphLevel.TABLE)


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """Lake metadata of tables and columns: schemas, owners, failing checks."""

    tree: Tree
    assets: Mapping[TableName, AssetRecord]
    owner: Callable[[TableName], str | None]
    failing: frozenset[str] = field(default_factory=frozenset)  # columns, and tables, by full name

    def columns_of(self, table: str) -> Mapping[str, Mapping[str, object]]:
        name = lake_table(table)
        record = self.assets.get(name) if name else None
        return {str(column["name"]): column for column in record.columns} if record else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRequest:
    """The parameters of a graph request. `limit` and `offset` count entities, nearest first."""

    root: str
    direction: WalkDirection = "both"
    depth: int = 5
    min_confidence: float | None = None
    indirect: bool = False
    level: GraphLevel = GraphLevel.COLUMN
    node_types: tuple[NodeType, ...] = ()
    edge_types: tuple[EdgeType, ...] = ()
    schemas: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    intermediate: bool = False
    limit: int = 500
    offset: int = 0
    transforms: bool = False

    def with_makers(self, start: Node) -> bool:
        """Whether who makes the data is asked for, too."""
        return self.transforms or includes_makers(start, frozenset(self.node_types), frozenset(self.edge_types))

    def ask(self, start: str, edges: EdgeFilter) -> TraversalRequest:
        return TraversalRequest(
            start=start,
            direction=self.direction,
            depth=self.depth,
            edges=edges,
            level=self.level,
            node_types=frozenset(self.node_types),
            schemas=frozenset(self.schemas),
            files=frozenset(self.files),
            intermediate=self.intermediate,
            limit=self.offset + self.limit,
        )


@dataclass(frozen=True, slots=True)
class GraphResult:
    """A layout with its request, the neighbour counts of its tables if computed, and its intermediate tables."""

    picture: GraphLayout
    wanted: GraphRequest
    edges: EdgeFilter
    neighbours: Mapping[str, NeighbourCounts] = field(default_factory=dict)
    inside: Mapping[str, Node] = field(default_factory=dict)

    @property
    def next_cursor(self) -> str | None:
        more = self.picture.truncated
        return offset_cursor(self.wanted.offset + self.wanted.limit) if more else None


def facts_of(site: Site, seen: RevisionTables, failing: frozenset[str] | None = None) -> GraphFacts:
    metadata = site.wiring.metadata
    if failing is None:
        since = site.wiring.quality.monitors.standing(seen.tree)
        attempts = newest_attempts(seen.tree, seen.held)
        current = site.current_checks() if _is_now(site, seen) else all_count
        verdicts = find_verdicts(metadata, attempts, Outcome.FAILED, since, seen.held, current)
        failing = failing_columns(verdicts)
    assets = {asset.table: asset for asset in metadata.assets()}
    return GraphFacts(seen.tree, assets, site.wiring.settings.owner_of, failing)


def _is_now(site: Site, seen: RevisionTables) -> bool:
    main = site.wiring.metadata.branch(site.wiring.default_branch)
    return main is not None and seen.commit is not None and main.head == seen.commit.id


def visible_tables(site: Site, at: str) -> RevisionTables:
    """The tables at the time of the request, which may have no commit."""
    try:
        return read_revision(site, at)
    except ForgeError:
        return RevisionTables(None, {}, ())


def find_layout(site: Site, view: GraphReader, seen: RevisionTables, wanted: GraphRequest) -> GraphResult:
    """What is published at the revision, and where the root is not: what the newest attempts would have made."""
    edges = view.edges_taken(wanted.min_confidence, indirect=wanted.indirect, edge_types=wanted.edge_types)
    try:
        root = view.find(wanted.root)
        answers, start = view.answers, root.id
        if wanted.with_makers(root):
            edges = view.edges_taken(
                wanted.min_confidence, indirect=wanted.indirect, edge_types=wanted.edge_types, parallel=True
            )
    except NotInGraphError:
        attempted = _attempted(site, seen, wanted.root) if seen.held else None
        if attempted is None:
            raise
        answers, start = attempted, wanted.root
    ask = wanted.ask(start, edges)
    walk = answers.walk(ask)
    before = answers.walk(replace(ask, limit=wanted.offset)) if wanted.offset else None
    found = GraphResult(layout_of(walk, before), wanted, edges)
    return replace(found, neighbours=_count_neighbours(view, answers, found), inside=_find_inside(view, found))


def _attempted(site: Site, seen: RevisionTables, root: str) -> LineageAnswers | None:
    graph = graph_with(site.wiring.metadata, seen.tree, seen.held)
    try:
        graph.walk(TraversalRequest(start=root, depth=1, limit=1))
    except NotInGraphError:
        return None
    return graph


def _count_neighbours(view: GraphReader, answers: LineageAnswers, found: GraphResult) -> Mapping[str, NeighbourCounts]:
    """Column and neighbour counts of each table, shown or not. Only from the index: other engines would need a
    traversal per table."""
    picture = found.picture
    if not isinstance(answers, Graph) or answers is not view.answers or picture.level not in _COUNTED:
        return {}
    from forge.lineage.graph.neighbours import count_neighbours

    tables = [table.name for table in picture.tables]
    shown = {node.table or node.id for node in picture.nodes.values()}
    asked = found.wanted.intermediate
    return count_neighbours(view.store, answers.index(), tables, shown, found.edges, intermediate=asked)


def _find_inside(view: GraphReader, found: GraphResult) -> Mapping[str, Node]:
    """Traversals return columns; label and file of a CTE or variable are in its own node."""
    if not found.wanted.intermediate:
        return {}
    numbers = view.store.numbers([table.name for table in found.picture.tables])
    nodes = view.store.nodes([*numbers.values()], found.edges.at).values()
    return {node.id: node for node in nodes if node.hidden}


def column_layout(graph: Graph, table: str, column: str) -> GraphResult:
    """One column from where it came in to all it reaches; of a whole table, by table."""
    root = f"{table}.{column}" if column else table
    wanted = GraphRequest(
        root=root, depth=_ALL_THE_WAY, level=GraphLevel.COLUMN if column else GraphLevel.TABLE, limit=MOST_ENTITIES
    )
    try:
        picture = layout_of(graph.walk(wanted.ask(root, EdgeFilter())))
    except NotInGraphError:
        picture = lone_table(root, table, "both", _ALL_THE_WAY, column=column or None)
    return GraphResult(picture, wanted, EdgeFilter())


def graph_view(found: GraphResult, at: str, facts: GraphFacts, *, with_expressions: bool = True) -> GraphView:
    picture = found.picture
    return GraphView.of(
        picture,
        root_id=picture.root,
        depth=found.wanted.depth,
        at=at,
        min_confidence=found.edges.min_confidence,
        indirect=found.edges.indirect,
        nodes=_nodes(found, facts),
        edges=[edge_view(link, with_expressions=with_expressions) for link in picture.links[:MOST_EDGES]],
        total_entities=picture.reached,
        truncated=picture.truncated or len(picture.links) > MOST_EDGES,
        next_cursor=found.next_cursor,
    )


def lineage_view(found: GraphResult, at: str, facts: GraphFacts, *, with_expressions: bool = True) -> LineageView:
    graph = graph_view(found, at, facts, with_expressions=with_expressions)
    items = found.picture.items
    views = {
        direction: [_reached_view(item, with_expressions) for item in items if item.direction == direction]
        for direction in ("upstream", "downstream")
    }
    return LineageView.of(graph, **views)


def edge_view(link: Link, *, with_expressions: bool = True) -> EdgeView:
    view = EdgeView.model_validate(link.to_dict())
    return view if with_expressions else view.model_copy(update={"expression": ""})


def node_view(node: Node) -> NodeView:
    """A node by itself."""
    attributes = {**node.details, "table": node.table or None, "unresolved": node.unresolved}
    return NodeView.of(node, attributes=attributes)


def found_view(node: Node, tree: Tree) -> NodeView:
    """One of a search, which says whether the lake has it."""
    view, name = node_view(node), lake_table(node.id)
    return view.model_copy(update={"attributes": {**view.attributes, "in_catalog": name is not None and name in tree}})


def _reached_view(item: ReachedNode, with_expressions: bool) -> ReachedView:
    facts = {name: value for name, value in item.to_dict().items() if name != "direction"}
    return ReachedView.model_validate(facts if with_expressions else {**facts, "expression": ""})


def _nodes(found: GraphResult, facts: GraphFacts) -> list[NodeView]:
    """The tables in reading order, then of each its columns in their own order."""
    tables = found.picture.tables
    nodes = [_table_node(table, found, facts) for table in tables]
    for table in tables:
        order = {name: place for place, name in enumerate(facts.columns_of(table.name))}
        columns = sorted(table.columns, key=lambda name, order=order: (order.get(name, len(order)), name))  # type: ignore[misc]
        nodes += [_column_node(table, column, found.picture, facts) for column in columns]
    return nodes


def _table_node(table: LayoutTable, found: GraphResult, facts: GraphFacts) -> NodeView:
    name = lake_table(table.name)
    node = found.picture.nodes.get(table.name) or found.inside.get(table.name)
    version = facts.tree.get(name) if name else None
    record = facts.assets.get(name) if name else None
    known = node.details if node else {}
    type_ = _type_of(node, name, version.kind if version else record.kind if record else "table")
    return NodeView(
        id=table.name,
        type=type_,
        name=_short_name(table.name, node, name),
        qualified_name=node.qualified_name if node else table.name,
        attributes={
            **_counts(table, found, record),
            "owner": (record.owner if record else None) or (facts.owner(name) if name else None) or known.get("owner"),
            "kind": known["kind"] if node and node.hidden else type_,
            "layer": table.layer,
            "order": table.order,
            "external": type_ == "external",
            "in_catalog": version is not None,
            "failing": table.name in facts.failing or any(one.startswith(f"{table.name}.") for one in facts.failing),
            "depth": _depth(table, found.picture),
            "confidence": _confidence(table, found.picture),
            "intermediate": node.hidden if node else False,
            "unresolved": node.unresolved if node else False,
            "source_file": known.get("source_file"),
            **({"label": known.get("label"), "source_line": known.get("source_line")} if node and node.hidden else {}),
        },
        created_at=node.created_at if node else None,
        updated_at=node.updated_at if node else None,
    )


def _type_of(node: Node | None, name: TableName | None, kind: str) -> NodeType:
    """What the lake says of its own tables; of the others what the graph says."""
    if name is not None and (node is None or node.type in (NodeType.TABLE, NodeType.VIEW)):
        return NodeType(kind)
    return node.type if node else NodeType.EXTERNAL


def _short_name(full: str, node: Node | None, name: TableName | None) -> str:
    if name is not None:
        return name.name
    if node is not None and node.hidden:
        return str(node.details.get("label") or node.name)
    if node is not None and node.type in (NodeType.TABLE, NodeType.VIEW, NodeType.DATASET):
        return place_of(full).table
    return node.name if node else full


def _counts(table: LayoutTable, found: GraphResult, record: AssetRecord | None) -> dict[str, int | None]:
    counts = found.neighbours.get(table.name)
    known = len(record.columns) if record else counts.columns if counts else 0
    columns = max(known, len(table.columns))
    return {
        "columns": columns if columns or not found.picture.by_table else None,
        "more_columns": columns - len(table.columns),
        "hidden_upstream": counts.upstream if counts else None,
        "hidden_downstream": counts.downstream if counts else None,
    }


def _within(table: LayoutTable, picture: GraphLayout) -> Sequence[ReachedNode | None]:
    """Reached items of a table and its columns; None for the root."""
    ids = [table.name, *(table.column_id(column) for column in table.columns)]
    return [picture.entities.get(one) for one in ids if one in picture.entities or one in picture.nodes]


def _depth(table: LayoutTable, picture: GraphLayout) -> int:
    return min((item.depth if item else 0 for item in _within(table, picture)), default=0)


def _confidence(table: LayoutTable, picture: GraphLayout) -> float:
    return max((item.confidence if item else 1.0 for item in _within(table, picture)), default=1.0)


def _column_node(table: LayoutTable, column: str, picture: GraphLayout, facts: GraphFacts) -> NodeView:
    full = table.column_id(column)
    described = facts.columns_of(table.name).get(column, {})
    node, item = picture.nodes.get(full), picture.entities.get(full)
    known = node.details if node else {}
    return NodeView(
        id=full,
        type=node.type if node else NodeType.COLUMN,
        name=column,
        qualified_name=full,
        attributes={
            "table": table.name,
            "data_type": described.get("type") or known.get("data_type"),
            "nullable": known.get("nullable"),
            "pii": bool(described.get("pii", False)),
            "failing": full in facts.failing,
            "depth": item.depth if item else 0,
            "confidence": item.confidence if item else 1.0,
            "direction": item.direction if item else None,
        },
        created_at=node.created_at if node else None,
        updated_at=node.updated_at if node else None,
    )
