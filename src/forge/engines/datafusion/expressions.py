"""Scalar expressions of Spark lowered to DataFusion's SQL. Each has its type in Spark, and every step is cast to it, so
that nothing depends on how DataFusion types an expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from forge.engines.datafusion.allow_list import NotInProcess, name_of
from forge.engines.datafusion.spark_types import (
    BIGINT,
    BOOLEAN,
    COMPARABLE,
    DATE,
    DOUBLE,
    INT,
    INTEGERS,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    WIDE,
    arithmetic_type,
    cast_to,
    common_type,
    decimal,
    written_type,
)
from forge.engines.datafusion.values import (
    TypedSql,
    convert,
    decimal_value,
    integer_value,
    normal,
    number_value,
    parameter_value,
    quoted,
    small_decimal,
    string_value,
)

if TYPE_CHECKING:
    from forge.model.types import DataType

# Functions of this process. A short query can ask for texts that no memory holds, and DataFusion makes them first.
JOIN_TEXTS = "forge_join_texts"  # NULL if one of them is; an error where they are larger than may be held
MAY_GROW = "forge_may_grow"  # the text, or an error where it would become too large by a replacement
MAX_SQL = 1_000_000
_COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
}
_SIGNS: Mapping[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Mod: "%"}
_TRUNC_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
_DATE_PARTS: Mapping[type[exp.Expr], str] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.DayOfMonth: "day",
    exp.Day: "day",
}
_MAX_LENGTH = 2**31 - 1
_SIGNED_DIGITS = 34


class ExpressionScope(Protocol):
    """What an expression can see: columns, and what stands for a whole expression (a key of GROUP BY, an aggregate,
    a window, a subquery)."""

    def column(self, node: exp.Column) -> TypedSql: ...
    def special(self, node: exp.Expr, lowering: ExpressionLowering) -> TypedSql | None: ...


def _joined(texts: Sequence[str]) -> str:
    """In halves, so that many are not nested deeply. DataFusion's concat() would skip NULL."""
    if len(texts) == 1:
        return texts[0]
    half = len(texts) // 2
    return f"{JOIN_TEXTS}({_joined(texts[:half])}, {_joined(texts[half:])})"


class ExpressionLowering:
    """`parameters`: their values; None, while a plan is only looked at: a parameter then has no type."""

    def __init__(self, scope: ExpressionScope, parameters: Mapping[str, object] | None) -> None:
        self.scope = scope
        self.parameters = parameters

    def lower(self, node: exp.Expr) -> TypedSql:
        found = self.scope.special(node, self)
        if found is not None:
            return found
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise NotInProcess(f"{name_of(node)} is not computed in this place in-process")
        lowered = handler(self, node)
        if len(lowered.sql) > MAX_SQL:  # some name their argument several times, and may be arguments themselves
            raise NotInProcess("the query is too large to be computed in-process")
        return lowered

    def condition(self, node: exp.Expr) -> str:
        """A boolean."""
        found = self.lower(node)
        if found.type not in (BOOLEAN, VOID):
            raise NotInProcess(f"a condition of type {found.type} is not computed in-process")
        return convert(found, BOOLEAN).sql

    def operands(self, nodes: Sequence[exp.Expr]) -> list[TypedSql]:
        """Cast to the type that they have in common."""
        return self.together([self.lower(node) for node in nodes])

    def together(self, values: Sequence[TypedSql]) -> list[TypedSql]:
        kind = reduce(common_type, (value.type for value in values))
        return [convert(value, kind) for value in values]

    # names and values

    def _column(self, node: exp.Column) -> TypedSql:
        if isinstance(node.this, exp.Star):
            raise NotInProcess("* is not computed in this place in-process")
        return self.scope.column(node)

    def _paren(self, node: exp.Paren) -> TypedSql:
        found = self.lower(node.this)
        return TypedSql(found.sql, found.type, found.digits, found.text, found.suffixed)

    def _literal(self, node: exp.Literal) -> TypedSql:
        return string_value(str(node.this)) if node.is_string else number_value(str(node.this))

    def _boolean(self, node: exp.Boolean) -> TypedSql:
        return TypedSql("TRUE" if node.this else "FALSE", BOOLEAN)

    def _null(self, node: exp.Null) -> TypedSql:
        return TypedSql("NULL", VOID)

    def _placeholder(self, node: exp.Placeholder) -> TypedSql:
        name = node.args.get("this")
        if not isinstance(name, str):
            raise NotInProcess("a parameter without a name is not computed in-process")
        if self.parameters is None:
            return TypedSql("NULL", VOID)
        if name not in self.parameters:
            raise NotInProcess(f"the parameter :{name} has no value")
        return parameter_value(name, self.parameters[name])

    def _cast(self, node: exp.Cast) -> TypedSql:
        kind = written_type(node.to)
        value = self.lower(node.this)
        if value.type == STRING and value.text is None:
            if kind == STRING:
                return value
            raise NotInProcess(f"a cast of string to {kind} is not computed in-process")
        suffixed = isinstance(node.this, exp.Literal) and not node.this.is_string
        if value.text is not None and kind.name in ("decimal", *INTEGERS, "double", "float"):
            return self._number_of_text(value.text, kind)
        found = convert(value, kind)
        return TypedSql(found.sql, found.type, suffixed=suffixed)

    def _number_of_text(self, text: str, kind: DataType) -> TypedSql:
        """`CAST('1.50' AS …)`, and 1.50BD, which the parser reads as that."""
        found = number_value(text.removeprefix("-"))
        if kind.name in INTEGERS and found.digits is None:
            raise NotInProcess("a cast of such a text to a whole number is not computed in-process")
        value = TypedSql(f"(- {found.sql})", found.type) if text.startswith("-") else found
        converted = convert(value, kind)
        return TypedSql(converted.sql, kind, suffixed=True)

    # arithmetic

    def _arithmetic(self, node: exp.Binary) -> TypedSql:
        left, right = self.lower(node.this), self.lower(node.expression)
        names = {left.type.name, right.type.name}
        if not names <= {*INTEGERS, "decimal", "double", "void"} or names == {"void"}:
            raise NotInProcess(f"{name_of(node)} of {left.type} and {right.type} is not computed in-process")
        if "double" in names:
            return self._doubles(type(node), left, right)
        if "decimal" in names:
            return self._decimals(type(node), left, right)
        if isinstance(node, exp.Div):
            return self._doubles(exp.Div, left, right)
        return self._integers(type(node), left, right)

    def _doubles(self, operator: type[exp.Expr], left: TypedSql, right: TypedSql) -> TypedSql:
        a, b = convert(left, DOUBLE).sql, convert(right, DOUBLE).sql
        if operator not in (exp.Div, exp.Mod):
            return TypedSql(f"({a} {_SIGNS[operator]} {b})", DOUBLE)
        # Arrow divides a double by zero; an integer it does not.
        not_zero = f"CAST(1 / CAST(({b} + CAST('0' AS DOUBLE)) <> CAST('0' AS DOUBLE) AS INT) AS DOUBLE)"
        return TypedSql(f"(({a} {'/' if operator is exp.Div else '%'} {b}) * {not_zero})", DOUBLE)

    def _integers(self, operator: type[exp.Expr], left: TypedSql, right: TypedSql) -> TypedSql:
        kind = common_type(left.type, right.type)
        a, b = convert(left, kind), convert(right, kind)
        if operator is exp.Mod:  # no zero is caught, no overflow there is
            return TypedSql(f"({a.sql} % {b.sql})", kind)
        # Integers of Arrow wrap around: the next wider type does not, and the cast back does not let them pass.
        wide = decimal(19, 0) if kind == BIGINT else BIGINT
        sql = f"({cast_to(a.sql, wide)} {_SIGNS[operator]} {cast_to(b.sql, wide)})"
        return TypedSql(cast_to(sql, kind), kind)

    def _int_div(self, node: exp.IntDiv) -> TypedSql:
        left, right = self.lower(node.this), self.lower(node.expression)
        names = {left.type.name, right.type.name}
        if not names <= {*INTEGERS, "void"}:
            raise NotInProcess(f"div of {left.type} and {right.type} is not computed in-process")
        return TypedSql(f"({convert(left, BIGINT).sql} / {convert(right, BIGINT).sql})", BIGINT)

    def _decimals(self, operator: type[exp.Expr], left: TypedSql, right: TypedSql) -> TypedSql:
        one, other = small_decimal(left), small_decimal(right)
        if one is None or other is None:  # NULL
            known = one or other
            if known is None:
                raise AssertionError(operator)
            one, other = one or known, other or known
        a, b = convert(left, one).sql, convert(right, other).sql
        return decimal_arithmetic(operator, TypedSql(a, one), TypedSql(b, other))

    def _neg(self, node: exp.Neg) -> TypedSql:
        inner = node.this
        if isinstance(inner, exp.Literal) and not inner.is_string:
            found = number_value(str(inner.this))
            if found.digits is not None:
                return integer_value(-int(str(inner.this)))
            if found.type.name == "decimal":
                return decimal_value(-Decimal(str(inner.this)))
        value = self.lower(inner)
        if value.type.name in INTEGERS:
            return self._integers(exp.Sub, convert(integer_value(0), value.type), value)
        if value.type == DOUBLE or _is_negated_exactly(value.type):
            return TypedSql(f"(- {value.sql})", value.type)
        raise NotInProcess(f"the negative of {value.type} is not computed in-process")

    def _abs(self, node: exp.Abs) -> TypedSql:
        value = self.lower(node.this)
        if value.type.name in INTEGERS:
            if value.type == BIGINT:
                wide = f"abs({cast_to(value.sql, decimal(19, 0))})"
                return TypedSql(cast_to(wide, BIGINT), BIGINT)
            return TypedSql(cast_to(f"abs({cast_to(value.sql, BIGINT)})", value.type), value.type)
        if value.type == DOUBLE or _is_negated_exactly(value.type):
            return TypedSql(f"abs({value.sql})", value.type)
        raise NotInProcess(f"abs of {value.type} is not computed in-process")

    def _whole(self, node: exp.Ceil | exp.Floor) -> TypedSql:
        value = self.lower(node.this)
        if value.type.name in INTEGERS:
            return convert(value, BIGINT)
        if value.type == DOUBLE:
            name = "ceil" if isinstance(node, exp.Ceil) else "floor"
            return TypedSql(cast_to(f"{name}({value.sql})", BIGINT), BIGINT)
        raise NotInProcess(f"{name_of(node)} of {value.type} is not computed in-process")

    def _round(self, node: exp.Round) -> TypedSql:
        """Of decimals, half up. Of doubles Spark rounds the digits that it would print, which no one else does."""
        value = self.lower(node.this)
        places = self._whole_number(node.args.get("decimals"), 0)
        if places < 0 or value.type.name not in ("decimal", *INTEGERS):
            raise NotInProcess(f"round of {value.type} to {places} digits is not computed in-process")
        if value.type.name in INTEGERS:
            return TypedSql(value.sql, value.type)
        precision, scale = value.type.size
        kept = min(scale, places)
        whole = precision - scale + 1
        return TypedSql(*self._as_decimal(value.sql, min(whole + kept, MAX_PRECISION), kept))

    @staticmethod
    def _as_decimal(sql: str, precision: int, scale: int) -> tuple[str, DataType]:
        kind = decimal(precision, scale)
        return cast_to(sql, kind), kind

    def _whole_number(self, node: exp.Expr | None, default: int) -> int:
        """Written in the text."""
        if node is None:
            return default
        sign = 1
        if isinstance(node, exp.Neg):
            node, sign = node.this, -1
        if not isinstance(node, exp.Literal) or node.is_string or not str(node.this).isdecimal():
            raise NotInProcess("a number that is not written in the text is not computed in this place in-process")
        value = int(str(node.this))
        if value > _MAX_LENGTH:
            raise NotInProcess("a number of this size is not computed in-process")
        return sign * value

    # comparisons and logic

    def _comparison(self, node: exp.Binary) -> TypedSql:
        return self.compare(type(node), self.lower(node.this), self.lower(node.expression))

    def compare(self, operator: type[exp.Expr], left: TypedSql, right: TypedSql) -> TypedSql:
        a, b = self.comparable([left, right])
        return TypedSql(f"({normal(a)} {_COMPARISONS[operator]} {normal(b)})", BOOLEAN)

    def comparable(self, values: Sequence[TypedSql]) -> list[TypedSql]:
        """A text that is written in the query is read as the date with which it is compared."""
        kinds = [value.type for value in values if value.text is None]
        kind = reduce(common_type, kinds) if kinds else STRING
        texts = any(value.text is not None for value in values)
        if texts and kind not in (STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ, VOID):
            raise NotInProcess(f"a text beside {kind} is not computed in-process")
        if texts and kind == VOID:
            kind = STRING
        if kind == DATE and texts and any(len(value.text or "") > 10 for value in values):
            raise NotInProcess("a text that is no date beside a date is not computed in-process")
        if kind == VOID:
            return [convert(value, BOOLEAN) for value in values]
        if kind.name not in COMPARABLE:
            raise NotInProcess(f"comparing {kind} is not computed in-process")
        decimals = [value for value in values if value.type.name == "decimal"]
        if decimals and kind.name == "decimal":  # a whole number has just its digits there
            for value in values:
                if value.type != VOID:
                    small_decimal(value)
        return [convert(value, kind) for value in values]

    def _between(self, node: exp.Between) -> TypedSql:
        value = self.lower(node.this)
        low = self.compare(exp.GTE, value, self.lower(node.args["low"]))
        high = self.compare(exp.LTE, value, self.lower(node.args["high"]))
        return TypedSql(f"({low.sql} AND {high.sql})", BOOLEAN)

    def _in(self, node: exp.In) -> TypedSql:
        if node.args.get("query") is not None:
            raise NotInProcess("IN with a subquery is computed in-process only as a condition of WHERE")
        values = self.comparable([self.lower(each) for each in (node.this, *node.expressions)])
        if len(values) < 2:
            raise NotInProcess("IN of nothing is not computed in-process")
        first, *others = map(normal, values)
        return TypedSql(f"({first} IN ({', '.join(others)}))", BOOLEAN)

    def _is(self, node: exp.Is) -> TypedSql:
        value, what = self.lower(node.this), node.expression
        if isinstance(what, exp.Null):
            return TypedSql("TRUE" if value.type == VOID else f"({value.sql} IS NULL)", BOOLEAN)
        if isinstance(what, exp.Boolean) and value.type == BOOLEAN:
            return TypedSql(f"({value.sql} IS {'TRUE' if what.this else 'FALSE'})", BOOLEAN)
        raise NotInProcess("this IS is not computed in-process")

    def _not(self, node: exp.Not) -> TypedSql:
        return TypedSql(f"(NOT {self.condition(node.this)})", BOOLEAN)

    def _and_or(self, node: exp.And | exp.Or) -> TypedSql:
        word = "AND" if isinstance(node, exp.And) else "OR"
        parts: list[str] = []
        waiting: list[exp.Expr] = [node]
        while waiting:
            part = waiting.pop()
            if type(part) is type(node):
                waiting += [part.args["expression"], part.this]
            else:
                parts.append(self.condition(part))
        return TypedSql("(" + f" {word} ".join(parts) + ")", BOOLEAN)

    def _like(self, node: exp.Like) -> TypedSql:
        return self._like_with(node, "\\")

    def _escape(self, node: exp.Escape) -> TypedSql:
        sign = self.lower(node.expression).text
        if not isinstance(node.this, exp.Like) or sign is None or len(sign) != 1:
            raise NotInProcess("this ESCAPE is not computed in-process")
        return self._like_with(node.this, sign)

    def _like_with(self, node: exp.Like, escape: str) -> TypedSql:
        value, pattern = self.lower(node.this), self.lower(node.expression)
        if value.type not in (STRING, VOID) or pattern.text is None:
            raise NotInProcess("LIKE is computed in-process only with a pattern that is written in the text")
        # A parser may have changed a backslash before anyone here could see it.
        if "\\" in pattern.text:
            raise NotInProcess("LIKE with a backslash is not computed in-process")
        word = "NOT LIKE" if node.args.get("negate") else "LIKE"
        found = f"({convert(value, STRING).sql} {word} {quoted(_like_pattern(pattern.text, escape))})"
        return TypedSql(found, BOOLEAN)

    def _case(self, node: exp.Case) -> TypedSql:
        subject = self.lower(node.this) if node.this is not None else None
        conditions: list[str] = []
        for branch in node.args["ifs"]:
            if subject is None:
                conditions.append(self.condition(branch.this))
            else:
                conditions.append(self.compare(exp.EQ, subject, self.lower(branch.this)).sql)
        default = node.args.get("default")
        results = [self.lower(branch.args["true"]) for branch in node.args["ifs"]]
        return self._choice(conditions, results, self.lower(default) if default is not None else None)

    def _if(self, node: exp.If) -> TypedSql:
        if node.args.get("false") is None:
            raise NotInProcess("if without a second value is not computed in-process")
        return self._choice(
            [self.condition(node.this)], [self.lower(node.args["true"])], self.lower(node.args["false"])
        )

    def _choice(self, conditions: Sequence[str], results: Sequence[TypedSql], default: TypedSql | None) -> TypedSql:
        values = self.together([*results, default or TypedSql("NULL", VOID)])
        kind = values[0].type
        if kind == VOID:
            return TypedSql("NULL", VOID)
        branches = " ".join(f"WHEN {c} THEN {v.sql}" for c, v in zip(conditions, values, strict=False))
        return TypedSql(f"(CASE {branches} ELSE {values[-1].sql} END)", kind)

    def _coalesce(self, node: exp.Coalesce) -> TypedSql:
        values = self.operands([node.this, *node.expressions])
        if values[0].type == VOID:
            return TypedSql("NULL", VOID)
        return TypedSql(f"coalesce({', '.join(value.sql for value in values)})", values[0].type)

    def _nullif(self, node: exp.Nullif) -> TypedSql:
        left, right = self.lower(node.this), self.lower(node.expression)
        if left.type == VOID:
            return left
        equal = self.compare(exp.EQ, left, right)
        return TypedSql(f"(CASE WHEN {equal.sql} THEN {cast_null(left.type)} ELSE {left.sql} END)", left.type)

    def _extreme(self, node: exp.Greatest | exp.Least) -> TypedSql:
        values = self.operands([node.this, *node.expressions])
        kind = values[0].type
        if len(values) < 2 or kind.name not in COMPARABLE - {"float", "double", "void", "binary", "boolean"}:
            raise NotInProcess(f"{name_of(node)} of {kind} is not computed in-process")
        return TypedSql(f"{name_of(node)}({', '.join(value.sql for value in values)})", kind)

    # strings

    def _text(self, node: exp.Expr) -> TypedSql:
        value = self.lower(node)
        if value.type not in (STRING, VOID):
            raise NotInProcess(f"a text function of {value.type} is not computed in-process")
        return TypedSql(convert(value, STRING).sql, STRING, text=value.text)

    def _concat(self, node: exp.Concat | exp.DPipe) -> TypedSql:
        if isinstance(node, exp.Concat) and not node.args.get("safe"):
            # The parser makes the same of 'a''b', which is a'b in Spark, and of 'a' 'b', which is ab.
            raise NotInProcess("a text with two quotes in it, or beside another, is not computed in-process")
        parts = [node.this, node.expression] if isinstance(node, exp.DPipe) else node.expressions
        texts = [self._text(part) for part in parts]
        if not texts:
            raise NotInProcess("concat of nothing is not computed in-process")
        return TypedSql(_joined([text.sql for text in texts]), STRING)

    def _length(self, node: exp.Length) -> TypedSql:
        return TypedSql(cast_to(f"character_length({self._text(node.this).sql})", INT), INT)

    def _letters(self, node: exp.Upper | exp.Lower) -> TypedSql:
        """Where every letter is one byte. Of others the two sides may differ, and a cast that must fail says so."""
        text = self._text(node.this).sql
        name = "upper" if isinstance(node, exp.Upper) else "lower"
        plain = f"(octet_length({text}) = character_length({text}))"
        ascii_only = f"CASE WHEN {plain} THEN {text} ELSE CAST(CAST({text} AS BIGINT) AS VARCHAR) END"
        return TypedSql(f"{name}(CASE WHEN {text} IS NULL THEN {text} ELSE {ascii_only} END)", STRING)

    def _trim(self, node: exp.Trim) -> TypedSql:
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "btrim")
        return TypedSql(f"{name}({self._text(node.this).sql}, ' ')", STRING)

    def _substring(self, node: exp.Substring) -> TypedSql:
        text = self._text(node.this).sql
        start = self._whole_number(node.args.get("start"), 1)
        length = self._whole_number(node.args["length"], 0) if node.args.get("length") is not None else _MAX_LENGTH
        from_ = str(max(start, 1)) if start >= 0 else f"(CAST(character_length({text}) AS BIGINT) - {-start} + 1)"
        # Before the first letter Spark counts on, too: the last five of 'abc', two of them, are none.
        if length <= 0:
            return TypedSql(f"(CASE WHEN {text} IS NOT NULL THEN '' END)", STRING)
        return TypedSql(f"CAST(substr({text}, {from_}, {length}) AS VARCHAR)", STRING)

    def _replace(self, node: exp.Replace) -> TypedSql:
        text, old = self._text(node.this), self._text(node.expression)
        replacement = node.args.get("replacement")
        new = self._text(replacement) if replacement is not None else string_value("")
        if not old.text:
            raise NotInProcess("replace is computed in-process only of what is written in the text")
        return TypedSql(f"replace({MAY_GROW}({text.sql}, {old.sql}, {new.sql}), {old.sql}, {new.sql})", STRING)

    # dates

    def _date(self, node: exp.Expr) -> TypedSql:
        value = self.lower(node)
        if value.type.name not in ("date", "timestamp", "timestamp_ntz", "void") and value.text is None:
            raise NotInProcess(f"a date out of {value.type} is not computed in-process")
        return convert(value, DATE)

    def _date_of(self, node: exp.TsOrDsToDate) -> TypedSql:
        return self._date(node.this)

    def _date_part(self, node: exp.Func) -> TypedSql:
        return TypedSql(cast_to(f"date_part('{_DATE_PARTS[type(node)]}', {self._date(node.this).sql})", INT), INT)

    def _date_diff(self, node: exp.DateDiff) -> TypedSql:
        end, start = (cast_to(self._date(each).sql, INT) for each in (node.this, node.expression))
        return TypedSql(cast_to(f"({cast_to(end, BIGINT)} - {cast_to(start, BIGINT)})", INT), INT)

    def _date_add(self, node: exp.TsOrDsAdd) -> TypedSql:
        days = self.lower(node.expression)
        unit = node.args.get("unit")
        if unit is not None and unit.name.upper() != "DAY":
            raise NotInProcess("date_add of other units than days is not computed in-process")
        if days.type.name not in ("tinyint", "smallint", "int", "void"):
            raise NotInProcess(f"date_add of {days.type} is not computed in-process")
        start = cast_to(cast_to(self._date(node.this).sql, INT), BIGINT)
        return TypedSql(cast_to(cast_to(f"({start} + {convert(days, BIGINT).sql})", INT), DATE), DATE)

    def _date_trunc(self, node: exp.TimestampTrunc) -> TypedSql:
        value, unit = self.lower(node.this), node.args.get("unit")
        name = unit.name.upper() if isinstance(unit, exp.Expr) else ""
        if value.type not in (DATE, TIMESTAMP) or name not in _TRUNC_UNITS:
            raise NotInProcess(f"date_trunc of {value.type} is not computed in-process")
        return TypedSql(f"date_trunc('{name.lower()}', {convert(value, TIMESTAMP).sql})", TIMESTAMP)


def _is_negated_exactly(kind: DataType) -> bool:
    """Spark rounds a decimal to 34 digits when it changes the sign."""
    return kind.name == "decimal" and kind.size[0] <= _SIGNED_DIGITS


def cast_null(kind: DataType) -> str:
    return cast_to("NULL", kind) if kind != VOID else "NULL"


def decimal_arithmetic(operator: type[exp.Expr], left: TypedSql, right: TypedSql) -> TypedSql:
    """Computed without loss, in 256 bits where 128 do not hold it, and rounded once, half up, as Spark does."""
    kind = arithmetic_type(operator, left.type, right.type)
    return TypedSql(cast_to(_exact(operator, left, right, kind), kind), kind)


def _exact(operator: type[exp.Expr], left: TypedSql, right: TypedSql, kind: DataType) -> str:
    (p1, s1), (p2, s2) = left.type.size, right.type.size
    if operator is exp.Div:
        return exact_quotient(left, right, kind.size[1])
    if operator is exp.Mul:
        if p1 + p2 + 1 <= MAX_PRECISION:
            return f"({left.sql} * {right.sql})"
        if p1 + p2 > WIDE:
            raise NotInProcess("a product of so many digits is not computed in-process")
        wide = MAX_PRECISION + 1
        return f"({cast_to(left.sql, decimal(wide, s1))} * {cast_to(right.sql, decimal(wide, s2))})"
    scale, digits = max(s1, s2), max(p1 - s1, p2 - s2) + max(s1, s2) + 1
    if digits > WIDE:
        raise NotInProcess("a sum of so many digits is not computed in-process")
    at = decimal(digits if digits <= MAX_PRECISION else WIDE, scale)
    return f"({cast_to(left.sql, at)} {_SIGNS[operator]} {cast_to(right.sql, at)})"


def exact_quotient(left: TypedSql, right: TypedSql, scale: int) -> str:
    """With at least one digit more than `scale`, cut off: enough to round half up. DataFusion adds four digits to the
    scale of what it divides."""
    (p1, s1), (_, s2) = left.type.size, right.type.size
    at = max(s1, scale - 3)
    if p1 - s1 + at + 4 + s2 > WIDE:
        raise NotInProcess("a quotient of so many digits is not computed in-process")
    return f"({cast_to(left.sql, decimal(WIDE, at))} / {cast_to(right.sql, decimal(MAX_PRECISION + 1, s2))})"


def _like_pattern(pattern: str, escape: str) -> str:
    """With the backslash as the sign that escapes. Spark refuses an escape of anything else, and at the end."""
    found: list[str] = []
    signs = iter(pattern)
    for sign in signs:
        if sign != escape:
            found.append(sign)
            continue
        escaped = next(signs, "")
        if escaped not in ("%", "_", escape) or not escaped:
            raise NotInProcess("LIKE with this escape is not computed in-process")
        found.append(f"\\{escaped}" if escaped in "%_" else escaped)
    return "".join(found)


_HANDLERS: dict[type[exp.Expr], Callable[..., TypedSql]] = {
    exp.Column: ExpressionLowering._column,
    exp.Paren: ExpressionLowering._paren,
    exp.Literal: ExpressionLowering._literal,
    exp.Boolean: ExpressionLowering._boolean,
    exp.Null: ExpressionLowering._null,
    exp.Placeholder: ExpressionLowering._placeholder,
    exp.Cast: ExpressionLowering._cast,
    exp.TryCast: ExpressionLowering._cast,
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), ExpressionLowering._arithmetic),
    exp.IntDiv: ExpressionLowering._int_div,
    exp.Neg: ExpressionLowering._neg,
    exp.Abs: ExpressionLowering._abs,
    exp.Ceil: ExpressionLowering._whole,
    exp.Floor: ExpressionLowering._whole,
    exp.Round: ExpressionLowering._round,
    **dict.fromkeys(_COMPARISONS, ExpressionLowering._comparison),
    exp.Between: ExpressionLowering._between,
    exp.In: ExpressionLowering._in,
    exp.Is: ExpressionLowering._is,
    exp.Not: ExpressionLowering._not,
    exp.And: ExpressionLowering._and_or,
    exp.Or: ExpressionLowering._and_or,
    exp.Like: ExpressionLowering._like,
    exp.Escape: ExpressionLowering._escape,
    exp.Case: ExpressionLowering._case,
    exp.If: ExpressionLowering._if,
    exp.Coalesce: ExpressionLowering._coalesce,
    exp.Nullif: ExpressionLowering._nullif,
    exp.Greatest: ExpressionLowering._extreme,
    exp.Least: ExpressionLowering._extreme,
    exp.Concat: ExpressionLowering._concat,
    exp.DPipe: ExpressionLowering._concat,
    exp.Length: ExpressionLowering._length,
    exp.Upper: ExpressionLowering._letters,
    exp.Lower: ExpressionLowering._letters,
    exp.Trim: ExpressionLowering._trim,
    exp.Substring: ExpressionLowering._substring,
    exp.Replace: ExpressionLowering._replace,
    exp.TsOrDsToDate: ExpressionLowering._date_of,
    **dict.fromkeys(_DATE_PARTS, ExpressionLowering._date_part),
    exp.DateDiff: ExpressionLowering._date_diff,
    exp.TsOrDsAdd: ExpressionLowering._date_add,
    exp.TimestampTrunc: ExpressionLowering._date_trunc,
}
