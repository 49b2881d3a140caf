"""Joins of tables of one source that it is proved to compute: inner joins of any of the tables, where all joins of the
SELECT are inner, else inner and left joins from the first table on. Each is connected by equal columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from forge.federation.dialects.predicates import PredicateProver, all_of, conjuncts
from forge.federation.planner.estimates import filtered_rows, joined_rows
from forge.federation.planner.fragments import ONE, FragmentList, Output, fragment_table, null_of
from forge.federation.planner.joins import conditions_of, drop_from_where, is_inner, join_sides, tables_of
from forge.federation.planner.source_table import SourceTable, needed_columns, own_aliases
from forge.federation.relation import SourceColumn


@dataclass(frozen=True, slots=True)
class SourceJoin:
    """`scope`: FROM, ON and WHERE of the fragment."""

    tables: tuple[SourceTable, ...]
    scope: exp.Select
    rows: int | None

    @property
    def source(self) -> str:
        return self.tables[0].source

    def column(self, of: exp.Column) -> SourceColumn | None:
        found = next((found for table in self.tables if (found := table.column(of)) is not None), None)
        has_nulls = any(join.side for join in self.scope.args.get("joins") or [])
        return replace(found, nullable=True) if found is not None and has_nulls else found


def join_in_source(select: exp.Select, tables: Sequence[SourceTable], plan: FragmentList) -> list[SourceJoin]:
    """Conditions that a source computes leave WHERE."""
    if is_inner(select):
        return [
            _inner_join(select, group, plan)
            for source in dict.fromkeys(table.source for table in tables)
            if plan.rules(source).is_sql
            for group in _connected(select, [table for table in tables if table.source == source], plan)
        ]
    found = _outer_join(select, tables, plan)
    return [found] if found is not None else []


def read_source_join(select: exp.Select, join: SourceJoin, plan: FragmentList) -> None:
    """The first table becomes the fragment, and the others leave FROM."""
    outputs: list[Output] = []
    replaced: dict[tuple[str, str], exp.Expr] = {}
    places: list[tuple[str, str]] = []
    for table in join.tables:
        for column in needed_columns(select, table.alias, table.relation):
            place = (table.alias, column.name.lower())
            if column.name.lower() in table.relation.hidden:
                replaced[place] = null_of(column).this
                continue
            node = exp.column(place[1], table=place[0], quoted=True)
            outputs.append(Output(node, join.column(node) or column))
            places.append(place)
    if not outputs:
        outputs.append(ONE)
    fragment = plan.add(join.scope, outputs, join.rows)
    for place, column in zip(places, fragment.columns, strict=False):
        replaced[place] = exp.column(column.name, table=fragment.name, quoted=True)
    gone = {id(table.node) for table in join.tables[1:]}
    select.set("joins", [one for one in select.args.get("joins") or [] if id(one.this) not in gone])
    join.tables[0].node.replace(fragment_table(fragment.name, fragment.name))
    rename_columns(select, replaced)


def _prover(tables: Sequence[SourceTable], plan: FragmentList) -> PredicateProver:
    def column_of(column: exp.Column) -> SourceColumn | None:
        return next((found for table in tables if (found := table.column(column)) is not None), None)

    return PredicateProver(plan.rules(tables[0].source), column_of, plan.parameters)


def _connected(select: exp.Select, tables: Sequence[SourceTable], plan: FragmentList) -> list[list[SourceTable]]:
    """Groups of tables that equal columns join, in the order of FROM."""
    groups = [{table.alias} for table in tables]
    if len(tables) < 2:
        return []
    prover = _prover(tables, plan)
    for condition in conditions_of(select):
        names = tables_of(condition.node)
        if not _is_equi_join(condition.node) or not names <= set().union(*groups):
            continue
        proved = prover.prove(condition.node)
        if isinstance(proved, str) or not proved.exact:
            continue
        joined = set().union(*(group for group in groups if group & names))
        groups = [group for group in groups if not group & names] + [joined]
    return [[table for table in tables if table.alias in group] for group in groups if len(group) > 1]


def _is_equi_join(node: exp.Expr) -> bool:
    is_pair = isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)
    return is_pair and len(tables_of(node)) == 2


def _inner_join(select: exp.Select, tables: Sequence[SourceTable], plan: FragmentList) -> SourceJoin:
    prover, names = _prover(tables, plan), {table.alias for table in tables}
    proved: list[exp.Expr] = []
    for condition in conditions_of(select):
        if len(tables_of(condition.node)) < 2 or not tables_of(condition.node) <= names:
            continue
        found = None if condition.node.find(exp.Query) else prover.prove(condition.node)
        if found is None or isinstance(found, str) or not found.exact:
            continue
        proved.append(found.node)
        drop_from_where(select, condition.node)
        if not _is_equi_join(condition.node):
            plan.decide("filter", condition.node, tables[0].source)
    scope = exp.Select()
    scope.set("from_", exp.From(this=tables[0].node.copy()))
    seen, waiting, open_ = {tables[0].alias}, list(tables[1:]), list(proved)
    while waiting:
        # A table that equal columns join to those before it; all are connected, so there is one.
        following = next(one for one in waiting if any(tables_of(p) <= seen | {one.alias} for p in _links(open_, one)))
        waiting.remove(following)
        seen.add(following.alias)
        on = [one for one in open_ if tables_of(one) <= seen]
        open_ = [one for one in open_ if not tables_of(one) <= seen]
        scope.append("joins", exp.Join(this=following.node.copy(), on=all_of(on)))
    where = all_of([one.node.copy() for table in tables for one in table.pushed])
    if where is not None:
        scope.set("where", exp.Where(this=where))
    return SourceJoin(tuple(tables), scope, _joined_rows(tables, proved))


def _links(proved: Sequence[exp.Expr], table: SourceTable) -> list[exp.Expr]:
    return [one for one in proved if isinstance(one, exp.EQ) and table.alias in tables_of(one)]


def _outer_join(select: exp.Select, tables: Sequence[SourceTable], plan: FragmentList) -> SourceJoin | None:
    """The longest run of inner and left joins of one source, from the first table on."""
    sides = join_sides(select)
    places = {table.at: table for table in tables}
    if 0 not in places or not plan.rules(places[0].source).is_sql:
        return None
    run = [places[0]]
    joins: list[exp.Join] = []
    links: list[exp.Expr] = []
    for at, join in enumerate(select.args.get("joins") or [], start=1):
        table = places.get(at)
        if table is None or table.source != run[0].source or sides[at] not in ("inner", "left"):
            break
        on = [_prover([*run, table], plan).prove(one) for one in conjuncts(join.args.get("on"))]
        proved = [one.node for one in on if not isinstance(one, str) and one.exact]
        if len(proved) < len(on) or not any(_is_equi_join(one) or _is_collated_pair(one) for one in proved):
            break
        run.append(table)
        links += proved
        side = "LEFT" if sides[at] == "left" else None
        joins.append(exp.Join(this=table.node.copy(), on=all_of(proved), side=side))
    last = len(run) - 1
    if not last:
        return None
    scope = exp.Select()
    scope.set("from_", exp.From(this=run[0].node.copy()))
    scope.set("joins", joins)
    # Of the ON of a join of the run, the predicates are there already.
    where = [one.node.copy() for table in run for one in table.pushed if one.at is None or one.at > last]
    where += _after_joins(select, run, sides[last + 1 :], plan)
    condition = all_of(where)
    if condition is not None:
        scope.set("where", exp.Where(this=condition))
    return SourceJoin(tuple(run), scope, _joined_rows(run, links))


def _is_collated_pair(node: exp.Expr) -> bool:
    return isinstance(node, exp.EQ) and isinstance(node.expression, exp.Collate)


def _after_joins(
    select: exp.Select, run: Sequence[SourceTable], later: Sequence[str], plan: FragmentList
) -> list[exp.Expr]:
    """Of WHERE, what needs the joined rows alone, where no later join gives NULLs instead of them."""
    if not all(side in ("inner", "left", "semi", "anti") for side in later):
        return []
    names, found = {table.alias for table in run}, []
    prover = _prover(run, plan)
    for condition in conditions_of(select):
        inside = condition.at is None and tables_of(condition.node) and tables_of(condition.node) <= names
        proved = prover.prove(condition.node) if inside and not condition.node.find(exp.Query) else ""
        # A prefilter of one table is there already.
        if not isinstance(proved, str) and proved.exact:
            found.append(proved.node)
            drop_from_where(select, condition.node)
            plan.decide("filter", condition.node, run[0].source)
    return found


def _joined_rows(tables: Sequence[SourceTable], conditions: Sequence[exp.Expr]) -> int | None:
    """One table after the other, in the order of FROM; one that no condition joins yet waits. LEFT adds little."""
    waiting, seen = list(tables[1:]), [tables[0]]
    rows = filtered_rows(tables[0].relation, [one.node for one in tables[0].pushed])
    while waiting:
        following = next((one for one in waiting if _value_pairs(seen, one, conditions)), waiting[0])
        waiting.remove(following)
        filtered = filtered_rows(following.relation, [one.node for one in following.pushed])
        pairs = _value_pairs(seen, following, conditions)
        rows = joined_rows(rows, filtered, pairs or [(None, None)])
        seen.append(following)
    return rows


def _value_pairs(
    seen: Sequence[SourceTable], table: SourceTable, conditions: Sequence[exp.Expr]
) -> list[tuple[int | None, int | None]]:
    """How many values the columns have that join the table to those before it."""
    by_alias = {one.alias: one for one in (*seen, table)}
    found = []
    for one in conditions:
        names = tables_of(one)
        if not isinstance(one, exp.EQ) or len(names) != 2 or table.alias not in names or not names <= by_alias.keys():
            continue
        ends = sorted(one.find_all(exp.Column), key=lambda column: column.table == table.alias)
        columns = [by_alias[end.table].column(end) for end in (ends[0], ends[-1])]
        left, right = (column.distinct if column is not None else None for column in columns)
        found.append((left, right))
    return found


def rename_columns(node: exp.Expr, replaced: Mapping[tuple[str, str], exp.Expr]) -> None:
    """Also in subqueries, but for those that call a table of their own by the same alias."""
    for child in list(node.iter_expressions()):
        if isinstance(child, exp.Column):
            new = replaced.get((child.table, child.name))
            if new is not None:
                child.replace(new.copy())
            continue
        inner = replaced
        if isinstance(child, exp.Select):
            own = own_aliases(child)
            inner = {place: new for place, new in replaced.items() if place[0] not in own}
        rename_columns(child, inner)
