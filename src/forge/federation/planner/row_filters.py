"""The row filter of a relation, below everything else that a query says of it: what its source computes as Spark does
goes to the source, the rest is looked at as rows arrive. Neither is ever part of what an engine computes."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from forge.federation.dialects.predicates import PredicateProver, all_of, conjuncts
from forge.federation.dialects.rules import SourceRules
from forge.federation.relation import SourceColumn, SourceRelation

_MARK = "row_filter"  # of nodes, for whoever shows a plan


def split_row_filter(
    relation: SourceRelation, alias: str, rules: SourceRules, *, pushdown: bool = True
) -> tuple[tuple[exp.Expr, ...], exp.Expr | None]:
    """What the source computes, and what it does not, both with the alias at their columns."""
    if relation.row_filter is None:
        return (), None
    tree = relation.row_filter.copy()
    for column in tree.find_all(exp.Column):
        column.set("table", exp.to_identifier(alias, quoted=True))
    if not pushdown:
        return (), tree

    def column_of(column: exp.Column) -> SourceColumn | None:
        found = relation.get(column.name) if column.table == alias else None
        return found.raw if found is not None else None

    prover = PredicateProver(rules, column_of, {})
    pushed: list[exp.Expr] = []
    kept: list[exp.Expr] = []
    for part in conjuncts(tree):
        proved = prover.prove(part)
        if isinstance(proved, str):
            kept.append(part)
            continue
        pushed.append(_marked(proved.node))
        if not proved.exact:
            kept.append(part)
    return tuple(pushed), all_of(kept)


def is_row_filter(node: exp.Expr) -> bool:
    return bool(node.meta.get(_MARK))


def without_row_filters(query: exp.Query, columns: Iterable[SourceColumn]) -> exp.Query:
    """The query of a fragment for who may not know its row filters: without them, and without what is read for them."""
    found = query.copy()
    if not isinstance(found, exp.Select):
        return found
    where = found.args.get("where")
    if where is not None:
        left = all_of([one for one in conjuncts(where.this) if not is_row_filter(one)])
        found.set("where", exp.Where(this=left) if left is not None else None)
    found.set("expressions", found.expressions[: len(tuple(columns))])
    return found


def _marked(node: exp.Expr) -> exp.Expr:
    for one in node.walk():
        one.meta[_MARK] = True
    return node
