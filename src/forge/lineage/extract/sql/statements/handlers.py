"""Dispatch of statements: one handler per kind of tree."""

from __future__ import annotations

from sqlglot import exp

from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.relation import Relation
from forge.lineage.extract.sql.names import parts_of, split_name
from forge.lineage.extract.sql.rows import rows_of
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.statements.change import delete, truncate, update
from forge.lineage.extract.sql.statements.create import alter, create, drop, write_whole
from forge.lineage.extract.sql.statements.file import copy, export, load
from forge.lineage.extract.sql.statements.insert import insert, insert_many
from forge.lineage.extract.sql.statements.merge import merge
from forge.lineage.extract.sql.statements.text import command, execute, head_of, not_parsed
from forge.lineage.extract.sql.statements.variables import (
    declare,
    is_variable,
    set_,
    set_variables,
    sets_variable,
    with_variables,
)

_DATABASES = frozenset({"tsql", "fabric", "snowflake"})  # USE names a database without schema


def run_tree(state: SessionState, tree: exp.Expr) -> Relation | None:
    """Gives the rows of a query, None of anything else."""
    if "IDENTIFIER" in state.statement.upper():
        tree = _with_identifiers(state, tree)
    if state.values:
        tree = with_variables(state, tree)
    _lift_changes(state, tree)
    if isinstance(tree, exp.Query | exp.Values):
        return _query(state, tree)
    if isinstance(tree, exp.Alias) and isinstance(tree.this, exp.Column) and tree.this.name.upper() == "TABLE":
        return rows_of(state, exp.Table(this=tree.args["alias"]))
    if change(state, tree) is None and not _define(state, tree) and not isinstance(tree, _NOTHING_MOVES):
        not_parsed(state, state.statement, f"{head_of(state.statement)} … is not understood")
    return None


def change(state: SessionState, tree: exp.Expr) -> Relation | None:
    """Statements that write rows. Gives what RETURNING gives, of others no rows; None: it is none of these."""
    match tree:
        case exp.Insert():
            return insert(state, tree) or Relation()
        case exp.Update():
            return update(state, tree) or Relation()
        case exp.Delete():
            return delete(state, tree) or Relation()
        case exp.MultitableInserts():
            insert_many(state, tree)
        case exp.Merge():
            merge(state, tree)
        case exp.TruncateTable():
            truncate(state, tree)
        case exp.Copy():
            copy(state, tree)
        case exp.LoadData():
            load(state, tree)
        case exp.Export():
            export(state, tree)
        case _:
            return None
    return Relation()


def _define(state: SessionState, tree: exp.Expr) -> bool:
    """Statements that change what names mean; False: it is none of these."""
    match tree:
        case exp.Create():
            create(state, tree)
        case exp.Alter():
            alter(state, tree)
        case exp.Drop():
            drop(state, tree)
        case exp.Cache():
            _cache(state, tree)
        case exp.Use():
            _use(state, tree)
        case exp.Declare():
            declare(state, tree)
        case exp.Set():
            set_(state, tree)
        case exp.Execute():
            execute(state, tree)
        case exp.Command():
            command(state, tree)
        case exp.IfBlock() | exp.WhileBlock() | exp.Block():
            _block(state, tree)
        case _:
            return False
    return True


def _with_identifiers(state: SessionState, tree: exp.Expr) -> exp.Expr:
    """IDENTIFIER('a.b') in place of a column."""

    def named(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Anonymous) and node.name.upper() == "IDENTIFIER" and node.expressions:
            text = None if isinstance(node.parent, exp.Table) else state.text_of(node.expressions[0])
            if text is not None:
                return exp.column(*(exp.to_identifier(part, quoted=True) for part in reversed(split_name(text)[-2:])))
        return node

    return tree.transform(named)


def _lift_changes(state: SessionState, tree: exp.Expr) -> None:
    """WITH c AS (DELETE … RETURNING …): the change happens, and c is what it returns."""
    with_ = tree.args.get("with_")
    if not isinstance(with_, exp.With):
        return
    kept = []
    for cte in with_.expressions:
        inner = cte.this
        if not isinstance(inner, exp.Insert | exp.Update | exp.Delete | exp.Merge):
            kept.append(cte)
            continue
        if kept:
            inner.set("with_", exp.With(expressions=[one.copy() for one in kept]))
        state.frames = {**state.frames, cte.alias.lower(): change(state, inner) or Relation()}
    if len(kept) != len(with_.expressions):
        if kept:
            with_.set("expressions", kept)
        else:
            tree.set("with_", None)


def _query(state: SessionState, tree: exp.Expr) -> Relation | None:
    into = tree.args.get("into") or (tree.find(exp.Into) if isinstance(tree, exp.SetOperation) else None)
    if not isinstance(into, exp.Into):
        if isinstance(tree, exp.Select) and tree.expressions and all(sets_variable(one) for one in tree.expressions):
            set_variables(state, tree)
            return None
        return rows_of(state, tree)
    into.pop()
    relation = rows_of(state, tree)
    table = into.this
    if not isinstance(table, exp.Table) or is_variable(state, table):
        names = [table, *into.expressions] if isinstance(table, exp.Expr) else into.expressions
        for name, column in zip(names, relation.columns, strict=False):
            state.hold(name.name.lower().lstrip("@:"), column.name, relation)
        return None
    parts = parts_of(table)
    if into.args.get("temporary") or parts[-1].startswith("#"):
        state.define(state.key_of(parts), parts[-1], relation, changes=True)
    else:
        write_whole(state, state.created(parts, OutputKind.TABLE), relation, view=False)
    return None


def _use(state: SessionState, node: exp.Use) -> None:
    kind = str(node.args["kind"].name if isinstance(node.args.get("kind"), exp.Expr) else "").upper()
    if not isinstance(node.this, exp.Table) or kind in ("ROLE", "WAREHOUSE", "SECONDARY ROLES"):
        return
    parts = parts_of(node.this)
    if kind == "CATALOG" or (kind in ("", "DATABASE") and state.dialect in _DATABASES and len(parts) == 1):
        state.used_db = parts[-1]
        state.used = ()
        return
    state.used = parts if len(parts) > 1 or not state.used_db else (state.used_db, *parts)


def _cache(state: SessionState, node: exp.Cache) -> None:
    if isinstance(node.expression, exp.Query) and isinstance(node.this, exp.Table):
        parts = parts_of(node.this)
        state.define(state.key_of(parts), parts[-1], rows_of(state, node.expression))


def _block(state: SessionState, node: exp.Expr) -> None:
    """What the splitter left whole."""
    before = state.maybe
    state.maybe = before or not isinstance(node, exp.Block)
    parts = [node.args.get("true"), node.args.get("false"), node.args.get("body")]
    for part in [*parts, *node.expressions]:
        for inner in part.expressions if isinstance(part, exp.Block) else [part]:
            if isinstance(inner, exp.Expr):
                run_tree(state, inner)
    state.maybe = before


_NOTHING_MOVES = (
    exp.Describe,
    exp.Analyze,
    exp.Refresh,
    exp.Uncache,
    exp.Comment,
    exp.Grant,
    exp.Revoke,
    exp.Transaction,
    exp.Commit,
    exp.Rollback,
    exp.Pragma,
    exp.Show,
    exp.Kill,
    exp.Semicolon,
    exp.Attach,
    exp.Detach,
)
