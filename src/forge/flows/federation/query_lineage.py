"""Which columns of sources arrive in each column of a query's result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.federation.planner.local_names import give_local_names
from forge.federation.relation import RelationName, SourceRelation

if TYPE_CHECKING:
    from sqlglot import exp

_SCHEMA, _RESULT = "relation", "relation.result_of_query"  # names for the reader of SQL alone


@dataclass(frozen=True, slots=True, order=True)
class ColumnSource:
    """`column`: as the graph names it: crm.public.customers.email, core.orders.amount."""

    column: str
    transformation: str
    expression: str = ""


@dataclass(frozen=True, slots=True)
class OutputLineage:
    column: str
    sources: tuple[ColumnSource, ...]

    def to_dict(self) -> dict[str, object]:
        made_of = [
            {"column": one.column, "transformation": one.transformation, "expression": one.expression}
            for one in self.sources
        ]
        return {"column": self.column, "sources": made_of}


def lineage_of(
    tree: exp.Query, described: Mapping[RelationName, SourceRelation], sources: Collection[str], names: Collection[str]
) -> tuple[OutputLineage, ...]:
    """`tree`: over relations alone. `names`: of the result's columns, in their order; one that is made of no column has
    no sources. None of it is computed."""
    from forge.lineage import extract_sql  # which takes its time to load

    local = give_local_names(tree, described, sources)
    columns = {
        f"{_SCHEMA}.{name}": {one.name: str(one.type) for one in relation.columns}
        for name, relation in local.relations.items()
    }
    spelled = {f"{_SCHEMA}.{name}": str(relation.name.plain) for name, relation in local.relations.items()}
    read = extract_sql(local.tree.sql("spark"), columns, default_schema=_SCHEMA, result=_RESULT)
    found: dict[str, dict[ColumnSource, None]] = {}
    for edge in read.edges:
        if edge.target.table == _RESULT and edge.source.table in spelled:
            source = ColumnSource(
                f"{spelled[edge.source.table]}.{edge.source.column}", edge.transformation.value, edge.expression
            )
            found.setdefault(edge.target.column.lower(), {})[source] = None
    shown = found if "*" in names else dict.fromkeys(names)
    return tuple(OutputLineage(name, tuple(found.get(name.lower(), ()))) for name in shown)


def lineage_lines(lineage: Iterable[OutputLineage]) -> Iterator[str]:
    lines = [f"  {one.column}: {', '.join(made.column for made in one.sources)}" for one in lineage if one.sources]
    if lines:
        yield from ("", "Columns come from:", *lines)
