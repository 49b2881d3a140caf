"""How large a query becomes where each name is replaced by what it stands for. Engines do that before they compute
anything: a short text of names that double keeps a core and the memory for hours, where no cancel reaches a planner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from forge.model.errors import ForgeError

MOST_TABLES = 1_000  # read, where each CTE stands for its query
MOST_TERMS = 2_000  # of one SELECT, where each alias stands for its expression


def refuse_exploding(tree: exp.Expr) -> None:
    """E201."""
    if _tables(tree, {}) > MOST_TABLES:
        raise _too_large(f"Its CTEs stand for more than {MOST_TABLES:,} tables, as each is read where it is named.")
    if any(_terms(select) > MOST_TERMS for select in tree.find_all(exp.Select)):
        raise _too_large(f"Its aliases stand for more than {MOST_TERMS:,} terms, as they are made of each other.")


def _tables(node: exp.Expr, ctes: Mapping[str, int]) -> int:
    """A CTE without a table counts as one. In its own recursion a CTE is read as it is."""
    with_ = node.args.get("with_")
    if isinstance(with_, exp.With):
        for cte in with_.expressions:
            name = cte.alias.lower()
            inner = {**ctes, name: 1} if with_.recursive else ctes
            ctes = {**ctes, name: min(max(1, _tables(cte.this, inner)), MOST_TABLES + 1)}
    found = 0
    if isinstance(node, exp.Table):
        found = ctes.get(node.name.lower(), 1) if len(node.parts) == 1 else 1
    return found + sum(_tables(child, ctes) for child in node.iter_expressions() if child is not with_)


def _terms(select: exp.Select) -> int:
    """That aliases stand for, where later results are made of them."""
    sizes: dict[str, int] = {}
    found = 0
    for one in select.selects:
        used = [sizes.get(name, 1) for name in _names(one.unalias())]
        found += sum(used) - len(used)
        if isinstance(one, exp.Alias):
            sizes[one.alias.lower()] = min(sum(used), MOST_TERMS + 1)
    return found


def _names(node: exp.Expr) -> Iterator[str]:
    """Of each node that is no part of a name: the alias that it could be, or nothing."""
    for one in node.walk(prune=lambda each: isinstance(each, exp.Column)):
        yield one.name.lower() if isinstance(one, exp.Column) and not one.table else ""


def _too_large(why: str) -> ForgeError:
    return ForgeError("E201", "The SQL becomes too large", where="query", why=why, fix="Ask for less in one query.")
