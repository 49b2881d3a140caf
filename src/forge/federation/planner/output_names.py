"""The names of a query's columns as Spark gives them: as they are written where they are, which matters where two
spellings mean one column, and of expressions without a name, their text."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from forge.federation.planner.local_names import LocalQuery

_CALLS: dict[type[exp.Expr], str] = {exp.Sum: "sum", exp.Min: "min", exp.Max: "max", exp.Avg: "avg", exp.Count: "count"}
_SIGNS: dict[type[exp.Expr], str] = {
    exp.IntDiv: "div",
    exp.Div: "/",
    exp.Mul: "*",
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.And: "AND",
    exp.Or: "OR",
}


def output_names(query: LocalQuery, qualified: exp.Query) -> tuple[str, ...]:
    """One for each column of the qualified tree."""
    selected = _first_select(qualified).selects
    written = _first_select(query.tree).selects
    stars = [one for one in written if one.is_star]
    spellings = _spellings(query)
    found: list[str] = []
    for one in written:
        if not one.is_star:
            found.append(_written_name(one))
            continue
        rest = len(written) - len(stars) if len(stars) == 1 else None
        expanded = selected[len(found) :]
        if rest is not None:
            expanded = selected[len(found) : len(found) + len(selected) - rest]
        elif isinstance(one, exp.Column):
            table = one.table.lower()
            expanded = _while_of(expanded, table)
        found += [spellings.get(column.alias_or_name.lower(), column.alias_or_name) for column in expanded]
    if len(found) != len(selected):
        return tuple(spellings.get(one.alias_or_name.lower(), one.alias_or_name) for one in selected)
    return tuple(found)


def set_output_names(query: exp.Query, names: Sequence[str]) -> None:
    """Also in ORDER BY, which sorts by them."""
    select = _first_select(query)
    renamed: list[exp.Expr] = []
    changed: dict[str, str] = {}
    for one, name in zip(select.selects, names, strict=True):
        if one.alias_or_name == name and isinstance(one, exp.Alias):
            renamed.append(one)
            continue
        changed[one.alias_or_name] = name
        renamed.append(exp.alias_(one.unalias(), exp.to_identifier(name, quoted=True)))
    select.set("expressions", renamed)
    level: exp.Expr = query
    while isinstance(level, exp.Query):
        order = level.args.get("order")
        for column in list(order.find_all(exp.Column)) if order else []:
            if not column.table and column.name in changed:
                column.set("this", exp.to_identifier(changed[column.name], quoted=True))
        level = level.this


def name_expressions(tree: exp.Expr) -> None:
    """Gives every column of a SELECT that is computed and has no name the one that Spark gives it."""
    for select in tree.find_all(exp.Select):
        for one in list(select.expressions):
            if not one.is_star and not isinstance(one, exp.Alias | exp.Column | exp.Dot) and not one.alias:
                one.replace(exp.alias_(one.copy(), exp.to_identifier(_text_of(one), quoted=True)))


def _first_select(query: exp.Expr) -> exp.Select:
    while not isinstance(query, exp.Select):
        query = query.this
    return query


def _while_of(columns: Sequence[exp.Expr], table: str) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for one in columns:
        inner = one.unalias()
        if not isinstance(inner, exp.Column) or inner.table.lower() != table:
            break
        found.append(one)
    return found


def _spellings(query: LocalQuery) -> dict[str, str]:
    found: dict[str, str] = {}
    for alias in query.tree.find_all(exp.Alias):
        found.setdefault(alias.alias.lower(), alias.alias)
    for relation in query.relations.values():
        for column in relation.columns:
            found.setdefault(column.name.lower(), column.name)
    return found


def _written_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Alias | exp.Column):
        return node.alias_or_name
    return node.alias or _text_of(node)


def _text_of(node: exp.Expr) -> str:
    """As Spark names a column without a name: `count(1)`, `sum(price)`, `(a + 1)`."""
    match node:
        case exp.Paren():
            return _text_of(node.this)
        case exp.Star():
            return "1"
        case exp.Column():
            return node.name
        case exp.Literal():
            return node.name
        case exp.Distinct():
            return "DISTINCT " + ", ".join(_text_of(one) for one in node.expressions)
        case exp.Binary() if type(node) in _SIGNS:
            return f"({_text_of(node.left)} {_SIGNS[type(node)]} {_text_of(node.right)})"
    call = _CALLS.get(type(node))
    if call and isinstance(node.this, exp.Expr):
        return f"{call}({_text_of(node.this)})"
    bare = node.copy()
    for column in list(bare.find_all(exp.Column)):
        column.set("table", None)
    return " ".join(bare.sql("spark", identify=False, normalize_functions="lower").split())
