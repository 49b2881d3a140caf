"""Script variables: values and references."""

from __future__ import annotations

from sqlglot import exp

from forge.lineage.extract.sql.names import parts_of, word_of
from forge.lineage.extract.sql.rows import rows_of, selected
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.statements.ddl import columns_of
from forge.lineage.extract.value import NOTHING

_VARIABLE_INTO = frozenset({"oracle", "snowflake", "mysql", "bigquery", "databricks", "spark"})


_DEFINES = (exp.Set, exp.Declare, exp.Create)


def with_variables(state: SessionState, tree: exp.Expr) -> exp.Expr:
    """A bare name that is a variable, where no table that is known has such a column: else a table of which nothing is
    known would seem to have it."""
    named = {one.name.lower() for one in tree.find_all(exp.Column) if not one.table} & set(state.values)
    if not named or (isinstance(tree, _DEFINES) and not isinstance(tree.expression, exp.Query)):
        return tree
    named -= {one.alias.lower() for one in tree.find_all(exp.Alias)}
    for table in tree.find_all(exp.Table):
        parts = parts_of(table)
        made = state.temporary_of(parts) if parts else None
        definition = state.find(parts).definition if parts and made is None else None
        columns = made.names if made is not None else definition.names if definition is not None else ()
        named -= {column.lower() for column in columns or ()}

    def change(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table and node.name.lower() in named and _is_read(node):
            return exp.Parameter(this=exp.Var(this=node.name))
        return node

    return tree.transform(change) if named else tree


def _is_read(node: exp.Column) -> bool:
    """Not the left side of SET, nor in the list of columns of an INSERT."""
    parent = node.parent
    if isinstance(parent, exp.EQ) and parent.this is node:
        return not isinstance(parent.parent, exp.Update | exp.OnConflict)
    return not isinstance(parent, exp.Tuple) or not isinstance(parent.parent, exp.Insert) or parent.arg_key != "this"


def is_variable(state: SessionState, table: exp.Table) -> bool:
    """SELECT … INTO v in the body of a procedure fills a variable."""
    if isinstance(table.this, exp.Parameter | exp.Placeholder):
        return True
    return state.dialect in _VARIABLE_INTO or (len(parts_of(table)) == 1 and table.name.lower() in state.values)


def sets_variable(one: exp.Expr) -> bool:
    return isinstance(one, exp.EQ) and isinstance(one.this, exp.Parameter)


def set_variables(state: SessionState, tree: exp.Select) -> None:
    """T-SQL: SELECT @x = a FROM t."""
    query = tree.copy()
    query.set("expressions", [one.expression.copy() for one in tree.expressions])
    relation = rows_of(state, query)
    for one, column in zip(tree.expressions, relation.columns, strict=False):
        state.hold(one.this.name.lower(), column.name, relation)


def _assign(state: SessionState, name: str, value: exp.Expr) -> None:
    key = name.lower().lstrip("@:$")
    text = state.text_of(value)
    if text is None:
        state.texts.pop(key, None)
    else:
        state.texts[key] = text
    if isinstance(value, exp.Literal | exp.Var | exp.Identifier):
        state.values[key] = NOTHING
        return
    state.hold(key, "__0", selected(state, [value]))


def declare(state: SessionState, node: exp.Declare) -> None:
    for item in node.expressions:
        if not isinstance(item, exp.DeclareItem):
            continue
        named = item.this if isinstance(item.this, list) else [item.this]
        kind = item.args.get("kind")
        for one in named:
            if isinstance(kind, exp.Schema):
                name = word_of(one)
                state.declare(name.lower(), name, columns_of(kind.expressions))
                continue
            default = item.args.get("default")
            state.values[one.name.lower().lstrip("@")] = NOTHING
            if isinstance(default, exp.Expr):
                _assign(state, one.name, default)


def set_(state: SessionState, node: exp.Set) -> None:
    for item in node.expressions:
        inner = item.this if isinstance(item, exp.SetItem) else None
        if isinstance(inner, exp.EQ) and isinstance(inner.expression, exp.Expr):
            if isinstance(inner.this, exp.Tuple):
                for one in inner.this.expressions:
                    state.values[one.name.lower().lstrip("@")] = NOTHING
            elif isinstance(inner.this, exp.Column | exp.Parameter | exp.Identifier) and not _dotted(inner.this):
                _assign(state, inner.this.name, inner.expression)


def _dotted(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and bool(node.table)
