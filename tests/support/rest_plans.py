"""Plans of queries of which no source computes a part: all is left to an executor."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

from forge.federation.plan import Fragment, QueryPlan
from forge.federation.relation import RelationName, SourceColumn
from forge.flows.federation.ports import FragmentReader
from forge.model.types import parse_type
from forge.transforms.sql_parse import parse_query
from forge.versioning.arrow_types import type_name

Tables = Mapping[str, pa.Table]


def plan_of(text: str, tables: Tables) -> QueryPlan:
    """Qualified, as a planner does it; the columns of a table have the types of its Arrow columns."""
    schema: dict[str, object] = {
        name: {c.name: type_name(c.type) for c in table.schema} for name, table in tables.items()
    }
    tree = parse_query(text, "query.sql").tree.copy()
    rest: Any = qualify(tree, dialect="spark", schema=schema, validate_qualify_columns=False) if schema else tree
    fragments = tuple(
        Fragment(
            name,
            "lake",
            exp.select("*").from_(name),
            tuple(SourceColumn(c.name, parse_type(type_name(c.type))) for c in table.schema),
            relations=(RelationName("lake", ("core", name)),),
        )
        for name, table in tables.items()
    )
    return QueryPlan(text, fragments, rest)


def reader_of(tables: Tables) -> FragmentReader:
    def read(fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = MappingProxyType({})) -> pa.RecordBatchReader:
        return tables[fragment.name].to_reader(max_chunksize=3)

    return read
