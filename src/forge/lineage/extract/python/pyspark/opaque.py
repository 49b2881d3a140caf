"""Rows that go through Python code that is not read: what comes out may come from anything that went in."""

from __future__ import annotations

from collections.abc import Sequence

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pyspark.schema import schema_of
from forge.lineage.extract.python.reading import World
from forge.lineage.extract.python.values import Frame, Thing
from forge.lineage.extract.relation import Column, Relation
from forge.lineage.extract.value import opaque


def opaque_rows(frames: Sequence[Frame], schema: Thing | None, call: Call, world: World) -> Frame:
    columns = schema_of(schema)
    reads: frozenset[str] = frozenset().union(*(one.relation.reads for one in frames))
    world.gap(call, f"which columns {call.name} makes from which cannot be told from its Python code")
    if columns is None:
        return Frame(frames[0].kind, world.lost(call, call.name, reads))
    value = opaque((column.value for one in frames for column in one.relation.columns), call.written)
    shaped = frozenset().union(*(one.relation.shaped for one in frames))
    relation = Relation(tuple(Column(name, value) for name in columns), (), frozenset(), shaped, reads)
    return Frame(frames[0].kind, relation)


def map_rows(call: Call, world: World) -> Thing:
    """mapInPandas, mapInArrow."""
    return opaque_rows([call.frame], call.arg(1, "schema"), call, world)
