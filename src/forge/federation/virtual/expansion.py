"""Virtual tables in a query: each is replaced by a SELECT over what it is made of, built as a tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from forge.federation.dialects.predicates import all_of
from forge.federation.dialects.render import set_path
from forge.federation.names import PINNED, base_tables, refuse_clauses
from forge.federation.relation import RelationName
from forge.federation.source import LAKE, VIRTUAL
from forge.federation.virtual.scalar import read_scalar
from forge.federation.virtual_table import VirtualColumn, VirtualJoin, VirtualSource, VirtualTable
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

DEEPEST = 8  # virtual tables over virtual tables
MOST_RELATIONS = 100  # that one query may become
EXPANDED = "forge_virtual"  # the mark of a subquery that stands for a virtual table
READ, DECLARED = "forge_read", "forge_declared"
_OPERATORS: Mapping[str, type[exp.Expr]] = {
    "=": exp.EQ, "<>": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE, "<=>": exp.NullSafeEQ,
}  # fmt: skip
_BESIDE = ("joins", "laterals", "pivots", "sample")


@dataclass(frozen=True, slots=True)
class ColumnRead:
    """A column of a source, by the names that the virtual table `by` has for them."""

    by: str
    relation: RelationName
    column: str


@dataclass(frozen=True, slots=True)
class ColumnDeclared:
    by: str
    column: VirtualColumn


@dataclass(frozen=True, slots=True)
class VirtualExpansion:
    """`tables`: the virtual tables that the query reads, also through others."""

    tree: exp.Expr
    tables: tuple[VirtualTable, ...] = ()


@dataclass(slots=True)
class _Expanding:
    known: Mapping[str, VirtualTable]
    sources: Collection[str]
    user: str
    found: dict[str, VirtualTable] = field(default_factory=dict)
    relations: int = 0


def names_virtual(tree: exp.Expr) -> bool:
    return any(len(table.parts) > 1 and table.parts[0].name.lower() == VIRTUAL for table in tree.find_all(exp.Table))


def expand_virtual_tables(
    tree: exp.Expr, known: Mapping[str, VirtualTable], sources: Collection[str], user: str
) -> VirtualExpansion:
    """E108: there is none of that name. E881: a source of it is not declared. E885: one of them is not for this user.
    The right on their sources is asked for where the sources are."""
    state = _Expanding(known, sources, user)
    copied = tree.copy()
    _expand(copied, state, ())
    return VirtualExpansion(copied, tuple(state.found.values()))


def select_of(table: VirtualTable) -> exp.Select:
    """Its SELECT; what stands in FROM has the names that queries use."""
    select = exp.Select(expressions=[_output(table, one) for one in table.columns])
    first = _source(table, table.joins[0].left_alias) if table.joins else table.sources[0]
    select.set("from_", exp.From(this=_table_node(first)))
    if table.joins:
        select.set("joins", [_join(table, one) for one in table.joins])
    condition = all_of([exp.paren(_expression(table, text), copy=False) for text in table.default_filters])
    if condition is not None:
        select.set("where", exp.Where(this=condition))
    return select


def sql_of(table: VirtualTable) -> str:
    """Its SELECT for people, also with the columns that read as NULL."""
    return select_of(replace(table, hidden=frozenset())).sql("spark", pretty=True)


def columns_read(node: exp.Expr) -> Iterator[ColumnRead]:
    for column in node.find_all(exp.Column):
        found = column.meta.get(READ)
        if isinstance(found, ColumnRead):
            yield found


def _expand(tree: exp.Expr, state: _Expanding, path: tuple[str, ...]) -> None:
    for node, _ in list(base_tables(tree)):
        parts = [part.name for part in node.parts]
        if len(parts) < 2 or parts[0].lower() != VIRTUAL:
            continue
        refuse_clauses(node)
        table = _find(parts, state.known)
        table.refuse_reader(state.user)
        _check_size(table, path, state)
        _refuse_unknown_sources(table, state.sources)
        state.found.setdefault(table.name, table)
        inner = select_of(table)
        _expand(inner, state, (*path, table.name))
        _drop_schema(tree, table.name)
        alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(parts[-1], quoted=True))
        beside = {key: node.args[key] for key in _BESIDE if node.args.get(key)}
        subquery = exp.Subquery(this=inner, alias=alias.copy(), **beside)
        subquery.meta[EXPANDED] = True
        node.replace(subquery)


def _find(parts: Sequence[str], known: Mapping[str, VirtualTable]) -> VirtualTable:
    name = ".".join(parts[1:])
    found = known.get(name.lower())
    if found is None:
        why = "A virtual table has the name virtual.name." if len(parts) > 2 else None
        fix = did_you_mean(f"{VIRTUAL}.{name.lower()}", (f"{VIRTUAL}.{one}" for one in known))
        raise ForgeError("E108", f"unknown virtual table {name}", why=why, fix=fix or "`forge vtable list` lists them.")
    return found


def _refuse_unknown_sources(table: VirtualTable, sources: Collection[str]) -> None:
    """Else the name of a source could be read as that of a schema of the lake, and the other way round."""
    for one in table.sources:
        if one.connector_id in (LAKE, VIRTUAL):
            is_wrong = one.connector_id == LAKE and one.schema_name in sources
        else:
            is_wrong = one.connector_id not in sources
        if is_wrong:
            name = one.schema_name if one.connector_id == LAKE else one.connector_id
            what = (
                f"There is no schema '{name}' of the lake"
                if one.connector_id == LAKE
                else f"There is no source '{name}'"
            )
            raise ForgeError(
                "E881",
                what,
                where=table.where,
                why=f"The virtual table {table.name} reads it as {one.alias}.",
                fix=did_you_mean(name, sources) or "`forge source list` lists the sources.",
            )


def _check_size(table: VirtualTable, path: tuple[str, ...], state: _Expanding) -> None:
    way = " → ".join((*path, table.name))
    if table.name in path:
        raise ForgeError("E894", f"the virtual table {table.name} is made of itself", why=way, fix="Break the circle.")
    state.relations += len(table.sources)
    if len(path) >= DEEPEST or state.relations > MOST_RELATIONS:
        raise ForgeError(
            "E894",
            f"the virtual table {table.name} is made of too many others",
            why=f"{DEEPEST} can stand over each other, and {MOST_RELATIONS} tables be read: {way}.",
            fix="Read the sources directly.",
        )


def _drop_schema(tree: exp.Expr, name: str) -> None:
    """`virtual.people.id` is `people.id` of the subquery."""
    for column in tree.find_all(exp.Column):
        parts = [part.name.lower() for part in column.parts]
        if len(parts) > 2 and parts[-3:-1] == [VIRTUAL, name]:
            column.set("db", None)
            column.set("catalog", None)


def _output(table: VirtualTable, column: VirtualColumn) -> exp.Expr:
    if column.name.lower() in table.hidden:
        node: exp.Expr = exp.cast(exp.Null(), column.data_type, dialect="spark")
    elif column.source_column:
        alias, _, name = column.source_column.rpartition(".")
        node = _column(table, alias, name)
    else:
        node = _expression(table, column.expression)
    if column.data_type and column.name.lower() not in table.hidden:
        node = exp.Cast(this=node, to=exp.DataType.build(column.data_type, dialect="spark"))
    found = exp.alias_(node, column.name, quoted=True)
    found.meta[DECLARED] = ColumnDeclared(table.name, column)
    return found


def _expression(table: VirtualTable, text: str) -> exp.Expr:
    tree = exp.paren(read_scalar(text), copy=False)
    for column in list(tree.find_all(exp.Column)):
        column.replace(_column(table, column.table, column.name))
    return tree.this if isinstance(tree.this, exp.Column) else tree


def _column(table: VirtualTable, alias: str, name: str) -> exp.Column:
    source = _source(table, alias)
    real = source.column(name)
    found = exp.column(real, table=source.alias.lower(), quoted=True)
    found.meta[READ] = ColumnRead(table.name, source.relation, real)
    return found


def _source(table: VirtualTable, alias: str) -> VirtualSource:
    return next((one for one in table.sources if one.alias.lower() == alias.lower()), table.sources[0])


def _join(table: VirtualTable, join: VirtualJoin) -> exp.Join:
    conditions: list[exp.Expr] = []
    for one in join.conditions:
        left = _column(table, join.left_alias, one.left.rpartition(".")[2])
        right = _column(table, join.right_alias, one.right.rpartition(".")[2])
        conditions.append(_OPERATORS[one.op](this=left, expression=right))
    side = None if join.join_type == "inner" else join.join_type.upper()
    right_table = _table_node(_source(table, join.right_alias))
    return exp.Join(this=right_table, side=side, on=all_of(conditions))


def _table_node(source: VirtualSource) -> exp.Table:
    relation = source.relation
    found = exp.Table()
    set_path(found, relation.path if relation.source == LAKE else (relation.source, *relation.path))
    found.set("alias", exp.TableAlias(this=exp.to_identifier(source.alias.lower(), quoted=True)))
    found.meta[PINNED] = relation  # no CTE of the query that reads it takes its place
    return found
