"""Virtual tables in the lineage graph: which columns each of theirs is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from forge.federation.relation import RelationName
from forge.federation.source import LAKE, VIRTUAL
from forge.federation.virtual.expansion import columns_read, select_of
from forge.federation.virtual_table import VirtualTable
from forge.flows.lineage.reader import open_graph
from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim, WriteCounts
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeType, indirect_kind, relationship_of
from forge.lineage.node import Entity, NodeType, column_of, table_of

if TYPE_CHECKING:
    from forge.flows.lineage.ports import LineagePorts

PRODUCER = f"{VIRTUAL}:"


def record_virtual_lineage(
    ports: LineagePorts, table: VirtualTable, actor: str, *, is_gone: bool = False
) -> WriteCounts:
    """What was said of it before and is not said now ends; of one that is gone, all."""
    open_graph(ports)  # tables of commits that the graph has not seen yet are known, too
    producer = f"{PRODUCER}{table.name}"
    if is_gone:
        return ports.store.record([ClaimBatch(producer=producer, at=ports.clock(), actor=actor)])
    edges, nodes = tuple(_edges(table)), tuple(_nodes(table))
    batch = ClaimBatch(producer=producer, at=ports.clock(), edges=edges, nodes=nodes, actor=actor)
    return ports.store.record([batch])


def _edges(table: VirtualTable) -> Iterator[EdgeClaim]:
    select = select_of(table)
    seen = (Evidence(basis=Basis.DECLARED, extractor="virtual-table", file=table.file, line=table.line),)
    target = str(table.relation)
    done: set[tuple[str, str, str]] = set()
    for output, column in zip(select.expressions, table.columns, strict=True):
        made = Transformation.TRANSFORMATION if column.expression else Transformation.IDENTITY
        for read in columns_read(output):
            source = column_of(str(read.relation), read.column)
            if (source.id, column.name, "") not in done:
                done.add((source.id, column.name, ""))
                yield EdgeClaim(
                    source=source,
                    target=column_of(target, column.name),
                    kind=EdgeKind(EdgeType.DERIVES_FROM, relationship_of(made)),
                    transformation=made,
                    expression=column.expression or column.source_column,
                    evidence=seen,
                )
    for subtype, nodes in ((IndirectType.JOIN, select.args.get("joins") or []), (IndirectType.FILTER, _where(select))):
        for read in (one for node in nodes for one in columns_read(node)):
            source = column_of(str(read.relation), read.column)
            if (source.id, "", subtype) not in done:
                done.add((source.id, "", subtype))
                yield EdgeClaim(
                    source=source, target=table_of(target, NodeType.VIEW), kind=indirect_kind(subtype), evidence=seen
                )


def _where(select: exp.Select) -> list[exp.Expr]:
    return [select.args["where"]] if select.args.get("where") else []


def _nodes(table: VirtualTable) -> Iterator[NodeClaim]:
    name = str(table.relation)
    details: dict[str, object] = {"kind": "view", "virtual": True, "description": table.description}
    if table.file:
        details["source_file"] = table.file
    yield NodeClaim(table_of(name, NodeType.VIEW), {key: value for key, value in details.items() if value})
    for place, column in enumerate(table.columns):
        known: dict[str, object] = {"nullable": column.nullable, "position": place}
        if column.data_type:
            known["data_type"] = column.data_type
        yield NodeClaim(column_of(name, column.name), known)
    for source in table.sources:
        if source.connector_id not in (LAKE, VIRTUAL):
            yield NodeClaim(_outside(source.relation), {"connector": source.connector_id})


def _outside(relation: RelationName) -> Entity:
    return table_of(str(relation), NodeType.EXTERNAL)
