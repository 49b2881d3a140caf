"""MERGE, branch by branch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from forge.lineage.edge import IndirectType
from forge.lineage.extract.relation import Relation, RelationColumn, Shape
from forge.lineage.extract.sql.names import word_of
from forge.lineage.extract.sql.rows import rows_of, selected, spelled
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.statements.insert import returned
from forge.lineage.extract.sql.statements.sets import assigned, plain, sets_of, without_target
from forge.lineage.extract.sql.target import WriteContent, WriteTarget, merge_columns


def merge(state: SessionState, node: exp.Merge) -> None:
    table = node.this
    if not isinstance(table, exp.Table):
        state.gap(0, "the target of this MERGE is not understood")
        return
    target = state.target(table)
    with_ = node.args.get("with_")
    source, rows, shaped = _merge_source(state, node.args["using"], with_)
    before = state.frames
    state.frames = {**before, **rows}
    try:
        parts = [_matching(state, table, source, node)]
        for when in node.args["whens"].expressions:
            parts.append(_when(state, when, table, source, target))
    finally:
        state.frames = before
    columns = merge_columns(part.columns for part in parts)
    reads = frozenset[str]().union(*(part.reads for part in parts), *(one.reads for one in rows.values()))
    written = WriteContent(
        columns,
        shaped.union(*(part.shaped for part in parts)),
        without_target(reads, target, columns),
        tuple(dict.fromkeys(one for part in parts for one in part.open)),
    )
    state.put(target, written)
    returned(state, node, target, written, table)


def _merge_source(
    state: SessionState, using: exp.Expr, with_: exp.Expr | None
) -> tuple[exp.Expr, Mapping[str, Relation], Shape]:
    """A query is read once, as an intermediate relation for all branches."""
    if isinstance(using, exp.Table) and with_ is None:
        return using, {}, frozenset()
    alias = using.args.get("alias")
    if isinstance(using, exp.Table):
        plain = using.copy()
        plain.set("alias", None)
        query: exp.Expr = exp.Select(expressions=[exp.Star()], from_=exp.From(this=plain))
        name = using.alias or using.name
    else:
        query = (
            using.this.copy() if isinstance(using, exp.Subquery) and isinstance(using.this, exp.Query) else using.copy()
        )
        name = using.alias
        if isinstance(query, exp.Values):
            query.set("alias", None)
    relation = rows_of(state, query, with_)
    columns = [word_of(one) for one in alias.columns] if isinstance(alias, exp.TableAlias) else []
    if columns and len(columns) == len(relation.columns):
        named = zip(columns, relation.columns, strict=True)
        relation = relation.with_columns(RelationColumn(n, c.value) for n, c in named)
    shown = exp.Table(
        this=exp.to_identifier("__source"), alias=exp.TableAlias(this=exp.to_identifier(name or "__source"))
    )
    return shown, {"__source": replace(relation, shaped=frozenset())}, relation.shaped


def _matching(state: SessionState, table: exp.Table, source: exp.Expr, node: exp.Merge) -> WriteContent:
    on = node.args.get("on")
    join = exp.Join(this=source.copy(), on=on.copy() if isinstance(on, exp.Expr) else None)
    found = selected(state, (), source=plain(table), joins=[join])
    return WriteContent({}, found.shaped, found.reads)


def _when(state: SessionState, when: exp.When, table: exp.Table, source: exp.Expr, target: WriteTarget) -> WriteContent:
    """One branch. What it can see: both sides if matched, else only the side that is there."""
    condition = when.args.get("condition")
    then = when.args.get("then")
    sides = _Sides(table, source, bool(when.args.get("matched")), bool(when.args.get("source")))
    if isinstance(then, exp.Insert):
        return _when_insert(state, then, condition, sides, target)
    if isinstance(then, exp.Update):
        given = then.args.get("expressions") or ()
        if isinstance(given, exp.Star) or any(isinstance(one, exp.Star) for one in given):
            return _all_of(state, condition, sides, target)
        sets = sets_of(then.expressions)
        where = _both(condition, then.args.get("where"))
        found = _select(state, [value for _, value in sets], where, sides)
        columns = assigned(target, [names for names, _ in sets], found)
        return WriteContent(columns, _filters(found), found.reads, ())
    found = _select(state, (), condition, sides)
    return WriteContent({}, _filters(found), found.reads)


@dataclass(frozen=True, slots=True)
class _Sides:
    table: exp.Table
    source: exp.Expr
    matched: bool
    by_source: bool


def _select(state: SessionState, expressions: Iterable[exp.Expr], where: object, sides: _Sides) -> Relation:
    condition = where if isinstance(where, exp.Expr) else None
    wanted = list(expressions)
    if sides.matched:
        joins = [exp.Join(this=sides.source.copy(), kind="CROSS")]
        return selected(state, wanted, source=plain(sides.table), joins=joins, where=condition)
    return selected(state, wanted, source=plain(sides.table) if sides.by_source else sides.source, where=condition)


def _when_insert(
    state: SessionState, then: exp.Insert, condition: object, sides: _Sides, target: WriteTarget
) -> WriteContent:
    listed, values = then.this, then.expression
    if isinstance(listed, exp.Star) or (isinstance(listed, exp.Var) and listed.name.upper() == "ROW"):
        return _all_of(state, condition, sides, target, by_position=isinstance(listed, exp.Var))
    cells = (
        values.expressions
        if isinstance(values, exp.Tuple)
        else [values.this if isinstance(values, exp.Paren) else values]
    )
    if not isinstance(values, exp.Expr):
        cells = []
    names = [word_of(one) for one in listed.expressions] if isinstance(listed, exp.Tuple) else []
    if isinstance(listed, exp.Paren | exp.Column | exp.Identifier):
        names = [word_of(listed.this if isinstance(listed, exp.Paren) else listed)]
    found = _select(state, cells, _both(condition, then.args.get("where")), sides)
    if not names and target.names is not None:
        names = list(target.names)
    if not names or len(names) != len(cells):
        state.gap(0, f"the columns of {target.name} are needed to tell what this INSERT fills; give them with --schema")
        state.unknown.add(target.name)
        return WriteContent({}, _filters(found), found.reads)
    columns = {spelled(name, target.names): one.value for name, one in zip(names, found.columns, strict=False)}
    return WriteContent(columns, _filters(found), found.reads)


def _all_of(
    state: SessionState, condition: object, sides: _Sides, target: WriteTarget, *, by_position: bool = False
) -> WriteContent:
    """UPDATE SET * and INSERT *: by name; INSERT ROW: by position."""
    rows = rows_of(state, exp.Select(expressions=[exp.Star()], from_=exp.From(this=sides.source.copy())))
    found = _select(state, (), condition, sides)
    pairs = [(one.name, one.value) for one in rows.columns]
    if by_position and target.names is not None and len(target.names) == len(pairs):
        pairs = [(name, value) for name, (_, value) in zip(target.names, pairs, strict=True)]
    known = {name.lower() for name in target.names} if target.names is not None else None
    if rows.open and target.names is not None and len(rows.open) == 1:
        # By name, so the columns of the target are written.
        have = {name.lower() for name, _ in pairs}
        for name in target.names:
            value = rows.value(name)
            if name.lower() not in have and value is not None:
                pairs.append((name, value))
        open_: tuple[str, ...] = ()
    else:
        open_ = rows.open
    columns = {spelled(name, target.names): value for name, value in pairs if known is None or name.lower() in known}
    return WriteContent(columns, _filters(found), rows.reads | found.reads, open_)


def _filters(relation: Relation) -> Shape:
    return frozenset((column, subtype) for column, subtype in relation.shaped if subtype is not IndirectType.JOIN)


def _both(one: object, other: object) -> exp.Expr | None:
    found = [part.this if isinstance(part, exp.Where) else part for part in (one, other) if isinstance(part, exp.Expr)]
    if not found:
        return None
    return exp.and_(*(part.copy() for part in found)) if len(found) > 1 else found[0]
