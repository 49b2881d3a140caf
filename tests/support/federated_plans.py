"""Plans that push nothing: every relation is read whole, and the query itself is the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
from sqlglot import exp

from forge.federation.plan import Fragment, QueryPlan
from forge.federation.relation import RelationName, SourceColumn
from forge.model.types import parse_type
from forge.transforms.sql_parse import parse_query
from forge.versioning.arrow_types import type_name


def columns_of(schema: pa.Schema) -> tuple[SourceColumn, ...]:
    return tuple(SourceColumn(each.name, parse_type(type_name(each.type))) for each in schema)


def whole_plan(sql: str, relations: Mapping[str, tuple[RelationName, pa.Schema]]) -> QueryPlan:
    """`relations`: by the name that stands in the text, in small letters."""
    tree = parse_query(sql, "query").tree.copy()
    assert isinstance(tree, exp.Query)
    fragments: dict[str, Fragment] = {}
    for node in list(tree.find_all(exp.Table)):
        written = ".".join(part.name for part in node.parts).lower()
        if written not in relations:
            continue
        name, schema = relations[written]
        if written not in fragments:
            fragments[written] = whole_fragment(f"forge_{len(fragments)}", name, columns_of(schema))
        if not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)))
        node.replace(exp.Table(this=exp.to_identifier(fragments[written].name), **_beside(node)))
    return QueryPlan(sql, tuple(fragments.values()), tree)


def whole_fragment(name: str, relation: RelationName, columns: Iterable[SourceColumn]) -> Fragment:
    columns = tuple(columns)
    parts = (relation.source, *relation.path)
    table = exp.Table(**{place: exp.to_identifier(part) for place, part in zip(_PLACES, reversed(parts), strict=False)})
    table.set("alias", exp.TableAlias(this=exp.to_identifier("t")))
    query = exp.select(*(exp.column(each.name, "t", quoted=True) for each in columns)).from_(table)
    return Fragment(name, relation.source, query, columns, relations=(relation,))


_PLACES = ("this", "db", "catalog")


def _beside(node: exp.Table) -> dict[str, object]:
    return {key: value for key, value in node.args.items() if key not in _PLACES}
