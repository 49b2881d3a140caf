"""How many rows a fragment gives: the source's own estimate of its tables, times the selectivity of each predicate.

Where the source has statistics of a column, they count: `=` is one of its distinct values, IN as many as there are in
the list, a range what lies between the bounds, IS NULL the share of rows without a value. Where it has none:

`=` 0.1 (a column that is the whole key has statistics) · IN 0.1 for each value, at most 0.5 · `<` and the like 0.3 ·
BETWEEN 0.25 · LIKE 0.25 · IS NULL 0.1 · IS NOT NULL and `<>` 0.9 · AND multiplies, OR adds less what both have, NOT is
the complement. Of two tables that are joined, each pair of rows is one with the probability that the side with
more values says; where neither is known, there are as many rows as the larger one has. GROUP BY and DISTINCT have as
many rows as there are values, or keep a tenth. Wrong by much, and enough to tell a small side from a large one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from sqlglot import exp

from forge.federation.dialects.predicates import conjuncts
from forge.federation.dialects.values import fit_value, read_value
from forge.federation.planner.row_filters import is_row_filter
from forge.federation.relation import SourceColumn, SourceRelation
from forge.federation.statistics import ColumnStatistics, place_of

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


_RANGES: dict[type[exp.Expr], bool] = {exp.LT: True, exp.LTE: True, exp.GT: False, exp.GTE: False}  # from above


def filtered_rows(relation: SourceRelation, predicates: Iterable[exp.Expr]) -> int | None:
    """A row filter does not count: how many rows it leaves is not for who asks."""
    if relation.rows is None:
        return None
    rows = relation.rows * _share((one for one in predicates if not is_row_filter(one)), relation)
    return max(round(rows), min(relation.rows, 1))


def joined_rows(left: int | None, right: int | None, pairs: Sequence[tuple[int | None, int | None]]) -> int | None:
    """Of an inner join; `pairs`: how many values the columns have that are equal, on the one side and on the other. Of
    several pairs the one counts that leaves the fewest rows."""
    if left is None or right is None:
        return None
    if not pairs:
        return left * right
    values = [max(one or 0, other or 0) for one, other in pairs]
    most = max((one for one in values if one), default=0)
    return max(round(left * right / most) if most else max(left, right), min(left, right, 1))


def with_key_statistics(relation: SourceRelation) -> SourceRelation:
    """A column that is the whole key has as many values as there are rows."""
    if len(relation.key) != 1 or relation.rows is None:
        return relation
    known = ColumnStatistics(relation.rows, 0.0)
    columns = (
        replace(one, statistics=replace(known, bounds=one.statistics.bounds)) if _is_key(one, relation) else one
        for one in relation.columns
    )
    return replace(relation, columns=tuple(columns))


def _is_key(column: SourceColumn, relation: SourceRelation) -> bool:
    return relation.key[0].lower() == column.name.lower()


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


@dataclass(slots=True)
class _Range:
    """What the predicates of one column leave of it."""

    statistics: ColumnStatistics
    low: float | None = None
    high: float | None = None
    nodes: list[exp.Expr] = field(default_factory=list)


def _share(predicates: Iterable[exp.Expr], relation: SourceRelation) -> float:
    """Of predicates that are all true. Two ends of a range of one column are one predicate."""
    ranges: dict[str, _Range] = {}
    share = 1.0
    for node in (part for one in predicates for part in _parts(one, relation)):
        found = _bounded(node, relation)
        if found is None:
            share *= _selectivity(node, relation)
            continue
        column, place = found
        one = ranges.setdefault(column.name, _Range(column.statistics))
        if _RANGES[type(node)]:
            one.high = place if one.high is None else min(one.high, place)
        else:
            one.low = place if one.low is None else max(one.low, place)
    return share * prod(one.statistics.share_between(one.low, one.high) or 0.0 for one in ranges.values())


def _parts(node: exp.Expr, relation: SourceRelation) -> list[exp.Expr]:
    """Of AND, unless it is a BETWEEN of which only the constant is known."""
    inner = node.unnest()
    if not isinstance(inner, exp.And):
        return [inner]
    parts = [one.unnest() for one in conjuncts(inner)]
    is_between = len({column.sql() for column in inner.find_all(exp.Column)}) == 1
    return [inner] if is_between and not any(_bounded(one, relation) for one in parts) else parts


def _bounded(node: exp.Expr, relation: SourceRelation) -> tuple[SourceColumn, float] | None:
    """A column with bounds, and the place that it is compared with."""
    column = _column(node.this, relation) if type(node) in _RANGES else None
    if column is None or len(column.statistics.bounds) < 2:
        return None
    value = read_value(node.expression, {})
    fitted = fit_value(value, column.type) if value is not None else None
    place = place_of(fitted.value) if fitted is not None else None
    return None if place is None else (column, place)


def _column(node: exp.Expr, relation: SourceRelation) -> SourceColumn | None:
    inner = node.this if isinstance(node, exp.Collate) else node
    return relation.get(inner.name) if isinstance(inner, exp.Column) else None


def _selectivity(node: exp.Expr, relation: SourceRelation) -> float:
    match node:
        case exp.Paren():
            return _selectivity(node.this, relation)
        case exp.And():
            if len({c.sql() for c in node.find_all(exp.Column)}) == 1 and isinstance(node.this, exp.GTE):
                ends = [_bounded(one, relation) for one in conjuncts(node)]
                return _share(conjuncts(node), relation) if all(ends) else 0.25
            return _share(conjuncts(node), relation)
        case exp.Or():
            left, right = _selectivity(node.left, relation), _selectivity(node.right, relation)
            return left + right - left * right
        case exp.Not() if isinstance(node.this.unnest(), exp.Is):
            return _filled(node.this.unnest().this, relation)
        case exp.Not():
            return 1 - _selectivity(node.this, relation)
        case exp.In():
            column = _column(node.this, relation)
            most = column.statistics.filled if column is not None and column.distinct else 0.5
            return min(len(node.expressions) * _equality(node.this, relation), most)
        case exp.EQ():
            return _equality(node.this, relation)
        case exp.NEQ():
            column = _column(node.this, relation)
            known = column is not None and column.distinct
            return max(_filled(node.this, relation) - _equality(node.this, relation), 0.0) if known else 0.9
        case exp.Is() if isinstance(node.expression, exp.Null):
            return 1 - _filled(node.this, relation)
        case exp.LT() | exp.LTE() | exp.GT() | exp.GTE() if _bounded(node, relation):
            return _share([node], relation)
    return _SELECTIVITY.get(type(node), 1.0)


def _filled(node: exp.Expr, relation: SourceRelation) -> float:
    column = _column(node, relation)
    known = column is not None and column.statistics.nulls is not None
    return column.statistics.filled if column is not None and known else 1 - _SELECTIVITY[exp.Is]


def _equality(node: exp.Expr, relation: SourceRelation) -> float:
    column = _column(node, relation)
    if column is None or not column.distinct:
        return _SELECTIVITY[exp.EQ]
    return column.statistics.filled / column.distinct
