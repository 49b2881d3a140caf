"""Queries in the lineage graph: who asks which columns. Of a text that somebody asked, once a day; of one that is saved
and shared, under its name. Neither a text nor a value is kept."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from forge.federation.relation import RelationName
from forge.federation.source import LAKE, VIRTUAL
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.federation.saved_query import SavedQuery
    from forge.flows.federation.query_lineage import OutputLineage
    from forge.flows.lineage.ports import LineagePorts
    from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
    from forge.lineage.facts.evidence import Evidence

PRODUCER = "query:"
MOST_A_DAY = 1_000  # texts, of one process
# Of one text, whose columns have the names and number that who asks gives them; the tables that it reads are all there.
MOST_COLUMNS, MOST_COLUMN_EDGES, LONGEST_NAME = 200, 2_000, 255
_DIGITS = 12
_log = logging.getLogger("forge.federation")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuery:
    """`relations`: those that it names, virtual tables too, and those that these are made of. `is_open`: all of them
    are for everyone; the graph is, and what is not stays out of it. `lineage` is computed when it is called."""

    sql: str
    user: str
    relations: tuple[RelationName, ...]
    is_open: bool
    lineage: Callable[[], tuple[OutputLineage, ...] | None]


@dataclass(slots=True)
class QueryRecorder:
    """Records what is asked. It never fails a query, and writes nothing twice a day."""

    ports: Callable[[], LineagePorts]
    _seen: set[tuple[str, date]] = field(default_factory=set)

    def __call__(self, asked: AskedQuery) -> None:
        if not asked.is_open or not asked.relations:
            return
        try:
            self._record(asked)
        except ForgeError as error:
            _log.warning("the lineage of a query was not recorded: %s", error)

    def _record(self, asked: AskedQuery) -> None:
        ports = self.ports()
        today = ports.clock().date()
        name = digest_of(asked.sql)
        if (name, today) in self._seen:
            return
        self._seen = {one for one in self._seen if one[1] == today}
        if len(self._seen) >= MOST_A_DAY:
            return
        self._seen.add((name, today))
        if _is_recorded(f"{PRODUCER}{name}", today, ports):
            return
        details = {"kind": "query", "asked_by": asked.user, "asked_on": today.isoformat()}
        ports.store.record([_batch(asked, f"{PRODUCER}{name}", f"{PRODUCER}{name}", details, ports)])


def record_saved(ports: LineagePorts, query: SavedQuery, asked: AskedQuery | None) -> None:
    """None: it is gone, not shared, or not for everyone; then all that was said of it ends."""
    producer = f"{PRODUCER}{query.id}"
    if asked is None or not asked.is_open or not query.is_shared:
        from forge.lineage.facts.claim import ClaimBatch

        ports.store.record([ClaimBatch(producer=producer, at=ports.clock(), actor=query.owner)])
        return
    details = {"kind": "query", "label": query.name, "owner": query.owner, "saved_as": query.id}
    ports.store.record([_batch(asked, node_of(query), producer, details, ports)])


def forget_restricted(ports: LineagePorts, restricted: Collection[str]) -> int:
    """Takes queries out of the graph that read what names its readers by now: sources, virtual tables and tables of the
    lake by their names. How many there were."""
    from forge.lineage.facts.claim import ClaimBatch

    starts = tuple(f"{name}." for name in restricted)
    asked = [one for one in ports.store.producers() if one.startswith(PRODUCER)] if starts else []
    gone = [
        one
        for one in asked
        if any(
            f"{edge.source.id}.".startswith(starts)
            for edge in ports.store.edge_facts(producer=one)
            if edge.valid_to is None
        )
    ]
    batches = [ClaimBatch(producer=one, at=ports.clock(), actor=ports.actor) for one in gone]
    if batches:
        ports.store.record(batches)
    return len(gone)


def node_of(query: SavedQuery) -> str:
    """Its name in the graph: query:cities_4f9a."""
    word = re.sub(r"\W+", "_", query.name).strip("_").lower() or "query"
    return f"{PRODUCER}{word}_{query.id[-4:]}"


def digest_of(sql: str) -> str:
    return hashlib.sha256(" ".join(sql.split()).encode()).hexdigest()[:_DIGITS]


def _name_of(relation: RelationName) -> str:
    """In the graph, where a table of the lake is one at all its versions."""
    return str(replace(relation, at=""))


def _is_recorded(node_id: str, today: date, ports: LineagePorts) -> bool:
    number = ports.store.numbers([node_id]).get(node_id)
    known = ports.store.nodes([number]).get(number) if number is not None else None
    return known is not None and known.details.get("asked_on") == today.isoformat()


def _batch(
    asked: AskedQuery, name: str, producer: str, details: Mapping[str, object], ports: LineagePorts
) -> ClaimBatch:
    from forge.lineage.facts.claim import ClaimBatch

    made = asked.lineage() or ()
    outputs = tuple(one for one in made if len(one.column) <= LONGEST_NAME)[:MOST_COLUMNS]
    left_out = {"columns_left_out": len(made) - len(outputs)} if len(outputs) < len(made) else {}
    edges = (*islice(_column_edges(asked, outputs, name), MOST_COLUMN_EDGES), *_table_edges(asked, name))
    nodes = tuple(_nodes(asked, outputs, name, {**details, **left_out}))
    return ClaimBatch(producer=producer, at=ports.clock(), edges=edges, nodes=nodes, actor=asked.user)


def _column_edges(asked: AskedQuery, outputs: tuple[OutputLineage, ...], name: str) -> Iterator[EdgeClaim]:
    from forge.lineage.edge import Transformation
    from forge.lineage.facts.claim import EdgeClaim
    from forge.lineage.kind import EdgeKind, EdgeType, relationship_of
    from forge.lineage.node import column_of

    seen = _evidence()
    versions = {str(one): _name_of(one) for one in asked.relations}
    for output in outputs:
        for one in dict.fromkeys((each.column, each.transformation) for each in output.sources):
            table, _, column = one[0].rpartition(".")
            made = Transformation(one[1])
            kind = EdgeKind(EdgeType.DERIVES_FROM, relationship_of(made))
            source, target = column_of(versions.get(table, table), column), column_of(name, output.column)
            yield EdgeClaim(source=source, target=target, kind=kind, transformation=made, evidence=seen)


def _table_edges(asked: AskedQuery, name: str) -> Iterator[EdgeClaim]:
    from forge.lineage.edge import Transformation
    from forge.lineage.facts.claim import EdgeClaim
    from forge.lineage.kind import EdgeKind, EdgeType, relationship_of
    from forge.lineage.node import NodeType, table_of

    seen = _evidence()
    whole = EdgeKind(EdgeType.DERIVES_FROM, relationship_of(Transformation.TRANSFORMATION))
    for relation in asked.relations:
        kind_of = NodeType.TABLE if relation.source == LAKE else NodeType.EXTERNAL
        source = table_of(_name_of(relation), NodeType.VIEW if relation.source == VIRTUAL else kind_of)
        yield EdgeClaim(source=source, target=table_of(name, NodeType.DATASET), kind=whole, evidence=seen)


def _evidence() -> tuple[Evidence, ...]:
    from forge.lineage.facts.evidence import Basis, Evidence

    return (Evidence(basis=Basis.RESOLVED, extractor="federated-query"),)


def _nodes(
    asked: AskedQuery, outputs: tuple[OutputLineage, ...], name: str, details: Mapping[str, object]
) -> Iterator[NodeClaim]:
    from forge.lineage.facts.claim import NodeClaim
    from forge.lineage.node import NodeType, column_of, table_of

    yield NodeClaim(table_of(name, NodeType.DATASET), details)
    for place, output in enumerate(outputs):
        yield NodeClaim(column_of(name, output.column), {"position": place})
    for relation in asked.relations:
        if relation.source not in (LAKE, VIRTUAL):
            yield NodeClaim(table_of(str(relation), NodeType.EXTERNAL), {"connector": relation.source})
