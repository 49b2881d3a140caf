"""FROM: tables, subqueries, table functions, joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql.calls import arguments_of, function_scope
from forge.lineage.extract.sql.generate import (
    generated,
    is_generator,
    kind_of_generator,
    named_by_type,
    stepped,
    types_by_name,
)
from forge.lineage.extract.sql.pivot import pivoted
from forge.lineage.extract.sql.scope import AmbiguousName, FromSource, QueryScope, line_of, name_of
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace, union


def add_from(node: exp.Expr, scope: QueryScope) -> None:
    """Adds all that a SELECT (or an UPDATE, a DELETE) has in FROM, in the order in which it can be seen."""
    from_ = node.args.get("from_")
    if from_ is not None:
        scope.join(item_scope(from_.this, scope))
    for join in node.args.get("joins") or ():
        add_join(join, scope)
    for lateral in node.args.get("laterals") or ():
        scope.join(item_scope(lateral, scope))


def item_scope(item: exp.Expr, scope: QueryScope) -> QueryScope:
    """One thing in FROM, with whatever is joined to it inside of brackets. `scope`: what a lateral one may see."""
    inner = QueryScope(scope.around, scope.outer, scope.environment)
    inner.within = scope.within
    if isinstance(item, exp.Paren):
        return item_scope(item.this, scope)
    if isinstance(item, exp.Subquery) and not isinstance(item.unnest(), exp.Query):
        inner.join(item_scope(item.this, scope))
        alias = item.args.get("alias")
        if alias is not None:
            inner = _renamed_scope(inner, alias)
    else:
        inner.add(_piped(item, _source(item, scope), scope))
    if not isinstance(item, exp.Lateral):
        for join in item.args.get("joins") or ():
            add_join(join, inner)
        for lateral in item.args.get("laterals") or ():
            inner.join(item_scope(lateral, inner))
    return inner


def _renamed_scope(inner: QueryScope, alias: exp.Expr) -> QueryScope:
    """`(a JOIN b ON …) AS t (x, y)`"""
    opens = tuple(dict.fromkeys(table for source in inner.open for table in source.relation.open))
    relation = Relation(tuple(inner.row), opens, shaped=frozenset(inner.shaped), reads=frozenset(inner.reads))
    relation = rename(relation, _column_names(alias), inner, alias)
    outer = QueryScope(inner.around, inner.outer, inner.environment)
    outer.add(FromSource(names=(name_of(alias.this).lower(),) if alias.this else (), relation=relation))
    return outer


def _piped(item: exp.Expr, source: FromSource, scope: QueryScope) -> FromSource:
    """PIVOT and UNPIVOT after a table."""
    for pivot in item.args.get("pivots") or ():
        inner = QueryScope(scope.around, scope.outer, scope.environment)
        inner.add(source)
        relation = pivoted(pivot, inner)
        alias = pivot.args.get("alias")
        names = (name_of(alias.this).lower(),) if alias is not None and alias.this else source.names
        source = FromSource(names=names, relation=rename(relation, _column_names(alias), scope, pivot))
    return source


def _source(item: exp.Expr, scope: QueryScope) -> FromSource:
    if isinstance(item, exp.Table):
        return _table(item, scope)
    if isinstance(item, exp.Lateral):
        return _lateral(item, scope)
    if isinstance(item, exp.Unnest):
        return _unnest(item, scope)
    if isinstance(item, exp.Values):
        return _values(item, scope)
    if isinstance(item, exp.Query):
        return _named(item, isolated_subquery(item, scope), scope)
    if isinstance(item, exp.TableFromRows):
        return _function(item.this, item.args.get("alias"), scope)
    if isinstance(item, exp.TableAlias):  # what the pipe `|> AS t` becomes
        return _table(exp.Table(this=item.this), scope)
    if isinstance(item, exp.Func):
        return _function(item, item.args.get("alias"), scope)
    if isinstance(item, exp.Pivot):
        return _named(item, isolated_subquery(item, scope), scope)
    if isinstance(item, exp.Stream):
        return _source(_in_brackets(item.this), scope)
    scope.around.gap(line_of(item), f"{item.key.upper()} in FROM is not understood")
    return FromSource(names=(), relation=Relation(), anything=NOTHING)


def _in_brackets(item: exp.Expr) -> exp.Expr:
    while isinstance(item, exp.Subquery | exp.Paren) and not isinstance(item.this, exp.Query):
        item = item.this
    return item


def isolated_subquery(item: exp.Expr, scope: QueryScope) -> Relation:
    """A subquery without access to its siblings in FROM."""
    reader = scope.around.reader
    if isinstance(item, exp.Subquery):
        return reader.relation_in_brackets(item, scope)
    return reader.relation(item, scope.around, scope.outer, scope.environment)


def _named(item: exp.Expr, relation: Relation, scope: QueryScope) -> FromSource:
    alias = item.args.get("alias")
    name = name_of(alias.this).lower() if alias is not None and alias.this is not None else ""
    return FromSource(names=(name,) if name else (), relation=rename(relation, _column_names(alias), scope, item))


def _column_names(alias: exp.Expr | None) -> tuple[str, ...]:
    if alias is None:
        return ()
    columns = alias.args.get("columns") or ()
    return tuple(name_of(one.this if isinstance(one, exp.ColumnDef) else one) for one in columns)


def rename(relation: Relation, names: Sequence[str], scope: QueryScope, node: exp.Expr) -> Relation:
    """Columns under new names, by position."""
    if not names:
        return relation
    if relation.open:
        tables = " and ".join(relation.open)
        scope.around.gap(
            line_of(node), f"the columns of {tables} are not known, so they cannot be named; give them with --schema"
        )
        return replace(relation, columns=tuple(RelationColumn(name, NOTHING) for name in names), open=())
    columns = [
        RelationColumn(names[place] if place < len(names) else column.name, column.value)
        for place, column in enumerate(relation.columns)
    ]
    columns.extend(RelationColumn(name, NOTHING) for name in names[len(columns) :])
    return relation.with_columns(columns)


def _table(item: exp.Expr, scope: QueryScope) -> FromSource:
    if isinstance(item.this, exp.Func):
        named = _identifier(item, scope)
        if named is None:
            return _function(item.this, item.args.get("alias"), scope, item)
        item = named
    parts = tuple(name_of(part).lower() for part in _table_parts(item))
    alias = item.args.get("alias")
    names = (name_of(alias.this).lower(),) if alias is not None and alias.this is not None else parts
    if parts == ("dual",) and scope.around.dialect in ("oracle", "mysql", "snowflake", "redshift", "databricks"):
        return FromSource(names=names, relation=Relation())
    made = scope.environment.find(parts[0]) if len(parts) == 1 and scope.environment is not None else None
    relation = made() if made is not None else scope.around.table(_as_table(item))
    relation = rename(relation, _column_names(alias), scope, item)
    is_lost = not (relation.columns or relation.open or relation.reads)  # and a gap says so already
    return FromSource(names=names, relation=relation, anything=NOTHING if is_lost else None, aliased=names is not parts)


def _as_table(item: exp.Expr) -> exp.Table:
    return item if isinstance(item, exp.Table) else exp.Table(this=item)


def _table_parts(item: exp.Expr) -> list[exp.Expr]:
    found = [item.args.get("catalog"), item.args.get("db"), item.args.get("this")]
    parts: list[exp.Expr] = []
    for part in found:
        while isinstance(part, exp.Dot):
            parts.append(part.this)
            part = part.expression
        if isinstance(part, exp.Expr):
            parts.append(part)
    return parts


def _identifier(item: exp.Expr, scope: QueryScope) -> exp.Table | None:
    """`IDENTIFIER('a.b')` in place of a table."""
    call = item.this
    is_identifier = isinstance(call, exp.DynamicIdentifier) or call.name.lower() == "identifier"
    arguments = arguments_of(call)
    if not is_identifier or len(arguments) != 1 or not isinstance(arguments[0], exp.Literal):
        return None
    table = exp.to_table(arguments[0].name, dialect=scope.around.dialect)
    table.set("alias", item.args.get("alias"))
    return table


def _lateral(item: exp.Expr, scope: QueryScope) -> FromSource:
    inner = item.this
    if isinstance(inner, exp.Query):
        return _named(item, scope.relation(inner), scope)
    if isinstance(inner, exp.Unnest):
        return _unnest(inner, scope, item.args.get("alias"))
    return _function(inner, item.args.get("alias"), scope)


def _function(call: exp.Expr, alias: exp.Expr | None, scope: QueryScope, item: exp.Expr | None = None) -> FromSource:
    """A table function; its arguments may refer to earlier items of FROM."""
    names = _column_names(alias)
    label = (name_of(alias.this).lower(),) if alias is not None and alias.this is not None else ()
    dialect = scope.around.dialect
    if isinstance(call, exp.Anonymous) and call.name.lower() in ("table", "lateral") and len(call.expressions) == 1:
        inner = call.expressions[0]
        if isinstance(inner, exp.Func):
            return _function(inner, alias, scope, item)
    defined = _defined_function(call, scope, item)
    if defined is not None:
        return FromSource(names=label, relation=rename(defined, names, scope, call))
    if is_generator(call) or kind_of_generator(call, dialect) in ("range", "sequence", "generate_series"):
        made = generated(call, names or named_by_type(call, scope), scope)
        columns = made.columns
        if len(columns) == 1 and not names and label and dialect in ("postgres", "redshift", "duckdb"):
            columns = (RelationColumn(label[0], columns[0].value),)
        return FromSource(
            names=label, relation=Relation(columns), anything=made.anything, types=types_by_name(call, columns, scope)
        )
    values = [scope.value(one) for one in arguments_of(call) if not isinstance(one, exp.Query)]
    relations = [scope.subquery(one) for one in arguments_of(call) if isinstance(one, exp.Query)]
    fed = [*values, *(column.value for one in relations for column in one.columns)]
    if any(value.sources for value in fed):
        return _unreadable(call, names, label, fed, scope)
    relation = scope.around.table(exp.Table(this=call) if item is None else _as_table(item))
    return FromSource(names=label, relation=rename(relation, names, scope, call))


def _unreadable(
    call: exp.Expr, names: Sequence[str], label: tuple[str, ...], values: Sequence[ColumnValue], scope: QueryScope
) -> FromSource:
    """A table function of which only what goes in is known: every column that comes out is made from all of it."""
    text = text_of(call, scope.around.dialect)
    value = stepped(values, SourceTrace(Transformation.GENERATOR, text))
    columns = tuple(RelationColumn(name, value) for name in names)
    return FromSource(names=label, relation=Relation(columns), anything=None if columns else value)


def _defined_function(call: exp.Expr, scope: QueryScope, item: exp.Expr | None = None) -> Relation | None:
    before = [part for part in _table_parts(item) if part is not call] if item is not None else []
    if isinstance(call, exp.Dot) and isinstance(call.expression, exp.Func):  # schema.f(…)
        before, call = [*call.this.find_all(exp.Identifier, bfs=False)], call.expression
    name = ".".join((*(one.name for one in before), call.name))
    function = scope.around.function(name) if isinstance(call, exp.Anonymous) else None
    if function is None or not function.table:
        return None
    if function.name.lower() in scope.within:
        scope.around.gap(line_of(call), f"function {function.name} calls itself; what it gives is not known")
        return Relation()
    inner = function_scope(function, arguments_of(call), scope)
    relation = inner.relation(function.body)
    scope.take_over(inner)
    return rename(relation, function.columns, scope, call)


def _unnest(item: exp.Expr, scope: QueryScope, alias: exp.Expr | None = None) -> FromSource:
    alias, offset = alias or item.args.get("alias"), item.args.get("offset")
    names = list(_column_names(alias))
    label = name_of(alias.this).lower() if alias is not None and alias.this is not None else ""
    text = text_of(item, scope.around.dialect) if label or names else "UNNEST"
    outer = SourceTrace(Transformation.GENERATOR, text)
    values = [stepped([scope.value(one)], outer) for one in item.expressions]
    columns: list[RelationColumn] = []
    anything = None
    if names and len(names) < len(values):
        values = [stepped(values, outer)]
    for place, value in enumerate(values):
        if place < len(names):
            columns.append(RelationColumn(names[place], value))
        elif label and len(values) == 1:
            columns.append(RelationColumn(label, value))
        else:
            anything = value
    if len(values) == 1 and len(names) > 1:  # an array of structs, or a map: one column for each part
        columns = [RelationColumn(name, values[0]) for name in names]
    if isinstance(offset, exp.Expr):
        columns.append(RelationColumn(name_of(offset), stepped(values, outer)))
    elif offset:
        columns.append(RelationColumn("offset", stepped(values, outer)))
    tables = (label,) if label else (names[0].lower(),) if len(names) == 1 else ()
    return FromSource(names=tables, relation=Relation(tuple(columns)), anything=anything)


def _values(item: exp.Expr, scope: QueryScope) -> FromSource:
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in item.expressions]
    width = max((len(row) for row in rows), default=0)
    columns = []
    for place in range(width):
        cells = [scope.value(row[place]) for row in rows if place < len(row)]
        used = [cell for cell in cells if cell.sources]
        columns.append(RelationColumn(f"col{place + 1}", union(used) if used else NOTHING))
    relation = Relation(tuple(columns))
    return _named(item, relation, scope)


def add_join(join: exp.Expr, scope: QueryScope) -> None:
    inner = item_scope(join.this, scope)
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    using = join.args.get("using") or ()
    names = tuple(name_of(one) for one in using)
    if (join.args.get("method") or "").upper() == "NATURAL":
        names = _natural(inner, scope, join)
    merged = [column for name in names if (column := _merged(name, side, inner, scope, join)) is not None]
    before = (list(scope.sources), list(scope.row), list(scope.open), dict(scope.index)) if kind in _HALF else None
    scope.join(inner)
    if merged:
        scope.merge(names, merged)
    scope.shape_by((join.args.get("on"), join.args.get("match_condition")), IndirectType.JOIN)
    if before is not None:
        scope.sources, scope.row, scope.open, scope.index = before
    for pivot in join.args.get("pivots") or ():
        scope.around.gap(line_of(pivot), "PIVOT after a join is not understood")


_HALF = {"SEMI", "ANTI"}


def _natural(inner: QueryScope, scope: QueryScope, join: exp.Expr) -> tuple[str, ...]:
    if inner.open or scope.open:
        tables = " and ".join(table for source in (*scope.open, *inner.open) for table in source.relation.open)
        scope.around.gap(
            line_of(join), f"NATURAL JOIN needs the columns of {tables}, which are not known; give them with --schema"
        )
    return tuple(column.name for column in scope.row if column.name.lower() in inner.index)


def _first(name: str, scope: QueryScope) -> RelationColumn | None:
    """Spark takes the first matching column of the left side."""
    if scope.around.dialect not in ("spark", "databricks", "hive") or scope.open:
        return None
    return next((column for column in scope.row if column.name.lower() == name.lower()), None)


def _merged(name: str, side: str, inner: QueryScope, scope: QueryScope, join: exp.Expr) -> RelationColumn | None:
    """The one column that USING makes of two: that of the left side; of the right side in a RIGHT JOIN; in a FULL JOIN
    whichever is there."""
    sides: list[RelationColumn] = []
    for place in (scope, inner):
        found = place.here(name)
        if isinstance(found, RelationColumn):
            place.shape(found.value.sources, IndirectType.JOIN)
            sides.append(found)
        elif isinstance(found, AmbiguousName) and place is scope and (first := _first(name, scope)) is not None:
            place.shape(first.value.sources, IndirectType.JOIN)
            sides.append(first)
        else:
            labels = found.places if isinstance(found, AmbiguousName) else tuple(one.label for one in place.sources)
            doubt = "may be from" if isinstance(found, AmbiguousName) else "is not found in"
            scope.around.gap(line_of(join), f"column {name} of USING {doubt} {' or '.join(dict.fromkeys(labels))}")
    if len(sides) < 2:
        return sides[0] if sides else None
    left, right = sides
    if side == "FULL":
        both = stepped((left.value, right.value), SourceTrace(Transformation.CONDITIONAL, f"COALESCE({name}, {name})"))
        return RelationColumn(left.name, both)
    return right if side == "RIGHT" else left
