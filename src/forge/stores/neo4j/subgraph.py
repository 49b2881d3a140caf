"""The subgraph that a traversal can see, fetched from Neo4j hop by hop: one statement for all entities of a
distance, each entity fetched once. So the work is linear in what is visited, however many paths lead through it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.fact import EdgeKey, EdgeVersion
from forge.lineage.graph.levels import GROUPED, group_of
from forge.lineage.graph.request import Direction, EdgeFilter, TraversalRequest
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import TABLE_LIKE, GraphLevel, NodeType
from forge.stores.neo4j.graph_schema import BACKWARD, DERIVED_FROM, INFLUENCED_BY, relations_of
from forge.stores.neo4j.server import rows_of

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

IDS = 5_000  # of one statement
_INSIDE = frozenset({NodeType.COLUMN, NodeType.FIELD})

_NODE = "{end}.id AS id, {end}.type AS type, coalesce({end}.parent, '') AS parent"
_KNOWN = f"UNWIND $ids AS one MATCH (m:Entity {{id: one}}) RETURN {_NODE.format(end='m')}"
_BELOW = f"""UNWIND $ids AS one MATCH (:Table {{id: one}})-[:HAS_COLUMN|HAS_FIELD*1..]->(m)
RETURN {_NODE.format(end="m")}"""
_UP_TO_TABLE = "UNWIND $ids AS one MATCH (:Entity {id: one})<-[:HAS_COLUMN|HAS_FIELD*0..]-(t:Table)"
_DOWN = f"MATCH (t)-[:HAS_COLUMN|HAS_FIELD*0..]->(m) RETURN {_NODE.format(end='m')}"
# All that is one entity with these, seen from a level.
_TOGETHER = {
    GraphLevel.COLUMN: f"""UNWIND $ids AS one MATCH (:Entity {{id: one}})<-[:HAS_FIELD*0..]-(c:Column) WITH DISTINCT c
MATCH (c)-[:HAS_FIELD*0..]->(m) RETURN {_NODE.format(end="m")}""",
    GraphLevel.TABLE: f"{_UP_TO_TABLE} WITH DISTINCT t {_DOWN}",
    GraphLevel.SCHEMA: f"""{_UP_TO_TABLE}<-[:HAS_TABLE]-(s:Schema) WITH DISTINCT s
MATCH (s)-[:HAS_TABLE]->(t) {_DOWN}""",
    GraphLevel.DATABASE: f"""{_UP_TO_TABLE}<-[:HAS_TABLE]-(:Schema)<-[:HAS_SCHEMA]-(d:Database) WITH DISTINCT d
MATCH (d)-[:HAS_SCHEMA]->(:Schema)-[:HAS_TABLE]->(t) {_DOWN}""",
    GraphLevel.SYSTEM: f"{_UP_TO_TABLE} WITH DISTINCT t.system AS system MATCH (t:Table {{system: system}}) {_DOWN}",
}
_IN_GROUP = {
    GraphLevel.SCHEMA: f"UNWIND $ids AS one MATCH (:Schema {{qualified_name: one}})-[:HAS_TABLE]->(t) {_DOWN}",
    GraphLevel.DATABASE: f"""UNWIND $ids AS one
MATCH (:Database {{qualified_name: one}})-[:HAS_SCHEMA]->(:Schema)-[:HAS_TABLE]->(t) {_DOWN}""",
    GraphLevel.SYSTEM: f"UNWIND $ids AS one MATCH (t:Table {{system: one}}) {_DOWN}",
}
_EDGE = """r.relationship AS relationship, r.subtype AS subtype, type(r) AS relation, r.confidence AS confidence,
r.transformation AS transformation, r.expression AS expression, r.masking AS masking,
r.valid_from AS valid_from, r.valid_to AS valid_to"""


Nodes = dict[str, tuple[NodeType, str]]  # type and parent by id


@dataclass(slots=True)
class Subgraph:
    nodes: Nodes = field(default_factory=dict)
    edges: dict[EdgeKey, EdgeVersion] = field(default_factory=dict)


def fetch_subgraph(
    transaction: ManagedTransaction, ask: TraversalRequest, lake: str = "lake", also: Sequence[str] = ()
) -> Subgraph:
    """`lake`: the database name for tables whose names have none. `also`: nodes that are known though no edge leads
    there."""
    part = Subgraph()
    directions: tuple[Direction, ...] = ("upstream", "downstream") if ask.direction == "both" else (ask.direction,)
    for direction in directions:
        _Gathering(transaction, ask, direction, lake, part).run()
    known = _ask(transaction, _KNOWN, also)
    part.nodes.update(known | _ask(transaction, _BELOW, known) | _in_group(transaction, ask.level, lake, also))
    while missing := {parent for _, parent in part.nodes.values() if parent and parent not in part.nodes}:
        found = _ask(transaction, _KNOWN, missing)
        part.nodes.update(found)
        if not found:  # the feed writes a parent with its child
            break
    return part


class _Gathering:
    """In one direction."""

    def __init__(
        self, transaction: ManagedTransaction, ask: TraversalRequest, direction: Direction, lake: str, part: Subgraph
    ) -> None:
        self._transaction, self._ask, self._lake, self._part = transaction, ask, lake, part
        relations = relations_of(ask.taken.types, indirect=ask.edges.indirect)
        self._direction: Direction = direction
        self._query = _edges_query(relations, direction, ask.edges)
        self._port_query = _edges_query(relations & {INFLUENCED_BY}, direction, ask.edges)
        self._seen: set[str] = set()
        self._ported: set[str] = set()

    def run(self) -> None:
        frontier = _ask(self._transaction, _KNOWN, [self._ask.start])
        frontier |= _ask(self._transaction, _BELOW, frontier) | _in_group(
            self._transaction, self._ask.level, self._lake, [self._ask.start]
        )
        hops = 0
        while frontier:
            fresh = self._together(frontier)
            self._part.nodes.update(fresh)
            self._seen.update(fresh)
            if hops == self._ask.depth:
                return
            frontier = self._leave(fresh)
            hops += 1

    def _together(self, frontier: Nodes) -> Nodes:
        """These and what is reached with them."""
        found = dict(frontier)
        edges = self._ask.edges
        if edges.indirect and self._direction == "downstream":
            found |= _ask(self._transaction, _BELOW, (i for i, (type_, _) in found.items() if type_ in TABLE_LIKE))
        if self._ask.level in _TOGETHER:
            held = (i for i, (type_, _) in found.items() if type_ in _INSIDE or type_ in TABLE_LIKE)
            found |= _ask(self._transaction, _TOGETHER[self._ask.level], held)
        if self._ask.level in GROUPED:
            found |= self._declared(found)
        return {node_id: what for node_id, what in found.items() if node_id not in self._seen}

    def _declared(self, found: Nodes) -> Nodes:
        """Recorded schemas and other containers are one with their contents."""
        tables = (node_id for node_id, (type_, _) in found.items() if type_ in TABLE_LIKE)
        groups = {group_of(table, self._ask.level, database=self._lake).id for table in tables}
        inside = _in_group(self._transaction, self._ask.level, self._lake, found)
        return _ask(self._transaction, _KNOWN, groups) | inside

    def _leave(self, fresh: Nodes) -> Nodes:
        found = self._edges(self._query, fresh)
        if self._port_query and self._direction == "upstream":
            # What shapes the rows of a table shapes each of its columns.
            tables = set(self._tables(fresh)) - self._ported - self._seen
            self._ported |= tables
            found |= self._edges(self._port_query, tables)
        return {node_id: what for node_id, what in found.items() if node_id not in self._seen}

    def _tables(self, fresh: Nodes) -> Iterator[str]:
        parents = {parent for type_, parent in fresh.values() if type_ in _INSIDE}
        while parents:
            known = _ask(self._transaction, _KNOWN, parents)
            yield from (node_id for node_id, (type_, _) in known.items() if type_ in TABLE_LIKE)
            parents = {parent for type_, parent in known.values() if type_ in _INSIDE}

    def _edges(self, query: str, ids: Collection[str]) -> Nodes:
        edges = self._ask.edges
        found: Nodes = {}
        for some in _parts(ids) if query else ():
            rows = rows_of(
                self._transaction,
                query,
                ids=some,
                at=edges.at,
                relationships=sorted(edges.relationships),
                subtypes=sorted(map(str, edges.subtypes)),
            )
            for row in rows:
                version = _version_of(row, self._direction)
                self._part.edges[version.key] = version
                reached = found if version.confidence >= edges.min_confidence else self._part.nodes
                reached[row["id"]] = NodeType(row["type"]), row["parent"]
        return found


def _in_group(transaction: ManagedTransaction, level: GraphLevel, lake: str, ids: Iterable[str]) -> Nodes:
    """The contents of the schemas, databases or systems among these."""
    if level not in GROUPED:
        return {}
    names = [name for type_, colon, name in (one.partition(":") for one in ids) if colon and type_ == level]
    full = [f"{lake}.{name}" if level is GraphLevel.SCHEMA and "." not in name else name for name in names]
    return _ask(transaction, _IN_GROUP[level], full)


def _edges_query(relations: Collection[str], direction: Direction, edges: EdgeFilter) -> str:
    """Empty where nothing can be followed. Relationships point as their names read, so half of them against the data
    flow."""
    back = "|".join(sorted(one for one in relations if one in BACKWARD))
    forth = "|".join(sorted(one for one in relations if one not in BACKWARD))
    down = direction == "downstream"
    matches = [f"MATCH (n){'<' if down else ''}-[r:{back}]-{'' if down else '>'}(m) RETURN r, m"] if back else []
    matches += [f"MATCH (n){'' if down else '<'}-[r:{forth}]-{'>' if down else ''}(m) RETURN r, m"] if forth else []
    tests = ["r.valid_to IS NULL"] if edges.at is None else ["r.valid_from <= $at", "coalesce($at < r.valid_to, true)"]
    tests += ["r.relationship IN $relationships"] if edges.relationships else []
    tests += ["(r.subtype IS NULL OR r.subtype IN $subtypes)"] if edges.subtypes else []
    tests += [] if edges.parallel else [f"(r.relationship IS NULL OR type(r) IN ['{DERIVED_FROM}', '{INFLUENCED_BY}'])"]
    if not matches:
        return ""
    return f"""UNWIND $ids AS one MATCH (n:Entity {{id: one}})
CALL (n) {{ {" UNION ALL ".join(matches)} }}
WITH n, r, m WHERE {" AND ".join(tests)}
RETURN n.id AS near, {_NODE.format(end="m")}, {_EDGE}"""


def _version_of(row: dict[str, Any], direction: Direction) -> EdgeVersion:
    source, target = (row["near"], row["id"]) if direction == "downstream" else (row["id"], row["near"])
    derived = row["relation"] in (DERIVED_FROM, INFLUENCED_BY)
    kind = EdgeKind(
        EdgeType.DERIVES_FROM if derived else EdgeType(row["relation"].lower()),
        EdgeRelationship(row["relationship"]) if row["relationship"] else None,
        IndirectType(row["subtype"]) if row["subtype"] else None,
    )
    return EdgeVersion(
        key=EdgeKey(source, target, kind),
        valid_from=_time(row["valid_from"]),
        valid_to=None if row["valid_to"] is None else _time(row["valid_to"]),
        confidence=row["confidence"],
        transformation=Transformation(row["transformation"]),
        expression=row["expression"],
        masking=row["masking"],
    )


def _time(value: Any) -> datetime:
    native: datetime = value.to_native()
    return native.astimezone(UTC)


def _ask(transaction: ManagedTransaction, query: str, ids: Iterable[str]) -> Nodes:
    rows = (row for some in _parts(ids) for row in rows_of(transaction, query, ids=some))
    return {row["id"]: (NodeType(row["type"]), row["parent"]) for row in rows}


def _parts(ids: Iterable[str]) -> Iterator[list[str]]:
    left = iter(ids)
    while some := list(islice(left, IDS)):
        yield some
