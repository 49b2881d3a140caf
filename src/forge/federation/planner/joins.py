"""What stands in FROM, and below which joins a condition keeps its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from forge.federation.dialects.predicates import all_of, conjuncts


@dataclass(frozen=True, slots=True)
class FromItem:
    """A table, a subquery or VALUES in FROM. `join`: where it is joined; None: it is the first."""

    node: exp.Expr
    alias: str
    join: exp.Join | None


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of WHERE (`at` None), or of the ON of the join at this place."""

    node: exp.Expr
    at: int | None


def from_items_of(select: exp.Select) -> tuple[FromItem, ...]:
    """In the order of the text; item k is the right side of join k."""
    from_ = select.args.get("from_")
    if from_ is None:
        return ()
    joins: list[exp.Join] = select.args.get("joins") or []
    first = FromItem(from_.this, from_.this.alias_or_name, None)
    return (first, *(FromItem(join.this, join.this.alias_or_name, join) for join in joins))


def join_side(join: exp.Join) -> str:
    """`inner`, `left`, `right`, `full`, `semi` or `anti`; `other` of what has rules of its own."""
    side, kind, method = join.side.upper(), join.kind.upper(), join.method
    if method or join.args.get("using") or kind not in ("", "INNER", "CROSS", "OUTER", "SEMI", "ANTI"):
        return "other"
    if kind in ("SEMI", "ANTI"):
        return kind.lower() if side in ("", "LEFT") else "other"
    return side.lower() if side else "inner"


def null_supplied(sides: Sequence[str], leaf: int, below: int) -> bool:
    """Whether rows of this leaf can be replaced by NULLs by one of the joins 1 to `below`; `sides[0]` is not used."""
    if leaf and leaf <= below and sides[leaf] in ("left", "full", "other"):
        return True
    return any(sides[k] in ("right", "full", "other") for k in range(max(leaf + 1, 1), below + 1))


def join_sides(select: exp.Select) -> tuple[str, ...]:
    """Of each item in FROM; the first has none."""
    return ("", *(join_side(join) for join in select.args.get("joins") or []))


def is_inner(select: exp.Select) -> bool:
    return all(side == "inner" for side in join_sides(select)[1:])


def tables_of(node: exp.Expr) -> set[str]:
    """Aliases; a name that SELECT gives has none."""
    return {column.table for column in node.find_all(exp.Column)}


def conditions_of(select: exp.Select) -> list[Condition]:
    """The parts of WHERE and of every ON."""
    where = select.args.get("where")
    found = [Condition(node, None) for node in conjuncts(where.this if where else None)]
    for at, join in enumerate(select.args.get("joins") or [], start=1):
        found += [Condition(node, at) for node in conjuncts(join.args.get("on"))]
    return found


def drop_from_where(select: exp.Select, node: exp.Expr) -> None:
    _set_where(select, [one for one in conjuncts(select.args["where"].this) if one is not node])


def pool_conditions(select: exp.Select) -> None:
    """Of inner joins, ON means what WHERE means."""
    nodes = [condition.node for condition in conditions_of(select)]
    for join in select.args.get("joins") or []:
        join.set("on", None)
    _set_where(select, nodes)


def place_conditions(select: exp.Select) -> None:
    """Back to the first ON that has all tables of each."""
    where = select.args.get("where")
    open_ = conjuncts(where.this if where else None)
    seen = {item.alias for item in from_items_of(select)[:1]}
    for join in select.args.get("joins") or []:
        seen.add(join.this.alias_or_name)
        on = [one for one in open_ if len(tables_of(one)) > 1 and tables_of(one) <= seen and not one.find(exp.Query)]
        open_ = [one for one in open_ if not any(one is placed for placed in on)]
        join.set("on", all_of(on))
        join.set("kind", None if on else "CROSS")
    _set_where(select, open_)


def _set_where(select: exp.Select, nodes: list[exp.Expr]) -> None:
    condition = all_of(nodes)
    select.set("where", exp.Where(this=condition) if condition is not None else None)


def why_kept(sides: Sequence[str], leaf: int, condition: Condition) -> str:
    """Why a condition on this leaf alone may not filter it before it is joined; empty: it may."""
    outer = "an outer join gives rows without this table, which the condition is to see"
    if condition.at is None:
        if leaf and sides[leaf] in ("semi", "anti"):
            return "the table is not seen outside its join"
        return outer if null_supplied(sides, leaf, len(sides) - 1) else ""
    at, side = condition.at, sides[condition.at]
    if leaf > at or side in ("full", "other"):
        return "a full outer join keeps rows for which its condition is false"
    if leaf == at:
        return "the join keeps rows of this table for which its condition is false" if side == "right" else ""
    if side in ("left", "anti"):
        return "the join keeps rows of this table for which its condition is false"
    return outer if null_supplied(sides, leaf, at - 1) else ""
