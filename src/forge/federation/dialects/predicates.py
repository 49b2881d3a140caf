"""Predicates that a source computes as Spark does: comparisons of columns with values, IN, BETWEEN, LIKE, IS NULL, and
AND, OR and NOT of these. Everything else has a reason why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from sqlglot import exp

from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.dialects.rules import UNKNOWN, SourceRules, has_text_rules
from forge.federation.dialects.values import QueryValue, fit_value, holds, is_value, read_value, write_value
from forge.federation.relation import SourceColumn

BINARY = "UTF8_BINARY"  # Spark's name of the collation that compares bytes
_LONGEST_PATTERN = 1_000
_ARGS = frozenset({"this", "expression", "expressions", "low", "high", "table"})
_MOST_VALUES = 1_000  # of IN
_FLIPPED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.NullSafeEQ: exp.NullSafeEQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}
_EQUALITIES = (exp.EQ, exp.NEQ, exp.NullSafeEQ)
_COLUMN_PAIRS = frozenset({TypeFamily.INTEGER, TypeFamily.DECIMAL, *(TypeFamily.DATE, TypeFamily.TIMESTAMP)})
_COLUMN_PAIRS |= {TypeFamily.TIMESTAMP_NTZ}

ColumnOf = Callable[[exp.Column], SourceColumn | None]


@dataclass(frozen=True, slots=True)
class ProvedPredicate:
    """`exact`: true for the same rows as in Spark. Else it is true for more, and the engine looks again; `why`."""

    node: exp.Expr
    exact: bool = True
    why: str = ""


class _NotProved(Exception):
    """With the reason, for whoever reads the plan."""


@dataclass(frozen=True, slots=True)
class PredicateProver:
    """`column_of`: what is known of a column, None where it is none of this source, or hidden."""

    rules: SourceRules
    column_of: ColumnOf
    parameters: Mapping[str, object]

    def prove(self, node: exp.Expr) -> ProvedPredicate | str:
        """The predicate as the source may compute it, its values brought to the types of its columns; or why not."""
        try:
            return self._looked_at_again(self._prove(node))
        except _NotProved as reason:
            return str(reason)

    def _looked_at_again(self, proved: ProvedPredicate) -> ProvedPredicate:
        """A value that is none of its type equals none that is. What else it is, greater than all numbers above all, a
        source says without telling anybody that it was there: then the engine reads it."""
        if isinstance(proved.node, exp.EQ | exp.In | exp.Is):
            return proved
        columns = map(self.column_of, proved.node.find_all(exp.Column))
        odd = next((one for one in columns if one is not None and one.holds_others), None)
        return proved if odd is None else replace(proved, exact=False, why=_holds_others(odd, self.rules))

    def _prove(self, node: exp.Expr) -> ProvedPredicate:
        if not self.rules.is_known:
            raise _NotProved(UNKNOWN)
        if isinstance(node, exp.Like) and node.args.get("negate"):
            return self._negate(exp.Not(this=exp.Like(this=node.this.copy(), expression=node.expression.copy())))
        unknown = {name for name, value in node.args.items() if value} - _ARGS
        if unknown:  # of a word that changes what the operator means
            raise _NotProved(f"{_words(node)} is not computed by sources")
        if self.rules.by_parameter and not isinstance(node, exp.Paren | exp.EQ):
            raise _NotProved(f"{self.rules.name} is asked for equal values alone")
        match node:
            case exp.Paren():
                inner = self._prove(node.this)
                return ProvedPredicate(exp.paren(inner.node, copy=False), inner.exact, inner.why)
            case exp.And() | exp.Or():
                return self._connect(node)
            case exp.Not():
                return self._negate(node)
            case exp.Is() if isinstance(node.expression, exp.Null):
                self._known(node.this)
                return ProvedPredicate(node.copy())
            case exp.Column():
                self._compared(node, (TypeFamily.BOOLEAN,))
                return ProvedPredicate(node.copy())
            case exp.In():
                return self._in(node)
            case exp.Between():
                return self._between(node)
            case exp.Like():
                return self._like(node)
        if type(node) in _FLIPPED:
            return self._compare(node)
        raise _NotProved(f"{_words(node)} is not computed by sources")

    def _connect(self, node: exp.And | exp.Or) -> ProvedPredicate:
        self._sql_only("OR") if isinstance(node, exp.Or) else None
        left, right = self._prove(node.left), self._prove(node.right)
        connected = type(node)(this=left.node, expression=right.node)
        return ProvedPredicate(connected, left.exact and right.exact, left.why or right.why)

    def _negate(self, node: exp.Not) -> ProvedPredicate:
        if not (isinstance(node.this, exp.Is) and isinstance(node.this.expression, exp.Null)):
            self._sql_only("NOT")
        inner = self._prove(node.this)
        if not inner.exact:
            raise _NotProved(f"{inner.why}, which under NOT would lose rows")
        return ProvedPredicate(exp.Not(this=inner.node))

    def _compare(self, node: exp.Expr) -> ProvedPredicate:
        kind, left, right = type(node), node.this, node.expression
        if is_value(left) and not is_value(right):
            kind, left, right = _FLIPPED[kind], right, left
        if isinstance(right, exp.Column):
            return self._compare_columns(kind, left, right)
        if not is_value(right):
            raise _NotProved(f"{_words(right)} is not computed by sources")
        if kind is exp.NullSafeEQ:
            self._sql_only("<=>")
        column = self._compared(left)
        value = self._value(right, column)
        exact, why = True, ""
        if family_of(column.type) is TypeFamily.STRING:
            exact, why = self._string_rules(column, kind)
        elif isinstance(value.value, float) and not self.rules.nan_compares and kind not in (exp.EQ, exp.LT, exp.LTE):
            raise _NotProved("NaN is greater than all numbers in Spark, and equal to itself")
        column_node = _collated(left) if kind not in _EQUALITIES and _is_string(column) and self.rules.is_sql else left
        return ProvedPredicate(kind(this=column_node.copy(), expression=write_value(value)), exact, why)

    def _string_rules(self, column: SourceColumn, kind: type[exp.Expr]) -> tuple[bool, str]:
        if kind in _EQUALITIES:
            if column.same_equality:
                return True, ""
            why = f"{self.rules.name} finds other values of {column.name} equal, by its collation"
            if kind is exp.EQ and self.rules.wider_equality:
                return False, why
            raise _NotProved(why)
        if not (column.same_order and self.rules.collated):
            raise _NotProved(f"{self.rules.name} does not sort {column.name} by bytes")
        return True, ""

    def _compare_columns(self, kind: type[exp.Expr], left: exp.Expr, right: exp.Column) -> ProvedPredicate:
        self._sql_only("comparison of two columns")
        one, other = self._compared(left), self._compared(right)
        if kind is exp.NullSafeEQ:
            raise _NotProved("<=> of two columns is not computed by sources")
        if one.holds_others and (other.holds_others or kind is not exp.EQ):
            raise _NotProved(_holds_others(one, self.rules))
        families = {family_of(one.type), family_of(other.type)}
        if families == {TypeFamily.STRING} and kind is exp.EQ and self.rules.collated:
            if not (one.same_equality and other.same_equality):
                raise _NotProved(f"{self.rules.name} finds other values equal, by a collation")
            return ProvedPredicate(exp.EQ(this=left.copy(), expression=_collated(right)))
        same = one.type == other.type or families == {TypeFamily.INTEGER}
        if not same or not families <= _COLUMN_PAIRS:
            raise _NotProved(f"{one.type} and {other.type} are compared by other rules")
        return ProvedPredicate(kind(this=left.copy(), expression=right.copy()))

    def _in(self, node: exp.In) -> ProvedPredicate:
        column = self._compared(node.this)
        if len(node.expressions) > _MOST_VALUES:
            raise _NotProved(f"the list has more than {_MOST_VALUES:,} values")
        values = [self._value(each, column) for each in node.expressions]
        # Spark brings the whole list to one type: mixed ones could change the meaning of each.
        if len({read.family for each in node.expressions if (read := read_value(each, self.parameters))}) > 1:
            raise _NotProved("the values of the list have several types")
        exact, why = self._string_rules(column, exp.EQ) if _is_string(column) else (True, "")
        return ProvedPredicate(
            exp.In(this=node.this.copy(), expressions=[write_value(each) for each in values]), exact, why
        )

    def _between(self, node: exp.Between) -> ProvedPredicate:
        low = self._compare(exp.GTE(this=node.this.copy(), expression=node.args["low"].copy()))
        high = self._compare(exp.LTE(this=node.this.copy(), expression=node.args["high"].copy()))
        return ProvedPredicate(exp.paren(exp.And(this=low.node, expression=high.node), copy=False))

    def _like(self, node: exp.Like) -> ProvedPredicate:
        column = self._compared(node.this, (TypeFamily.STRING,))
        pattern = read_value(node.expression, self.parameters) if is_value(node.expression) else None
        if pattern is None or not isinstance(pattern.value, str):
            raise _NotProved("the pattern of LIKE is no plain string")
        if self.rules.like == "no":
            raise _NotProved(f"{self.rules.name} computes no LIKE")
        if "\\" in pattern.value or len(pattern.value) > _LONGEST_PATTERN:
            raise _NotProved(f"{self.rules.name} reads this pattern of LIKE in another way")
        if column.counts_bytes and "_" in pattern.value:
            raise _NotProved(f"`_` of LIKE is one byte of {column.name} in {self.rules.name}")
        like = exp.Like(this=node.this.copy(), expression=write_value(pattern))
        if self.rules.like == "exact" and column.same_equality:
            return ProvedPredicate(like)
        if self.rules.like == "prefilter":
            return ProvedPredicate(like, False, f"LIKE ignores case in {self.rules.name}")
        raise _NotProved(f"{self.rules.name} finds other values of {column.name} equal, by its collation")

    def _known(self, node: exp.Expr) -> SourceColumn:
        if not isinstance(node, exp.Column):
            raise _NotProved(f"{_words(node)} is not computed by sources")
        column = self.column_of(node)
        if column is None:
            raise _NotProved(f"{node.name} is hidden from you, or no column of a table of this source")
        if family_of(column.type) is TypeFamily.OTHER:
            raise _NotProved(f"{column.name} is of the type {column.type}, which no source compares as Spark does")
        return column

    def _compared(self, node: exp.Expr, only: tuple[TypeFamily, ...] = ()) -> SourceColumn:
        column = self._known(node)
        family = family_of(column.type)
        if self.rules.by_parameter and not column.parameter:
            raise _NotProved(f"no parameter of the API is declared for {column.name}")
        if family is TypeFamily.CHAR:
            raise _NotProved(f"{column.name} is of the type {column.type}, which is padded with spaces")
        if family not in self.rules.compared or (only and family not in only):
            raise _NotProved(f"{self.rules.name} does not compare {column.type} as Spark does")
        if family is TypeFamily.STRING and not has_text_rules(column, self.rules):
            raise _NotProved(f"{column.name} is {column.native} in {self.rules.name}, which is compared by other rules")
        if family not in (TypeFamily.STRING, TypeFamily.CHAR) and not column.same_equality:
            raise _NotProved(f"{self.rules.name} does not compare {column.name} as Spark does")
        return column

    def _value(self, node: exp.Expr, column: SourceColumn) -> QueryValue:
        found = read_value(node, self.parameters) if is_value(node) else None
        fitted = fit_value(found, column.type) if found is not None else None
        if fitted is None:
            raise _NotProved(f"{_words(node)} is not certain to mean the same beside {column.type}")
        if fitted.family not in self.rules.compared or not (self.rules.is_sql or holds(column.type, fitted)):
            raise _NotProved(f"{self.rules.name} does not compare {column.type} with {_words(node)}")
        return fitted

    def _sql_only(self, what: str) -> None:
        if not self.rules.is_sql:
            raise _NotProved(f"{self.rules.name} computes no {what}")


def conjuncts(node: exp.Expr | None) -> list[exp.Expr]:
    """The parts of a condition that AND joins."""
    if node is None:
        return []
    if isinstance(node, exp.Paren) and isinstance(node.this, exp.And):
        return conjuncts(node.this)
    if isinstance(node, exp.And):
        return [*conjuncts(node.left), *conjuncts(node.right)]
    return [node]


def all_of(nodes: list[exp.Expr]) -> exp.Expr | None:
    """Their conjunction, of the nodes themselves."""
    safe = [exp.paren(each, copy=False) if isinstance(each, exp.Connector) else each for each in nodes]
    return reduce(lambda left, right: exp.And(this=left, expression=right), safe) if safe else None


def _collated(column: exp.Expr) -> exp.Expr:
    return exp.Collate(this=column.copy(), expression=exp.Var(this=BINARY))


def _holds_others(column: SourceColumn, rules: SourceRules) -> str:
    return f"{rules.name} may hold values in {column.name} that are no {column.type}"


def _is_string(column: SourceColumn) -> bool:
    return family_of(column.type) is TypeFamily.STRING


def _words(node: exp.Expr) -> str:
    text = " ".join(node.sql("spark").replace("`", "").split())
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"
