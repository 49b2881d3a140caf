"""Calls of functions unknown to sqlglot: defined in the code, by users, or by one engine only."""

from __future__ import annotations

from typing import Protocol

from sqlglot import exp

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql.context import SqlFunction
from forge.lineage.extract.sql.kinds import kind_of, kind_of_name
from forge.lineage.extract.sql.scope import QueryScope, line_of, name_of
from forge.lineage.extract.value import NOTHING, ColumnValue, stronger

_NO_SOURCE = {"grouping", "grouping_id", "input_file_name", "monotonically_increasing_id"}


class CallContext(Protocol):
    scope: QueryScope

    def push(self, nodes: list[exp.Expr], step: Transformation, masked: bool) -> None: ...
    def take(self, value: ColumnValue, step: Transformation, masked: bool) -> None: ...


def call(walk: CallContext, node: exp.Expr, step: Transformation, masked: bool, name: str) -> None:
    """A call under the name it is written with."""
    key = name.lower()
    if key in _NO_SOURCE:
        return
    arguments = arguments_of(node)
    function = walk.scope.around.function(name)
    if function is not None and not function.table:
        walk.take(substituted(function, arguments, walk.scope, line_of(node)), step, masked)
        return
    if isinstance(node, exp.Anonymous):
        kind, masks = kind_of_name(key.rpartition(".")[2], Transformation.TRANSFORMATION)
    else:
        kind, masks = kind_of(node)
    walk.push(arguments, stronger(step, kind), masked or masks)


def arguments_of(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    return [inner for inner in node.iter_expressions() if not isinstance(inner, exp.Identifier)]


def function_scope(function: SqlFunction, arguments: list[exp.Expr], scope: QueryScope) -> QueryScope:
    """In which the body of a function is read: its parameters are all that can be seen."""
    named = {name_of(one.this): one.expression for one in arguments if isinstance(one, exp.Kwarg)}
    given = [one for one in arguments if not isinstance(one, exp.Kwarg)]
    columns = []
    first_default = len(function.parameters) - len(function.defaults)
    for place, parameter in enumerate(function.parameters):
        argument = named.get(parameter.lower())
        if argument is None and place < len(given):
            argument = given[place]
        if argument is None and place >= first_default:
            argument = function.defaults[place - first_default]
        columns.append(RelationColumn(parameter, NOTHING if argument is None else scope.value(argument)))
    inner = QueryScope.over(((function.name, Relation(tuple(columns))),), scope.around)
    inner.within = (*scope.within, function.name.lower())
    return inner


def substituted(function: SqlFunction, arguments: list[exp.Expr], scope: QueryScope, line: int) -> ColumnValue:
    """What a call gives: the body, with the arguments in place of the parameters."""
    if function.name.lower() in scope.within:
        scope.around.gap(line, f"function {function.name} calls itself; what it gives is not known")
        return NOTHING
    inner = function_scope(function, arguments, scope)
    value = inner.value(function.body)
    scope.take_over(inner)
    return value


def is_time_window(node: exp.Expr) -> bool:
    return node.name.lower() in ("window", "session_window") and len(node.expressions) > 1


def time_window(value: ColumnValue, scope: QueryScope) -> ColumnValue:
    """Spark's `window(ts, '1 day')`: a struct of start and end; rows without a time are left out."""
    scope.shape(value.sources, IndirectType.FILTER)
    return ColumnValue(value.sources, {"start": value, "end": value})
