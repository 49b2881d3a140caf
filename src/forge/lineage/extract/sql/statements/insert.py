"""INSERT in all its forms."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from forge.lineage.edge import IndirectType
from forge.lineage.extract.paths import plain_path
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.relation import Relation, RelationColumn, copy_of
from forge.lineage.extract.sql.names import word_of
from forge.lineage.extract.sql.rows import InsertMapping, fitted, rows_of, selected, spelled
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.target import WriteContent, WriteTarget, merge_columns
from forge.lineage.extract.value import ColumnValue


def insert(state: SessionState, node: exp.Insert) -> Relation | None:
    """Gives what RETURNING gives."""
    source = node.expression if isinstance(node.expression, exp.Expr) else node.args.get("source")
    into = node.this
    if isinstance(into, exp.Directory):
        _into_directory(state, into, source)
        return None
    if isinstance(into, exp.Schema) and _identifier(into):
        into = exp.Table(this=exp.Anonymous(this="IDENTIFIER", expressions=into.expressions))
    table = into.this if isinstance(into, exp.Schema) else into
    if not isinstance(table, exp.Table):
        state.gap(0, "the target of this INSERT is not understood")
        return None
    target = state.target(table)
    if not isinstance(source, exp.Expr):
        return None  # DEFAULT VALUES
    relation = rows_of(state, source, node.args.get("with_"))
    written = fitted(state, target, relation, _fit(node, into, table))
    where = node.args.get("where")
    if isinstance(where, exp.Expr):
        written = _replacing(state, table, where, written)
    conflict = node.args.get("conflict")
    if isinstance(conflict, exp.OnConflict):
        written = _on_conflict(state, table, target, conflict, written, source)
    state.put(target, written)
    return returned(state, node, target, written, table)


def _identifier(into: exp.Schema) -> bool:
    """IDENTIFIER('a.b') reads like a table with a list of columns."""
    return (
        isinstance(into.this, exp.Table)
        and into.this.name.upper() == "IDENTIFIER"
        and (len(into.expressions) == 1 and not isinstance(into.expressions[0], exp.Identifier))
    )


def _into_directory(state: SessionState, into: exp.Directory, source: exp.Expr | None) -> None:
    if source is None:
        return
    relation = rows_of(state, source)
    name = str(into.this.this) if isinstance(into.this, exp.Literal) else into.this.name
    written = WriteContent(
        {one.name: one.value for one in relation.columns}, relation.shaped, relation.reads, relation.open
    )
    state.put(WriteTarget(plain_path(name), None, OutputKind.FILE), written, whole=True)


def _fit(node: exp.Insert, into: exp.Expr, table: exp.Table) -> InsertMapping:
    columns = tuple(word_of(one) for one in into.expressions) if isinstance(into, exp.Schema) else ()
    fixed, dynamic = partitions(node.args.get("partition") or table.args.get("partition"))
    return InsertMapping(bool(node.args.get("by_name")), columns, fixed, dynamic)


def partitions(partition: exp.Expr | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of PARTITION (day = 'x', hour) that have a value, and those that come from the rows."""
    if not isinstance(partition, exp.Expr):
        return (), ()
    fixed = tuple(word_of(one.this) for one in partition.expressions if isinstance(one, exp.EQ | exp.PropertyEQ))
    dynamic = tuple(word_of(one) for one in partition.expressions if isinstance(one, exp.Column | exp.Identifier))
    return fixed, dynamic


def _replacing(state: SessionState, table: exp.Table, where: exp.Expr, written: WriteContent) -> WriteContent:
    """INSERT … REPLACE WHERE: which rows of the target go."""
    found = selected(state, (), source=_plain(table), where=where)
    return WriteContent(written.columns, written.shaped | found.shaped, written.reads, written.open)


def _plain(table: exp.Table) -> exp.Table:
    copied = table.copy()
    for key in ("partition", "joins", "laterals", "pivots"):
        copied.set(key, None)
    return copied


def _on_conflict(
    state: SessionState,
    table: exp.Table,
    target: WriteTarget,
    conflict: exp.OnConflict,
    written: WriteContent,
    source: exp.Expr,
) -> WriteContent:
    """DO UPDATE SET and ON DUPLICATE KEY UPDATE: `excluded`, VALUES(x) and the alias of the rows are what would have
    been inserted."""
    sets = [one for one in conflict.expressions if isinstance(one, exp.EQ)]
    if not sets:
        return written
    arriving = Relation(tuple(RelationColumn(name, value) for name, value in written.columns.items()), written.open)
    alias = source.args.get("alias")
    name = alias.name if isinstance(alias, exp.TableAlias) and alias.name else "excluded"
    before = state.frames
    state.frames = {**before, "__excluded": arriving}
    try:
        excluded = exp.Table(this=exp.to_identifier("__excluded"), alias=exp.TableAlias(this=exp.to_identifier(name)))
        found = selected(
            state,
            [_owned(_values_as_columns(one.expression, name), table, target) for one in sets],
            source=_plain(table),
            joins=[exp.Join(this=excluded), *_own_tables(sets, source)],
            where=conflict.args.get("where"),
        )
    finally:
        state.frames = before
    names = [spelled(word_of(one.this), target.names) for one in sets]
    updated = {name: column.value for name, column in zip(names, found.columns, strict=False)}
    filters = {(column, subtype) for column, subtype in found.shaped if subtype is IndirectType.FILTER}
    columns = merge_columns((written.columns, updated))
    own = any(s.table == target.name for value in updated.values() for s in value.sources)
    reads = written.reads | (found.reads if own else found.reads - {target.name})
    return WriteContent(columns, written.shaped | filters, reads, written.open)


def _own_tables(sets: Sequence[exp.Expr], source: exp.Expr) -> list[exp.Expr]:
    """MySQL: the tables of the query may be named too."""
    from_ = source.args.get("from_")
    if not isinstance(from_, exp.From):
        return []
    joins = [exp.Join(this=from_.this, kind="CROSS"), *(source.args.get("joins") or ())]
    aliases = {join.this.alias_or_name.lower() for join in joins}
    used = {column.table.lower() for one in sets for column in one.find_all(exp.Column) if column.table}
    return joins if aliases & used else []


def _values_as_columns(expression: exp.Expr, name: str) -> exp.Expr:
    """MySQL's VALUES(x)."""

    def change(node: exp.Expr) -> exp.Expr:
        if (
            isinstance(node, exp.Anonymous | exp.Values)
            and node.expressions
            and (isinstance(node, exp.Values) or node.name.upper() == "VALUES")
        ):
            column = node.find(exp.Identifier)
            if column is not None:
                return exp.column(column.copy(), table=name)
        return node

    return expression.copy().transform(change)


def _owned(expression: exp.Expr, table: exp.Table, target: WriteTarget) -> exp.Expr:
    """A bare name is a column of the target."""
    known = {name.lower() for name in target.names} if target.names is not None else None

    def change(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table and (known is None or node.name.lower() in known):
            return exp.column(node.this.copy(), table=table.alias_or_name)
        return node

    return expression.transform(change)


def returned(
    state: SessionState, node: exp.Expr, target: WriteTarget, written: WriteContent, table: exp.Table
) -> Relation | None:
    """RETURNING and OUTPUT: the rows as written, into another table if it says so."""
    returning = node.args.get("returning")
    if not isinstance(returning, exp.Returning) or target.temporary:
        return None
    known = target.names or tuple(written.columns)
    current = Relation(
        tuple(RelationColumn(name, _one(written, name, target.name)) for name in known),
        () if target.names else (target.name,),
        shaped=written.shaped,
        reads=written.reads | {target.name},
    )
    name = table.alias or table.name
    before = state.frames
    state.frames = {**before, "__rows": current}
    aliases = [name, "inserted", "deleted"] if _uses(returning, "inserted", "deleted") else [name]
    tables = [_frame(alias) for alias in aliases]
    try:
        query = exp.Select(
            expressions=[one.copy() for one in returning.expressions],
            from_=exp.From(this=tables[0]),
            joins=[exp.Join(this=one) for one in tables[1:] if _uses(returning, one.alias)],
        )
        if len(aliases) > 1:
            query.set("from_", exp.From(this=next(one for one in tables[1:] if _uses(returning, one.alias))))
            query.set("joins", None)
        relation = rows_of(state, query)
    finally:
        state.frames = before
    into = returning.args.get("into")
    if isinstance(into, exp.Expr):
        _output_into(state, into, relation)
    return relation


def _uses(returning: exp.Returning, *names: str) -> bool:
    return any(column.table.lower() in names for column in returning.find_all(exp.Column))


def _frame(alias: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier("__rows"), alias=exp.TableAlias(this=exp.to_identifier(alias)))


def _one(written: WriteContent, name: str, table: str) -> ColumnValue:
    value = written.columns.get(name)
    return value if value is not None else copy_of(table, name)


def _output_into(state: SessionState, into: exp.Expr, relation: Relation) -> None:
    table = into.this if isinstance(into, exp.Schema) else into
    if isinstance(table, exp.Identifier | exp.Parameter):
        table = exp.Table(this=table.copy())
    if isinstance(table, exp.Table):
        columns = tuple(word_of(one) for one in into.expressions) if isinstance(into, exp.Schema) else ()
        target = state.target(table)
        state.put(target, fitted(state, target, relation, InsertMapping(columns=columns)))


def insert_many(state: SessionState, node: exp.MultitableInserts) -> None:
    """FROM t INSERT … INSERT …, and INSERT ALL."""
    source = node.args["source"]
    for one in node.expressions:
        if isinstance(one, exp.Insert):
            _from_shared(state, one, source, node.args.get("with_"))
    conditional = [one for one in node.expressions if isinstance(one, exp.ConditionalInsert)]
    if conditional:
        _insert_all(state, conditional, source, node.args.get("with_"))


def _from_shared(state: SessionState, one: exp.Insert, source: exp.Expr, with_: exp.Expr | None) -> None:
    query = one.expression
    if isinstance(query, exp.Select) and query.args.get("from_") is None:
        query = query.copy()
        query.set("from_", exp.From(this=source.copy()))
        for key in ("joins", "laterals"):
            moved = source.args.get(key)
            if moved:
                query.set(key, [*(part.copy() for part in moved), *(query.args.get(key) or ())])
                query.args["from_"].this.set(key, None)
        one = one.copy()
        one.set("expression", query)
    if with_ is not None:
        one.set("with_", with_.copy())
    insert(state, one)


def _insert_all(
    state: SessionState, conditional: Sequence[exp.ConditionalInsert], source: exp.Expr, with_: exp.Expr | None
) -> None:
    relation = rows_of(state, source, with_)
    before = state.frames
    state.frames = {**before, "__rows": relation}
    rows = exp.Table(this=exp.to_identifier("__rows"))
    conditions = [one.expression for one in conditional if isinstance(one.expression, exp.Expr)]
    try:
        for one in conditional:
            inner = one.this
            values = inner.expression
            cells = values.expressions[0].expressions if isinstance(values, exp.Values) else []
            where = one.expression if isinstance(one.expression, exp.Expr) else None
            if one.args.get("else_") and conditions:
                where = exp.and_(*conditions)
            found = selected(state, cells, source=rows, where=where)
            given = (
                found
                if cells
                else Relation(
                    relation.columns, relation.open, shaped=found.shaped | relation.shaped, reads=relation.reads
                )
            )
            into = inner.this
            table = into.this if isinstance(into, exp.Schema) else into
            columns = tuple(word_of(c) for c in into.expressions) if isinstance(into, exp.Schema) else ()
            target = state.target(table)
            if cells and not columns and target.names is None:
                names = [cell.name or f"__{place}" for place, cell in enumerate(cells)]
                given = given.with_columns(
                    RelationColumn(n, c.value) for n, c in zip(names, given.columns, strict=False)
                )
            state.put(target, fitted(state, target, given, InsertMapping(columns=columns)))
    finally:
        state.frames = before
