"""Aggregates that a source computes as Spark does, GROUP BY, DISTINCT and ORDER BY keys of the same kind."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.dialects.predicates import BINARY, ColumnOf
from forge.federation.dialects.rules import SourceRules, has_text_rules
from forge.federation.dialects.values import MOST_DIGITS
from forge.federation.relation import SourceColumn
from forge.model.types import DataType

BIGINT = DataType("bigint")
_ADDED_DIGITS = 10  # which Spark gives to a sum of decimals


@dataclass(frozen=True, slots=True)
class SourceValue:
    """`parts`: what the source computes, each with its column; `from_parts` makes the value of them."""

    parts: tuple[tuple[exp.Expr, SourceColumn], ...]
    of: SourceColumn | None = None  # what is added up

    def from_parts(self, columns: list[exp.Expr]) -> exp.Expr:
        if len(columns) == 1:
            return columns[0]
        total, count = (exp.cast(one, "DOUBLE", dialect="spark") for one in columns)
        return exp.paren(exp.Div(this=total, expression=count, typed=False, safe=False))


@dataclass(frozen=True, slots=True)
class AggregateProver:
    rules: SourceRules
    column_of: ColumnOf

    def prove(self, node: exp.AggFunc) -> SourceValue | str:
        """Or why the engine has to compute it."""
        if isinstance(node.parent, exp.Filter | exp.Window | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
            return f"FILTER and OVER of {node.sql('spark')} are computed by the engine"
        if any(value for name, value in node.args.items() if name not in ("this", "big_int")):
            return f"{node.sql('spark')} is computed by the engine"
        if isinstance(node, exp.Count):
            return self._count(node)
        found = self._column(node.this)
        if isinstance(found, str):
            return found
        if isinstance(node, exp.Min | exp.Max):
            return self._extreme(node, found)
        if isinstance(node, exp.Sum):
            return self._sum(node, found)
        if isinstance(node, exp.Avg):
            return self._average(node, found)
        return f"{node.sql('spark')} is computed by the engine"

    def group_key(self, node: exp.Expr) -> SourceColumn | str:
        """The column of a key of GROUP BY or DISTINCT."""
        column = self._column(node)
        if isinstance(column, str):
            return column
        family = family_of(column.type)
        if family not in self.rules.grouped:
            return f"{self.rules.name} does not group {column.type} as Spark does"
        if not column.same_equality or (family is TypeFamily.STRING and not has_text_rules(column, self.rules)):
            return f"{self.rules.name} finds other values of {column.name} equal"
        return column

    def order_key(self, node: exp.Expr) -> exp.Expr | str:
        """What the source sorts by."""
        column = self._column(node)
        if isinstance(column, str):
            return column
        why = self._why_not_sorted(column)
        return why or self._collated(node, column)

    def _count(self, node: exp.Count) -> SourceValue | str:
        counted = node.this
        if isinstance(counted, exp.Star) or (isinstance(counted, exp.Literal) and not node.expressions):
            return SourceValue(((exp.Count(this=exp.Star()), SourceColumn("count", BIGINT, nullable=False)),))
        if isinstance(counted, exp.Distinct):
            if len(counted.expressions) != 1:
                return "a count of distinct pairs is computed by the engine"
            column = self.group_key(counted.expressions[0])
        else:
            column = self._column(counted)
        if isinstance(column, str):
            return column
        return SourceValue(((node.copy(), SourceColumn(f"count_{column.name}", BIGINT, nullable=False)),))

    def _extreme(self, node: exp.Min | exp.Max, column: SourceColumn) -> SourceValue | str:
        why = self._why_not_sorted(column)
        if why:
            return why
        word = "min" if isinstance(node, exp.Min) else "max"
        found = replace(column, name=f"{word}_{column.name}", nullable=True)
        return SourceValue(((type(node)(this=self._collated(node.this, column)), found),))

    def _sum(self, node: exp.Sum, column: SourceColumn) -> SourceValue | str:
        family = family_of(column.type)
        if family not in self.rules.summed or not column.same_equality:
            floats = (TypeFamily.FLOAT, TypeFamily.DOUBLE)
            return (
                f"a sum of {column.type} depends on the order of its rows"
                if family in floats
                else f"{self.rules.name} does not add {column.type} as Spark does"
            )
        type_ = BIGINT
        if family is TypeFamily.DECIMAL:
            precision, scale = column.type.size
            type_ = DataType("decimal", (min(precision + _ADDED_DIGITS, MOST_DIGITS), scale))
        return SourceValue(((exp.Sum(this=node.this.copy()), SourceColumn(f"sum_{column.name}", type_)),), column)

    def _average(self, node: exp.Avg, column: SourceColumn) -> SourceValue | str:
        if column.type.name not in ("tinyint", "smallint", "int"):
            return f"the average of {column.type} is rounded by rules of its own"
        total = self._sum(exp.Sum(this=node.this.copy()), column)
        if isinstance(total, str):
            return total
        count = exp.Count(this=node.this.copy())
        return SourceValue((*total.parts, (count, SourceColumn(f"count_{column.name}", BIGINT, nullable=False))))

    def _column(self, node: exp.Expr | None) -> SourceColumn | str:
        if not isinstance(node, exp.Column):
            return f"`{node.sql('spark').replace('`', '') if node else ''}` is not computed by sources"
        found = self.column_of(node)
        if found is not None and found.holds_others:
            return f"{self.rules.name} may hold values in {found.name} that are no {found.type}"
        return found or f"{node.name} is hidden from you, or no column of a table of this source"

    def _why_not_sorted(self, column: SourceColumn) -> str:
        family = family_of(column.type)
        is_string = family is TypeFamily.STRING
        if family not in self.rules.sorted:
            return f"{self.rules.name} does not sort {column.type} as Spark does"
        if not column.same_order or (is_string and not (self.rules.collated and has_text_rules(column, self.rules))):
            return f"{self.rules.name} does not sort {column.name} by bytes"
        return ""

    @staticmethod
    def _collated(node: exp.Expr, column: SourceColumn) -> exp.Expr:
        if family_of(column.type) is not TypeFamily.STRING:
            return node.copy()
        return exp.Collate(this=node.copy(), expression=exp.Var(this=BINARY))
