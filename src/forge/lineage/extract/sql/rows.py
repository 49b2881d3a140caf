"""Rows of a statement, and their mapping to the columns of the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from forge.lineage.edge import Transformation
from forge.lineage.extract.program import BY_POSITION
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql.query import relation_of_query
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.target import WriteContent, WriteTarget, merged_value
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace, through

_BY_POSITION = SourceTrace(Transformation.IDENTITY, "", confidence=BY_POSITION)
# These fill what an INSERT by position leaves out with defaults.
_SHORT_ROWS = frozenset({"postgres", "redshift", "snowflake", "duckdb"})


def rows_of(state: SessionState, source: exp.Expr, with_: exp.Expr | None = None) -> Relation:
    """What a query, VALUES or a table gives."""
    if isinstance(source, exp.Values):
        return _rows_of_values(state, source)
    if isinstance(source, exp.Table):
        source = exp.Select(expressions=[exp.Star()], from_=exp.From(this=source))
    if isinstance(source, exp.Subquery) and not isinstance(source.this, exp.Query):
        return rows_of(state, source.this, with_)
    if not isinstance(source, exp.Query):
        source = exp.Select(expressions=[source])
    if with_ is not None:
        source = with_ctes(source, with_)
    return relation_of_query(source, state)


def with_ctes(query: exp.Query, with_: exp.Expr) -> exp.Query:
    """The WITH of the statement precedes that of the query."""
    own = query.args.get("with_")
    ctes = [*with_.expressions, *(own.expressions if own else ())]
    recursive = with_.args.get("recursive") or (own.args.get("recursive") if own else None)
    query.set("with_", exp.With(expressions=ctes, recursive=recursive))
    return query


def selected(
    state: SessionState,
    expressions: Sequence[exp.Expr],
    *,
    source: exp.Expr | None = None,
    joins: Sequence[exp.Expr] = (),
    where: exp.Expr | None = None,
    with_: exp.Expr | None = None,
) -> Relation:
    """Expressions over some tables, as a query would give them; one column each, named by their place."""
    named = [
        exp.Alias(this=one.copy(), alias=exp.to_identifier(f"__{place}", quoted=True))
        for place, one in enumerate(expressions or [exp.Literal.number(1)])
    ]
    query = exp.Select(expressions=named)
    if source is not None:
        query.set("from_", exp.From(this=source.copy()))
    if joins:
        query.set("joins", [one.copy() for one in joins])
    if where is not None:
        inner = where.this if isinstance(where, exp.Where) else where
        query.set("where", exp.Where(this=inner.copy()))
    if with_ is not None:
        query.set("with_", with_.copy())
    return relation_of_query(query, state)


def _rows_of_values(state: SessionState, values: exp.Values) -> Relation:
    """Constant rows define only the number of columns."""
    columns: list[ColumnValue] = []
    relation = Relation()
    for row in values.expressions:
        cells = row.expressions if isinstance(row, exp.Tuple) else [row.this if isinstance(row, exp.Paren) else row]
        columns.extend(NOTHING for _ in range(len(cells) - len(columns)))
        if all(_is_constant(cell) for cell in cells):
            continue
        found = selected(state, cells)
        for place, column in enumerate(found.columns):
            columns[place] = merged_value(columns[place], column.value)
        relation = replace(relation, shaped=relation.shaped | found.shaped, reads=relation.reads | found.reads)
    alias = values.args.get("alias")
    names = [one.name for one in alias.columns] if isinstance(alias, exp.TableAlias) and alias.columns else []
    named = [*names, *(f"col{place + 1}" for place in range(len(names), len(columns)))]
    return replace(relation, columns=tuple(RelationColumn(n, v) for n, v in zip(named, columns, strict=True)))


def _is_constant(cell: exp.Expr) -> bool:
    if isinstance(cell, exp.Neg | exp.Cast | exp.Paren):
        return _is_constant(cell.this)
    return isinstance(cell, exp.Literal | exp.Null | exp.Boolean | exp.National | exp.Var)


@dataclass(frozen=True, slots=True)
class InsertMapping:
    """How rows map to a table. `columns`: those listed in the statement; `fixed` and `dynamic`: PARTITION (day =
    'x', hour)."""

    by_name: bool = False
    columns: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    dynamic: tuple[str, ...] = ()


def fitted(
    state: SessionState, target: WriteTarget, relation: Relation, fit: InsertMapping, line: int = 0
) -> WriteContent:
    named = _by_name(target, relation) if fit.by_name else _by_position(state, target, relation, fit, line)
    columns = dict(named)
    for one in fit.fixed:
        columns.setdefault(spelled(one, target.names), NOTHING)
    open_ = relation.open
    if not fit.by_name and relation.open and target.names is not None:
        # The places of unknown columns are not known; what they are called says nothing of the target.
        columns = dict.fromkeys(fit.fixed, NOTHING)
    return WriteContent(columns, relation.shaped, relation.reads, open_)


def spelled(name: str, names: Sequence[str] | None) -> str:
    return next((one for one in names or () if one.lower() == name.lower()), name)


def _by_name(target: WriteTarget, relation: Relation) -> list[tuple[str, ColumnValue]]:
    return [(spelled(one.name, target.names), one.value) for one in relation.columns]


def _by_position(
    state: SessionState, target: WriteTarget, relation: Relation, fit: InsertMapping, line: int
) -> list[tuple[str, ColumnValue]]:
    names = _places(target, fit)
    given = relation.columns
    if names is None:
        if not relation.open:
            state.unknown.add(target.name)
        count = len(given) - len(fit.dynamic)
        own = [*(one.name for one in given[:count]), *fit.dynamic]
        return [(name, through(one.value, _BY_POSITION)) for name, one in zip(own, given, strict=False)]
    if relation.open:
        return []
    if len(given) > len(names) or (len(given) < len(names) and (fit.columns or state.dialect not in _SHORT_ROWS)):
        state.gap(line, f"{len(given)} columns are given, but {target.name} takes {len(names)}")
        return []
    return [(spelled(name, target.names), one.value) for name, one in zip(names, given, strict=False)]


def _places(target: WriteTarget, fit: InsertMapping) -> tuple[str, ...] | None:
    """The columns that rows fill, in order; None: not known."""
    if fit.columns:
        listed = {one.lower() for one in fit.columns}
        return (*fit.columns, *(one for one in fit.dynamic if one.lower() not in listed))
    if target.names is None:
        return None
    apart = {one.lower() for one in (*fit.fixed, *fit.dynamic)}
    return (*(one for one in target.names if one.lower() not in apart), *fit.dynamic)


def renamed(relation: Relation, names: Sequence[str]) -> Relation:
    """With the names of a list of columns, by position."""
    if not names or len(names) != len(relation.columns):
        return relation
    return relation.with_columns(
        RelationColumn(name, column.value) for name, column in zip(names, relation.columns, strict=True)
    )
