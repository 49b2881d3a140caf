"""Feeds Neo4j from the records. The revision it was fed up to is stored in Neo4j and moves in the transaction that
writes a page, so each page arrives exactly once: after an outage, after a kill, and with concurrent feeders. A page
that is too large for the memory of one transaction is written in parts, under a lock; the revision moves when all
are done, and an interrupted page is written again by the next feeder."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.store import LineageStore, StoreChanges
from forge.lineage.node import TABLE_LIKE, Node, NodeType
from forge.stores.neo4j.graph_schema import (
    CONSTRAINTS,
    LABELS,
    OWN_LABELS,
    RELATIONS,
    edge_row,
    entity_properties,
    life_rows,
    relation_of,
    table_place,
)
from forge.stores.neo4j.server import Neo4jServer, rows_of

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

FEED = "lineage"
PAGE = 10_000
ROWS = 2_000  # of one statement
TOGETHER = 5_000  # rows of a page up to which it is one transaction: some 50 MB of the server's memory
_WIPING = -1
Row = dict[str, Any]

_REVISION = "MATCH (f:LineageFeed {name: $name}) RETURN f.revision AS revision"
# Writing to it locks it: a second feeder waits here and then finds that the page is there.
_LOCK = """MERGE (f:LineageFeed {name: $name}) ON CREATE SET f.revision = 0
SET f.fed_at = datetime() RETURN f.revision AS revision"""
_MOVE = "MATCH (f:LineageFeed {name: $name}) SET f.revision = $revision"
_ENTITIES = """UNWIND $rows AS row MERGE (n:Entity {{id: row.id}})
SET n = row REMOVE n:{others} SET n:{label}"""
_PLACES = """UNWIND $rows AS row
MERGE (d:Database {qualified_name: row.database_name}) ON CREATE SET d.name = row.database
MERGE (s:Schema {qualified_name: row.schema_name}) ON CREATE SET s.name = row.schema
MERGE (d)-[:HAS_SCHEMA]->(s)
WITH s, row MATCH (t:Entity {id: row.id}) SET t.system = row.system MERGE (s)-[:HAS_TABLE]->(t)"""
_PARENTS = """UNWIND $rows AS row
MERGE (p:Entity {{id: row.parent}}) WITH p, row MATCH (n:Entity {{id: row.id}}) MERGE (p)-[:{relation}]->(n)"""
_OLD = """UNWIND $rows AS row MATCH ()-[r:{relation}]->()
WHERE r.id = row.id AND r.valid_from IS NOT NULL AND NOT r.valid_from IN row.starts DELETE r"""
_EDGES = """UNWIND $rows AS row
MERGE (a:Entity {{id: row.begin}}) MERGE (b:Entity {{id: row.end}})
MERGE (a)-[r:{relation} {{id: row.properties.id, valid_from: row.properties.valid_from}}]->(b)
SET r = row.properties"""
_WIPE = """MATCH (n:Entity|Schema|Database) WHERE n.qualified_name IS NOT NULL OR n:Entity
WITH n LIMIT $limit DETACH DELETE n RETURN count(*) AS gone"""


class Neo4jFeed:
    """`lake`: the database name for tables whose names have none."""

    def __init__(self, server: Neo4jServer, store: LineageStore, lake: str = "lake") -> None:
        self._server, self._store, self._lake = server, store, lake
        self._lock = threading.Lock()
        self._constrained = False

    def revision(self) -> int:
        """The revision of the records that the copy has."""
        rows = self._server.read(_REVISION, name=FEED)
        return int(rows[0]["revision"]) if rows else 0

    def catch_up(self) -> int:
        """Feeds what Neo4j is missing; returns the revision that Neo4j has then."""
        held, newest = self.revision(), self._store.revision()
        if held == newest:
            return held
        with self._lock:
            # As another may have left it. In this order: what is fed was recorded before, so the copy is never ahead.
            held, newest = self.revision(), self._store.revision()
            self._constrain()
            if held == _WIPING or held > newest:  # a copy of a record that is no more
                held = self._wipe()
            while held < newest:
                page = self._store.touched(held, PAGE)
                held = self._server.writing(self._writer(held, page))
            return held

    def _writer(self, since: int, page: StoreChanges) -> Callable[[ManagedTransaction], int]:
        def write(transaction: ManagedTransaction) -> int:
            held = int(rows_of(transaction, _LOCK, name=FEED)[0]["revision"])
            if held != since:  # another feeder was here
                return max(held, 0)
            together = len(page.nodes) + len(page.edges) <= TOGETHER
            for query, rows in _statements(page, self._lake):
                if together:
                    rows_of(transaction, query, rows=rows)
                else:  # while this transaction keeps others off
                    self._server.writing(lambda part, statement=query, some=rows: rows_of(part, statement, rows=some))  # type: ignore[misc]
            _move(transaction, page.revision)
            return page.revision

        return write

    def _constrain(self) -> None:
        if not self._constrained:
            self._server.run(CONSTRAINTS)
            self._constrained = True

    def _wipe(self) -> int:
        """In steps; an interrupted wipe starts over."""
        self._server.writing(lambda transaction: _move(transaction, _WIPING))
        while self._server.writing(lambda transaction: rows_of(transaction, _WIPE, limit=ROWS)[0]["gone"]):
            pass
        self._server.writing(lambda transaction: _move(transaction, 0))
        return 0


def _statements(page: StoreChanges, lake: str) -> Iterator[tuple[str, list[Row]]]:
    """Each is idempotent: existing objects are matched, outdated ones replaced."""
    for query, rows in (*_of_nodes(page.nodes, lake), *_of_edges(page.edges, page.gone)):
        left = iter(rows)
        while some := list(islice(left, ROWS)):
            yield query, some


def _of_nodes(nodes: Sequence[Node], lake: str) -> Iterator[tuple[str, Iterable[Row]]]:
    by_label: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        by_label[LABELS[node.type]].append(node)
    for label, some in by_label.items():
        others = ":".join(one for one in OWN_LABELS if one != label)
        yield _ENTITIES.format(others=others, label=label), map(entity_properties, some)
    yield _PLACES, [table_place(node, lake) for node in nodes if node.type in TABLE_LIKE]
    for type_, relation in ((NodeType.COLUMN, "HAS_COLUMN"), (NodeType.FIELD, "HAS_FIELD")):
        below = [{"id": node.id, "parent": node.parent} for node in nodes if node.type is type_ and node.parent]
        yield _PARENTS.format(relation=relation), below


def _of_edges(versions: Iterable[EdgeVersion], gone: Sequence[str]) -> Iterator[tuple[str, Iterable[Row]]]:
    by_relation: dict[str, list[EdgeVersion]] = defaultdict(list)
    for version in versions:
        by_relation[relation_of(version.key.kind)].append(version)
    for relation in RELATIONS:
        some = by_relation[relation]
        ended = [{"id": edge_id, "starts": []} for edge_id in gone]
        yield _OLD.format(relation=relation), [*life_rows(some), *ended]
        yield _EDGES.format(relation=relation), map(edge_row, some)


def _move(transaction: ManagedTransaction, revision: int) -> None:
    rows_of(transaction, _MOVE, name=FEED, revision=revision)
