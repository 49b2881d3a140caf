"""What of Spark's SQL is computed in-process: node classes, each with the arguments that it may have. Anything else,
and any other argument, is refused by name."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

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
    # names, values and types
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.Column: frozenset({"this", "table"}),
    exp.Star: frozenset(),
    exp.Alias: frozenset({"this", "alias"}),
    exp.Paren: _THIS,
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Boolean: _THIS,
    exp.Null: frozenset(),
    exp.Placeholder: _THIS,
    exp.Cast: frozenset({"this", "to", "_type"}),
    exp.TryCast: frozenset({"this", "to", "_type"}),  # what the parser of Spark makes of CAST; try_cast has `safe`
    exp.DataType: frozenset({"this", "expressions", "nested"}),
    exp.DataTypeParam: _THIS,
    # operators
    exp.Add: _BINARY,
    exp.Sub: _BINARY,
    exp.Mul: _BINARY,
    exp.Div: frozenset({"this", "expression", "typed", "safe"}),
    exp.IntDiv: _BINARY,
    exp.Mod: _BINARY,
    exp.Neg: _THIS,
    exp.EQ: _BINARY,
    exp.NEQ: _BINARY,
    exp.LT: _BINARY,
    exp.LTE: _BINARY,
    exp.GT: _BINARY,
    exp.GTE: _BINARY,
    exp.NullSafeEQ: _BINARY,
    exp.Between: frozenset({"this", "low", "high"}),
    exp.In: frozenset({"this", "expressions", "query"}),
    exp.Is: _BINARY,
    exp.Exists: _THIS,
    exp.Not: _THIS,
    exp.And: _BINARY,
    exp.Or: _BINARY,
    exp.Like: frozenset({"this", "expression", "negate"}),
    exp.Escape: _BINARY,
    exp.DPipe: frozenset({"this", "expression", "safe"}),
    exp.Case: frozenset({"this", "ifs", "default"}),
    exp.If: frozenset({"this", "true", "false"}),
    # functions
    exp.Coalesce: frozenset({"this", "expressions"}),
    exp.Nullif: _BINARY,
    exp.Greatest: frozenset({"this", "expressions", "ignore_nulls"}),
    exp.Least: frozenset({"this", "expressions", "ignore_nulls"}),
    exp.Abs: _THIS,
    exp.Ceil: _THIS,
    exp.Floor: _THIS,
    exp.Round: frozenset({"this", "decimals"}),
    exp.Concat: frozenset({"expressions", "safe", "coalesce"}),
    exp.Length: _THIS,
    exp.Upper: _THIS,
    exp.Lower: _THIS,
    exp.Trim: frozenset({"this", "position"}),
    exp.Substring: frozenset({"this", "start", "length"}),
    exp.Replace: frozenset({"this", "expression", "replacement"}),
    exp.Year: _THIS,
    exp.Month: _THIS,
    exp.DayOfMonth: _THIS,
    exp.Day: _THIS,
    exp.Quarter: _THIS,
    exp.TsOrDsToDate: frozenset({"this", "safe"}),
    exp.DateDiff: frozenset({"this", "expression"}),
    exp.TsOrDsAdd: frozenset({"this", "expression", "unit"}),
    exp.TimestampTrunc: frozenset({"this", "unit"}),
    exp.Var: _THIS,
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
