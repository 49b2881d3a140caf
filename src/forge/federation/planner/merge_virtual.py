"""Before anything is pushed: subqueries that stand for virtual tables become part of the query that reads them, where
that means the same, so that what it asks of them is asked of their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from forge.federation.dialects.predicates import all_of, conjuncts
from forge.federation.planner.joins import FromItem, from_items_of, is_inner, join_sides, null_supplied
from forge.federation.planner.local_names import FreshNames
from forge.federation.planner.source_table import own_aliases

MERGED = "forge_virtual"  # the mark of such a subquery; see `federation.virtual.expansion`
_SIMPLE = frozenset({"kind", "expressions", "from_", "joins", "where"})


def merge_virtual(tree: exp.Query, fresh: FreshNames) -> None:
    """Of a tree whose columns all have the names of their tables, changed in place; the innermost first."""
    for select in reversed(list(tree.find_all(exp.Select))):
        while (item := next((one for one in from_items_of(select) if _can_merge(select, one)), None)) is not None:
            _merge(select, item, fresh)


def _can_merge(select: exp.Select, item: FromItem) -> bool:
    node = item.node
    if not isinstance(node, exp.Subquery) or not node.meta.get(MERGED) or not isinstance(node.this, exp.Select):
        return False
    inner, columns = node.this, node.args["alias"].columns
    beside = {name for name, value in node.args.items() if value} - {"this", "alias"}
    if beside or columns or {name for name, value in inner.args.items() if value} - _SIMPLE:
        return False
    # A bare number in GROUP BY and ORDER BY would be a place.
    if not all(isinstance(one, exp.Alias) and isinstance(one.this, exp.Column | exp.Cast) for one in inner.selects):
        return False
    return not any(one.is_star for one in select.selects) and _means_the_same(select, item, inner)


def _means_the_same(select: exp.Select, item: FromItem, inner: exp.Select) -> bool:
    """Whether what stands in FROM of the one can stand in FROM of the other, beside its joins."""
    sides, place = join_sides(select), from_items_of(select).index(item)
    is_one = len(from_items_of(inner)) == 1
    if null_supplied(sides, place, len(sides) - 1):
        # Of rows that a join gives without it, an expression must be NULL, too: only a column is.
        is_plain = all(isinstance(one.this, exp.Column) for one in inner.selects)
        followed = any(side in ("right", "full", "other") for side in sides[place + 1 :])
        return is_one and is_plain and sides[place] == "left" and not followed
    if place == 0:
        return True
    return sides[place] in ("inner", "right") if is_one else is_inner(inner) and is_inner(select)


def _merge(select: exp.Select, item: FromItem, fresh: FreshNames) -> None:
    assert isinstance(item.node, exp.Subquery)
    inner = item.node.this
    assert isinstance(inner, exp.Select)
    _rename(inner, fresh)
    columns = {one.alias.lower(): one.this for one in inner.selects}
    _substitute(select, item.alias, columns)
    where = conjuncts(inner.args["where"].this) if inner.args.get("where") else []
    items, joins = from_items_of(inner), list(inner.args.get("joins") or [])
    first = items[0].node
    if item.join is None:
        select.args["from_"].set("this", first)
        select.set("joins", [*joins, *(select.args.get("joins") or [])])
        _add_to_where(select, where)
        return
    item.join.set("this", first)
    if (item.join.side or "").upper() == "LEFT":
        item.join.set("on", all_of([*conjuncts(item.join.args.get("on")), *where]))
        return
    _add_to_where(select, where)
    if joins:  # all are inner joins: what ON says of it can be said when all of them are made
        _add_to_where(select, conjuncts(item.join.args.get("on")))
        item.join.set("on", None)
        item.join.set("kind", "CROSS")
        outer = list(select.args["joins"])
        at = next(place for place, one in enumerate(outer) if one is item.join) + 1
        select.set("joins", [*outer[:at], *joins, *outer[at:]])


def _add_to_where(select: exp.Select, nodes: list[exp.Expr]) -> None:
    if nodes:
        own = conjuncts(select.args["where"].this) if select.args.get("where") else []
        select.set("where", exp.Where(this=all_of([*own, *nodes])))


def _rename(inner: exp.Select, fresh: FreshNames) -> None:
    """What stands in its FROM gets names that the whole query has not."""
    names = {one: fresh.like(f"{one}_") for one in sorted(own_aliases(inner))}
    for item in from_items_of(inner):
        item.node.set("alias", exp.TableAlias(this=exp.to_identifier(names[item.alias], quoted=True)))
    for column in list(inner.find_all(exp.Column)):
        if column.table in names:
            column.set("table", exp.to_identifier(names[column.table], quoted=True))


def _substitute(select: exp.Select, alias: str, columns: Mapping[str, exp.Expr]) -> None:
    for column in list(_columns_of(select, alias)):
        made = columns[column.name.lower()].copy()
        column.replace(made if isinstance(made, exp.Column) else exp.paren(made, copy=False))


def _columns_of(node: exp.Expr, alias: str) -> Iterator[exp.Column]:
    """Also in subqueries, but for those that call something of their own by the same alias."""
    for child in node.iter_expressions():
        if isinstance(child, exp.Column):
            if child.table == alias:
                yield child
        elif not (isinstance(child, exp.Select) and alias in own_aliases(child)):
            yield from _columns_of(child, alias)
