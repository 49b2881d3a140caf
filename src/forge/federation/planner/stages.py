"""Of a SELECT whose tables are all of one source and whose WHERE the source computes: GROUP BY and its aggregates, then
DISTINCT, then ORDER BY with LIMIT, as far as the source is proved to compute them. The rest computes the expressions,
and sorts and cuts again what the source has cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.dialects.predicates import BINARY, ColumnOf, all_of, conjuncts
from forge.federation.dialects.rules import UNKNOWN, SourceRules
from forge.federation.dialects.values import fit_value, is_value, read_value, write_value
from forge.federation.planner.aggregates import AggregateProver, SourceValue
from forge.federation.planner.estimates import different_rows, grouped_rows, limited_rows
from forge.federation.planner.fragments import ONE, FragmentList, Output, fragment_table

# Clauses of SELECT that are understood here; with any other, only filters and columns move.
_CLAUSES = frozenset(
    {
        "kind",
        "expressions",
        "from_",
        "joins",
        "where",
        "group",
        "having",
        "distinct",
        "order",
        "limit",
        "offset",
        "with_",
    }
)
_NOT_HERE = (exp.Query, exp.Window, exp.Filter, exp.WithinGroup)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


@dataclass(frozen=True, slots=True)
class SourceScope:
    """What one source is asked so far, without its columns: FROM and WHERE."""

    source: str
    query: exp.Select
    rows: int | None
    column_of: ColumnOf


@dataclass(frozen=True, slots=True)
class _Stage:
    """`values`: by the expressions of the SELECT that they compute. `cut`: whether rows may be cut off here, since
    nothing between the source and the LIMIT of the rest drops any."""

    query: exp.Select
    rows: int | None
    values: dict[exp.Expr, SourceValue]
    cut: bool = True


def push_stages(select: exp.Select, scope: SourceScope, plan: FragmentList) -> bool:
    """Whether more than filters and columns moved; the tree is then changed in place."""
    why = why_not_staged(select)
    if why:
        decide_unpushed(select, scope.source, why, plan)
        return False
    prover = AggregateProver(plan.rules(scope.source), scope.column_of)
    is_sql = plan.rules(scope.source).is_sql
    stage = _group(select, scope, prover, plan) if is_grouped(select) else _columns(select, scope, is_sql)
    if stage is None:
        return False
    stage = _distinct(select, stage, scope, prover, plan)
    stage = _limit(select, stage, scope, prover, plan)
    fragment_values = [part for value in stage.values.values() for part in value.parts]
    outputs = [Output(node, column) for node, column in fragment_values] or [ONE]
    is_cut = bool(stage.query.args.get("limit"))
    fragment = plan.add(stage.query, outputs, stage.rows, scanned=None if is_cut else scope.rows)
    names = iter(fragment.columns)
    replaced = {
        key: value.from_parts([exp.column(next(names).name, table=fragment.name, quoted=True) for _ in value.parts])
        for key, value in stage.values.items()
    }
    replace_values(select, replaced)
    having = select.args.get("having")
    select.set("where", exp.Where(this=having.this) if having else None)
    select.set("having", None)
    select.set("group", None)
    select.set("joins", None)
    select.set("from_", exp.From(this=fragment_table(fragment.name, fragment.name)))
    return True


def is_grouped(select: exp.Select) -> bool:
    if select.args.get("group") or select.args.get("having"):
        return True
    parts = [*select.expressions, select.args.get("order")]
    return any(_in_scope(part, exp.AggFunc) for part in parts if part is not None)


def decide_unpushed(select: exp.Select, source: str, why: str, plan: FragmentList) -> None:
    """For whoever reads the plan: what of the SELECT the engine computes."""
    if is_grouped(select):
        for one in aggregates_of(select) or [select.args.get("group") or select.args["having"]]:
            plan.decide("aggregate", one, source, why)
    if select.args.get("distinct"):
        plan.decide("distinct", "DISTINCT", source, why)
    if select.args.get("limit"):
        plan.decide("limit", select.args["limit"], source, why)


def why_not_staged(select: exp.Select, *, where: bool = True) -> str:
    """`where`: whether a condition that is left is a reason."""
    if where and select.args.get("where"):
        return "WHERE is not computed by the source alone"
    others = {name for name, value in select.args.items() if value} - _CLAUSES
    if others or select.args.get("kind"):
        return "a clause of this SELECT is computed by the engine alone"
    parts = [*select.expressions, *(select.args.get(name) for name in ("group", "having", "order"))]
    if any(part.find(*_NOT_HERE) for part in parts if part is not None):
        return "a subquery, a window or FILTER is computed by the engine"
    return ""


def _in_scope(node: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    """Nodes of a kind that are in no subquery and in no window."""
    found: list[exp.Expr] = []
    for one in node.walk(prune=lambda one: isinstance(one, exp.Query | exp.Window)):
        if isinstance(one, kind) and one.parent is not None and not isinstance(one.parent, exp.Window):
            found.append(one)
    return found


def _parts(select: exp.Select) -> list[exp.Expr]:
    found = [*select.expressions, *(select.args.get(name) for name in ("having", "order"))]
    return [one for one in found if one is not None]


def aggregates_of(select: exp.Select) -> list[exp.Expr]:
    return list(dict.fromkeys(one for part in _parts(select) for one in _in_scope(part, exp.AggFunc)))


def _columns(select: exp.Select, scope: SourceScope, is_sql: bool) -> _Stage | None:
    """No GROUP BY: the columns that the SELECT uses. None where it adds nothing to reading them. A scan has to have
    one."""
    has_more = any(select.args.get(name) for name in ("distinct", "order", "limit", "offset"))
    values: dict[exp.Expr, SourceValue] = {}
    for part in _parts(select):
        for column in part.find_all(exp.Column):
            if not column.table:
                continue  # an alias
            known = scope.column_of(column)
            if known is None:
                return None
            values[column.copy()] = SourceValue(((column.copy(), known),))
    return _Stage(scope.query.copy(), scope.rows, values) if has_more and (values or is_sql) else None


def _group(select: exp.Select, scope: SourceScope, prover: AggregateProver, plan: FragmentList) -> _Stage | None:
    values: dict[exp.Expr, SourceValue] = {}
    group = select.args.get("group")
    query = scope.query.copy()
    why = plan.rules(scope.source).why_no("aggregates")
    keys: list[exp.Expr] = group.expressions if group else []
    if group and any(value for name, value in group.args.items() if name != "expressions"):
        why = why or "GROUP BY with sets is computed by the engine"
    for key in keys:
        found = prover.group_key(key)
        why = why or (found if isinstance(found, str) else "")
        if not isinstance(found, str):
            values[key.copy()] = SourceValue(((key.copy(), found),))
    proved = {node: prover.prove(node) for node in aggregates_of(select) if isinstance(node, exp.AggFunc)}
    reasons = [one for one in proved.values() if isinstance(one, str)]
    why = why or (reasons[0] if reasons else "")
    others = [c for part in _parts(select) for c in part.find_all(exp.Column) if c.table and c not in values]
    if not why and any(not c.find_ancestor(exp.AggFunc) for c in others):
        why = "a column is neither grouped nor aggregated"
    if why or not (keys or proved):
        decide_unpushed(select, scope.source, why or "there is nothing to group", plan)
        return None
    values |= {node.copy(): one for node, one in proved.items() if not isinstance(one, str)}
    for node in proved:
        plan.decide("aggregate", node, scope.source)
    if group and keys:
        query.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        plan.decide("aggregate", group, scope.source)
    kept = _having(select, query, values, scope.source, plan)
    rows = _groups(scope.rows, [values[key] for key in keys]) if keys else grouped_rows(scope.rows, False)
    return _Stage(query, rows, values, cut=not kept)


def _groups(rows: int | None, keys: Sequence[SourceValue]) -> int | None:
    return different_rows(rows, [column.distinct for key in keys for _, column in key.parts])


def _having(
    select: exp.Select, query: exp.Select, values: dict[exp.Expr, SourceValue], source: str, plan: FragmentList
) -> bool:
    """Whether any of it is left to the rest."""
    having = select.args.get("having")
    if having is None:
        return False
    kept: list[exp.Expr] = []
    pushed: list[exp.Expr] = []
    for one in conjuncts(having.this):
        proved = _compared_aggregate(one, values, plan.rules(source), plan)
        if proved is None:
            kept.append(one)
        else:
            pushed.append(proved)
        why = "only comparisons of an aggregate with a value are computed by sources" if proved is None else ""
        plan.decide("filter", one, source, why)
    condition, left = all_of(pushed), all_of(kept)
    if condition is not None:
        query.set("having", exp.Having(this=condition))
    select.set("having", exp.Having(this=left) if left is not None else None)
    return left is not None


def _compared_aggregate(
    node: exp.Expr, values: dict[exp.Expr, SourceValue], rules: SourceRules, plan: FragmentList
) -> exp.Expr | None:
    """`count(*) > 1`, of whole and decimal numbers."""
    node = node.unnest()
    if not isinstance(node, _COMPARISONS) or not isinstance(node.this, exp.AggFunc) or not is_value(node.expression):
        return None
    computed = values.get(node.this)
    read = read_value(node.expression, plan.parameters)
    if computed is None or len(computed.parts) != 1 or read is None:
        return None
    source_node, column = computed.parts[0]
    fitted = fit_value(read, column.type)
    if fitted is None or family_of(column.type) not in (TypeFamily.INTEGER, TypeFamily.DECIMAL):
        return None
    if fitted.family not in rules.compared:
        return None
    return type(node)(this=source_node.copy(), expression=write_value(fitted))


def _distinct(
    select: exp.Select, stage: _Stage, scope: SourceScope, prover: AggregateProver, plan: FragmentList
) -> _Stage:
    distinct = select.args.get("distinct")
    if distinct is None:
        return stage
    selected = [one.unalias() for one in select.expressions]
    keys = {one: prover.group_key(one) for one in selected}
    reasons = [one for one in keys.values() if isinstance(one, str)]
    why = reasons[0] if reasons else ""
    if not plan.rules(scope.source).is_sql:
        why = plan.rules(scope.source).why_no("DISTINCT")
    elif distinct.args.get("on") or stage.query.args.get("group") or set(keys) != set(stage.values):
        why = why or "it is computed after aggregates, or beside other columns"
    plan.decide("distinct", "DISTINCT", scope.source, why)
    if why:
        return replace(stage, cut=False)
    query = stage.query.copy()
    query.set("distinct", exp.Distinct())
    select.set("distinct", None)
    return replace(stage, query=query, rows=_groups(stage.rows, list(stage.values.values())))


def _limit(
    select: exp.Select, stage: _Stage, scope: SourceScope, prover: AggregateProver, plan: FragmentList
) -> _Stage:
    limit, order = select.args.get("limit"), select.args.get("order")
    if limit is None and (order is None or select.parent is not None or not _passes_columns(select, stage)):
        return stage
    count, offset = _number(limit), _number(select.args.get("offset"))
    keys, why = _order_keys(select, stage, prover, plan.rules(scope.source))
    if not stage.cut:
        why = "rows are dropped after the source gave them"
    elif count is None or offset is None:
        why = "its number is not written in the query"
    elif keys and stage.query.args.get("distinct"):
        why = "DISTINCT of the source is sorted by the engine"
    if order is not None:
        plan.decide("order", order, scope.source, why)
    if limit is not None:
        plan.decide("limit", limit, scope.source, why)
    if why or count is None or offset is None:
        return stage
    query = stage.query.copy()
    if keys:
        query.set("order", exp.Order(expressions=keys))
    if limit is None:
        return replace(stage, query=query)
    query.set("limit", exp.Limit(expression=exp.Literal.number(count + offset)))
    return replace(stage, query=query, rows=limited_rows(stage.rows, count + offset))


def _number(clause: exp.Expr | None) -> int | None:
    if clause is None:
        return 0
    number = clause.expression
    is_plain = isinstance(number, exp.Literal) and not number.is_string and number.name.isdecimal()
    return int(number.name) if is_plain else None


def _passes_columns(select: exp.Select, stage: _Stage) -> bool:
    return all(one.unalias() in stage.values for one in select.expressions)


def _order_keys(
    select: exp.Select, stage: _Stage, prover: AggregateProver, rules: SourceRules
) -> tuple[list[exp.Expr], str]:
    order = select.args.get("order")
    if order is None:
        return [], ""
    if not rules.is_sql:
        return [], "it sorts nothing" if rules.is_known else UNKNOWN
    selected = {one.alias: one.unalias() for one in select.expressions if isinstance(one, exp.Alias)}
    keys: list[exp.Expr] = []
    for one in order.expressions:
        node = one.this
        if isinstance(node, exp.Column) and not node.table:
            node = selected.get(node.name, node)
        key = _order_key(node, stage, prover)
        if isinstance(key, str):
            return [], key
        keys.append(exp.Ordered(this=key, desc=one.args.get("desc"), nulls_first=one.args.get("nulls_first")))
    return keys, ""


def _order_key(node: exp.Expr, stage: _Stage, prover: AggregateProver) -> exp.Expr | str:
    computed = stage.values.get(node)
    if computed is None:
        return f"{_words(node)} is not computed by sources"
    source_node, column = computed.parts[0]
    if isinstance(node, exp.Column):
        return prover.order_key(node)
    if len(computed.parts) > 1:
        return f"{_words(node)} is put together by the engine"
    if family_of(column.type) is TypeFamily.STRING:  # the least or greatest of strings that are sorted by bytes
        return exp.Collate(this=source_node.copy(), expression=exp.Var(this=BINARY))
    return source_node.copy()


def _words(node: exp.Expr) -> str:
    return f"`{node.sql('spark').replace('`', '')}`"


def replace_values(select: exp.Select, replaced: dict[exp.Expr, exp.Expr]) -> None:
    def of(node: exp.Expr) -> exp.Expr:
        found = replaced.get(node)
        return found.copy() if found is not None else node

    for part in _parts(select):
        _transform(part, of)


def _transform(node: exp.Expr, of: Callable[[exp.Expr], exp.Expr]) -> None:
    """Top down, and not into what was replaced."""
    for child in list(node.iter_expressions()):
        new = of(child)
        if new is not child:
            child.replace(new)
        else:
            _transform(child, of)
