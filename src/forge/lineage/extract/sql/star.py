"""Star expansion: `*` in all its forms, COLUMNS(…), TRANSFORM … USING."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.sql.fields import field_of, fields_in
from forge.lineage.extract.sql.nested_type import nested_of
from forge.lineage.extract.sql.scope import FromSource, QueryScope, line_of, name_of, struct_of
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.value import ColumnValue, opaque


@dataclass(frozen=True, slots=True, eq=False)
class StarExpansion:
    """`open`, `without`: as of relations."""

    columns: tuple[RelationColumn, ...] = ()
    open: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()


def is_star(node: exp.Expr) -> bool:
    if isinstance(node, exp.Column):
        return isinstance(node.this, exp.Star)
    return isinstance(node, exp.Star) or (isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star))


def expanded(root: exp.Expr, scope: QueryScope, line: int) -> StarExpansion:
    """`*`, `t.*`, `struct.*`, `f(x).*`"""
    if isinstance(root, exp.Star):
        return _all(root, scope, line)
    if isinstance(root, exp.Dot):
        fields = fields_in(scope.value(root.this), scope.around)
        return _fields(fields, root.expression, text_of(root, scope.around.dialect), scope, line)
    parts = tuple(name_of(part) for key in ("catalog", "db", "table") if (part := root.args.get(key)) is not None)
    source = scope.find_source(parts, whole=True)
    if source is None:
        inner = _fields_of(parts, root, scope)
        source = scope.find_source(parts) if inner is None else None
        if source is None:
            return _fields(inner, root.this, f"{'.'.join(parts)}.*", scope, line_of(root))
    return _changed(root.this, source.relation.columns, [source] if source.is_open else [], scope, line)


def _all(star: exp.Expr, scope: QueryScope, line: int) -> StarExpansion:
    for source in scope.open:
        if source.anything is not None and source.anything.sources:
            scope.around.gap(line, f"the columns of {source.label} are not known; name them")
    if not scope.sources:
        scope.around.gap(line, "* without FROM selects nothing that is known")
    return _changed(star, scope.row, [source for source in scope.open if source.anything is None], scope, line)


Fields = Sequence[tuple[str, ColumnValue]]


def _fields_of(parts: tuple[str, ...], root: exp.Expr, scope: QueryScope) -> Fields | None:
    found = scope.resolve(parts, root)
    if not isinstance(found, tuple):
        return None
    column, path = found
    value = field_of(column.value, path, scope.around)
    fields = fields_in(value, scope.around)
    if fields is None and not path:  # what explode makes of an array of structs
        made = nested_of(scope.type_of(column))
        return tuple((name, value) for name, _ in made.fields) or None
    return fields


def _fields(fields: Fields | None, star: exp.Expr, text: str, scope: QueryScope, line: int) -> StarExpansion:
    if fields is None:
        scope.around.gap(line, f"{text}: the fields are not known; give the type with --schema")
        return StarExpansion()
    return _changed(star, [RelationColumn(name, value) for name, value in fields], [], scope, line)


def _changed(
    star: exp.Expr, columns: Sequence[RelationColumn], opens: Sequence[FromSource], scope: QueryScope, line: int
) -> StarExpansion:
    """`* EXCEPT (…) REPLACE (…) RENAME (…) ILIKE '…'`"""
    args = star.args
    if not any(args.values()):
        without: frozenset[str] = frozenset().union(*(source.relation.without for source in opens))
        return StarExpansion(tuple(columns), _tables(opens), without)
    gone, trimmed = _left_out(args.get("except_") or (), scope)
    replaced = {one.alias.lower(): one for one in args.get("replace") or ()}
    renamed = {one.this.name.lower(): name_of(one.args["alias"]) for one in args.get("rename") or ()}
    like = args.get("ilike")
    pattern = _pattern(like.name) if like is not None else None
    found: list[RelationColumn] = []
    for column in columns:
        key = column.name.lower()
        if key in gone or (pattern is not None and not pattern.fullmatch(column.name)):
            continue
        value = column.value
        if key in replaced:
            value = scope.value(replaced[key].this)
        elif key in trimmed:
            value = _without_fields(value, trimmed[key], scope)
        found.append(RelationColumn(renamed.get(key, column.name), value))
    if not opens:
        return StarExpansion(tuple(found))
    if pattern is not None:
        scope.around.gap(line, f"the columns of {' and '.join(_tables(opens))} are not known")
    known = {column.name.lower() for column in columns}
    found += [
        RelationColumn(name_of(one.args["alias"]), scope.value(one.this))
        for n, one in replaced.items()
        if n not in known
    ]
    found += [RelationColumn(new, scope.value(exp.column(name))) for name, new in renamed.items() if name not in known]
    without = frozenset(gone | set(replaced) | set(renamed)).union(*(source.relation.without for source in opens))
    return StarExpansion(tuple(found), _tables(opens), without)


def _tables(opens: Sequence[FromSource]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(table for source in opens for table in source.relation.open))


def _left_out(names: Sequence[exp.Expr], scope: QueryScope) -> tuple[set[str], dict[str, set[str]]]:
    """Of EXCEPT (a, s.f): columns, and fields of columns."""
    gone: set[str] = set()
    trimmed: dict[str, set[str]] = {}
    for one in names:
        before = one.args.get("table") if isinstance(one, exp.Column) else None
        if before is None or scope.find_source((name_of(before),)) is not None:
            gone.add(one.name.lower())
        else:
            trimmed.setdefault(before.name.lower(), set()).add(one.name.lower())
    return gone, trimmed


def _without_fields(value: ColumnValue, names: set[str], scope: QueryScope) -> ColumnValue:
    fields = fields_in(value, scope.around)
    if fields is None:
        return value
    return struct_of(RelationColumn(name, inner) for name, inner in fields if name.lower() not in names)


def _pattern(like: str) -> re.Pattern[str]:
    text = "".join(".*" if sign == "%" else "." if sign == "_" else re.escape(sign) for sign in like)
    return re.compile(text, re.IGNORECASE)


def chosen(root: exp.Expr, scope: QueryScope) -> list[RelationColumn]:
    """DuckDB's COLUMNS('regular expression') or COLUMNS(*), alone or in an expression."""
    chooser = root if isinstance(root, exp.Columns) else root.find(exp.Columns)
    wanted = chooser.this if chooser is not None else None
    columns = None if scope.open or wanted is None else _wanted(wanted, scope)
    if columns is None:
        text = text_of(root, scope.around.dialect)
        scope.around.gap(line_of(root), f"{text}: which columns it takes is not known")
        return []
    if root is chooser:
        return columns
    found = []
    for column in columns:
        copy = root.copy()
        inner = copy.find(exp.Columns)
        if inner is not None:
            inner.replace(exp.column(exp.to_identifier(column.name, quoted=True)))
        found.append(RelationColumn(column.name, scope.value(copy)))
    return found


def _wanted(wanted: exp.Expr, scope: QueryScope) -> list[RelationColumn] | None:
    if isinstance(wanted, exp.Star):
        gone = {one.name.lower() for one in wanted.args.get("except_") or ()}
        return [column for column in scope.row if column.name.lower() not in gone]
    if not isinstance(wanted, exp.Literal):
        return None
    try:
        pattern = re.compile(wanted.name)
    except re.error:
        return None
    return [column for column in scope.row if pattern.search(column.name)]


_PATTERNS = ("spark", "databricks", "hive")
_REGULAR = re.compile(r"\?\+|\.\*|\.\+|\|")


def is_pattern(name: str) -> bool:
    return _REGULAR.search(name) is not None


def matching(name: str, columns: Sequence[RelationColumn]) -> list[RelationColumn] | None:
    """Those that a regular expression names; None: it is none."""
    try:
        pattern = re.compile(name, re.IGNORECASE)
    except re.error:
        return None
    return [column for column in columns if pattern.fullmatch(column.name)]


def by_pattern(root: exp.Expr, scope: QueryScope) -> list[RelationColumn] | None:
    """Spark and Hive: `` `(a|b)?+.+` `` is every column but a and b. None: the name is that of a column."""
    name = root.this
    if scope.around.dialect not in _PATTERNS or not isinstance(name, exp.Identifier):
        return None
    if not name.args.get("quoted") or not is_pattern(name.name):
        return None
    qualifier = tuple(name_of(part) for key in ("catalog", "db", "table") if (part := root.args.get(key)) is not None)
    source = scope.find_source(qualifier) if qualifier else None
    columns = source.relation.columns if source is not None else scope.row
    if any(column.name.lower() == name.name.lower() for column in columns):
        return None
    opens = _tables([source] if source is not None else scope.open)
    if opens:
        tables = " and ".join(opens)
        scope.around.gap(line_of(root), f"the columns of {tables} are not known, so `{name.name}` takes those it names")
        return []
    return matching(name.name, columns)


def star_columns(star: exp.Expr, scope: QueryScope) -> tuple[RelationColumn, ...]:
    """The columns of `*`, `t.*` or `s.*` inside a call."""
    found = expanded(star, scope, line_of(star))
    if found.open:
        tables = " and ".join(found.open)
        scope.around.gap(line_of(star), f"the columns of {tables} are not known; give them with --schema")
    return found.columns


def script_columns(root: exp.Expr, scope: QueryScope) -> list[RelationColumn]:
    """TRANSFORM … USING: a program outside reads rows and writes others."""
    inputs: list[ColumnValue] = []
    for one in root.expressions:
        if is_star(one):
            inputs.extend(column.value for column in star_columns(one, scope))
        else:
            inputs.append(scope.value(one))
    script = root.args.get("command_script")
    text = script.name if isinstance(script, exp.Literal) else ""
    schema = root.args.get("schema")
    listed = schema.expressions if schema is not None else ()
    names = [name_of(one.this if isinstance(one, exp.ColumnDef) else one) for one in listed] or ["key", "value"]
    what = "what the script does is not known; every output column is linked to every input column"
    scope.around.gap(line_of(root), f"ScriptTransformation {text}: {what}")
    return [RelationColumn(name, opaque(inputs, text)) for name in names]
