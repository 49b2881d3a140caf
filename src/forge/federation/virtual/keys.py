"""The keys of a virtual table: in virtual_tables/*.yaml, in a command, over HTTP. All errors are found at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field
from sqlglot import exp

from forge.federation.source import LAKE, VIRTUAL, SourceOrigin
from forge.federation.source_keys import MOST, by_key
from forge.federation.virtual.scalar import NotScalarError, read_scalar
from forge.federation.virtual_table import (
    DEFAULT_TTL,
    SELECT_ONLY,
    JoinCondition,
    JoinOperator,
    JoinType,
    VirtualColumn,
    VirtualJoin,
    VirtualSource,
    VirtualTable,
)
from forge.model.errors import ForgeError, errors_of, raise_errors
from forge.model.file_options import StrictModel, Where, read_items, read_options, shown
from forge.model.name_suggestions import did_you_mean
from forge.model.types import parse_type

CODE = "E894"
MOST_SOURCES = 20
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_TYPES = frozenset(
    {"boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "string", "binary", "date",
     "timestamp", "timestamp_ntz", "array", "map", "struct"}
)  # fmt: skip
_LONGEST_TTL = 366 * 86_400
_Text = Annotated[str, Field(max_length=1000)]
_Expression = Annotated[str, Field(max_length=4000)]


class _SourceKeys(StrictModel):
    alias: _Text
    connector_id: _Text
    table_name: _Text = ""
    schema_name: _Text = ""
    database_name: _Text = ""
    column_mappings: Annotated[dict[str, str], Field(max_length=5000)] = Field(default_factory=dict)


class _ColumnKeys(StrictModel):
    name: _Text
    data_type: _Text = ""
    source_column: _Text = ""
    expression: _Expression = ""
    nullable: bool = True


class _ConditionKeys(StrictModel):
    left: _Text
    right: _Text
    op: JoinOperator = "="


class _JoinKeys(StrictModel):
    left_alias: _Text
    right_alias: _Text
    join_type: JoinType = "inner"
    conditions: Annotated[list[_ConditionKeys], Field(max_length=MOST)]


class _TableKeys(StrictModel):
    name: _Text
    description: Annotated[str, Field(max_length=10_000)] = ""
    sources: Annotated[list[_SourceKeys], Field(min_length=1, max_length=MOST_SOURCES)]
    columns: Annotated[list[_ColumnKeys], Field(min_length=1, max_length=2000)]
    joins: Annotated[list[_JoinKeys], Field(max_length=MOST_SOURCES)] = Field(default_factory=list)
    default_filters: Annotated[list[_Expression], Field(max_length=MOST)] = Field(default_factory=list)
    cache_enabled: bool = True
    cache_ttl_seconds: Annotated[int, Field(ge=0, le=_LONGEST_TTL)] = DEFAULT_TTL
    allowed_operations: Annotated[tuple[Literal["SELECT"], ...], Field(min_length=1, strict=False)] = SELECT_ONLY
    readers: Annotated[list[_Text], Field(max_length=MOST)] = Field(default_factory=list)
    hidden: Annotated[list[_Text], Field(max_length=5 * MOST)] = Field(default_factory=list)


def load_virtual_tables(text: str, file: str) -> tuple[tuple[VirtualTable, ...], tuple[ForgeError, ...]]:
    """The virtual tables of one file, and all errors of it."""
    try:
        yaml, items = read_items(text, file, "virtual_tables", "name: customers")
    except ForgeError as error:
        return (), errors_of(error)
    found: list[VirtualTable] = []
    errors: list[ForgeError] = []
    for index, item in enumerate(items):

        def where(path: tuple[str | int, ...], index: int = index) -> str:
            return yaml.where("virtual_tables", index, *path)

        try:
            line = yaml.line_of("virtual_tables", index)
            found.append(read_virtual_table(item, where, file=file, line=line))
        except ForgeError as error:
            errors.extend(errors_of(error))
    return tuple(found), tuple(errors)


def read_virtual_table(
    fields: object,
    where: Where = by_key,
    *,
    origin: SourceOrigin = SourceOrigin.FILE,
    file: str = "",
    line: int = 0,
) -> VirtualTable:
    """E104 and E894, all together. Whether its sources have these columns is asked of them elsewhere."""
    keys = read_options(_TableKeys, fields, where, CODE)
    made = _made(keys, origin, file, line)
    raise_errors(_find_faults(made, where))
    return made


def _made(keys: _TableKeys, origin: SourceOrigin, file: str, line: int) -> VirtualTable:
    return VirtualTable(
        name=keys.name.lower(),
        description=keys.description,
        sources=tuple(_source(one) for one in keys.sources),
        columns=tuple(
            VirtualColumn(one.name, _type_text(one.data_type), one.source_column, one.expression, one.nullable)
            for one in keys.columns
        ),
        joins=tuple(
            VirtualJoin(
                one.left_alias,
                one.right_alias,
                tuple(JoinCondition(each.left, each.right, each.op) for each in one.conditions),
                one.join_type,
            )
            for one in keys.joins
        ),
        default_filters=tuple(keys.default_filters),
        cache_enabled=keys.cache_enabled,
        cache_ttl_seconds=keys.cache_ttl_seconds,
        allowed_operations=SELECT_ONLY,
        readers=tuple(dict.fromkeys(keys.readers)),
        hidden=frozenset(one.lower() for one in keys.hidden),
        origin=origin,
        file=file,
        line=line,
    )


def _source(keys: _SourceKeys) -> VirtualSource:
    connector = keys.connector_id.lower()
    in_small = connector in (LAKE, VIRTUAL)
    return VirtualSource(
        alias=keys.alias,
        connector_id=connector,
        table_name=keys.table_name.lower() if in_small else keys.table_name,
        schema_name=keys.schema_name.lower() if in_small else keys.schema_name,
        database_name=keys.database_name,
        column_mappings=dict(keys.column_mappings),
    )


def _type_text(text: str) -> str:
    return str(parse_type(text)) if text.strip() else ""


def _find_faults(table: VirtualTable, where: Where) -> Iterator[ForgeError]:
    if not _NAME.fullmatch(table.name):
        fix = "Write it like customer_360: queries say virtual.customer_360."
        yield _fault(f"{shown(table.name)} is not a name of a virtual table", where(("name",)), fix)
    yield from _find_bad_sources(table, where)
    yield from _find_bad_joins(table, where)
    yield from _find_bad_columns(table, where)
    for index, text in enumerate(table.default_filters):
        yield from _find_bad_expression(table, text, where(("default_filters", index)))
    known = {one.name.lower() for one in table.columns}
    for index, name in enumerate(sorted(table.hidden)):
        if name not in known:
            near = did_you_mean(name, known) or "Name one of its columns."
            yield _fault(f"the hidden column '{name}' is not one of its columns", where(("hidden", index)), near)
        elif not (column := table.column(name)) or not column.data_type:
            yield _fault(f"the hidden column '{name}' has no data_type", where(("columns",)), "Add its data_type.")
    for index, reader in enumerate(table.readers):
        if not reader.strip() or reader != reader.strip():
            fix = "Write who may read it, as tokens and commits name them: ada@example.com."
            yield _fault("a reader has no name", where(("readers", index)), fix)


def _find_bad_sources(table: VirtualTable, where: Where) -> Iterator[ForgeError]:
    seen: set[str] = set()
    for index, source in enumerate(table.sources):
        place = ("sources", index)
        if not _NAME.fullmatch(source.alias):
            yield _fault(f"{shown(source.alias)} is not an alias", where((*place, "alias")), "Write it like c.")
        if source.alias.lower() in seen:
            yield _fault(f"two sources have the alias {source.alias}", where((*place, "alias")), "Rename one of them.")
        seen.add(source.alias.lower())
        if source.connector_id == LAKE and not (source.schema_name and source.table_name and not source.database_name):
            fix = "Add `schema_name: core` and `table_name: orders`."
            yield _fault("a table of the lake has a schema_name and a table_name", where(place), fix)
        elif source.connector_id == LAKE and source.schema_name == VIRTUAL:
            yield _fault("the lake has no schema of that name", where(place), "Write `connector_id: virtual`.")
        elif source.connector_id == VIRTUAL and (source.schema_name or source.database_name or not source.table_name):
            yield _fault("a virtual table has a table_name alone", where(place), "Add `table_name: customers`.")
        for name, real in source.column_mappings.items():
            if not _NAME.fullmatch(name) or not real:
                fix = "Write `column_mappings: {name_here: column of the source}`."
                yield _fault(f"{shown(name)} is not a name of a column", where((*place, "column_mappings")), fix)


def _find_bad_joins(table: VirtualTable, where: Where) -> Iterator[ForgeError]:
    """Joins are made one after the other: each adds one source to those before it, so that none is met twice."""
    aliases = {one.alias.lower(): one.alias for one in table.sources}
    first = table.joins[0].left_alias.lower() if table.joins else ""
    joined = {first if first in aliases else table.sources[0].alias.lower()}
    for index, join in enumerate(table.joins):
        place = ("joins", index)
        for key, alias in (("left_alias", join.left_alias), ("right_alias", join.right_alias)):
            if alias.lower() not in aliases:
                yield _unknown_alias(alias, aliases.values(), where((*place, key)))
        if not join.conditions:
            yield _fault(
                "a join has no conditions", where(place), "Add `conditions: [{left: id, right: customer_id}]`."
            )
        left, right = join.left_alias.lower(), join.right_alias.lower()
        if left in aliases and right in aliases:
            if right in joined:
                why = "The sources before it are joined with it already; another join would close a cycle."
                fix = "Write the condition into the join that is there, or add the source again by another alias."
                yield _fault(f"{join.right_alias} is joined twice", where((*place, "right_alias")), fix, why)
            elif left not in joined:
                fix = "Put the join that adds it before this one."
                yield _fault(f"{join.left_alias} is not joined before", where((*place, "left_alias")), fix)
        joined.add(right)
        for number, one in enumerate(join.conditions):
            for key, name, alias in (("left", one.left, join.left_alias), ("right", one.right, join.right_alias)):
                if "." in name and name.partition(".")[0].lower() != alias.lower():
                    fix = f"Write a column of {alias}."
                    at = where((*place, "conditions", number, key))
                    yield _fault(f"{shown(name)} is not a column of {alias}", at, fix)
    for alias in (one.alias for one in table.sources if one.alias.lower() not in joined):
        yield _fault(f"the source {alias} is not joined", where(("sources",)), "Add a join for it, or remove it.")


def _find_bad_columns(table: VirtualTable, where: Where) -> Iterator[ForgeError]:
    seen: set[str] = set()
    for index, column in enumerate(table.columns):
        place = ("columns", index)
        if not _NAME.fullmatch(column.name):
            yield _fault(
                f"{shown(column.name)} is not a name of a column", where((*place, "name")), "Write it like id."
            )
        if column.name.lower() in seen:
            yield _fault(f"two columns are called {column.name}", where((*place, "name")), "Rename one of them.")
        seen.add(column.name.lower())
        if bool(column.source_column) == bool(column.expression):
            fix = "Write one of `source_column: c.email` and `expression: upper(c.name)`."
            yield _fault(f"the column {column.name} has either a source_column or an expression", where(place), fix)
        if column.data_type and parse_type(column.data_type).name not in _TYPES:
            near = did_you_mean(column.data_type, _TYPES) or "Use Spark's names: string, bigint, decimal(12,2), date."
            yield _fault(f"the column {column.name} has the unknown type '{column.data_type}'", where(place), near)
        if column.expression:
            if not column.data_type:
                fix = "Add `data_type: string`, or what it is."
                yield _fault(f"the computed column {column.name} has no data_type", where(place), fix)
            yield from _find_bad_expression(table, column.expression, where((*place, "expression")))
        if column.source_column:
            alias, _, name = column.source_column.rpartition(".")
            yield from _find_bad_reference(table, alias, name, where((*place, "source_column")))


def _find_bad_expression(table: VirtualTable, text: str, place: str) -> Iterator[ForgeError]:
    try:
        tree = read_scalar(text)
    except NotScalarError as error:
        fix = "Compute it of columns, values, operators and simple functions, without subqueries and aggregates."
        yield _fault(f"{shown(text)} is not an expression of a virtual table", place, fix, f"{error}.")
        return
    for column in tree.find_all(exp.Column):
        yield from _find_bad_reference(table, column.table, column.name, place)


def _find_bad_reference(table: VirtualTable, alias: str, name: str, place: str) -> Iterator[ForgeError]:
    aliases = [one.alias for one in table.sources]
    if not name:
        yield _fault("a column has no name", place, "Write alias.column.")
    elif not alias and len(aliases) > 1:
        yield _fault(f"which source has {name} is not said", place, f"Write {aliases[0]}.{name}, or another alias.")
    elif alias and alias.lower() not in {one.lower() for one in aliases}:
        yield _unknown_alias(alias, aliases, place)


def _unknown_alias(alias: str, aliases: Iterable[str], place: str) -> ForgeError:
    known = list(aliases)
    return _fault(f"unknown alias '{alias}'", place, did_you_mean(alias, known) or f"Take one of {', '.join(known)}.")


def _fault(what: str, where: str, fix: str, why: str | None = None) -> ForgeError:
    return ForgeError(CODE, what, where=where, why=why, fix=fix)


def find_name_clashes(
    tables: Iterable[VirtualTable], schemas: Mapping[str, str]
) -> Iterator[tuple[VirtualTable, ForgeError]]:
    """Each whose name is taken by one before it; all of them, where the lake has a schema of that name."""
    first: dict[str, VirtualTable] = {}
    for table in tables:
        other = first.setdefault(table.name, table)
        why = ""
        if VIRTUAL in schemas:
            why = f"{VIRTUAL} is a schema of the lake: {schemas[VIRTUAL]}."
        elif other is not table:
            why = f"{other.where or 'A command or a request'} declares it too."
        if why:
            yield table, name_is_taken(table, why)


def name_is_taken(table: VirtualTable, why: str) -> ForgeError:
    return ForgeError(
        "E896",
        f"the name '{table.name}' is taken",
        where=table.where,
        why=why,
        fix="Give the virtual table another name.",
    )
