"""A relation as it stands in FROM, with the predicates that its source computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from forge.federation.dialects.predicates import all_of
from forge.federation.relation import SourceColumn, SourceRelation


@dataclass(frozen=True, slots=True)
class PushedPredicate:
    """`at`: of the ON of which join it was; None: of WHERE."""

    node: exp.Expr
    at: int | None


@dataclass(frozen=True, slots=True)
class SourceTable:
    at: int  # its place in FROM
    alias: str
    relation: SourceRelation
    node: exp.Table
    pushed: tuple[PushedPredicate, ...] = ()
    residual: exp.Expr | None = None  # of its row filter: what the source does not compute

    @property
    def source(self) -> str:
        return self.relation.name.source

    def column(self, of: exp.Column) -> SourceColumn | None:
        """None of another table, of a hidden column, which the source is never asked for, and of a masked one, of which
        it knows other values."""
        if of.table != self.alias or of.name.lower() in self.relation.hidden:
            return None
        found = self.relation.get(of.name)
        return None if found is None or found.mask is not None else found

    def scope(self) -> exp.Select:
        """What the source is asked, without its columns."""
        return from_where(self.node, [one.node for one in self.pushed])


def from_where(table: exp.Table, predicates: list[exp.Expr]) -> exp.Select:
    scope = exp.Select()
    scope.set("from_", exp.From(this=table.copy()))
    condition = all_of([one.copy() for one in predicates])
    if condition is not None:
        scope.set("where", exp.Where(this=condition))
    return scope


def needed_columns(select: exp.Select, alias: str, relation: SourceRelation) -> list[SourceColumn]:
    """In the order of the relation."""
    names = {column.name.lower() for column in _columns(select, alias)}
    return [one for one in relation.columns if one.name.lower() in names]


def _columns(node: exp.Expr, alias: str) -> Iterator[exp.Column]:
    """Also in subqueries, but for those that call a table of their own by the same alias."""
    for child in node.iter_expressions():
        if isinstance(child, exp.Column):
            if child.table == alias:
                yield child
        elif not (isinstance(child, exp.Select) and alias in own_aliases(child)):
            yield from _columns(child, alias)


def own_aliases(select: exp.Select) -> set[str]:
    """Of what stands in its FROM."""
    from_ = select.args.get("from_")
    items = [one.this for one in (from_, *(select.args.get("joins") or [])) if one is not None]
    return {one.alias_or_name for one in items}
