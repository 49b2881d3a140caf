"""SET a = …: columns written by an assignment, and their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from forge.lineage.edge import Transformation
from forge.lineage.extract.relation import Relation
from forge.lineage.extract.sql.names import word_of
from forge.lineage.extract.sql.rows import spelled
from forge.lineage.extract.sql.target import WriteTarget, merge_columns
from forge.lineage.extract.value import ColumnValue
from forge.model.names import ColumnName

FIELD = "\0"  # between a column and the field of it that is set


def plain(table: exp.Table) -> exp.Table:
    copied = table.copy()
    for key in ("joins", "laterals"):
        copied.set(key, None)
    return copied


Sets = list[tuple[tuple[str, ...], exp.Expr]]


def sets_of(expressions: Iterable[exp.Expr]) -> Sets:
    """SET a = …, (b, c) = (…, …): names and values, one to one as far as that can be written."""
    found: Sets = []
    for one in expressions:
        if not isinstance(one, exp.EQ | exp.PropertyEQ):
            continue
        left, right = one.this, one.expression
        if isinstance(left, exp.Tuple | exp.Paren):
            names = tuple(word_of(part) for part in (left.expressions or [left.this]))
            inner = right.this if isinstance(right, exp.Paren) else right
            cells = inner.expressions if isinstance(inner, exp.Tuple) else []
            if len(cells) == len(names):
                found.extend(((name,), cell) for name, cell in zip(names, cells, strict=True))
            elif isinstance(inner, exp.Subquery) and isinstance(inner.this, exp.Select):
                found.extend(_apart(names, inner.this))
            else:
                found.append((names, right))
        else:
            found.append(((word_of(left),), right))
    return found


def _apart(names: tuple[str, ...], query: exp.Select) -> Sets:
    """(a, b) = (SELECT x, y …): a subquery for each."""
    found: Sets = []
    for place, name in enumerate(names):
        if place >= len(query.expressions):
            break
        one = query.copy()
        one.set("expressions", [query.expressions[place].copy()])
        found.append(((name,), exp.Subquery(this=one)))
    return found


def assigned(target: WriteTarget, names: list[tuple[str, ...]], found: Relation) -> dict[str, ColumnValue]:
    parts = []
    for those, column in zip(names, found.columns, strict=False):
        for name in those:
            outer, _, inner = name.partition(FIELD)
            known = spelled(outer, target.names)
            value = _own_kept(column.value, ColumnName(target.name, known, inner))
            parts.append({known: _member(inner, value) if inner else value})
    return merge_columns(parts)


def _own_kept(value: ColumnValue, column: ColumnName) -> ColumnValue:
    """SET a = a says nothing."""
    trace = value.sources.get(column)
    if trace is None or trace.transformation is not Transformation.IDENTITY or value.members:
        return value
    return ColumnValue({source: kept for source, kept in value.sources.items() if source != column})


def _member(path: str, value: ColumnValue) -> ColumnValue:
    for name in reversed(path.split(".")):
        value = ColumnValue({}, {name: value})
    return value


def without_target(reads: frozenset[str], target: WriteTarget, columns: Mapping[str, ColumnValue]) -> frozenset[str]:
    """A statement that changes a table reads it only where its values go into values."""
    own = any(source.table == target.name for value in columns.values() for source in value.sources)
    return reads if own or target.temporary else reads - {target.name}
