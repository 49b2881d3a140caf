"""A plan whose one fragment is the whole query: the rest passes its rows on, and need not be computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from forge.federation.dialects.rules import LakeOrKind, rules_of
from forge.federation.plan import Fragment, QueryPlan
from forge.federation.relation import SourceColumn

_PASSED_ON = frozenset({"kind", "expressions", "from_", "order", "limit", "offset"})


def as_whole(plan: QueryPlan, kinds: Mapping[str, LakeOrKind]) -> QueryPlan:
    """The same plan where there is more to compute. Else the columns of the fragment are those of the query, in
    their order, and so are its rows."""
    rest = plan.rest
    if len(plan.fragments) != 1 or not isinstance(rest, exp.Select):
        return plan
    (fragment,) = plan.fragments
    if fragment.guard is not None and (fragment.guard.filter is not None or fragment.guard.extra):
        return plan  # whose rows are not only passed on
    if {name for name, value in rest.args.items() if value} - _PASSED_ON or rest.args.get("kind"):
        return plan
    from_ = rest.args["from_"].this if rest.args.get("from_") else None
    if not isinstance(from_, exp.Table) or from_.name != fragment.name or len(from_.args.get("joins") or []):
        return plan
    read = [_column(one, from_, fragment) for one in rest.selects]
    columns = [one for one in read if one is not None]
    is_sql = rules_of(kinds[fragment.source]).is_sql
    repeated = len({one.name for one in columns}) < len(columns)
    if len(columns) < len(read) or (repeated and not is_sql) or not _cuts_itself(rest, fragment, is_sql):
        return plan
    return _passed_on(plan, fragment, rest, columns)


def _column(selected: exp.Expr, from_: exp.Table, fragment: Fragment) -> SourceColumn | None:
    node = selected.unalias()
    if not isinstance(node, exp.Column) or node.table != from_.alias_or_name:
        return None
    return next((one for one in fragment.columns if one.name == node.name), None)


def _cuts_itself(rest: exp.Select, fragment: Fragment, is_sql: bool) -> bool:
    for clause in ("order", "limit"):
        if rest.args.get(clause) and not fragment.query.args.get(clause):
            return False
    if rest.args.get("offset"):
        return is_sql and bool(rest.args.get("limit"))
    return True


def _passed_on(plan: QueryPlan, fragment: Fragment, rest: exp.Select, columns: list[SourceColumn]) -> QueryPlan:
    query = fragment.query.copy()
    computed = {one.alias: one.this for one in query.selects if isinstance(one, exp.Alias)}
    outputs: list[SourceColumn] = []
    for column in columns:
        name, number = column.name, 1
        while name in {one.name for one in outputs}:
            number += 1
            name = f"{column.name}_{number}"
        outputs.append(replace(column, name=name))
    query.set(
        "expressions",
        [
            exp.alias_(computed[column.name].copy(), output.name, quoted=True)
            for column, output in zip(columns, outputs, strict=True)
        ],
    )
    if rest.args.get("offset"):
        query.set("limit", rest.args["limit"].copy())
        query.set("offset", rest.args["offset"].copy())
    whole = replace(fragment, query=query, columns=tuple(outputs))
    selected = [
        exp.alias_(exp.column(output.name, table=fragment.name, quoted=True), one.alias_or_name, quoted=True)
        for one, output in zip(rest.selects, outputs, strict=True)
    ]
    passing = exp.Select(expressions=selected)
    passing.set("from_", exp.From(this=exp.to_table(fragment.name)))
    passing.args["from_"].this.this.set("quoted", True)
    return replace(plan, fragments=(whole,), rest=passing, whole=True)
