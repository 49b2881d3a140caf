"""SQL user-defined functions."""

from __future__ import annotations

import re

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from forge.lineage.extract.sql.context import SqlFunction
from forge.lineage.extract.sql.names import parts_of, word_of

_QUERY = re.compile(r"\A\s*(?:--[^\n]*\n|/\*.*?\*/|\s|\()*(SELECT|WITH|FROM|VALUES)\b", re.IGNORECASE | re.DOTALL)

_CLASSES = frozenset({"spark", "databricks", "hive"})


def body_text(create: exp.Create) -> str | None:
    """The body of a routine where it is text: $$ … $$, '…'."""
    body = create.expression
    if isinstance(body, exp.Block) and len(body.expressions) == 1:
        body = body.expressions[0]
    if isinstance(body, exp.Heredoc | exp.RawString) or (isinstance(body, exp.Literal) and body.is_string):
        return str(body.this)
    return None


def language_of(create: exp.Create) -> str:
    properties = create.args.get("properties")
    found = (
        next((one for one in properties.expressions if isinstance(one, exp.LanguageProperty)), None)
        if properties
        else None
    )
    return found.this.name.lower() if found is not None else ""


def function_of(create: exp.Create, dialect: str) -> SqlFunction | None:
    """None: the body is not one expression or query."""
    head = create.this
    if not isinstance(head, exp.UserDefinedFunction):
        return None
    text = body_text(create)
    body: exp.Expr | None
    if text is not None:
        if dialect in _CLASSES and language_of(create) != "sql":
            return None  # the name of a class
        body = _parsed(text, dialect) if language_of(create) in ("", "sql") else None
    else:
        body = create.expression if isinstance(create.expression, exp.Expr) else None
    if isinstance(body, exp.Return):
        body = body.this
    if isinstance(body, exp.Alias) and body.alias.upper() == "END":
        body = body.this  # T-SQL: … RETURN x + 1 END
    while isinstance(body, exp.Paren) or (isinstance(body, exp.Subquery) and not body.alias):
        body = body.this
    if body is None or isinstance(body, exp.Block | exp.Command):
        return None
    parameters = tuple(_parameter(one) for one in head.expressions)
    returns = _returns(create)
    table = returns is not None or ((create.args.get("kind") or "").upper() == "MACRO" and isinstance(body, exp.Query))
    if isinstance(body, exp.Query) and not table and _is_table_function(create):
        table = True
    return SqlFunction(
        ".".join(parts_of(head.this)) if isinstance(head.this, exp.Table) else head.name.lower(),
        parameters,
        _with_names(body, parameters),
        bool(table),
        returns or (),
        _defaults(head),
    )


def _is_table_function(create: exp.Create) -> bool:
    properties = create.args.get("properties")
    found = [one for one in properties.expressions if isinstance(one, exp.ReturnsProperty)] if properties else []
    return not found or any(one.args.get("is_table") for one in found)


def _returns(create: exp.Create) -> tuple[str, ...] | None:
    properties = create.args.get("properties")
    for one in properties.expressions if properties else ():
        if isinstance(one, exp.ReturnsProperty):
            if isinstance(one.this, exp.Schema):
                return tuple(word_of(column) for column in one.this.expressions)
            if one.args.get("is_table"):
                return ()
    return None


def _parameter(one: exp.Expr) -> str:
    return one.name.lower().lstrip("@") if not isinstance(one, exp.Identifier) else word_of(one)


def _defaults(head: exp.UserDefinedFunction) -> tuple[exp.Expr, ...]:
    found: list[exp.Expr] = []
    for one in head.expressions:
        for constraint in one.args.get("constraints") or ():
            kind = constraint.args.get("kind")
            if isinstance(kind, exp.DefaultColumnConstraint):
                found.append(kind.this)
    return tuple(found)


def _with_names(body: exp.Expr, parameters: tuple[str, ...]) -> exp.Expr:
    """$1 and @x replaced by parameters."""

    def change(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Parameter):
            return node
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            place = int(node.this.this) - 1
            return exp.column(parameters[place]) if 0 <= place < len(parameters) else node
        return exp.column(node.name.lower()) if node.name.lower() in parameters else node

    return body.copy().transform(change)


def _parsed(text: str, dialect: str) -> exp.Expr | None:
    wrapped = text.strip().rstrip(";")
    query = bool(_QUERY.match(wrapped))
    try:
        trees = Dialect.get_or_raise(dialect).parse(wrapped if query else f"SELECT {wrapped}")
    except SqlglotError:
        return None
    found = [tree for tree in trees if tree is not None]
    if len(found) != 1:
        return None
    (tree,) = found
    if query:
        return tree if isinstance(tree, exp.Query) else None
    return tree.expressions[0] if isinstance(tree, exp.Select) and len(tree.expressions) == 1 else None
