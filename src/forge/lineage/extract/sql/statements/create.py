"""CREATE, ALTER and DROP."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from forge.lineage.extract.definition import ColumnDefinition, TableDefinition
from forge.lineage.extract.paths import plain_path
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.relation import Relation, RelationColumn, relation_of
from forge.lineage.extract.sql.functions import body_text, function_of, language_of
from forge.lineage.extract.sql.names import parts_of, split_name, word_of
from forge.lineage.extract.sql.rows import InsertMapping, fitted, renamed, rows_of
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.statements.ddl import altered, columns_of, definition_of
from forge.lineage.extract.sql.statements.rename import rename, rename_column, swap
from forge.lineage.extract.sql.target import WriteContent, WriteTarget
from forge.lineage.extract.value import NOTHING, ColumnValue

_HARMLESS = frozenset({"python", "java", "scala", "javascript", "r", "c", "external"})


def create(state: SessionState, node: exp.Create) -> None:
    kind = str(node.args.get("kind") or "").upper()
    if kind in ("FUNCTION", "MACRO", "PROCEDURE"):
        _create_routine(state, node)
    elif kind in ("TABLE", "VIEW") or isinstance(node.expression, exp.Query):  # also a MODEL
        _create_table(state, node, view=kind == "VIEW")


def _create_routine(state: SessionState, node: exp.Create) -> None:
    found = function_of(node, state.dialect)
    if found is not None:
        state.functions[found.name.lower()] = found
        return
    text = body_text(node)
    language = language_of(node)
    if text is None or language in _HARMLESS or (not language and state.dialect in ("spark", "databricks", "hive")):
        return
    head = node.this
    for one in head.expressions if isinstance(head, exp.UserDefinedFunction) else ():
        state.values[one.name.lower().lstrip("@")] = NOTHING
    body = text.strip()
    at = state.statement.find(body[:40])
    state.script(body, state.first_line + state.statement.count("\n", 0, max(at, 0)))


def table_of(node: exp.Create, state: SessionState) -> tuple[str, ...]:
    """The name of what is created."""
    this = node.this
    table = this.this if isinstance(this, exp.Schema) else this
    if (
        isinstance(this, exp.Schema)
        and isinstance(table, exp.Table)
        and table.name.upper() == "IDENTIFIER"
        and (len(this.expressions) == 1 and not isinstance(this.expressions[0], exp.ColumnDef))
    ):
        text = state.text_of(this.expressions[0])
        return split_name(text) if text else ()
    if not isinstance(table, exp.Table):
        return ()
    if isinstance(table.this, exp.Anonymous) and table.this.name.upper() == "IDENTIFIER":
        text = state.text_of(table.this.expressions[0]) if table.this.expressions else None
        return split_name(text) if text else ()
    return parts_of(table)


def is_temporary(node: exp.Create, parts: tuple[str, ...]) -> bool:
    return any(isinstance(one, exp.TemporaryProperty) for one in _properties(node)) or parts[-1].startswith("#")


def _properties(node: exp.Create) -> list[exp.Expr]:
    properties = node.args.get("properties")
    return list(properties.expressions) if isinstance(properties, exp.Properties) else []


def _create_table(state: SessionState, node: exp.Create, *, view: bool) -> None:
    parts = table_of(node, state)
    if not parts:
        state.gap(0, "the name of what is created here is not known")
        return
    temporary = is_temporary(node, parts)
    names = _listed(node)
    if temporary and view and isinstance(node.expression, exp.Query):
        state.view(_key(state, node, parts), parts[-1], node.expression, tuple(names))
        return
    source = _source(state, node)
    if source is None:
        _declare(state, node, parts, temporary=temporary)
        return
    relation = renamed(source, names)
    if temporary:
        state.define(_key(state, node, parts), parts[-1], relation, changes=not view)
        return
    made = OutputKind.VIEW if view else OutputKind.TABLE
    to = next((one for one in _properties(node) if isinstance(one, exp.ToTableProperty)), None)
    if to is not None and isinstance(to.this, exp.Table):
        target = state.target(to.this)
        state.put(target, fitted(state, target, relation, InsertMapping(by_name=True)))
        return
    target = state.created(parts, made)
    write_whole(state, target, relation, view=view)


def _key(state: SessionState, node: exp.Create, parts: tuple[str, ...]) -> str:
    spark = state.dialect in ("spark", "databricks", "hive")
    global_ = spark and any(isinstance(one, exp.GlobalProperty) for one in _properties(node))
    return state.key_of((*(("global_temp",) if global_ else ()), *parts))


def write_whole(state: SessionState, target: WriteTarget, relation: Relation, *, view: bool, line: int = 0) -> None:
    """CREATE … AS: the columns are those of the query."""
    columns: dict[str, ColumnValue] = {}
    for one in relation.columns:
        spelled = next((n for n in target.names or () if n.lower() == one.name.lower()), one.name)
        columns.setdefault(spelled, one.value)
    state.put(target, WriteContent(columns, relation.shaped, relation.reads, relation.open), line, whole=True)
    state.infer(target.name, relation, view=view, line=line)


def _listed(node: exp.Create) -> list[str]:
    if not isinstance(node.this, exp.Schema):
        return []
    return [word_of(one) for one in node.this.expressions if isinstance(one, exp.ColumnDef | exp.Identifier)]


def _source(state: SessionState, node: exp.Create) -> Relation | None:
    """The rows that it is made from, if any."""
    query = node.expression
    if isinstance(query, exp.Query | exp.Values | exp.Table):
        return rows_of(state, query, node.args.get("with_"))
    clone = node.args.get("clone")
    if isinstance(clone, exp.Clone) and isinstance(clone.this, exp.Table):
        return rows_of(state, clone.this)
    return _file(node)


def _file(node: exp.Create) -> Relation | None:
    """CREATE TEMPORARY VIEW v USING csv OPTIONS (path '/x')."""
    if str(node.args.get("kind") or "").upper() != "VIEW":
        return None
    for one in _properties(node):
        if isinstance(one, exp.OptionsProperty):
            for option in one.expressions:
                if option.name.lower() == "path" and isinstance(option.args.get("value"), exp.Literal):
                    listed = columns_of(node.this.expressions) if isinstance(node.this, exp.Schema) else ()
                    names = [column.name for column in listed] or None
                    return relation_of(plain_path(str(option.args["value"].this)), names)
    return None


def _declare(state: SessionState, node: exp.Create, parts: tuple[str, ...], *, temporary: bool) -> None:
    """CREATE TABLE with a list of columns, or LIKE another table."""
    definition = declared(state, node, parts)
    if temporary:
        if definition is not None:
            state.declare(state.key_of(parts), parts[-1], definition.columns)
        return
    if definition is not None:
        state.settle(definition)


def declared(state: SessionState, node: exp.Create, parts: tuple[str, ...]) -> TableDefinition | None:
    name = state.created(parts, OutputKind.TABLE).name
    definition = definition_of(node, name, state.complete, state.file, state.first_line)
    like = node.find(exp.LikeProperty)
    if like is not None and isinstance(like.this, exp.Table):
        columns = _columns_of(state, like.this)
        if columns:
            own = definition.columns if definition is not None else ()
            base = definition or TableDefinition(
                name=name, columns=(), kind="physical", file=state.file, line=state.first_line
            )
            return replace(base, columns=(*columns, *own))
    return definition


def _columns_of(state: SessionState, table: exp.Table) -> tuple[ColumnDefinition, ...]:
    parts = parts_of(table)
    made = state.temporary_of(parts)
    if made is not None:
        return tuple(ColumnDefinition(name) for name in made.names or ())
    meant = state.find(parts)
    if meant.definition is None:
        state.unknown.add(meant.name)
        return ()
    return meant.definition.columns


def alter(state: SessionState, node: exp.Alter) -> None:
    if not isinstance(node.this, exp.Table):
        return
    parts = parts_of(node.this)
    for action in node.args.get("actions") or ():
        if isinstance(action, exp.AlterRename):
            rename(state, parts, _new_name(state, parts, action.this))
        elif isinstance(action, exp.SwapTable) and isinstance(action.this, exp.Table):
            swap(state, parts, parts_of(action.this))
        elif isinstance(action, exp.Query):
            _redefine_view(state, parts, action)
        else:
            alter_columns(state, parts, action)


def _new_name(state: SessionState, parts: tuple[str, ...], named: exp.Expr) -> tuple[str, ...]:
    """A bare new name stays in the schema of the old one."""
    new = parts_of(named) if isinstance(named, exp.Table) else (word_of(named),)
    return (*parts[:-1], *new) if len(new) == 1 else new


def _redefine_view(state: SessionState, parts: tuple[str, ...], query: exp.Query) -> None:
    relation = rows_of(state, query)
    if state.temporary_of(parts) is not None:
        state.define(state.key_of(parts), parts[-1], relation)
        return
    write_whole(state, replace(state.target_named(parts), made=OutputKind.VIEW), relation, view=True)


def alter_columns(state: SessionState, parts: tuple[str, ...], action: exp.Expr) -> None:
    made = state.temporary_of(parts)
    if made is not None and made.changes:
        _alter_temporary(state, parts, action)
        return
    meant = state.find(parts)
    if isinstance(action, exp.RenameColumn):
        rename_column(state, meant.name, word_of(action.this), word_of(action.args["to"]))
    if meant.definition is None:
        state.unknown.add(meant.name)
        return
    changed = altered(meant.definition, action, state.complete)
    if changed is not meant.definition and not meant.definition.given:
        state.settle(replace(changed, name=meant.name))


def _alter_temporary(state: SessionState, parts: tuple[str, ...], action: exp.Expr) -> None:
    made = state.temporary[state.key_of(parts)]
    old = TableDefinition(name=made.label, columns=tuple(ColumnDefinition(name) for name in made.relation.names))
    new = altered(old, action, state.complete)
    kept = {one.name.lower(): one for one in made.relation.columns}
    if isinstance(action, exp.RenameColumn):
        gone, came = word_of(action.this).lower(), word_of(action.args["to"])
        if gone in kept:
            kept[came.lower()] = RelationColumn(came, kept[gone].value)
    columns = tuple(kept.get(one.name.lower(), RelationColumn(one.name, NOTHING)) for one in new.columns)
    state.define(state.key_of(parts), made.label, made.relation.with_columns(columns), changes=True)


def drop(state: SessionState, node: exp.Drop) -> None:
    kind = str(node.args.get("kind") or "").upper()
    named = [*(node.args.get("tables") or ()), node.this]
    for one in named:
        if not isinstance(one, exp.Table):
            continue
        parts = parts_of(one)
        if kind in ("FUNCTION", "MACRO") and parts:
            state.functions.pop(".".join(parts).lower(), None)
        elif kind in ("TABLE", "VIEW") and parts and state.temporary.pop(state.key_of(parts), None) is None:
            name = state.find(parts).name.lower()
            state.current.pop(name, None)
            state.dropped.add(name)
