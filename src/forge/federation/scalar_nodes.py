"""The nodes of scalar expressions that both executors compute: names, values, operators and functions, each with the
arguments that it may have. No subquery, no aggregate, no window, no parameter, no other function."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

_BINARY = frozenset({"this", "expression"})
_THIS = frozenset({"this"})

SCALARS: Mapping[type[exp.Expr], frozenset[str]] = {
    # names, values and types
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.Column: frozenset({"this", "table"}),
    exp.Paren: _THIS,
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Boolean: _THIS,
    exp.Null: frozenset(),
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
    exp.In: frozenset({"this", "expressions"}),
    exp.Is: _BINARY,
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
}
