"""Rows passed through opaque Python code: every output column may derive from every input column."""

from __future__ import annotations

from collections.abc import Sequence

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pyspark.schema import schema_of
from forge.lineage.extract.python.values import AbstractValue, Frame
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import opaque


def opaque_rows(frames: Sequence[Frame], schema: AbstractValue | None, call: Call, world: World) -> Frame:
    columns = schema_of(schema)
    reads: frozenset[str] = frozenset().union(*(one.relation.reads for one in frames))
    world.gap(call, f"which columns {call.name} makes from which cannot be told from its Python code")
    if columns is None:
        return Frame(frames[0].kind, world.lost(call, call.name, reads))
    value = opaque((column.value for one in frames for column in one.relation.columns), call.written)
    shaped = frozenset().union(*(one.relation.shaped for one in frames))
    relation = Relation(tuple(RelationColumn(name, value) for name in columns), (), frozenset(), shaped, reads)
    return Frame(frames[0].kind, relation)


def map_rows(call: Call, world: World) -> AbstractValue:
    """mapInPandas, mapInArrow."""
    return opaque_rows([call.frame], call.arg(1, "schema"), call, world)
