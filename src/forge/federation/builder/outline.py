"""What the query builder can show of a SELECT, or the first part that it cannot. Nothing is left out in silence: what a
node has beyond what is read here is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from forge.federation.builder.query import (
    Aggregate,
    BuilderQuery,
    Connective,
    Filter,
    JoinWord,
    Operator,
    Order,
    OutputTerm,
    Pair,
    Table,
    Term,
    TermCondition,
    Value,
    is_name,
)


@dataclass(frozen=True, slots=True)
class NotShown:
    """`offset`: where in the text it begins, if that is known."""

    what: str
    offset: int | None = None


class _GapError(Exception):
    def __init__(self, what: str, node: exp.Expr) -> None:
        super().__init__(what)
        self.gap = NotShown(what, _offset(node))


_CLAUSES = {
    "with_": "WITH",
    "hint": "a hint",
    "laterals": "LATERAL VIEW",
    "offset": "OFFSET",
    "qualify": "QUALIFY",
    "windows": "a named window",
    "sort": "SORT BY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "pivots": "PIVOT",
    "sample": "TABLESAMPLE",
}
_COMPARISONS: Mapping[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_NEGATED: Mapping[Operator, Operator] = {
    "in": "not in",
    "between": "not between",
    "like": "not like",
    "is null": "is not null",
}
_AGGREGATES: Mapping[type[exp.Expr], Aggregate] = {exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max"}
_SIDES: Mapping[str, JoinWord] = {"": "inner", "LEFT": "left", "RIGHT": "right", "FULL": "full"}


def outline(tree: exp.Expr) -> BuilderQuery | NotShown:
    """Of a query as it was parsed, with the places of its names."""
    try:
        return _query(tree)
    except _GapError as found:
        return found.gap
    except RecursionError:
        return NotShown("an expression that is nested too deeply")


def _query(tree: exp.Expr) -> BuilderQuery:
    if isinstance(tree, exp.SetOperation):
        raise _gap(f"{tree.key.upper()} of two queries", tree.expression)
    if not isinstance(tree, exp.Select):
        raise _gap("a query in parentheses" if isinstance(tree, exp.Subquery) else "a query without SELECT", tree)
    _only(tree, "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "distinct")
    from_ = tree.args.get("from_")
    if from_ is None:
        raise _gap("a query without FROM", tree)
    tables = (_table(from_.this), *(_joined(one) for one in tree.args.get("joins") or ()))
    stars = [one for one in tree.expressions if isinstance(one, exp.Star)]
    if stars and (len(tree.expressions) > 1 or any(stars[0].args.values())):
        raise _gap("a * that is not alone", stars[0])
    columns = () if stars else tuple(map(_output, tree.expressions))
    group = tree.args.get("group")
    order = tree.args.get("order")
    if group is not None:
        _only(group, "expressions", words="GROUP BY ALL, CUBE, ROLLUP or GROUPING SETS")
    distinct = tree.args.get("distinct")
    if distinct is not None:
        _only(distinct, words="DISTINCT ON")
    return BuilderQuery(
        tables=tables,
        columns=columns,
        distinct=distinct is not None,
        where=_filter(tree.args.get("where")),
        group_by=tuple(_term_at(one, columns) for one in (group.expressions if group else ())),
        having=_filter(tree.args.get("having")),
        order_by=tuple(_ordered(one, columns) for one in (order.expressions if order else ())),
        limit=_limit(tree.args.get("limit")),
    )


def _table(node: exp.Expr) -> Table:
    if isinstance(node, exp.Subquery):
        raise _gap("a subquery in FROM", node)
    if not isinstance(node, exp.Table) or not all(isinstance(part, exp.Identifier) for part in node.parts):
        raise _gap("something else than a table in FROM", node)
    _only(node, "this", "db", "catalog", "alias", words="a table with a version, sample or other clause")
    alias = node.args.get("alias")
    if alias is not None:
        _only(alias, "this", words="an alias that names columns")
    if len(node.parts) > 3:
        raise _gap("a table by a name of more than three parts", node)
    return Table(tuple(map(_name, node.parts)), _alias(node))


def _joined(join: exp.Join) -> Table:
    kind, on = join.args.get("kind") or "", join.args.get("on")
    if join.args.get("using"):
        raise _gap("USING", join.args["using"])
    if kind == "CROSS":
        raise _gap("CROSS JOIN, or a comma in FROM", join)
    side = (join.args.get("side") or "").upper()
    if join.args.get("method") or kind not in ("", "INNER", "OUTER") or side not in _SIDES:
        raise _gap(f"{' '.join(filter(None, (join.args.get('method'), side, kind)))} JOIN", join)
    _only(join, "this", "on", "side", "kind")
    if on is None or isinstance(on, exp.Boolean):
        raise _gap("a join without ON", join)
    table = _table(join.this)
    return Table(table.path, table.alias, _SIDES[side], tuple(_pair(one) for one in _parts(on, exp.And)))


def _pair(node: exp.Expr) -> Pair:
    if not (isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)):
        raise _gap("a join on something else than equal columns", node)
    return Pair(_column(node.this), _column(node.expression))


def _output(node: exp.Expr) -> OutputTerm:
    return OutputTerm(_term(node.this), _alias(node)) if isinstance(node, exp.Alias) else OutputTerm(_term(node))


def _term(node: exp.Expr) -> Term:
    match node:
        case exp.Column():
            return _column(node)
        case exp.Count(this=exp.Distinct() as distinct) if len(distinct.expressions) == 1:
            _only(distinct, "expressions")
            return _aggregate(node, distinct.expressions[0], "count_distinct")
        case exp.Count(this=exp.Star()):
            _only(node, "this", "big_int")
            return Term(aggregate="count")
        case exp.Count():
            return _aggregate(node, node.this, "count")
        case exp.Window():
            raise _gap("a window function", node)
        case exp.Subquery():
            raise _gap("a subquery", node)
    if type(node) in _AGGREGATES:
        return _aggregate(node, node.this, _AGGREGATES[type(node)])
    raise _gap(f"an expression, `{_short(node)}`", node)


def _aggregate(node: exp.Expr, argument: exp.Expr | None, aggregate: Aggregate) -> Term:
    _only(node, "this", "big_int")
    if not isinstance(argument, exp.Column):
        raise _gap(f"an aggregate of something else than a column, `{_short(node)}`", node)
    column = _column(argument)
    return Term(column.column, column.table, aggregate)


def _column(node: exp.Column) -> Term:
    if not isinstance(node.this, exp.Identifier):
        raise _gap(f"all columns of a table, `{_short(node)}`", node)
    if len(node.parts) > 2:
        raise _gap(f"a column by a name of more than two parts, `{_short(node)}`", node)
    _only(node, "this", "table")
    return Term(_name(node.this), _name(node.args["table"]) if node.table else "")


def _alias(node: exp.Expr) -> str:
    alias = node.args.get("alias")
    return _name(alias.this if isinstance(alias, exp.TableAlias) else alias) if alias is not None else ""


def _name(node: exp.Expr) -> str:
    if not isinstance(node, exp.Identifier) or not is_name(node.name):
        raise _gap("a name that is empty or cannot be printed", node)
    return node.name


def _term_at(node: exp.Expr, columns: tuple[OutputTerm, ...]) -> Term:
    """A number is the place of a column in the result."""
    if isinstance(node, exp.Literal) and node.name.isdecimal() and not node.is_string:
        place = int(node.name) if len(node.name) < 6 else 0
        if 0 < place <= len(columns):
            return columns[place - 1].term
    return _term(node)


def _ordered(node: exp.Expr, columns: tuple[OutputTerm, ...]) -> Order:
    if not isinstance(node, exp.Ordered):
        raise _gap(f"an order by `{_short(node)}`", node)
    descending = bool(node.args.get("desc"))
    if bool(node.args.get("nulls_first")) is descending:
        raise _gap("NULLS FIRST or NULLS LAST", node)
    _only(node, "this", "desc", "nulls_first")
    return Order(_term_at(node.this, columns), descending)


def _limit(node: exp.Expr | None) -> int | None:
    if node is None:
        return None
    _only(node, "expression")
    count = node.args.get("expression")
    if not isinstance(count, exp.Literal) or count.is_string or not count.name.isdecimal() or len(count.name) > 9:
        raise _gap("a LIMIT that is no whole number", node)
    return int(count.name)


def _filter(node: exp.Expr | None) -> Filter:
    if node is None:
        return Filter()
    whole = _bare(node.this)
    outer, inner = (exp.Or, exp.And) if isinstance(whole, exp.Or) else (exp.And, exp.Or)
    groups = tuple(tuple(_test(test) for test in _parts(part, inner)) for part in _parts(whole, outer))
    connective: Connective = "or" if outer is exp.Or else "and"
    return Filter(connective, groups)


def _test(node: exp.Expr) -> TermCondition:
    match node:
        case exp.Connector():
            raise _gap("AND and OR nested more than once", node)
        case exp.Not():
            found = _test(_bare(node.this))
            if found.operator not in _NEGATED:
                raise _gap(f"NOT of a comparison, `{_short(node)}`", node)
            return TermCondition(found.term, _NEGATED[found.operator], found.values)
        case exp.Is(expression=exp.Null()):
            return TermCondition(_operand(node.this), "is null")
        case exp.In():
            if node.args.get("query") or node.args.get("unnest"):
                raise _gap("a subquery in IN", node)
            _only(node, "this", "expressions")
            return TermCondition(_operand(node.this), "in", tuple(map(_value, node.expressions)))
        case exp.Between():
            _only(node, "this", "low", "high", words="BETWEEN SYMMETRIC")
            return TermCondition(_operand(node.this), "between", (_value(node.args["low"]), _value(node.args["high"])))
        case exp.Like():
            _only(node, "this", "expression", "negate")
            operator: Operator = "not like" if node.args.get("negate") else "like"
            return TermCondition(_operand(node.this), operator, (_value(node.expression),))
        case exp.Exists():
            raise _gap("EXISTS", node)
    if type(node) in _COMPARISONS:
        return TermCondition(_operand(node.this), _COMPARISONS[type(node)], (_value(node.expression),))
    raise _gap(f"a condition, `{_short(node)}`", node)


def _operand(node: exp.Expr) -> Term:
    return _term(_bare(node))


def _value(node: exp.Expr) -> Value:
    found = _literal(node)
    if found is None or not found.is_sound:
        if isinstance(node, exp.Column):
            raise _gap(f"a comparison with another column, `{_short(node)}`", node)
        if isinstance(node, exp.Subquery):
            raise _gap("a subquery", node)
        raise _gap(f"a value that is no plain literal, `{_short(node)}`", node)
    return found


def _literal(node: exp.Expr) -> Value | None:
    match node:
        case exp.Literal():
            return Value("text" if node.is_string else "number", node.name)
        case exp.Neg(this=exp.Literal(is_string=False) as number):
            return Value("number", f"-{number.name}")
        case exp.Boolean():
            return Value("boolean", "true" if node.this else "false")
        case exp.Placeholder():
            return Value("parameter", node.name)
        case exp.Cast(this=exp.Literal(is_string=True) as text) if not node.args.get("format"):
            kind = _TIMES.get(node.to.this)
            return Value(kind, text.name) if kind is not None else None
    return None


# `is_sound` refuses what is no date: else a CAST and a TRY_CAST of it would differ.
_TIMES: Mapping[object, Literal["date", "timestamp"]] = {
    exp.DataType.Type.DATE: "date",
    exp.DataType.Type.TIMESTAMPTZ: "timestamp",
}


def _parts(node: exp.Expr, connector: type[exp.Connector]) -> Iterable[exp.Expr]:
    """Of a AND (b AND c): a, b, c, in their order."""
    todo = [node]
    while todo:
        one = _bare(todo.pop())
        if isinstance(one, connector):
            todo += (one.right, one.left)
        else:
            yield one


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _only(node: exp.Expr, *known: str, words: str = "") -> None:
    """A part that is not known would be lost."""
    for name, value in node.args.items():
        if value and name not in known:
            raise _gap(words or _CLAUSES.get(name) or name.strip("_").upper(), value)


def _gap(what: str, node: object) -> _GapError:
    found = node[0] if isinstance(node, list) else node
    return _GapError(what, found if isinstance(found, exp.Expr) else exp.Null())


def _short(node: exp.Expr) -> str:
    text = " ".join(node.sql(dialect="spark").split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def _offset(node: exp.Expr) -> int | None:
    """Names, stars and functions know where they stand: the first of them is near enough."""
    return min((one.meta["start"] for one in node.walk() if "start" in one.meta), default=None)
