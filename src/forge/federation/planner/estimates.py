"""How many rows a fragment gives: the source's own estimate of its tables, times the selectivity of each predicate.

`=` 0.1, or one row where the column is the whole key · IN 0.1 for each value, at most 0.5 · `<` and the like 0.3 ·
BETWEEN 0.25 · LIKE 0.25 · IS NULL 0.1 · IS NOT NULL and `<>` 0.9 · AND multiplies, OR adds less what both have, NOT is
the complement. A join of a source has as many rows as its largest table. GROUP BY and DISTINCT keep a tenth. Wrong by
much, and enough to tell a small side from a large one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from sqlglot import exp

from forge.federation.relation import SourceRelation

_SELECTIVITY: dict[type[exp.Expr], float] = {
    exp.NEQ: 0.9,
    exp.LT: 0.3,
    exp.LTE: 0.3,
    exp.GT: 0.3,
    exp.GTE: 0.3,
    exp.Like: 0.25,
    exp.Is: 0.1,
    exp.Column: 0.5,
    exp.EQ: 0.1,
    exp.NullSafeEQ: 0.1,
}
_GROUPED = 0.1


def filtered_rows(relation: SourceRelation, predicates: Iterable[exp.Expr]) -> int | None:
    if relation.rows is None:
        return None
    rows = float(relation.rows)
    for one in predicates:
        rows *= _selectivity(one, relation)
    return max(round(rows), min(relation.rows, 1))


def grouped_rows(rows: int | None, has_keys: bool) -> int | None:
    if not has_keys:
        return 1
    return None if rows is None else max(round(rows * _GROUPED), min(rows, 1))


def different_rows(rows: int | None, distinct: Sequence[int | None]) -> int | None:
    """How many groups there are by columns with so many values each; a tenth of the rows where nobody knows."""
    if any(one is None for one in distinct):
        return grouped_rows(rows, True)
    most = prod(one or 1 for one in distinct)
    return most if rows is None else min(rows, most)


def limited_rows(rows: int | None, limit: int) -> int:
    return limit if rows is None else min(rows, limit)


def _selectivity(node: exp.Expr, relation: SourceRelation) -> float:
    match node:
        case exp.Paren() if isinstance(node.this, exp.And) and len({c.sql() for c in node.find_all(exp.Column)}) == 1:
            return 0.25 if isinstance(node.this.this, exp.GTE) else _selectivity(node.this, relation)
        case exp.Paren():
            return _selectivity(node.this, relation)
        case exp.And():
            return _selectivity(node.left, relation) * _selectivity(node.right, relation)
        case exp.Or():
            left, right = _selectivity(node.left, relation), _selectivity(node.right, relation)
            return left + right - left * right
        case exp.Not():
            return 1 - _selectivity(node.this, relation)
        case exp.In():
            return min(len(node.expressions) * _equality(node.this, relation), 0.5)
        case exp.EQ():
            return _equality(node.this, relation)
    return _SELECTIVITY.get(type(node), 1.0)


def _equality(column: exp.Expr, relation: SourceRelation) -> float:
    is_key = [name.lower() for name in relation.key] == [column.name.lower()]
    return 1 / relation.rows if is_key and relation.rows else _SELECTIVITY[exp.EQ]
