"""Virtual tables beside what their sources are now: columns that are gone, types that need no cast, masks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sqlglot import exp

from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import VIRTUAL
from forge.federation.virtual.expansion import DECLARED, READ, ColumnDeclared, ColumnRead, columns_read
from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.types import parse_type


def fit_virtual(tree: exp.Query, described: Mapping[RelationName, SourceRelation]) -> exp.Query:
    """The same query without casts to the type that a column has anyway, which no source could be asked for. E893:
    columns that the sources have no more, all of them."""
    fitted = tree.copy()
    raise_errors(find_misfits(fitted, described))
    for alias in list(fitted.find_all(exp.Alias)):
        declared, node = alias.meta.get(DECLARED), alias.this
        if not isinstance(declared, ColumnDeclared) or not isinstance(node, exp.Cast):
            continue
        type_ = _type_of(node.this, described, fitted)
        if type_ is not None and type_ == declared.column.data_type:
            alias.set("this", node.this)
    return fitted


def find_misfits(
    tree: exp.Expr, described: Mapping[RelationName, SourceRelation], unknown: Collection[RelationName] = ()
) -> Iterator[ForgeError]:
    """Each column that its source has no more, once. `unknown`: relations of which something else is said."""
    inner = _declared_columns(tree)
    seen: set[ColumnRead] = set()
    for read in columns_read(tree):
        if read in seen:
            continue
        seen.add(read)
        if read.relation.source == VIRTUAL:
            names = list(inner.get(read.relation.path[0], {}))
        else:
            relation = described.get(read.relation)
            if relation is None or read.relation in unknown:  # a view of the lake, whose columns the engine knows
                continue
            names = [column.name for column in relation.columns]
        if read.column.lower() not in {name.lower() for name in names}:
            yield _gone(read, names)


def masked_columns(tree: exp.Expr, described: Mapping[RelationName, SourceRelation]) -> frozenset[str]:
    """Columns of virtual tables, in small letters, into which a hidden one goes: they read as NULL, or as what is made
    of NULL."""
    hidden: set[tuple[str, str]] = set()
    outputs = [one for one in tree.find_all(exp.Alias) if isinstance(one.meta.get(DECLARED), ColumnDeclared)]
    while True:
        before = len(hidden)
        for alias in outputs:
            declared: ColumnDeclared = alias.meta[DECLARED]
            if any(_is_masked(read, described, hidden) for read in columns_read(alias)):
                hidden.add((declared.by, declared.column.name.lower()))
        if len(hidden) == before:
            return frozenset(column for _, column in hidden)


def _is_masked(
    read: ColumnRead, described: Mapping[RelationName, SourceRelation], hidden: set[tuple[str, str]]
) -> bool:
    if read.relation.source == VIRTUAL:
        return (read.relation.path[0], read.column.lower()) in hidden
    relation = described.get(read.relation)
    known = relation.get(read.column) if relation is not None else None
    return relation is not None and (read.column.lower() in relation.hidden or bool(known and known.mask))


def output_types(tree: exp.Expr, described: Mapping[RelationName, SourceRelation], table: str) -> Mapping[str, str]:
    """Of the columns of one virtual table, in small letters: their declared types, else those of the sources."""
    found: dict[str, str] = {}
    for alias in tree.find_all(exp.Alias):
        declared = alias.meta.get(DECLARED)
        if isinstance(declared, ColumnDeclared) and declared.by == table:
            type_ = declared.column.data_type or _type_of(alias.this, described, tree)
            if type_:
                found[declared.column.name.lower()] = type_
    return found


def source_column(read: ColumnRead, described: Mapping[RelationName, SourceRelation]) -> SourceColumn | None:
    relation = described.get(read.relation)
    return relation.get(read.column) if relation is not None else None


def _type_of(node: exp.Expr, described: Mapping[RelationName, SourceRelation], tree: exp.Expr) -> str | None:
    read = node.meta.get(READ) if isinstance(node, exp.Column) else None
    if not isinstance(read, ColumnRead):
        return None
    if read.relation.source == VIRTUAL:
        return _declared_columns(tree).get(read.relation.path[0], {}).get(read.column.lower()) or None
    known = source_column(read, described)
    return str(parse_type(str(known.type))) if known is not None else None


def _declared_columns(tree: exp.Expr) -> dict[str, dict[str, str]]:
    """Of each virtual table in the query: its columns, in small letters, with their declared types."""
    found: dict[str, dict[str, str]] = {}
    for alias in tree.find_all(exp.Alias):
        declared = alias.meta.get(DECLARED)
        if isinstance(declared, ColumnDeclared):
            found.setdefault(declared.by, {})[declared.column.name.lower()] = declared.column.data_type
    return found


def _gone(read: ColumnRead, names: list[str]) -> ForgeError:
    return ForgeError(
        "E893",
        f"the virtual table {read.by} reads {read.column} of {read.relation}, which has no such column",
        why="The source is not as it was when the virtual table was declared, or the name is wrong.",
        fix=did_you_mean(read.column, names, cutoff=0.5) or f"`forge vtable edit {read.by}` takes another column.",
    )
