"""The row limit of a request as a part of its query, so that sources give no more rows than are shown."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from forge.federation.plan import PushDecision, QueryPlan

_PASSING = frozenset({"expressions", "from_", "limit", "offset"})
_MANY_OR_FEW = (exp.AggFunc, exp.Window, exp.UDTF, exp.Query, exp.Anonymous, exp.AnonymousAggFunc)


def limit_rows(tree: exp.Query, most: int | None) -> exp.Query:
    """The query with a LIMIT of at most so many rows. One whose LIMIT is not written as a number stays as it is."""
    if most is None or not isinstance(tree, exp.Select | exp.SetOperation):
        return tree
    limit = tree.args.get("limit")
    written = _count(limit)
    if limit is not None and (written is None or written <= most):
        return tree
    limited = tree.copy()
    limited.set("limit", exp.Limit(expression=exp.Literal.number(most)))
    return limited


def rows_enough(plan: QueryPlan) -> int | None:
    """How many rows of its one fragment make up the result; None: more than one are read, or any row may count."""
    rest = plan.rest
    if len(plan.fragments) != 1 or not isinstance(rest, exp.Select):
        return None
    count, offset = _count(rest.args.get("limit")), rest.args.get("offset")
    skipped = _count(offset) if offset is not None else 0
    if count is None or skipped is None or not _passes_rows(rest, plan.fragments[0].name):
        return None
    return count + skipped


def cut_fragment(plan: QueryPlan) -> QueryPlan:
    """The source is asked for no more rows than are enough, where all that it gives are kept."""
    enough = rows_enough(plan)
    if enough is None:
        return plan
    (fragment,) = plan.fragments
    is_kept = fragment.guard is None or fragment.guard.filter is None
    if not is_kept or not isinstance(fragment.query, exp.Select) or fragment.query.args.get("limit"):
        return plan
    query = fragment.query.copy()
    query.set("limit", exp.Limit(expression=exp.Literal.number(enough)))
    rows = enough if fragment.rows is None else min(enough, fragment.rows)
    decision = PushDecision("limit", f"LIMIT {enough}", fragment.source, pushed=True)
    decisions = tuple(one for one in plan.decisions if one.part != "limit")
    cut = replace(fragment, query=query, rows=rows, scanned=None, splits=False)
    return replace(plan, fragments=(cut,), decisions=(*decisions, decision))


def _count(clause: exp.Expr | None) -> int | None:
    """None: there is none, or it is no plain number."""
    number = clause.expression if isinstance(clause, exp.Limit | exp.Offset) else None
    is_plain = isinstance(number, exp.Literal) and not number.is_string and number.name.isdecimal()
    return int(number.name) if number is not None and is_plain else None


def _passes_rows(select: exp.Select, fragment: str) -> bool:
    """Whether each row of the fragment is one of the SELECT, in whatever order."""
    if {name for name, value in select.args.items() if value} - _PASSING:
        return False
    if any(one.find(*_MANY_OR_FEW) for one in select.expressions):
        return False
    source = select.args["from_"].this if select.args.get("from_") else None
    if not isinstance(source, exp.Table | exp.Subquery) or source.args.get("joins") or source.args.get("sample"):
        return False
    if isinstance(source, exp.Table):
        return source.name == fragment
    is_cut = any(one.args.get(name) for one in (source, source.this) for name in ("limit", "offset", "pivots"))
    return isinstance(source.this, exp.Select) and not is_cut and _passes_rows(source.this, fragment)
