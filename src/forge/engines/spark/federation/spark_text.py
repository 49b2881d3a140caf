"""The text of a tree in Spark's SQL. The generator of sqlglot writes some functions of Spark in the words of older
versions, and means something else by them: `to_char(x, '99G999')` becomes a cast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp, generator
from sqlglot.generators.spark import SparkGenerator

Write = Callable[[Any, Any], str]


def spark_text(tree: exp.Expr) -> str:
    return str(_SparkWriter(dialect="spark").generate(tree))


def _call(name: str) -> Write:
    """With the arguments that were given, and no others."""

    def write(writer: Any, node: exp.Func) -> str:
        arguments = [node.args.get(key) for key in node.arg_types]
        return str(writer.func(name, *(one for one in arguments if isinstance(one, exp.Expr))))

    return write


def _listed(writer: Any, node: exp.GroupConcat) -> str:
    """The parser puts WITHIN GROUP around what is listed."""
    listed = node.this.copy()
    order = listed.find(exp.Order)
    if order is not None and order is listed:
        listed = order.this
    elif order is not None:
        order.replace(order.this)
    call = str(writer.func("LISTAGG", listed, node.args.get("separator")))
    if order is None:
        return call
    keys = ", ".join(writer.sql(one) for one in order.expressions)
    return f"{call} WITHIN GROUP (ORDER BY {keys})"


def _from_base(name: str, key: str) -> Write:
    def write(writer: Any, node: exp.Expr) -> str:
        return str(writer.func(name, node.this, node.args.get(key)))

    return write


class _SparkWriter(SparkGenerator):
    TYPE_MAPPING: ClassVar[Any] = {**SparkGenerator.TYPE_MAPPING, exp.DType.TIME: "TIME"}
    TRANSFORMS: ClassVar[Any] = {
        **SparkGenerator.TRANSFORMS,
        exp.GroupConcat: _listed,
        exp.ParseJSON: _from_base("PARSE_JSON", "expression"),
        exp.ToChar: _from_base("TO_CHAR", "format"),
        exp.UnixDate: _call("UNIX_DATE"),
        exp.WithinGroup: generator.Generator.withingroup_sql,
    }

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        if expression.to.this == exp.DType.TIME and expression.this.is_string:  # Spark knows such a literal only
            return f"TIME {self.sql(expression.this)}"
        return str(super().cast_sql(expression, safe_prefix))
