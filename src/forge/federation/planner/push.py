"""The third phase: of every SELECT, what its sources compute moves into fragments, and the rest reads these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from forge.federation.dialects.predicates import PredicateProver, ProvedPredicate
from forge.federation.planner.estimates import filtered_rows
from forge.federation.planner.fragments import ONE, FragmentList, Output, read_fragment
from forge.federation.planner.join_order import order_joins
from forge.federation.planner.joins import (
    Condition,
    FromItem,
    conditions_of,
    drop_from_where,
    from_items_of,
    is_inner,
    join_sides,
    place_conditions,
    pool_conditions,
    tables_of,
    why_kept,
)
from forge.federation.planner.partial_aggregates import push_partial
from forge.federation.planner.row_filters import split_row_filter
from forge.federation.planner.source_joins import SourceJoin, join_in_source, read_source_join
from forge.federation.planner.source_table import PushedPredicate, SourceTable, needed_columns
from forge.federation.planner.stages import SourceScope, decide_unpushed, push_stages
from forge.federation.relation import SourceColumn, SourceRelation

_FIXED_SIZE = ("boolean", "tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz", "double")


def push_select(select: exp.Select, plan: FragmentList, pushdown: bool) -> None:
    """The tree is changed in place."""
    items = from_items_of(select)
    tables = [found for at, item in enumerate(items) if (found := _source_table(at, item, plan, pushdown)) is not None]
    if not pushdown or not tables:
        for table in tables:
            _read_table(select, table, plan)
        return
    _drop_tautologies(select)
    pooled = len(items) > 1 and is_inner(select)
    if pooled:
        pool_conditions(select)
    undecided: list[tuple[Condition, str, str]] = []
    tables = [_push_filters(select, one, plan, undecided) for one in tables]
    joins = join_in_source(select, _joinable(select, tables), plan)
    _decide(select, undecided, plan)
    _decide_joins(select, tables, joins, plan)
    if not _push_all(select, items, tables, joins, plan):
        _read_all(select, len(items), tables, joins, plan)
    if pooled:
        order_joins(select, plan)
        place_conditions(select)


def _read_all(
    select: exp.Select, items: int, tables: Sequence[SourceTable], joins: Sequence[SourceJoin], plan: FragmentList
) -> None:
    """Filters, columns and joins of one source move, and the aggregates of one of them."""
    read: set[str] = set()
    if items > 1 and not any(len(join.tables) == items for join in joins):
        whole = [one for one in tables if one.residual is None]
        why = "not all of its row filter is computed by the source"
        partial = push_partial(select, whole, joins, plan) if whole else why
        if isinstance(partial, str):
            decide_unpushed(select, tables[0].source, partial, plan)
        else:
            read |= partial
    for join in joins:
        if join.tables[0].alias not in read:
            read_source_join(select, join, plan)
        read |= {table.alias for table in join.tables}
    for table in tables:
        if table.alias not in read:
            _read_table(select, table, plan)


def _drop_tautologies(select: exp.Select) -> None:
    """`1 = 1` and TRUE, which programs write before what they add."""
    for condition in conditions_of(select):
        node = condition.node.unnest()
        numbers = isinstance(node, exp.EQ) and isinstance(node.this, exp.Literal) and node.this == node.expression
        if condition.at is None and (numbers or (isinstance(node, exp.Boolean) and node.this)):
            drop_from_where(select, condition.node)


def _joinable(select: exp.Select, tables: Sequence[SourceTable]) -> list[SourceTable]:
    """A row filter comes before any join: of inner joins it may stand in WHERE, where the source computes all of it."""
    if is_inner(select):
        return [one for one in tables if one.residual is None]
    return [one for one in tables if one.relation.row_filter is None]


def _source_table(at: int, item: FromItem, plan: FragmentList, pushdown: bool) -> SourceTable | None:
    relation = plan.relation(item.node)
    if relation is None or not isinstance(item.node, exp.Table):
        return None
    rules = plan.rules(relation.name.source)
    own, residual = split_row_filter(relation, item.alias, rules, pushdown=pushdown)
    if relation.row_filter is not None:
        why = "" if residual is None else "what is not computed by the source is looked at as rows arrive"
        plan.decide("filter", f"the row filter of {relation.name}", relation.name.source, why)
    pushed = tuple(PushedPredicate(one, None) for one in own)
    return SourceTable(at, item.alias, relation, item.node, pushed, residual)


def _push_filters(
    select: exp.Select, table: SourceTable, plan: FragmentList, undecided: list[tuple[Condition, str, str]]
) -> SourceTable:
    sides = join_sides(select)
    prover = PredicateProver(plan.rules(table.source), table.column, plan.parameters)
    pushed: list[PushedPredicate] = []
    for condition in conditions_of(select):
        if table.alias not in tables_of(condition.node):
            continue
        proved = _prove(condition, sides, table, prover)
        if isinstance(proved, str):
            undecided.append((condition, table.source, proved))
            continue
        plan.decide("filter", condition.node, table.source, proved.why, prefilter=not proved.exact)
        pushed.append(PushedPredicate(proved.node, condition.at))
        if proved.exact and condition.at is None:
            drop_from_where(select, condition.node)
    return replace(table, pushed=(*table.pushed, *pushed))


def _prove(
    condition: Condition, sides: Sequence[str], table: SourceTable, prover: PredicateProver
) -> ProvedPredicate | str:
    if condition.node.find(exp.Query):
        return "a subquery is computed by the engine"
    if tables_of(condition.node) != {table.alias}:
        return "it needs columns of several tables"
    return why_kept(sides, table.at, condition) or prover.prove(condition.node)


def _decide(select: exp.Select, undecided: Sequence[tuple[Condition, str, str]], plan: FragmentList) -> None:
    """What neither a table nor a join of a source computes."""
    left = {id(one.node) for one in conditions_of(select)}
    for condition, source, why in undecided:
        is_join = isinstance(condition.node, exp.EQ) and len(tables_of(condition.node)) > 1
        if id(condition.node) in left and not is_join:
            plan.decide("filter", condition.node, source, why)


def _decide_joins(
    select: exp.Select, tables: Sequence[SourceTable], joins: Sequence[SourceJoin], plan: FragmentList
) -> None:
    group = {table.alias: index for index, join in enumerate(joins) for table in join.tables}
    sources = {table.alias: table.source for table in tables}
    for index, join in enumerate(joins):
        text = " JOIN ".join(str(table.relation.name) for table in join.tables)
        plan.decide("join", text, sources[joins[index].tables[0].alias])
    for condition in conditions_of(select):
        names = sorted(tables_of(condition.node))
        if isinstance(condition.node, exp.EQ) and len(names) == 2 and not condition.node.find(exp.Query):
            one, other = (sources.get(name) for name in names)
            if one is None or (group.get(names[0]) is not None and group.get(names[0]) == group.get(names[1])):
                continue
            why = "its tables are of several sources" if one != other else "the source is not proved to join as Spark"
            plan.decide("join", condition.node, one, why)


def _push_all(
    select: exp.Select,
    items: Sequence[FromItem],
    tables: Sequence[SourceTable],
    joins: Sequence[SourceJoin],
    plan: FragmentList,
) -> bool:
    """GROUP BY, LIMIT and the like, where one source has all that stands in FROM."""
    if len(items) == len(tables) == 1:
        (table,) = tables
        if table.residual is not None:
            decide_unpushed(select, table.source, "not all of its row filter is computed by the source", plan)
            return False
        rows = filtered_rows(table.relation, [one.node for one in table.pushed])
        return push_stages(select, SourceScope(table.source, table.scope(), rows, table.column), plan)
    if len(joins) == 1 and len(joins[0].tables) == len(items):
        (join,) = joins
        return push_stages(select, SourceScope(join.source, join.scope, join.rows, join.column), plan)
    return False


def _read_table(select: exp.Select, table: SourceTable, plan: FragmentList) -> None:
    needed = needed_columns(select, table.alias, table.relation)
    hidden = tuple(replace(one, name=one.name.lower()) for one in needed if one.name.lower() in table.relation.hidden)
    read = [one for one in needed if one.name.lower() not in table.relation.hidden] or _smallest(table.relation)
    outputs = [Output(exp.column(one.name.lower(), table=table.alias, quoted=True), one) for one in read] or [ONE]
    rows = filtered_rows(table.relation, [one.node for one in table.pushed])
    fragment = plan.add(table.scope(), outputs, rows, table.residual)
    names = [one.name.lower() for one in needed]
    table.node.replace(read_fragment(fragment, table.alias, hidden, names))


def _smallest(relation: SourceRelation) -> list[SourceColumn]:
    """A column to count rows by, where the query needs none."""
    seen = [one for one in relation.columns if one.name.lower() not in relation.hidden and not one.mask]
    fixed = [one for one in seen if one.type.name in _FIXED_SIZE]
    return (fixed or seen)[:1]
