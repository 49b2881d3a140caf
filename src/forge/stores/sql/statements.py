"""Statements that work on both SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Select
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.dml import Insert

T = TypeVar("T")


def find_rows(connection: Connection, query: Select[Any]) -> list[Mapping[str, Any]]:
    return [dict(row._mapping) for row in connection.execute(query)]


def only(query: Select[Any], *wanted: tuple[Any, object]) -> Select[Any]:
    """The rows with this text in the column, or with one of several; None asks for nothing."""
    for column, value in wanted:
        if isinstance(value, Iterable) and not isinstance(value, str):
            query = query.where(column.in_([str(one) for one in value]))
        elif value is not None:
            query = query.where(column == str(value))
    return query


def batches(values: Sequence[T], size: int = 500) -> Iterable[Sequence[T]]:
    """As many at once as one statement may carry."""
    return (values[start : start + size] for start in range(0, len(values), size))


def add(connection: Connection, table: Any, values: Sequence[Mapping[str, Any]]) -> None:
    if values:
        connection.execute(table.insert(), values)


def add_new(connection: Connection, table: Any, values: Sequence[Mapping[str, Any]]) -> None:
    """Insert new ones; existing ones stay as they are."""
    if values:
        connection.execute(insert_into(connection, table).on_conflict_do_nothing(), values)


def put(connection: Connection, table: Any, values: Sequence[Mapping[str, Any]]) -> None:
    """Upsert by primary key."""
    if values:
        insert = insert_into(connection, table)
        key = [column.name for column in table.primary_key]
        new = {column.name: insert.excluded[column.name] for column in table.c if not column.primary_key}
        connection.execute(insert.on_conflict_do_update(index_elements=key, set_=new), values)


def insert_into(connection: Connection, table: Any) -> Any:
    """Both databases support ON CONFLICT; SQLAlchemy has it in their dialects only."""
    insert: Insert
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        insert = postgresql.insert(table)
    else:
        insert = sqlite.insert(table)
    return insert
