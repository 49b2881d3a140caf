"""A fragment as its source is asked: SQL of the source's dialect with bound values, or a scan of one relation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlglot import exp

from forge.federation.dialects.families import TypeFamily
from forge.federation.dialects.predicates import BINARY, all_of, conjuncts
from forge.federation.dialects.rules import LakeOrKind, rules_of
from forge.federation.dialects.values import (
    QueryValue,
    fit_value,
    holds,
    is_value,
    read_parameter,
    read_value,
    write_value,
)
from forge.federation.plan import Fragment, Scan, ScanFilter, ScanOperator, SourceQuery, SplitQuery
from forge.federation.relation import RelationName
from forge.federation.source import ConnectorKind
from forge.model.errors import ForgeError

MOST_KEYS = 10_000  # of a dynamic filter; with more, it is left out
_MARK = re.compile(r"\x00(\d+)\x00")
_OPERATORS: Mapping[type[exp.Expr], ScanOperator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_DIALECTS = {
    ConnectorKind.POSTGRESQL: "postgres",
    ConnectorKind.MYSQL: "mysql",
    ConnectorKind.SQLITE: "sqlite",
}
_COLLATIONS = {
    ConnectorKind.POSTGRESQL: exp.to_identifier("C", quoted=True),
    ConnectorKind.SQLITE: exp.Var(this="BINARY"),
}
# Where a placeholder alone would have its type guessed.
_POSTGRESQL_CASTS = {
    TypeFamily.INTEGER: "BIGINT",
    TypeFamily.DECIMAL: "NUMERIC",
    TypeFamily.DOUBLE: "DOUBLE PRECISION",
    TypeFamily.FLOAT: "DOUBLE PRECISION",
    TypeFamily.STRING: "TEXT",
    TypeFamily.DATE: "DATE",
    TypeFamily.TIMESTAMP: "TIMESTAMPTZ",
    TypeFamily.TIMESTAMP_NTZ: "TIMESTAMP",
    TypeFamily.BOOLEAN: "BOOLEAN",
}
_MYSQL_CASTS = {TypeFamily.DATE: "DATE", TypeFamily.TIMESTAMP: "DATETIME(6)", TypeFamily.TIMESTAMP_NTZ: "DATETIME(6)"}


def render(
    fragment: Fragment,
    kind: LakeOrKind,
    parameters: Mapping[str, object],
    keys: Mapping[str, Sequence[object]] | None = None,
) -> SourceQuery | Scan:
    """`keys`: the values that a column of the fragment may have, as they are known when it is read; only columns of
    `fragment.keys`. A list that is too long, or has a value of a type that could be read in another way, filters
    nothing."""
    query = with_keys(fragment, keys or {}, rules_of(kind).is_sql)
    if kind is ConnectorKind.MYSQL:
        _ask_for_doubles(query, fragment)
    if rules_of(kind).is_sql:
        asked = _sql(query, fragment.relations, ConnectorKind(kind), parameters)
        return _with_split(asked, query, fragment, parameters) if fragment.splits else asked
    return _scan(query, fragment, parameters)


def _ask_for_doubles(query: exp.Query, fragment: Fragment) -> None:
    """MySQL writes a FLOAT in six digits; as a double it is the same number. Distinct rows are ordered by what is
    selected, and stay as they are."""
    if not isinstance(query, exp.Select) or query.args.get("distinct"):
        return
    for selected, column in zip(list(query.selects), fragment.read_columns, strict=True):
        if column.type.name == "float":
            exact = exp.Add(this=exp.paren(selected.unalias().copy()), expression=exp.Var(this="0e0"))
            selected.replace(exp.alias_(exact, selected.alias_or_name, quoted=True))


def _with_split(
    asked: SourceQuery, query: exp.Query, fragment: Fragment, parameters: Mapping[str, object]
) -> SourceQuery:
    """By the addresses of rows, which PostgreSQL reads in ranges."""
    assert isinstance(query, exp.Select)
    part = query.copy()
    where = part.args.get("where")
    address = exp.column("ctid", table=part.args["from_"].this.alias)
    tid = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="tid")
    low, high = (exp.Cast(this=exp.Var(this=f"${len(asked.values) + place}"), to=tid.copy()) for place in (1, 2))
    bounds = [exp.GTE(this=address, expression=low), exp.LT(this=address.copy(), expression=high)]
    part.set("where", exp.Where(this=all_of([*conjuncts(where.this if where else None), *bounds])))
    split = _sql(part, fragment.relations, ConnectorKind.POSTGRESQL, parameters)
    return SourceQuery(asked.text, asked.values, SplitQuery(split.text, fragment.relations[0].path))


def with_keys(fragment: Fragment, keys: Mapping[str, Sequence[object]], is_sql: bool) -> exp.Query:
    """The query of the fragment with its columns limited to these values, where that is possible."""
    query = fragment.query.copy()
    allowed = {key.column for key in fragment.keys}
    for column, values in keys.items():
        output = next((one for one in fragment.columns if one.name == column), None)
        projection = next((one for one in query.selects if one.alias_or_name == column), None)
        if output is None or column not in allowed or not isinstance(query, exp.Select) or projection is None:
            raise ForgeError("E105", f"{fragment.name} has no key column {column}")
        read = [read_parameter(value) for value in dict.fromkeys(values) if value is not None]
        fitted = [fit_value(value, output.type) if value is not None else None for value in read]
        if len(fitted) > MOST_KEYS or not all(fitted):
            continue
        # A value that the column cannot have is equal to none.
        held = [value for value in fitted if value is not None and (is_sql or holds(output.type, value))]
        nodes = [write_value(value) for value in held]
        is_key: exp.Expr = exp.In(this=projection.unalias().copy(), expressions=nodes)
        if not nodes and is_sql:
            is_key = exp.false()
        where = query.args.get("where")
        query.set("where", exp.Where(this=all_of([*conjuncts(where.this if where else None), is_key])))
    return query


def _sql(
    query: exp.Query, relations: Sequence[RelationName], kind: ConnectorKind, parameters: Mapping[str, object]
) -> SourceQuery:
    values: list[QueryValue] = []

    def bind(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Limit | exp.Offset):
            return node
        if not is_value(node) or isinstance(node, exp.Null | exp.Paren):
            return node
        found = read_value(node, parameters)
        if found is None:
            raise ForgeError("E105", f"`{node.sql('spark')}` has no value that can be bound")
        values.append(found)
        return _placeholder(len(values) - 1, found, kind)

    tree = query.copy()
    for name in tree.find_all(exp.Identifier):
        if "\x00" in name.this:
            raise ForgeError("E101", "a name holds the character NUL", fix="Rename it.")
    tree = _transform(tree, bind)
    for table in list(tree.find_all(exp.Table)):
        _strip_source(table, relations)
    for collate in list(tree.find_all(exp.Collate)):
        assert collate.expression.name == BINARY
        collate.set("expression", _COLLATIONS[kind].copy())
    for ordered in list(tree.find_all(exp.Ordered)):
        _order_nulls(ordered, kind)
    text = tree.sql(_DIALECTS[kind], identify=True, comments=False)
    return _place(text, values, kind)


def _transform(node: exp.Expr, bind: Any) -> Any:
    """Top down, and not into what was replaced; a LIMIT is a number of the plan and stays."""
    if isinstance(node, exp.Limit | exp.Offset | exp.DataType):
        return node
    replaced = bind(node)
    if replaced is not node:
        return replaced
    for child in list(node.iter_expressions()):
        new = _transform(child, bind)
        if new is not child:
            child.replace(new)
    return node


def _placeholder(index: int, found: QueryValue, kind: ConnectorKind) -> exp.Expr:
    mark = exp.Var(this=f"\x00{index}\x00")
    if kind is ConnectorKind.POSTGRESQL:
        return exp.cast(mark, _POSTGRESQL_CASTS[found.family], dialect="postgres")
    if kind is ConnectorKind.MYSQL:
        if isinstance(found.value, Decimal):
            digits, exponent = len(found.value.as_tuple().digits), -int(found.value.as_tuple().exponent)
            scale = max(exponent, 0)
            return exp.cast(mark, f"DECIMAL({max(digits, scale) + max(-exponent, 0)}, {scale})", dialect="mysql")
        if found.family in _MYSQL_CASTS:
            return exp.cast(mark, _MYSQL_CASTS[found.family], dialect="mysql")
    return mark


def _place(text: str, values: Sequence[QueryValue], kind: ConnectorKind) -> SourceQuery:
    """The marks become placeholders in the order of the text."""
    parts = _MARK.split(text)
    order = [int(index) for index in parts[1::2]]
    plain = parts[::2]
    if kind is ConnectorKind.POSTGRESQL:
        marks = [f"${number}" for number in range(1, len(order) + 1)]
    elif kind is ConnectorKind.MYSQL:
        plain = [part.replace("%", "%%") for part in plain]
        marks = ["%s"] * len(order)
    else:
        marks = ["?"] * len(order)
    joined = plain[0] + "".join(mark + part for mark, part in zip(marks, plain[1:], strict=True))
    return SourceQuery(joined, tuple(_bound(values[index], kind) for index in order))


def _bound(found: QueryValue, kind: ConnectorKind) -> object:
    if kind is ConnectorKind.MYSQL and isinstance(found.value, datetime):
        return found.value.replace(tzinfo=None)  # the session is in UTC
    return found.value


def _strip_source(table: exp.Table, relations: Sequence[RelationName]) -> None:
    """The name as the source knows it."""
    parts = tuple(part.name for part in table.parts)
    name = next((one for one in relations if (one.source, *one.path) == parts), None)
    if name is None:
        raise ForgeError("E105", f"{'.'.join(parts)} is no relation of the fragment")
    set_path(table, name.path)


def set_path(table: exp.Table, path: Sequence[str]) -> None:
    names = [exp.to_identifier(part, quoted=True) for part in path]
    this: exp.Expr = names[-1]
    table.set("catalog", None)
    table.set("db", None)
    if len(names) > 3:
        this = exp.Dot.build([*names[2:]])
        table.set("catalog", names[0])
        table.set("db", names[1])
    else:
        for arg, part in zip(("db", "catalog"), reversed(names[:-1]), strict=False):
            table.set(arg, part)
    table.set("this", this)


def _order_nulls(ordered: exp.Ordered, kind: ConnectorKind) -> None:
    """Said in so many words, since each source has its own default. MySQL has none to say: there, a key before."""
    nulls_first = bool(ordered.args.get("nulls_first"))
    if kind is not ConnectorKind.MYSQL:
        return
    ordered.set("nulls_first", not ordered.args.get("desc"))  # the default there, which prints nothing
    key = ordered.this
    inner = key.this if isinstance(key, exp.Collate) else key
    is_null = exp.Ordered(
        this=exp.Is(this=inner.copy(), expression=exp.Null()), desc=nulls_first, nulls_first=not nulls_first
    )
    parent = ordered.parent
    assert parent is not None
    keys = list(parent.expressions)
    at = next(index for index, one in enumerate(keys) if one is ordered)
    parent.set("expressions", [*keys[:at], is_null, *keys[at:]])


def _scan(query: exp.Query, fragment: Fragment, parameters: Mapping[str, object]) -> Scan:
    assert isinstance(query, exp.Select)
    (relation,) = fragment.relations
    where = query.args.get("where")
    limit = query.args.get("limit")
    return Scan(
        relation,
        tuple(one.unalias().name for one in query.selects if isinstance(one.unalias(), exp.Column)),
        tuple(_scan_filter(part, parameters) for part in _flat(where.this if where else None)),
        int(limit.expression.name) if limit else None,
    )


def _flat(node: exp.Expr | None) -> list[exp.Expr]:
    return [part.unnest() for part in conjuncts(node)]


def _scan_filter(node: exp.Expr, parameters: Mapping[str, object]) -> ScanFilter:
    def value(of: exp.Expr) -> object:
        found = read_value(of, parameters)
        assert found is not None
        return found.value

    match node:
        case exp.Column():
            return ScanFilter(node.name, "=", (True,))
        case exp.Is():
            return ScanFilter(node.this.name, "is null")
        case exp.Not() if isinstance(node.this.unnest(), exp.Is):
            return ScanFilter(node.this.unnest().this.name, "is not null")
        case exp.In():
            return ScanFilter(node.this.name, "in", tuple(value(one) for one in node.expressions))
    return ScanFilter(node.this.name, _OPERATORS[type(node)], (value(node.expression),))
