"""UPDATE, DELETE and TRUNCATE: columns written, and columns that filter rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from forge.lineage.edge import Transformation
from forge.lineage.extract.relation import Relation
from forge.lineage.extract.sql.names import parts_of, word_of
from forge.lineage.extract.sql.rows import rows_of, selected
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.statements.insert import returned
from forge.lineage.extract.sql.statements.sets import FIELD, Sets, assigned, plain, sets_of, without_target
from forge.lineage.extract.sql.target import WriteContent, WriteTarget
from forge.lineage.extract.value import NOTHING, ColumnValue
from forge.model.names import ColumnName


def update(state: SessionState, node: exp.Update) -> Relation | None:
    table = node.this
    if not isinstance(table, exp.Table):
        state.gap(0, "the target of this UPDATE is not understood")
        return None
    source, joins = _update_from(node, table)
    tables = [one for one in (source, *(join.this for join in joins)) if isinstance(one, exp.Table)]
    groups: dict[str, Sets] = {}
    for owner, names, value in _qualified_sets(node.expressions, tables):
        groups.setdefault(owner, []).append((names, value))
    result = None
    for owner, group in groups.items():
        found = selected(
            state,
            [value for _, value in group],
            source=source,
            joins=joins,
            where=node.args.get("where"),
            with_=node.args.get("with_"),
        )
        real = _named(owner, table, tables)
        if _is_cte(node, real):
            _update_through(state, node, real, [names for names, _ in group], found)
            continue
        target = state.target(plain(real))
        columns = assigned(target, [names for names, _ in group], found)
        written = WriteContent(columns, found.shaped, without_target(found.reads, target, columns))
        state.put(target, written)
        result = returned(state, node, target, written, real)
    return result


def _is_cte(node: exp.Update | exp.Delete, table: exp.Table) -> bool:
    with_ = node.args.get("with_")
    names = {cte.alias.lower() for cte in with_.expressions} if isinstance(with_, exp.With) else set()
    return not table.db and table.name.lower() in names


def _update_through(
    state: SessionState, node: exp.Update, table: exp.Table, names: list[tuple[str, ...]], found: Relation
) -> None:
    """T-SQL: an UPDATE of a CTE changes the table that the columns come from."""
    for those, column in zip(names, found.columns, strict=False):
        for name in those:
            query = exp.Select(expressions=[exp.column(name)], from_=exp.From(this=plain(table)))
            reached = rows_of(state, query, node.args["with_"].copy())
            origin = _origin(state, reached.columns[0].value) if reached.columns else None
            if origin is None:
                state.gap(0, f"{name} of {table.name} is not a column of one table")
                continue
            meant = WriteTarget(origin.table, None)
            columns = {origin.column: column.value}
            state.put(meant, WriteContent(columns, found.shaped, without_target(found.reads, meant, columns)))


def _origin(state: SessionState, value: ColumnValue) -> ColumnName | None:
    """The column of a table that a value is a copy of, through what lies between."""
    made = {step.target: step for step in state.steps if not step.made.real}
    while len(value.sources) == 1:
        ((source, trace),) = value.sources.items()
        if trace.transformation is not Transformation.IDENTITY:
            return None
        step = made.get(source.table)
        if step is None:
            return source
        value = step.columns.get(source.column, NOTHING)
    return None


def _update_from(node: exp.Update, table: exp.Table) -> tuple[exp.Expr, list[exp.Expr]]:
    """All tables that the values may come from, the target among them."""
    joins: list[exp.Expr] = [*(table.args.get("joins") or ())]
    from_ = node.args.get("from_")
    if isinstance(from_, exp.From):
        other = from_.this
        more = list(other.args.get("joins") or ())
        names = {
            one.alias_or_name.lower() for one in (other, *(join.this for join in more)) if isinstance(one, exp.Expr)
        }
        bare = plain(other) if isinstance(other, exp.Table) else other.copy()
        bare.set("joins", None)
        if not joins and table.alias_or_name.lower() in names:
            return bare, more  # UPDATE x … FROM t AS x
        joins += [exp.Join(this=bare, kind="CROSS"), *more]
    return plain(table), joins


def _qualified_sets(
    expressions: Iterable[exp.Expr], tables: Sequence[exp.Table]
) -> list[tuple[str, tuple[str, ...], exp.Expr]]:
    """With the alias of each; a prefix that is no alias is a column whose field is set."""
    aliases = {one.alias_or_name.lower() for one in tables}
    found: list[tuple[str, tuple[str, ...], exp.Expr]] = []
    for one in expressions:
        left = one.this if isinstance(one, exp.EQ | exp.PropertyEQ) else None
        if isinstance(left, exp.Column | exp.Dot):
            path = [word_of(part) for part in left.parts]
            # The last qualifier that is an alias; a schema may precede it.
            at = max((place for place, part in enumerate(path[:-1]) if part.lower() in aliases), default=-1)
            owner, column = (path[at].lower() if at >= 0 else ""), path[at + 1 :]
            inner = FIELD + ".".join(column[1:]) if column[1:] else ""
            found.append((owner, (column[0] + inner,), one.expression))
            continue
        found.extend(("", names, value) for names, value in sets_of([one]))
    return found


def _named(owner: str, table: exp.Table, tables: Iterable[exp.Table]) -> exp.Table:
    """The table of the alias of an assigned column; the first one without alias."""
    wanted = owner or table.alias_or_name.lower()
    return next((one for one in tables if one.alias_or_name.lower() == wanted), table)


def delete(state: SessionState, node: exp.Delete) -> Relation | None:
    named = [one for one in node.args.get("tables") or () if isinstance(one, exp.Table)]
    table = node.this if isinstance(node.this, exp.Table) else named[0] if len(named) == 1 else None
    if table is None:
        state.gap(0, "the target of this DELETE is not understood")
        return None
    source: exp.Expr = plain(table)
    joins: list[exp.Expr] = [*(table.args.get("joins") or ())]
    for one in node.args.get("using") or ():
        joins += [exp.Join(this=_bare(one), kind="CROSS"), *(one.args.get("joins") or ())]
    tables = [one for one in (source, *(join.this for join in joins)) if isinstance(one, exp.Table)]
    real = [_named(one.alias_or_name.lower(), table, tables) for one in named] or [table]
    found = selected(state, (), source=source, joins=joins, where=node.args.get("where"), with_=node.args.get("with_"))
    result = None
    for one in real:
        target = _behind(state, node, one) if _is_cte(node, one) else state.target(plain(one))
        if target is None:
            state.gap(0, f"the rows of {one.name} are not those of one table")
            continue
        written = WriteContent({}, found.shaped, without_target(found.reads, target, {}))
        if target.temporary or written.shaped or written.reads:
            state.put(target, written)
        result = returned(state, node, target, written, one)
    return result


def _behind(state: SessionState, node: exp.Delete, table: exp.Table) -> WriteTarget | None:
    """T-SQL: a DELETE from a CTE deletes from the table that its columns come from."""
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=plain(table)))
    reached = rows_of(state, query, node.args["with_"].copy())
    origins = [_origin(state, column.value) for column in reached.columns]
    tables = {origin.table for origin in origins if origin is not None}
    return WriteTarget(tables.pop(), None) if len(tables) == 1 else None


def _bare(one: exp.Expr) -> exp.Expr:
    copied = one.copy()
    copied.set("joins", None)
    return copied


def truncate(state: SessionState, node: exp.TruncateTable) -> None:
    """A temporary table is empty again; of a real one nothing is known to change."""
    for one in node.expressions:
        if not isinstance(one, exp.Table):
            continue
        made = state.temporary_of(parts_of(one))
        if made is not None and made.changes and made.names is not None:
            target = state.target(one)
            state.put(target, WriteContent(dict.fromkeys(made.names, NOTHING)), whole=True)
