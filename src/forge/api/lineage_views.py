"""Pictures of lineage as HTTP shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from forge.api.quality_views import Seen
from forge.api.site import Site
from forge.api.wire.lineage import EdgeView, GraphView, NodeView
from forge.flows.health import failing_columns, find_said, newest_attempts
from forge.flows.impact import lake_table
from forge.flows.incidents import graph_with
from forge.flows.records import AssetRecord
from forge.lineage.edge import level_of
from forge.lineage.graph import Graph, Link
from forge.lineage.picture import Picture, PictureTable, Way, lone_table, picture_of
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.quality.verdict import Outcome
from forge.versioning.commit import Tree

_ALL_THE_WAY = 10


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of tables and columns beside their lineage."""

    tree: Tree
    assets: Mapping[TableName, AssetRecord]
    owner: Callable[[TableName], str | None]
    failing: frozenset[str] = field(default_factory=frozenset)  # columns, and tables, by full name

    def columns_of(self, table: str) -> Mapping[str, Mapping[str, object]]:
        name = lake_table(table)
        record = self.assets.get(name) if name else None
        return {str(column["name"]): column for column in record.columns} if record else {}


def facts_of(site: Site, seen: Seen, failing: frozenset[str] | None = None) -> Facts:
    metadata = site.wiring.metadata
    if failing is None:
        said = find_said(metadata, newest_attempts(seen.tree, seen.held), Outcome.FAILED)
        failing = failing_columns(said)
    assets = {asset.table: asset for asset in metadata.assets()}
    return Facts(seen.tree, assets, site.wiring.settings.owner_of, failing)


def find_picture(
    site: Site,
    seen: Seen,
    facts: Facts,
    root: str,
    *,
    direction: Way = "both",
    depth: int = 5,
    min_confidence: float = 0.5,
    by_table: bool = False,
) -> Picture:
    """What is published at the revision, and where the root is not: what the newest attempts would have made."""
    graph = site.memo.graph(site.wiring.metadata, seen.commit.id, seen.tree) if seen.commit else Graph(())
    try:
        return picture_of(
            graph, root, direction=direction, depth=depth, min_confidence=min_confidence, by_table=by_table
        )
    except ForgeError as error:
        if error.code != "E801":
            raise
    if seen.held:
        graph = graph_with(site.wiring.metadata, seen.tree, seen.held)
        try:
            return picture_of(
                graph, root, direction=direction, depth=depth, min_confidence=min_confidence, by_table=by_table
            )
        except ForgeError as error:
            if error.code != "E801":
                raise
    return _alone(root, facts, direction, depth)


def picture_of_column(graph: Graph, table: str, column: str) -> Picture:
    """One column from where it came in to all it reaches; of a whole table, by table."""
    root = f"{table}.{column}" if column else table
    try:
        return picture_of(graph, root, depth=_ALL_THE_WAY, by_table=not column)
    except ForgeError as error:
        if error.code != "E801":
            raise
        return lone_table(root, table, "both", _ALL_THE_WAY, column=column or None)


def _alone(root: str, facts: Facts, direction: Way, depth: int) -> Picture:
    """A table or column that exists and that no edge touches; E108 where it does not exist."""
    table, _, column = root.rpartition(".")
    if lake_table(root) in facts.tree:
        return lone_table(root, root, direction, depth)
    if lake_table(table) in facts.tree and column in facts.columns_of(table):
        return lone_table(root, table, direction, depth, column=column)
    known = [str(name) for name in facts.tree]
    known += [f"{name}.{column}" for name in facts.tree for column in facts.columns_of(str(name))]
    raise ForgeError(
        "E108",
        f"There is no table or column {root}",
        why=did_you_mean(root, known),
        fix="Name a table like core.orders, or a column like core.orders.amount.",
    )


def graph_view(picture: Picture, at: str, facts: Facts, *, with_expressions: bool = True) -> GraphView:
    nodes = [_table_node(table, facts, picture.by_table) for table in picture.tables]
    for table in picture.tables:
        order = {name: place for place, name in enumerate(facts.columns_of(table.name))}
        columns = sorted(table.columns, key=lambda name, order=order: (order.get(name, len(order)), name))  # type: ignore[misc]
        nodes += [_column_node(table, column, facts) for column in columns]
    return GraphView(
        root_id=picture.root,
        direction=picture.direction,
        depth=picture.depth,
        at=at,
        nodes=nodes,
        edges=[_edge_view(link, with_expressions) for link in picture.links],
        total_entities=picture.reached,
        greatest_depth=picture.greatest_depth,
        hidden=picture.hidden,
    )


def _table_node(table: PictureTable, facts: Facts, by_table: bool) -> NodeView:
    name = lake_table(table.name)
    version = facts.tree.get(name) if name else None
    record = facts.assets.get(name) if name else None
    kind = "external" if name is None else version.kind if version else record.kind if record else "table"
    columns = len(record.columns) if record else len(table.columns)
    failing = table.name in facts.failing or any(one.startswith(f"{table.name}.") for one in facts.failing)
    return NodeView(
        id=table.name,
        type=kind,
        name=table.name if name is None else name.name,
        qualified_name=table.name,
        attributes={
            "columns": None if name is None and by_table else columns,
            "owner": (record.owner if record else None) or (facts.owner(name) if name else None),
            "kind": kind,
            "layer": table.layer,
            "order": table.order,
            "external": name is None,
            "failing": failing,
        },
    )


def _column_node(table: PictureTable, column: str, facts: Facts) -> NodeView:
    full = f"{table.name}.{column}"
    known = facts.columns_of(table.name).get(column, {})
    return NodeView(
        id=full,
        type="column",
        name=column,
        qualified_name=full,
        attributes={
            "table": table.name,
            "data_type": known.get("type"),
            "pii": bool(known.get("pii", False)),
            "failing": full in facts.failing,
        },
    )


def _edge_view(link: Link, with_expressions: bool) -> EdgeView:
    return EdgeView(
        id=f"{link.source}->{link.target}",
        source=link.source,
        target=link.target,
        transformation=str(link.transformation),
        expression=link.expression if with_expressions else "",
        masking=link.masking,
        confidence=link.confidence,
        level=level_of(link.confidence),
    )
