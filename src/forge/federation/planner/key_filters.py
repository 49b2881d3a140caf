"""Dynamic filters: of two fragments that are joined by equal columns, the one with fewer rows is read first, and its
values filter the other at its source. Only where a row without such a value could not have been in the result: the
same rule as for any part of the condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.dialects.rules import LakeOrKind, SourceRules, has_text_rules, rules_of
from forge.federation.plan import Fragment, KeyFilter
from forge.federation.planner.joins import Condition, conditions_of, from_items_of, join_sides, why_kept
from forge.federation.relation import SourceColumn

MOST_ROWS = 100_000  # of the fragment whose values are used; distinct ones may be fewer
_PLAIN = {"expressions", "from_"}  # of a subquery that passes rows on
_KEY_FAMILIES = frozenset({TypeFamily.INTEGER, TypeFamily.STRING, TypeFamily.DATE, TypeFamily.DECIMAL})


def add_key_filters(
    fragments: Sequence[Fragment], rest: exp.Query, kinds: Mapping[str, LakeOrKind]
) -> tuple[Fragment, ...]:
    """The fragments in the order in which they are read."""
    ordered = sorted(fragments, key=_cost)
    by_name = {one.name: one for one in ordered}
    places = {one.name: place for place, one in enumerate(ordered)}
    uses = Counter(table.name for table in rest.find_all(exp.Table))
    found: dict[str, list[KeyFilter]] = {one.name: [] for one in ordered}
    for select in rest.find_all(exp.Select):
        items = {item.alias: at for at, item in enumerate(from_items_of(select))}
        seen = {item.alias: _columns_seen(item.node, by_name) for item in from_items_of(select)}
        sides = join_sides(select)
        for condition in conditions_of(select):
            for target, by in _pairs(condition.node):
                one, column = seen.get(target.table, {}).get(target.name, (None, ""))
                other, by_column = seen.get(by.table, {}).get(by.name, (None, ""))
                if one is None or other is None or uses[one.name] > 1 or places[other.name] >= places[one.name]:
                    continue
                if why_kept(sides, items[target.table], Condition(condition.node, condition.at)):
                    continue
                if _can_filter(one, column, other, by_column, rules_of(kinds[one.source])):
                    key = KeyFilter(column, other.name, by_column)
                    found[one.name] += [key] if key not in found[one.name] else []
    kept: dict[str, Fragment] = {}
    for one in ordered:
        kept[one.name] = _with_keys(one, found[one.name], kept)
    return tuple(kept.values())


def _cost(fragment: Fragment) -> tuple[bool, int]:
    rows = fragment.scanned if fragment.scanned is not None else fragment.rows
    return rows is None, rows or 0


def _with_keys(fragment: Fragment, keys: list[KeyFilter], read: Mapping[str, Fragment]) -> Fragment:
    """With the rows that are left, as far as the source knows how many values the columns have."""
    rows = fragment.rows
    for key in keys:
        column = next(one for one in fragment.columns if one.name == key.column)
        most = read[key.by_fragment].rows
        if rows and most is not None and column.distinct:
            rows = max(1, round(rows * min(1.0, most / column.distinct)))
    return replace(fragment, keys=tuple(keys), rows=rows)


def _columns_seen(node: exp.Expr, fragments: Mapping[str, Fragment]) -> dict[str, tuple[Fragment, str]]:
    """The columns of fragments that an item of FROM passes on, by the names that it gives them: of a fragment, or of a
    subquery that only selects from one."""
    if isinstance(node, exp.Table):
        fragment = fragments.get(node.name)
        return {one.name: (fragment, one.name) for one in fragment.columns} if fragment is not None else {}
    select = node.this if isinstance(node, exp.Subquery) else None
    if not isinstance(select, exp.Select) or {name for name, value in select.args.items() if value} != _PLAIN:
        return {}
    inner = select.args["from_"].this
    if not isinstance(inner, exp.Table) or any(one.find(exp.Window, exp.AggFunc) for one in select.selects):
        return {}
    below = _columns_seen(inner, fragments)
    columns = {one.alias_or_name: one.unalias() for one in select.selects}
    if len(columns) < len(select.selects):
        return {}
    return {name: below[one.name] for name, one in columns.items() if isinstance(one, exp.Column) and one.name in below}


def _pairs(node: exp.Expr) -> list[tuple[exp.Column, exp.Column]]:
    """Both ways of an equality of two columns."""
    if not isinstance(node, exp.EQ) or not isinstance(node.this, exp.Column):
        return []
    left, right = node.this, node.expression
    return [(left, right), (right, left)] if isinstance(right, exp.Column) and left.table != right.table else []


def _can_filter(target: Fragment, column: str, by: Fragment, by_column: str, rules: SourceRules) -> bool:
    one = next((found for found in target.columns if found.name == column), None)
    other = next((found for found in by.columns if found.name == by_column), None)
    if one is None or one.mask or other is None:  # of a masked column the source knows other values
        return False
    if by.rows is None or by.rows > MOST_ROWS or not _is_open(target, column):
        return False
    return _compares(one, rules) and _same_values(one, other)


def _is_open(fragment: Fragment, column: str) -> bool:
    """Whether a predicate on the column can be added: before a LIMIT it would mean something else, and before a GROUP
    BY where the column is no key of it."""
    query = fragment.query
    if not isinstance(query, exp.Select) or any(query.args.get(name) for name in ("limit", "offset")):
        return False
    projection = next((one.unalias() for one in query.selects if one.alias_or_name == column), None)
    group = query.args.get("group")
    if group is not None or query.args.get("having"):
        return isinstance(projection, exp.Column) and projection in (group.expressions if group else ())
    return isinstance(projection, exp.Column) and not any(one.find(exp.AggFunc) for one in query.selects)


def _compares(column: SourceColumn, rules: SourceRules) -> bool:
    family = family_of(column.type)
    if rules.by_parameter or family not in _KEY_FAMILIES or family not in rules.compared:
        return False
    if family is TypeFamily.STRING:
        # More rows than needed do no harm: the rest joins them anyway.
        return has_text_rules(column, rules) and (column.same_equality or rules.wider_equality)
    return column.same_equality


def _same_values(one: SourceColumn, other: SourceColumn) -> bool:
    family = family_of(one.type)
    return family_of(other.type) is family and (family is not TypeFamily.DECIMAL or one.type == other.type)
