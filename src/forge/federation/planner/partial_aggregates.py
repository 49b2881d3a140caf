"""Aggregates below a join of several sources: the largest table adds up its rows by the columns that the rest of the
SELECT uses, and the engine adds up what joins. A row stands for as many as its group had, so only where each row of the
table joins as any other with the same values does, and only sums that cannot overflow on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.dialects.values import MOST_DIGITS
from forge.federation.planner.aggregates import AggregateProver, SourceValue
from forge.federation.planner.estimates import different_rows, filtered_rows
from forge.federation.planner.fragments import FragmentList, Output, fragment_table
from forge.federation.planner.joins import join_sides
from forge.federation.planner.source_joins import SourceJoin, rename_columns
from forge.federation.planner.source_table import SourceTable
from forge.federation.planner.stages import SourceScope, aggregates_of, is_grouped, replace_values, why_not_staged
from forge.federation.relation import SourceColumn
from forge.model.types import DataType

_WIDE = DataType("decimal", (MOST_DIGITS, 0))  # of partial sums of bigint
_ANY_NUMBER = (exp.Min, exp.Max)  # whose value does not change where a row comes several times
_MOST_LEFT = 0.5  # of the rows: where grouping keeps more, it is not worth it


@dataclass(frozen=True, slots=True)
class _Unit:
    """What one source computes before the join: a table, or tables that it joins."""

    scope: SourceScope
    tables: tuple[SourceTable, ...]

    @property
    def aliases(self) -> set[str]:
        return {table.alias for table in self.tables}


@dataclass(frozen=True, slots=True)
class _Partial:
    keys: tuple[tuple[exp.Column, SourceColumn], ...]
    values: dict[exp.AggFunc, SourceValue]


def push_partial(
    select: exp.Select, tables: Sequence[SourceTable], joins: Sequence[SourceJoin], plan: FragmentList
) -> set[str] | str:
    """The aliases of the tables that became one fragment, the tree being changed in place; or why there are none."""
    why = _why_not(select)
    if why:
        return why
    units = [one for one in _units(tables, joins) if plan.rules(one.scope.source).is_sql]
    for unit in sorted(units, key=lambda one: one.scope.rows or 0, reverse=True):
        found = _prove(select, unit, plan)
        if isinstance(found, str):
            why = why or found
            continue
        _apply(select, unit, found, plan)
        return unit.aliases
    return why or f"{plan.rules(tables[0].source).name} computes no aggregates"


def _why_not(select: exp.Select) -> str:
    if not is_grouped(select):
        return "it needs rows of several fragments"
    group = select.args.get("group")
    if group and any(value for name, value in group.args.items() if name != "expressions"):
        return "GROUP BY with sets is computed by the engine"
    conditions = [select.args.get("where"), *(join.args.get("on") for join in select.args.get("joins") or [])]
    if any(one.find(exp.Query) for one in conditions if one is not None):
        return "a subquery is computed by the engine"
    return why_not_staged(select, where=False)


def _units(tables: Sequence[SourceTable], joins: Sequence[SourceJoin]) -> list[_Unit]:
    joined = {table.alias for join in joins for table in join.tables}
    found = [_Unit(SourceScope(join.source, join.scope, join.rows, join.column), join.tables) for join in joins]
    for table in tables:
        if table.alias not in joined:
            rows = filtered_rows(table.relation, [one.node for one in table.pushed])
            found.append(_Unit(SourceScope(table.source, table.scope(), rows, table.column), (table,)))
    return found


def _prove(select: exp.Select, unit: _Unit, plan: FragmentList) -> _Partial | str:
    rules = plan.rules(unit.scope.source)
    if not _is_kept(unit, join_sides(select)):
        return "an outer join gives rows without this table, which count as well"
    prover = AggregateProver(rules, unit.scope.column_of)
    values: dict[exp.AggFunc, SourceValue] = {}
    for node in aggregates_of(select):
        if not isinstance(node, exp.AggFunc):
            continue
        owners = {column.table for column in node.find_all(exp.Column)}
        if owners and not owners & unit.aliases and _counts_once(node):
            continue
        value = prover.prove(node) if owners <= unit.aliases else _of_another(node)
        value = value if isinstance(value, str) else _widened(node, value, wide_sums=rules.wide_sums)
        if isinstance(value, str):
            return value
        values[node] = value
    keys = _keys(select, unit, values, prover)
    if isinstance(keys, str) or not values:
        return keys if isinstance(keys, str) else "there is nothing to add up in one source"
    return _why_not_worth(unit, keys) or _Partial(keys, values)


def _of_another(node: exp.AggFunc) -> str:
    return f"`{node.sql('spark').replace('`', '')}` needs another table, whose rows join several times"


def _is_kept(unit: _Unit, sides: Sequence[str]) -> bool:
    """Whether its rows come as they are, however often: no join puts NULLs in their place."""
    first, last = min(one.at for one in unit.tables), max(one.at for one in unit.tables)
    alone = len(unit.tables) == 1
    begins = first == 0 or sides[first] == "inner"
    after = sides[last + 1 :] if alone or first == 0 else sides[1:]
    return begins and all(side in ("inner", "left", "semi", "anti") for side in after)


def _counts_once(node: exp.AggFunc) -> bool:
    return isinstance(node, _ANY_NUMBER) or (isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct))


def _widened(node: exp.AggFunc, value: SourceValue, *, wide_sums: bool) -> SourceValue | str:
    """What can be added up once more: no distinct values, and sums with room for all rows, whichever of them join."""
    if node.find(exp.Distinct):
        return "distinct values of several parts are counted by the engine"
    if not isinstance(node, exp.Sum):
        return value
    ((source_node, column),) = value.parts
    added = value.of
    if added is None or family_of(column.type) is TypeFamily.DECIMAL:
        return value if column.type.size[0] < MOST_DIGITS else "a sum of so many digits could overflow on the way"
    if added.type.name != "bigint":
        return value
    if not wide_sums:
        return "a sum of bigint could overflow on the way"
    wide = SourceColumn(column.name, _WIDE)
    return SourceValue(((source_node, wide),), value.of)


def _keys(
    select: exp.Select, unit: _Unit, values: dict[exp.AggFunc, SourceValue], prover: AggregateProver
) -> tuple[tuple[exp.Column, SourceColumn], ...] | str:
    """The columns of the unit that anything but these aggregates uses."""
    conditions = [join.args.get("on") for join in select.args.get("joins") or []]
    names = ("where", "group", "having", "order", "distinct")
    parts = [*select.expressions, *conditions, *(select.args.get(name) for name in names)]
    found: dict[exp.Column, SourceColumn] = {}
    for part in parts:
        if part is None:
            continue
        for node in part.walk(prune=lambda one: isinstance(one, exp.AggFunc) and one in values):
            if not isinstance(node, exp.Column) or node.table not in unit.aliases or node in found:
                continue
            known = prover.group_key(node)
            if isinstance(known, str):
                return known
            found[node.copy()] = known
    # Without keys there is one group even of no rows.
    return tuple(found.items()) or "no column of it is joined"


def _why_not_worth(unit: _Unit, keys: Sequence[tuple[exp.Column, SourceColumn]]) -> str:
    rows = unit.scope.rows
    left = different_rows(rows, [column.distinct for _, column in keys])
    why = "its groups are about as many as its rows"
    if rows is not None and left is not None and left > rows * _MOST_LEFT:
        return why
    names = {(node.table, node.name.lower()) for node, _ in keys}
    for table in unit.tables:
        unique = {(table.alias, name.lower()) for name in table.relation.key}
        if len(unit.tables) == 1 and unique and unique <= names:
            return why
    return ""


def _apply(select: exp.Select, unit: _Unit, partial: _Partial, plan: FragmentList) -> None:
    query = unit.scope.query.copy()
    query.set("group", exp.Group(expressions=[node.copy() for node, _ in partial.keys]))
    outputs = [Output(node.copy(), column) for node, column in partial.keys]
    outputs += [Output(node, column) for value in partial.values.values() for node, column in value.parts]
    rows = different_rows(unit.scope.rows, [column.distinct for _, column in partial.keys])
    fragment = plan.add(query, outputs, rows, scanned=unit.scope.rows)
    columns = iter(exp.column(one.name, table=fragment.name, quoted=True) for one in fragment.columns)
    renamed = {(node.table, node.name): next(columns) for node, _ in partial.keys}
    has_groups = bool(select.args.get("group"))
    finals: dict[exp.Expr, exp.Expr] = {}
    why = "in parts, by the columns that the join uses: the engine adds up what joins"
    for node, value in partial.values.items():
        finals[node.copy()] = _final(node, value, [next(columns) for _ in value.parts], has_groups)
        plan.decide("aggregate", node, unit.scope.source, why, partial=True)
    replace_values(select, finals)
    gone = {id(table.node) for table in unit.tables[1:]}
    select.set("joins", [one for one in select.args.get("joins") or [] if id(one.this) not in gone])
    unit.tables[0].node.replace(fragment_table(fragment.name, fragment.name))
    rename_columns(select, renamed)


def _final(node: exp.AggFunc, value: SourceValue, columns: list[exp.Column], has_groups: bool) -> exp.Expr:
    """Of the type that the aggregate has in Spark."""
    if isinstance(node, _ANY_NUMBER):
        return type(node)(this=columns[0])
    sums: list[exp.Expr] = [exp.Sum(this=one) for one in columns]
    if isinstance(node, exp.Count):
        return sums[0] if has_groups else exp.Coalesce(this=sums[0], expressions=[exp.Literal.number(0)])
    ((_, column), *others) = value.parts
    if others or family_of(column.type) is not TypeFamily.DECIMAL:
        return value.from_parts(sums)
    # The sum of the sums is wider than the sum.
    return exp.cast(sums[0], "BIGINT" if column.type == _WIDE else str(column.type), dialect="spark")
