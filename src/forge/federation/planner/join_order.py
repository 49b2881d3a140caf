"""The order of inner joins of several sources: first what leaves the fewest rows, by the estimates of the sources. Only
of a SELECT whose joins are all inner, so that every order has the same rows; what is not known counts as much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from forge.federation.plan import Fragment, JoinOrder, JoinStep
from forge.federation.planner.estimates import joined_rows
from forge.federation.planner.fragments import FragmentList
from forge.federation.planner.joins import FromItem, conditions_of, from_items_of, tables_of

_MANY = 10_000_000  # rows of what nobody knows the size of
_FEWER = 0.8  # of the rows in between: below that another order is worth it
_MOST_STARTS = 12
_FEWEST_ITEMS = 3  # two have no order: which side is held is the engine's


@dataclass(frozen=True, slots=True)
class _Item:
    """`fragment`: None of a subquery and of what the sources do not read."""

    at: int
    item: FromItem
    fragment: Fragment | None

    @property
    def rows(self) -> int | None:
        """Those of a fragment of which not all is for who asks are not told by any order."""
        return self.fragment.rows if self.fragment is not None and self.fragment.guard is None else None

    @property
    def size(self) -> int:
        return _MANY if self.rows is None else max(self.rows, 1)

    def values_of(self, column: exp.Column) -> int | None:
        columns = self.fragment.columns if self.fragment is not None else ()
        return next((one.distinct for one in columns if one.name.lower() == column.name.lower()), None)


def order_joins(select: exp.Select, plan: FragmentList) -> None:
    """`select`: with the conditions of its joins in WHERE. FROM is changed in place where another order is better."""
    fragments = {one.name: one for one in plan.fragments}
    items = [_Item(at, one, _fragment_of(one, fragments)) for at, one in enumerate(from_items_of(select))]
    if len(items) < _FEWEST_ITEMS or not all(map(_is_movable, items)) or any(one.is_star for one in select.expressions):
        return
    links = _links(select)
    joined = {name for link in links for name in tables_of(link)}
    starts = [one for one in items if one.item.alias in joined] or items[:1]
    orders = [_greedy(one, items, links) for one in starts[:_MOST_STARTS]]
    order = min(orders, key=lambda one: _cost(one, links))
    if _cost(order, links) >= _cost(items, links) * _FEWER:
        return
    steps = _steps(order, links)
    select.set("from_", exp.From(this=order[0].item.node))
    select.set("joins", [exp.Join(this=one.item.node, kind="CROSS") for one in order[1:]])
    plan.join_orders.append(JoinOrder(tuple(_step(one, rows, plan) for one, rows in zip(order, steps, strict=True))))


def _fragment_of(item: FromItem, fragments: dict[str, Fragment]) -> Fragment | None:
    node = item.node
    if isinstance(node, exp.Subquery):  # of hidden columns, which are NULL beside those of the fragment
        inner = node.this.args.get("from_") if isinstance(node.this, exp.Select) else None
        only = inner is not None and {name for name, value in node.this.args.items() if value} <= {
            "expressions",
            "from_",
        }
        node = inner.this if only and inner is not None else node
    return fragments.get(node.name) if isinstance(node, exp.Table) and len(node.parts) == 1 else None


def _is_movable(one: _Item) -> bool:
    """A table or a subquery that sees nothing of the others."""
    node = one.item.node
    is_plain = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
    return (is_plain or isinstance(node, exp.Subquery)) and not node.args.get("joins") and not node.args.get("laterals")


def _links(select: exp.Select) -> list[exp.EQ]:
    """Equal columns of two items."""
    found = []
    for condition in conditions_of(select):
        node = condition.node
        if isinstance(node, exp.EQ) and len(tables_of(node)) == 2 and not node.find(exp.Query):
            found.append(node)
    return found


def _greedy(first: _Item, items: Sequence[_Item], links: Sequence[exp.EQ]) -> list[_Item]:
    """Always what leaves the fewest rows; of equals the first in the text."""
    order, rows = [first], first.size
    waiting = [one for one in items if one is not first]
    while waiting:
        sizes = {one.at: _joined(rows, order, one, links) for one in waiting}
        following = min(waiting, key=lambda one: (not _pairs(order, one, links), sizes[one.at], one.size, one.at))
        waiting.remove(following)
        order.append(following)
        rows = sizes[following.at]
    return order


def _steps(order: Sequence[_Item], links: Sequence[exp.EQ]) -> Iterator[int]:
    """How many rows there are after each item."""
    rows = order[0].size
    yield rows
    for place in range(1, len(order)):
        rows = _joined(rows, order[:place], order[place], links)
        yield rows


def _cost(order: Sequence[_Item], links: Sequence[exp.EQ]) -> int:
    """Rows that are held between the joins: those of the last one are there in any order."""
    return sum(list(_steps(order, links))[:-1])


def _joined(rows: int, before: Sequence[_Item], one: _Item, links: Sequence[exp.EQ]) -> int:
    return joined_rows(rows, one.size, _pairs(before, one, links)) or 1


def _pairs(before: Sequence[_Item], one: _Item, links: Sequence[exp.EQ]) -> list[tuple[int | None, int | None]]:
    """How many values the columns have that join the item to those before it."""
    known = {each.item.alias: each for each in (*before, one)}
    found = []
    for link in links:
        names = tables_of(link)
        if one.item.alias not in names or not names <= known.keys():
            continue
        ends = sorted(link.find_all(exp.Column), key=lambda column: column.table == one.item.alias)
        found.append((known[ends[0].table].values_of(ends[0]), known[ends[-1].table].values_of(ends[-1])))
    return found


def _step(one: _Item, rows: int, plan: FragmentList) -> JoinStep:
    relations = one.fragment.relations if one.fragment is not None else ()
    name = ", ".join(map(str, relations)) or one.item.alias
    return JoinStep(name, one.rows, rows)
