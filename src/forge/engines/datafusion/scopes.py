"""What a SELECT can see, and its stages: rows, groups, results. Names of users stop here: what is written has names of
its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from forge.engines.datafusion.allow_list import NotInProcess, name_of
from forge.engines.datafusion.expressions import ExpressionLowering, exact_quotient
from forge.engines.datafusion.spark_types import (
    BIGINT,
    COMPARABLE,
    DOUBLE,
    INT,
    INTEGERS,
    VOID,
    cast_to,
    decimal,
)
from forge.engines.datafusion.values import TypedSql, convert, normal
from forge.model.types import DataType

AGGREGATES = (exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Filter)
_RANKINGS = {exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank"}
_SORTABLE = COMPARABLE - {"binary", "boolean"}
_MAX_SUMMED = 28  # digits of decimals of which a sum, ten digits wider, still fits


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """`name`: the user's; empty where it has none. In SQL it is `c` and its place."""

    name: str
    type: DataType


@dataclass(frozen=True, slots=True)
class LoweredQuery:
    sql: str
    columns: tuple[OutputColumn, ...]


@dataclass(frozen=True, slots=True)
class ScopeRelation:
    """A relation in FROM: `name` is the user's, in small letters; `alias` ours."""

    name: str
    alias: str
    columns: tuple[OutputColumn, ...]


@dataclass(slots=True)
class LoweringNotes:
    """Of a whole query: what it needs to know of itself."""

    adds_doubles: bool = False  # whose sum depends on the order of the rows
    aliases: int = 0

    def alias(self) -> str:
        self.aliases += 1
        return f"t{self.aliases}"


@dataclass(slots=True)
class RowScope:
    """The rows of FROM. `outer`: of the query around it, whose columns a condition may use."""

    relations: list[ScopeRelation]
    notes: LoweringNotes
    subquery: SubqueryLowering
    outer: RowScope | None = None
    allows_windows: bool = False

    def column(self, node: exp.Column) -> TypedSql:
        found = self._own(node) or (self.outer._own(node) if self.outer is not None else None)
        if found is None:
            raise NotInProcess(f"the column {node.name} is not known in-process")
        return found

    def _own(self, node: exp.Column) -> TypedSql | None:
        """Of this query. Only a query directly around it is looked at, too: DataFusion knows no other."""
        name, table = node.name.lower(), node.table.lower()
        found = [
            TypedSql(f"{relation.alias}.c{place}", column.type)
            for relation in self.relations
            if not table or relation.name == table
            for place, column in enumerate(relation.columns)
            if column.name.lower() == name
        ]
        if len(found) > 1:
            raise NotInProcess(f"the column {node.name}, of which there are several, is not computed in-process")
        return found[0] if found else None

    def special(self, node: exp.Expr, lowering: ExpressionLowering) -> TypedSql | None:
        if isinstance(node, exp.Window):
            if not self.allows_windows:
                raise NotInProcess("a window function is not computed in this place in-process")
            return lower_window(node, lowering, self.notes)
        if isinstance(node, AGGREGATES):
            raise NotInProcess(f"{name_of(node)} is not computed in this place in-process")
        if isinstance(node, exp.Subquery):
            return self.subquery.scalar(node)
        return None


class SubqueryLowering:
    """Set by who lowers queries; expressions know no more of it."""

    def scalar(self, node: exp.Subquery) -> TypedSql:
        raise NotImplementedError


@dataclass(slots=True)
class GroupScope:
    """What is left after GROUP BY: keys and aggregates. `arguments` are computed of the rows, `aggregates` of them."""

    rows: RowScope
    base: ExpressionLowering
    alias: str
    keys: list[TypedSql] = field(default_factory=list)  # of the rows
    arguments: list[str] = field(default_factory=list)
    aggregates: list[str] = field(default_factory=list)

    def column(self, node: exp.Column) -> TypedSql:
        raise NotInProcess(f"the column {node.name} is neither grouped nor aggregated")

    def special(self, node: exp.Expr, lowering: ExpressionLowering) -> TypedSql | None:
        if isinstance(node, exp.Window):
            return lower_window(node, lowering, self.rows.notes)
        if isinstance(node, AGGREGATES):
            return self._aggregate(node)
        if isinstance(node, exp.Subquery):
            return self.rows.subquery.scalar(node)
        if isinstance(node, exp.Literal | exp.Boolean | exp.Null | exp.Placeholder):
            return None
        return self._key(node)

    def _key(self, node: exp.Expr) -> TypedSql | None:
        if any(isinstance(part, (*AGGREGATES, exp.Window)) for part in node.walk()):
            return None
        try:
            value = self.base.lower(node)
        except NotInProcess:
            return None
        for place, key in enumerate(self.keys):
            if key.sql == value.sql and key.type == value.type:
                return TypedSql(f"{self.alias}.k{place}", key.type)
        return None

    def _aggregate(self, node: exp.Expr) -> TypedSql:
        found = lower_aggregate(node, self.base, self.rows.notes, self._argument, "")
        if found.sql not in self.aggregates:
            self.aggregates.append(found.sql)
        return TypedSql(f"{self.alias}.g{self.aggregates.index(found.sql)}", found.type)

    def _argument(self, sql: str) -> str:
        if sql not in self.arguments:
            self.arguments.append(sql)
        return f"s.a{self.arguments.index(sql)}"


def lower_aggregate(
    node: exp.Expr,
    lowering: ExpressionLowering,
    notes: LoweringNotes,
    argument: Callable[[str], str],
    over: str,
    sliding: bool = False,
) -> TypedSql:
    """`argument` names an expression of the rows; `over`: the window, with its OVER."""
    keep = ""
    if isinstance(node, exp.Filter):
        keep = lowering.condition(node.expression.this)
        node = node.this
    inner = node.this
    distinct = isinstance(inner, exp.Distinct)
    if distinct:
        if len(inner.expressions) != 1:
            raise NotInProcess(f"{name_of(node)} of several columns is not computed in-process")
        if over:
            raise NotInProcess("DISTINCT in a window is not computed in-process")
        inner = inner.expressions[0]

    def taken(sql: str, kind: DataType) -> str:
        kept = f"CASE WHEN {keep} THEN {sql} ELSE {cast_to('NULL', kind)} END" if keep else sql
        return argument(kept)

    if isinstance(node, exp.Count) and isinstance(inner, exp.Star):
        counted = f"count({taken(cast_to('1', INT), INT)})" if keep else "count(*)"
        return TypedSql(f"{counted}{over}", BIGINT)
    if isinstance(node, exp.CountIf):
        one = f"CASE WHEN {lowering.condition(inner)} THEN {cast_to('1', INT)} END"
        return TypedSql(f"count({taken(one, INT)}){over}", BIGINT)
    value = lowering.lower(inner)
    kind = value.type
    word = "DISTINCT " if distinct else ""
    if isinstance(node, exp.Count):
        if kind == VOID or (distinct and kind.name not in COMPARABLE):
            raise NotInProcess(f"count of {kind} is not computed in-process")
        if kind.is_nested:
            return TypedSql(f"count({taken(f'CASE WHEN {value.sql} IS NOT NULL THEN 1 END', INT)}){over}", BIGINT)
        return TypedSql(f"count({word}{taken(normal(value), kind)}){over}", BIGINT)
    if isinstance(node, exp.Min | exp.Max):
        if kind.name not in _SORTABLE - {"void"}:
            raise NotInProcess(f"{name_of(node)} of {kind} is not computed in-process")
        if kind.name in ("double", "float"):
            return TypedSql(_extreme_of_doubles(name_of(node), value, taken, over), kind)
        return TypedSql(f"{name_of(node)}({taken(value.sql, kind)}){over}", kind)
    return _sum_or_average(node, value, taken, word, over, notes, sliding)


def _sum_or_average(
    node: exp.Expr,
    value: TypedSql,
    taken: Callable[[str, DataType], str],
    word: str,
    over: str,
    notes: LoweringNotes,
    sliding: bool,
) -> TypedSql:
    kind = value.type
    is_sum = isinstance(node, exp.Sum)
    if kind.name in INTEGERS and is_sum:
        return TypedSql(_sum_of_integers(value, taken, word, over), BIGINT)
    if kind.name in (*INTEGERS, "double", "float"):
        if kind.name in ("double", "float"):
            notes.adds_doubles = True
            if sliding:  # what leaves the window would be subtracted again
                raise NotInProcess(f"{name_of(node)} of {kind} in a moving window is not computed in-process")
            if word:
                raise NotInProcess(f"{name_of(node)} of distinct {kind} is not computed in-process")
        elif kind == BIGINT:
            notes.adds_doubles = True
        if word:
            value = TypedSql(normal(value), kind)
        name = "sum" if is_sum else "avg"
        return TypedSql(f"{name}({word}{taken(convert(value, DOUBLE).sql, DOUBLE)}){over}", DOUBLE)
    if kind.name == "decimal" and kind.size[0] <= _MAX_SUMMED:
        precision, scale = kind.size
        of = taken(value.sql, kind)
        total = decimal(precision + 10, scale)
        summed = cast_to(f"sum({word}{of}){over}", total)
        if is_sum:
            return TypedSql(summed, total)
        counted = TypedSql(f"CAST(nullif(count({word}{of}){over}, 0) AS DECIMAL(20,0))", decimal(20, 0))
        mean = decimal(precision + 4, scale + 4)
        return TypedSql(cast_to(exact_quotient(TypedSql(summed, total), counted, scale + 4), mean), mean)
    raise NotInProcess(f"{name_of(node)} of {kind} is not computed in-process")


def _extreme_of_doubles(name: str, value: TypedSql, taken: Callable[[str, DataType], str], over: str) -> str:
    """DataFusion's min and max by group are wrong for NaN and the infinities: only finite numbers are compared there,
    and whole numbers say what else there is."""
    kind, number = value.type, normal(value)
    low, high, no_number = (cast_to(f"'{text}'", kind) for text in ("-inf", "inf", "NaN"))
    finite = f"CASE WHEN {number} > {low} AND {number} < {high} THEN {number} END"
    places = f"CASE WHEN {number} = {low} THEN 0 WHEN {number} < {high} THEN 1 WHEN {number} = {high} THEN 2 "
    place = f"{name}({taken(cast_to(f'{places}WHEN {number} IS NOT NULL THEN 3 END', INT), INT)}){over}"
    found = f"{name}({taken(finite, kind)}){over}"
    return f"(CASE {place} WHEN 0 THEN {low} WHEN 1 THEN {found} WHEN 2 THEN {high} WHEN 3 THEN {no_number} END)"


def _sum_of_integers(value: TypedSql, taken: Callable[[str, DataType], str], word: str, over: str) -> str:
    """In a decimal, since Arrow's sum of integers wraps around. Those above zero and those below are added apart: where
    neither is too large, Spark's sum is not either, in whatever order it adds them."""
    wide = decimal(19, 0)
    if value.type != BIGINT:
        return cast_to(f"sum({word}{taken(cast_to(value.sql, wide), wide)}){over}", BIGINT)
    zero, sums = cast_to("'0'", wide), []
    for sign, other in ((">", "<="), ("<", ">=")):
        kept = (
            f"CASE WHEN {value.sql} {sign} 0 THEN {cast_to(value.sql, wide)} WHEN {value.sql} {other} 0 THEN {zero} END"
        )
        sums.append(cast_to(f"sum({word}{taken(kept, wide)}){over}", BIGINT))
    return f"({' + '.join(sums)})"


def lower_order(nodes: Sequence[exp.Expr], lowering: ExpressionLowering) -> str:
    return ", ".join(ordering(node, lowering.lower(node.this)) for node in nodes if isinstance(node, exp.Ordered))


def ordering(node: exp.Ordered, value: TypedSql) -> str:
    if value.type.name not in _SORTABLE | {"boolean"}:
        raise NotInProcess(f"sorting by {value.type} is not computed in-process")
    descending = bool(node.args.get("desc"))
    first = node.args.get("nulls_first")
    first = not descending if first is None else bool(first)
    return f"{normal(value)} {'DESC' if descending else 'ASC'} NULLS {'FIRST' if first else 'LAST'}"


def lower_window(node: exp.Window, lowering: ExpressionLowering, notes: LoweringNotes) -> TypedSql:
    if str(node.args.get("over") or "OVER").upper() != "OVER":
        raise NotInProcess("this window is not computed in-process")
    parts: list[str] = []
    if node.args.get("partition_by"):
        keys = [lowering.lower(each) for each in node.args["partition_by"]]
        for key in keys:
            if key.type.name not in COMPARABLE - {"void"}:
                raise NotInProcess(f"partitions by {key.type} are not computed in-process")
        parts.append("PARTITION BY " + ", ".join(map(normal, keys)))
    order, function, spec = node.args.get("order"), node.this, node.args.get("spec")
    if order is not None:
        parts.append("ORDER BY " + lower_order(order.expressions, lowering))
    if type(function) in _RANKINGS:
        if order is None or spec is not None:
            raise NotInProcess("a rank without an order, or with a frame, is not computed in-process")
        return TypedSql(cast_to(f"{_RANKINGS[type(function)]}() OVER ({' '.join(parts)})", INT), INT)
    if isinstance(function, exp.Lag | exp.Lead):
        if order is None or spec is not None:
            raise NotInProcess("lag or lead without an order, or with a frame, is not computed in-process")
        return _shifted(function, lowering, f" OVER ({' '.join(parts)})")
    if not isinstance(function, AGGREGATES):
        raise NotInProcess(f"{name_of(function)} in a window is not computed in-process")
    frame, sliding = _frame(spec, order is not None)
    parts.append(frame)
    over = f" OVER ({' '.join(part for part in parts if part)})"
    return lower_aggregate(function, lowering, notes, lambda sql: sql, over, sliding)


def _shifted(node: exp.Lag | exp.Lead, lowering: ExpressionLowering, over: str) -> TypedSql:
    value, offset, default = lowering.lower(node.this), node.args.get("offset"), node.args.get("default")
    places = 1
    if offset is not None:
        if not isinstance(offset, exp.Literal) or not str(offset.this).isdecimal() or len(str(offset.this)) > 9:
            raise NotInProcess("an offset that is not written in the text is not computed in-process")
        places = int(str(offset.this))
    if value.type == VOID or value.type.is_nested:
        raise NotInProcess(f"{name_of(node)} of {value.type} is not computed in-process")
    arguments = f"{value.sql}, {places}"
    if default is not None:
        other = lowering.lower(default)
        if other.type not in (value.type, VOID) or not isinstance(default, exp.Literal | exp.Null):
            raise NotInProcess("this default is not computed in-process")
        if other.type != VOID:
            arguments += f", {other.sql}"
    return TypedSql(f"{name_of(node)}({arguments}){over}", value.type)


def _frame(spec: exp.Expr | None, ordered: bool) -> tuple[str, bool]:
    if spec is None:
        return ("RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" if ordered else ""), False
    kind = str(spec.args.get("kind") or "").upper()
    start, end = _bound(spec, "start"), _bound(spec, "end") if spec.args.get("end") is not None else "CURRENT ROW"
    plain = {"UNBOUNDED PRECEDING", "CURRENT ROW", "UNBOUNDED FOLLOWING"}
    if kind not in ("ROWS", "RANGE") or not ordered or (kind == "RANGE" and not {start, end} <= plain):
        raise NotInProcess("this frame of a window is not computed in-process")
    return f"{kind} BETWEEN {start} AND {end}", start != "UNBOUNDED PRECEDING"


def _bound(spec: exp.Expr, which: str) -> str:
    value, side = spec.args.get(which), str(spec.args.get(f"{which}_side") or "").upper()
    if isinstance(value, str) and value.upper() == "CURRENT ROW":
        return "CURRENT ROW"
    if side not in ("PRECEDING", "FOLLOWING"):
        raise NotInProcess("this frame of a window is not computed in-process")
    if isinstance(value, str) and value.upper() == "UNBOUNDED":
        return f"UNBOUNDED {side}"
    if isinstance(value, exp.Literal) and str(value.this).isdecimal() and len(str(value.this)) < 10:
        return f"{int(str(value.this))} {side}"
    raise NotInProcess("this frame of a window is not computed in-process")
