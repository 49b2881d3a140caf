"""The SQL of a query of the builder. sqlglot writes a tree: no name and no value is pasted into a text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp
from sqlglot.dialects.spark import Spark

from forge.federation.builder.query import (
    BuilderQuery,
    Filter,
    Order,
    OutputTerm,
    Table,
    Term,
    TermCondition,
    Value,
    is_name,
)
from forge.model.errors import ForgeError

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.A)
# Words that a parser could take for something else than a name.
_WORDS = frozenset(
    {
        *map(str.upper, Spark.Tokenizer.KEYWORDS),
        *("ANTI", "CROSS", "EXCEPT", "FULL", "INNER", "INTERSECT", "JOIN", "LATERAL", "LEFT", "MINUS", "NATURAL"),
        *("ON", "RIGHT", "SEMI", "SETMINUS", "UNION", "USING"),
    }
)
_COMPARISONS: Mapping[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_AGGREGATES: Mapping[str, type[exp.AggFunc]] = {"sum": exp.Sum, "avg": exp.Avg, "min": exp.Min, "max": exp.Max}


def compose(query: BuilderQuery) -> str:
    """In lines, as a person would write it. E105: a part of it cannot be written."""
    first, *joined = _tables(query.tables)
    select = exp.Select(expressions=[_output(one) for one in query.columns] or [exp.Star()]).from_(first, copy=False)
    for table, join in zip(query.tables[1:], joined, strict=True):
        on = exp.and_(*(exp.EQ(this=_term(one.left), expression=_term(one.right)) for one in table.on), copy=False)
        side = "" if table.join == "inner" else table.join
        select.append("joins", exp.Join(this=join, side=side and side.upper(), on=on))
    if query.distinct:
        select.set("distinct", exp.Distinct())
    for key, kind, filter_ in (("where", exp.Where, query.where), ("having", exp.Having, query.having)):
        if filter_.groups:
            select.set(key, kind(this=_filter(filter_, key)))
    if query.group_by:
        select.set("group", exp.Group(expressions=[_term(one) for one in query.group_by]))
    if query.order_by:
        select.set("order", exp.Order(expressions=[_ordered(one) for one in query.order_by]))
    if query.limit is not None:
        select.set("limit", exp.Limit(expression=exp.Literal.number(query.limit)))
    return select.sql(dialect="spark", pretty=True)


def _tables(tables: tuple[Table, ...]) -> list[exp.Table]:
    if not tables:
        raise _refused("tables", "A query has one table at least")
    for place, table in enumerate(tables):
        if (table.join is None) != (place == 0) or (not table.on) != (place == 0):
            raise _refused(
                f"tables.{place}", "The first table has no join, each other one has at least a pair of columns"
            )
        if not 1 <= len(table.path) <= 3:
            raise _refused(
                f"tables.{place}.path", "A table has the name schema.table, source.table or source.schema.table"
            )
    return [_table(one) for one in tables]


def _table(table: Table) -> exp.Table:
    parts = dict(zip(("this", "db", "catalog"), map(_name, reversed(table.path)), strict=False))
    return exp.Table(**parts, alias=exp.TableAlias(this=_name(table.alias)) if table.alias else None)


def _output(output: OutputTerm) -> exp.Expr:
    return exp.Alias(this=_term(output.term), alias=_name(output.alias)) if output.alias else _term(output.term)


def _ordered(order: Order) -> exp.Ordered:
    return exp.Ordered(this=_term(order.term), desc=order.descending or None, nulls_first=not order.descending)


def _term(term: Term) -> exp.Expr:
    if term.aggregate == "count" and not term.column:
        return exp.Count(this=exp.Star(), big_int=True)
    column = exp.Column(this=_name(term.column), table=_name(term.table) if term.table else None)
    match term.aggregate:
        case None:
            return column
        case "count":
            return exp.Count(this=column, big_int=True)
        case "count_distinct":
            return exp.Count(this=exp.Distinct(expressions=[column]), big_int=True)
    return _AGGREGATES[term.aggregate](this=column)


def _filter(filter_: Filter, key: str) -> exp.Expr:
    outer, inner = (exp.and_, exp.or_) if filter_.connective == "and" else (exp.or_, exp.and_)
    if not all(filter_.groups):
        raise _refused(f"{key}.groups", "A group has at least one test")
    groups = (inner(*(_test(test, key) for test in group), copy=False) for group in filter_.groups)
    return outer(*groups, copy=False)


def _test(test: TermCondition, key: str) -> exp.Expr:
    if not test.has_its_values:
        raise _refused(key, f"{test.operator} has not {len(test.values)} values")
    column, values = _term(test.term), [_value(one, key) for one in test.values]
    negated = test.operator.startswith(("not ", "is not"))
    match test.operator.removeprefix("not "):
        case "like":
            return exp.Like(this=column, expression=values[0], negate=negated)
        case "in":
            found: exp.Expr = exp.In(this=column, expressions=values)
        case "between":
            found = exp.Between(this=column, low=values[0], high=values[1])
        case "is null" | "is not null":
            found = exp.Is(this=column, expression=exp.Null())
        case comparison:
            found = _COMPARISONS[comparison](this=column, expression=values[0])
    return exp.Not(this=found) if negated else found


def _value(value: Value, key: str) -> exp.Expr:
    if not value.is_sound:
        raise _refused(key, f"{value.text[:60]!r} is no {value.kind}", why=_FORMS.get(value.kind))
    match value.kind:
        case "number" if value.text.startswith("-"):
            return exp.Neg(this=exp.Literal.number(value.text[1:]))
        case "number":
            return exp.Literal.number(value.text)
        case "boolean":
            return exp.Boolean(this=value.text == "true")
        case "parameter":
            return exp.Placeholder(this=value.text)
    text = exp.Literal.string(value.text)
    return text if value.kind == "text" else exp.cast(text, value.kind, dialect="spark")


_FORMS = {
    "text": "It has control characters.",
    "number": "A number has digits, a point and an exponent: -12.5, 1e6.",
    "date": "A date is written like 2026-11-19.",
    "timestamp": "A time is written like 2026-11-19 08:30:00.",
    "parameter": "A parameter has letters, digits and underscores.",
}


def _name(name: str) -> exp.Identifier:
    if not is_name(name):
        raise _refused("body", f"{name!r} is no name", why="A name is not empty and has no control characters.")
    return exp.Identifier(this=name, quoted=_PLAIN.fullmatch(name) is None or name.upper() in _WORDS)


def _refused(where: str, what: str, why: str | None = None) -> ForgeError:
    return ForgeError("E105", what, where=f"body.{where}".replace("body.body", "body"), why=why)
