"""Columns that the SQL of a project names and its inputs do not have, found before anything is started."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.transforms.transform import ConnectorSource, FileSource, SqlQuery, Transform

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlglot import exp

    from forge.model.names import TableName
    from forge.model.schema import Schema

Columns = dict[str, str]  # name → type
# How the reader of SQL says that a column is not among those of its relations.
_UNKNOWN = (re.compile(r"column (?P<name>\S+) is not found in \S+"), re.compile(r"\S+ has no column (?P<name>\S+)"))


def find_unknown_columns(
    transforms: Mapping[TableName, Transform],
    asked: Iterable[TableName],
    schema_of: Callable[[TableName], Schema | None],
) -> tuple[ForgeError, ...]:
    """E217 with file, line and the nearest name. Only for inputs with certain columns: those that a source declares,
    that the SELECT of another transform lists, or of a table that no file makes. An unqualified name is judged only
    where all inputs are such."""
    known: dict[TableName, Columns | None] = {}

    def columns_of(table: TableName) -> Columns | None:
        if table not in known:
            known[table] = None  # a circle ends here
            known[table] = _columns(transforms.get(table), table, schema_of)
        return known[table]

    found: list[ForgeError] = []
    for table in asked:
        transform = transforms[table]
        if not isinstance(transform.body, SqlQuery):
            continue
        inputs = {str(each): columns for each in transform.inputs if (columns := columns_of(each)) is not None}
        if not inputs or _is_plainly_right(transform.body.text, inputs):
            continue
        from forge.lineage import extract_sql  # the reader of SQL takes its time to load; many projects need none

        read = extract_sql(transform.body.text, inputs, file=transform.file, result=str(table))
        names = sorted({name for columns in inputs.values() for name in columns})
        found += [error for gap in read.gaps if (error := _error(gap.reason, transform, gap.line, names)) is not None]
    return tuple(found)


def _columns(
    transform: Transform | None, table: TableName, schema_of: Callable[[TableName], Schema | None]
) -> Columns | None:
    if transform is None:
        schema = schema_of(table)
        return None if schema is None else {column.name: column.type for column in schema.columns}
    if isinstance(transform.body, FileSource | ConnectorSource) and transform.body.columns:
        return dict(transform.body.columns)
    if isinstance(transform.body, SqlQuery):
        return _selected(transform.body.text)
    return None


@lru_cache(maxsize=256)
def _parsed(text: str) -> exp.Expr | None:
    from sqlglot import parse_one
    from sqlglot.errors import SqlglotError

    try:
        return parse_one(text, dialect="spark")
    except SqlglotError:
        return None


def _is_plainly_right(text: str, inputs: Mapping[str, Columns]) -> bool:
    """Whether a single flat SELECT names only columns of its tables. Most do, and skip the full analysis."""
    from sqlglot import exp

    query = _parsed(text)
    if not isinstance(query, exp.Select) or len(list(query.find_all(exp.Select))) > 1:
        return False
    if any(query.find_all(exp.With, exp.Lateral, exp.Unnest, exp.Pivot, exp.Lambda, exp.Dot, exp.Values)):
        return False
    tables: dict[str, set[str]] = {}
    for table in query.find_all(exp.Table):
        columns = inputs.get(f"{table.db}.{table.name}".lower())
        if columns is None or table.catalog:
            return False
        tables[table.alias_or_name.lower()] = {name.lower() for name in columns}
    for column in query.find_all(exp.Column):
        name, among = column.name.lower(), tables.get(column.table.lower()) if column.table else None
        known = among is not None and name in among if column.table else any(name in one for one in tables.values())
        if not known or column.db:
            return False
    return True


def _selected(text: str) -> Columns | None:
    """The names that a SELECT lists; None where it has a star, or a name that only Spark would assign."""
    from sqlglot import exp

    query = _parsed(text)
    if not isinstance(query, exp.Query) or query.is_star or not all(query.named_selects):
        return None
    plain = all(isinstance(each, exp.Alias | exp.Column) for each in query.selects)
    return dict.fromkeys(query.named_selects, "unknown") if plain else None


def _error(reason: str, transform: Transform, line: int | None, names: list[str]) -> ForgeError | None:
    for pattern in _UNKNOWN:
        if match := pattern.fullmatch(reason):
            name = match["name"].rsplit(".", 1)[-1].strip("`")
            return ForgeError(
                "E217",
                f"{transform.output} reads a column {name} that its inputs do not have",
                where=f"{transform.file}:{line or transform.line}",
                fix=did_you_mean(name, (one for one in names if one.lower() != name.lower()))
                or "Correct the name, or add the column to the input.",
            )
    return None
