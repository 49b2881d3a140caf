"""What of Spark's SQL is computed in-process: node classes, each with the arguments that it may have. Anything else,
and any other argument, is refused by name."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from forge.federation.scalar_nodes import SCALARS

_BINARY = frozenset({"this", "expression"})
_THIS = frozenset({"this"})

ALLOWED: Mapping[type[exp.Expr], frozenset[str]] = {
    # queries
    exp.Select: frozenset(
        {"with_", "expressions", "from_", "joins", "where", "group", "having", "distinct", "order", "limit", "offset"}
    ),
    exp.Union: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Except: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Intersect: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Subquery: frozenset({"this", "alias", "order", "limit", "offset"}),
    exp.Values: frozenset({"expressions", "alias"}),
    exp.Tuple: frozenset({"expressions"}),
    exp.With: frozenset({"expressions"}),
    exp.CTE: frozenset({"this", "alias"}),
    exp.TableAlias: frozenset({"this", "columns"}),
    exp.From: _THIS,
    exp.Table: frozenset({"this", "alias"}),
    exp.Join: frozenset({"this", "on", "side", "kind"}),
    exp.Where: _THIS,
    exp.Having: _THIS,
    exp.Group: frozenset({"expressions"}),
    exp.Distinct: frozenset({"expressions"}),
    exp.Order: frozenset({"expressions"}),
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.Limit: frozenset({"expression"}),
    exp.Offset: frozenset({"expression"}),
    # what has no rows: names, values, operators and functions
    **SCALARS,
    exp.Star: frozenset(),
    exp.Alias: frozenset({"this", "alias"}),
    exp.Placeholder: _THIS,
    exp.In: frozenset({"this", "expressions", "query"}),
    exp.Exists: _THIS,
    # aggregates and windows
    exp.Count: frozenset({"this", "big_int"}),
    exp.CountIf: _THIS,
    exp.Sum: _THIS,
    exp.Avg: _THIS,
    exp.Min: _THIS,
    exp.Max: _THIS,
    exp.Filter: _BINARY,
    exp.Window: frozenset({"this", "partition_by", "order", "spec", "over"}),
    exp.WindowSpec: frozenset({"kind", "start", "start_side", "end", "end_side"}),
    exp.RowNumber: frozenset(),
    exp.Rank: frozenset(),
    exp.DenseRank: frozenset(),
    exp.Lag: frozenset({"this", "offset", "default"}),
    exp.Lead: frozenset({"this", "offset", "default"}),
}

MAX_NODES = 20_000
MAX_DEPTH = 200


class NotInProcess(Exception):
    """Why a query is not computed in-process, in words."""


def check_nodes(tree: exp.Expr) -> None:
    """Raises NotInProcess at the first node that is not on the list."""
    waiting: list[tuple[exp.Expr, int]] = [(tree, 0)]
    count = 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            raise NotInProcess("the query is too large to be computed in-process")
        allowed = ALLOWED.get(type(node))
        if allowed is None:
            raise NotInProcess(f"{name_of(node)} is not computed in-process")
        extra = sorted(key for key, value in node.args.items() if _is_set(value) and key not in allowed)
        if extra:
            raise NotInProcess(f"{name_of(node)} with {extra[0].strip('_')} is not computed in-process")
        for key, value in node.args.items():
            if key == "_type":
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, exp.Expr):
                    waiting.append((child, depth + 1))


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value != []


def name_of(node: exp.Expr) -> str:
    """As a user would call it: `regexp_extract`, `PIVOT`."""
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return str(node.this).lower()[:60]
    if isinstance(node, exp.Func):
        return node.sql_name().lower()
    return node.key.upper()
