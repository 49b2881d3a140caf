"""SQL expressions in PySpark: `F.expr`, `selectExpr`, `filter("…")`."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from forge.lineage.extract.python.cells import reads_of, shape_of
from forge.lineage.extract.python.holes import fill_holes
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pyspark.column import COLUMN, literal
from forge.lineage.extract.python.values import AbstractValue, Cells, Expr, Frame, Text, what_is
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql.expression import value_of_expression
from forge.lineage.extract.sql.names import table_named
from forge.lineage.extract.sql.output_name import output_name
from forge.lineage.extract.sql.rows import rows_of
from forge.lineage.extract.sql.scope import QueryScope
from forge.lineage.extract.sql.syntax.parse import UnparsedStatement, parse
from forge.lineage.extract.sql.syntax.split import ScriptStatement
from forge.lineage.extract.value import union
from forge.model.word_list import words

_ROWS = "__rows"
_SEVERAL = frozenset(words("explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple"))


def sql_expr(thing: AbstractValue | None, call: Call, world: World) -> Expr:
    if not isinstance(thing, Text):
        world.gap(call, f"the SQL expression is not known: it is {what_is(thing)}")
        return literal(thing) if thing is not None else literal(Text())
    text = thing.known
    if text is None:
        filled = fill_holes(Text(("SELECT 1 WHERE ", *thing.parts)))
        if filled.refused or filled.tables:
            world.gap(call, f"the SQL expression {thing.shown} is not known")
            return literal(thing)
        for reason in filled.notes:
            world.gap(call, reason)
        text = filled.text.removeprefix("SELECT 1 WHERE ")
    known = text
    star = "*" if known.strip() == "*" else ""
    return Expr(COLUMN, lambda frame: sql_cells(known, frame, call, world), known, step=star)


def sql_cells(text: str, frame: Frame, call: Call, world: World) -> Cells:
    if frame.extra.get("stacked") and len(frame.relation.open) > 1:
        return _of_each(text, frame, call, world)
    session = world.here()
    session.offset = call.line - 1
    session.first_line = call.line
    tree = parse(ScriptStatement(f"SELECT {text}", call.line), session.dialect)
    if not isinstance(tree, exp.Select):
        reason = tree.reason if isinstance(tree, UnparsedStatement) else "it is not an expression"
        world.gap(call, f"the SQL expression {text} cannot be read: {reason}")
        return Cells((RelationColumn(text, literal(Text()).make(frame).columns[0].value),))
    if _is_table_like(tree):
        return _selected(tree, frame, world)
    scope = _scope(frame, world)
    columns = tuple(
        RelationColumn(output_name(one, session.dialect, scope), value_of_expression(one, scope))
        for one in tree.expressions
    )
    relation = frame.relation
    return Cells(columns, frozenset(scope.shaped) - relation.shaped, frozenset(scope.reads) - relation.reads)


def _of_each(text: str, frame: Frame, call: Call, world: World) -> Cells:
    """Over a union of relations whose columns are not known: each has them all."""
    parts = [replace(frame, relation=replace(frame.relation, open=(table,)), extra={}) for table in frame.relation.open]
    cells = [sql_cells(text, part, call, world) for part in parts]
    rows = zip(*(one.columns for one in cells), strict=False)
    columns = tuple(RelationColumn(row[0].name, union(column.value for column in row)) for row in rows)
    return Cells(columns, shape_of(cells), reads_of(cells))


def _is_table_like(tree: exp.Select) -> bool:
    for one in tree.expressions:
        inner = one.unalias() if not isinstance(one, exp.Aliases) else one.this
        if isinstance(one, exp.Aliases) or isinstance(inner, exp.Star | exp.Explode | exp.Inline | exp.Stack):
            return True
        if isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
            return True
        if isinstance(inner, exp.Anonymous) and inner.name.lower() in _SEVERAL:
            return True
    return False


def _selected(tree: exp.Select, frame: Frame, world: World) -> Cells:
    session = world.session
    tree.set("from_", exp.From(this=table_named((_ROWS,))))
    before = session.frames
    session.frames = {**before, _ROWS: frame.relation}
    try:
        found: Relation = rows_of(session, tree)
    finally:
        session.frames = before
    return Cells(found.columns, found.shaped - frame.relation.shaped, found.reads - frame.relation.reads)


def _scope(frame: Frame, world: World) -> QueryScope:
    """Qualifiers are aliases; columns of an open relation are resolved only by its alias."""
    relation, session = frame.relation, world.session
    if relation.open and frame.aliases:
        owners = {name.lower() for name in frame.aliases}
        rest = Relation(tuple(one for one in relation.columns if one.owner.lower() not in owners))
        parts = [(name, _present(name, one, relation)) for name, one in frame.aliases.items()]
        named = {table for _, one in parts for behind in one.open for table in world.behind(behind)}
        further = tuple(table for table in relation.open if not named.issuperset(world.behind(table)))
        others = Relation(rest.columns, further, relation.without)
        return QueryScope.over((*parts, ("", others)), session)
    return QueryScope.of(relation, session)


def _present(name: str, alias: Relation, relation: Relation) -> Relation:
    columns = tuple(one for one in relation.columns if one.owner.lower() == name.lower())
    return Relation(columns, alias.open, alias.without | relation.without)
