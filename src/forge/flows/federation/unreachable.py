"""A relation whose source cannot be reached, as far as a plan of the rest of the query needs one: the columns that were
seen when the source was last looked at, or else those that the query asks it for. Nothing is read by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from forge.federation.names import resolve_relation
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.model.errors import ForgeError
from forge.model.types import DataType, parse_type

if TYPE_CHECKING:
    from collections.abc import Collection

    from forge.federation.drift import SeenColumns, SeenSource


def assumed_relation(
    name: RelationName,
    tree: exp.Query,
    sources: Collection[str],
    reached: Iterable[SourceRelation],
    seen: SeenSource | None,
) -> SourceRelation:
    """`reached`: the other relations of the query, whose columns are not its own."""
    columns = _seen_columns(name, seen)
    if not columns:
        others = {column.name.lower() for one in reached for column in one.columns}
        columns = tuple((column, "string") for column in dict.fromkeys(_asked_columns(name, tree, sources, others)))
    return SourceRelation(name, tuple(SourceColumn(column, _type(type_)) for column, type_ in columns))


def _seen_columns(name: RelationName, seen: SeenSource | None) -> SeenColumns:
    wanted = [part.casefold() for part in name.path]
    for table, columns in (seen.tables if seen else {}).items():
        parts = table.casefold().split(".") if table else []
        if parts[-len(wanted) :] == wanted if wanted else not parts:
            return columns
    return ()


def _asked_columns(
    name: RelationName, tree: exp.Query, sources: Collection[str], others: Collection[str]
) -> Iterator[str]:
    tables = [one for one in tree.find_all(exp.Table) if len(one.parts) > 1 or one.name.lower() == name.source]
    aliases = {one.alias_or_name.lower() for one in tables if _is(one, name, sources)}
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            continue
        if column.table.lower() in aliases or (not column.table and column.name.lower() not in others):
            yield column.name.lower()


def _is(table: exp.Table, name: RelationName, sources: Collection[str]) -> bool:
    try:
        return resolve_relation(table, sources) == name
    except ForgeError:
        return False


def _type(text: str) -> DataType:
    """What a source calls a type in words of its own is not known here."""
    try:
        return parse_type(text)
    except ForgeError:
        return DataType("string")
