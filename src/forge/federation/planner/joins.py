"""What stands in FROM, and below which joins a condition keeps its meaning."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, slots=True)
class FromItem:
    """A table, a subquery or VALUES in FROM. `join`: where it is joined; None: it is the first."""

    node: exp.Expr
    alias: str
    join: exp.Join | None


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of WHERE (`at` None), or of the ON of the join at this place."""

    node: exp.Expr
    at: int | None


def leaves_of(select: exp.Select) -> tuple[FromItem, ...]:
    """In the order of the text; leaf k is the right side of join k."""
    from_ = select.args.get("from_")
    if from_ is None:
        return ()
    joins: list[exp.Join] = select.args.get("joins") or []
    first = FromItem(from_.this, from_.this.alias_or_name, None)
    return (first, *(FromItem(join.this, join.this.alias_or_name, join) for join in joins))


def join_side(join: exp.Join) -> str:
    """`inner`, `left`, `right`, `full`, `semi` or `anti`; `other` of what has rules of its own."""
    side, kind, method = join.side.upper(), join.kind.upper(), join.method
    if method or join.args.get("using") or kind not in ("", "INNER", "CROSS", "OUTER", "SEMI", "ANTI"):
        return "other"
    if kind in ("SEMI", "ANTI"):
        return kind.lower() if side in ("", "LEFT") else "other"
    return side.lower() if side else "inner"


def null_supplied(sides: tuple[str, ...], leaf: int, below: int) -> bool:
    """Whether rows of this leaf can be replaced by NULLs by one of the joins 1 to `below`; `sides[0]` is not used."""
    if leaf and leaf <= below and sides[leaf] in ("left", "full", "other"):
        return True
    return any(sides[k] in ("right", "full", "other") for k in range(max(leaf + 1, 1), below + 1))


def why_kept(sides: tuple[str, ...], leaf: int, condition: Condition) -> str:
    """Why a condition on this leaf alone may not filter it before it is joined; empty: it may."""
    outer = "an outer join gives rows without this table, which the condition is to see"
    if condition.at is None:
        if leaf and sides[leaf] in ("semi", "anti"):
            return "the table is not seen outside its join"
        return outer if null_supplied(sides, leaf, len(sides) - 1) else ""
    at, side = condition.at, sides[condition.at]
    if leaf > at or side in ("full", "other"):
        return "a full outer join keeps rows for which its condition is false"
    if leaf == at:
        return "the join keeps rows of this table for which its condition is false" if side == "right" else ""
    if side in ("left", "anti"):
        return "the join keeps rows of this table for which its condition is false"
    return outer if null_supplied(sides, leaf, at - 1) else ""
