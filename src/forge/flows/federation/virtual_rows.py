"""Rows of a virtual table by columns, filters and order: one query like any other, audited as such."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from forge.federation.source import VIRTUAL
from forge.flows.federation.query import FederationPorts, QueryRequest, describe_query
from forge.flows.versioning.upload.values import InvalidValue, converter
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.federation.virtual.rows import RowQuestion
    from forge.federation.virtual_table import VirtualTable


def rows_request(
    ports: FederationPorts, question: RowQuestion, *, limit: int, offset: int = 0, at: str | None = None
) -> QueryRequest:
    """E105 for a value that is not of the type of its column. No row is read; who may not read it is refused."""
    types = _types(ports, question.table)
    values = {
        f"p{place}": _value(one.column.name, one.text, types.get(one.column.name.lower(), "string"))
        for place, one in enumerate(question.filters)
        if not one.operator.startswith("is ")
    }
    return QueryRequest(question.select(types, limit, offset).sql("spark"), at=at, parameters=values)


def _types(ports: FederationPorts, table: VirtualTable) -> Mapping[str, str]:
    """As declared; those that are as the source has them are asked of it."""
    if all(one.data_type for one in table.columns):
        return {one.name.lower(): one.data_type for one in table.columns}
    request = QueryRequest(f"SELECT * FROM {VIRTUAL}.`{table.name}`")  # noqa: S608  letters, digits and underscores
    return describe_query(ports, request).types_of(table)


def _value(name: str, text: str, type_: str) -> object:
    try:
        return converter(type_)(text)
    except InvalidValue as error:
        raise ForgeError(
            "E105", f"{name} cannot be compared with this value", where="query.filter", why=f"It is {type_}: {error}."
        ) from error
