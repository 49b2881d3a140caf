"""Fragments whose rows may be read in several parts at once: rows of one table as they are, and many of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqlglot import exp

from forge.federation.plan import Fragment
from forge.federation.relation import RelationName, SourceRelation

SPLIT_ROWS = 200_000  # estimated: below that a part costs more than it saves, and an index may find the rows
_ROW_BY_ROW = {"expressions", "from_", "where"}


def mark_splits(
    fragments: Iterable[Fragment], relations: Mapping[RelationName, SourceRelation]
) -> tuple[Fragment, ...]:
    """A LIMIT, a group or an order is of all rows together: such a fragment is one read."""
    splitting = {one.name for one in relations.values() if one.splits}
    return tuple(replace(one, splits=True) if _can_split(one, splitting) else one for one in fragments)


def _can_split(fragment: Fragment, splitting: set[RelationName]) -> bool:
    query = fragment.query
    if len(fragment.relations) != 1 or fragment.relations[0] not in splitting or not isinstance(query, exp.Select):
        return False
    row_by_row = {name for name, value in query.args.items() if value} <= _ROW_BY_ROW
    return row_by_row and not query.find(exp.AggFunc, exp.Window) and (fragment.rows or 0) >= SPLIT_ROWS
