"""Views of the lake in a query: each is replaced by its text over the tables that it was pinned to."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from forge.flows.runs.pin import Pin
from forge.model.names import TableName
from forge.transforms.sql_parse import parse_query


class TwoVersionsError(Exception):
    """One table at two snapshots: only an engine that knows versions can read it."""


def expand_views(tree: exp.Query, pins: Mapping[TableName, Pin]) -> tuple[exp.Query, dict[TableName, Pin]]:
    """The query without views, and the tables that it reads."""
    tables: dict[TableName, Pin] = {}
    found = _expanded(tree.copy(), pins, tables)
    return found, tables


def _expanded(tree: exp.Query, pins: Mapping[TableName, Pin], tables: dict[TableName, Pin]) -> exp.Query:
    by_name = {(str(table.schema).lower(), table.name.lower()): pin for table, pin in pins.items()}
    for node in list(tree.find_all(exp.Table)):
        names = tuple(part.name.lower() for part in node.parts)[-2:]
        pin = by_name.get((names[0], names[1])) if len(names) == 2 else None
        if pin is None:
            continue
        if pin.view_sql is None:
            if tables.setdefault(pin.table, pin) != pin:
                raise TwoVersionsError
            continue
        inner = parse_query(pin.view_sql, str(pin.table)).tree.copy()
        assert isinstance(inner, exp.Query), "a view is a query"
        inner = _expanded(inner, {one.table: one for one in pin.view_inputs}, tables)
        _drop_schema(tree, names)
        alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(node.name, quoted=True))
        node.replace(exp.Subquery(this=inner, alias=alias.copy(), joins=node.args.get("joins")))
    return tree


def _drop_schema(tree: exp.Query, names: tuple[str, ...]) -> None:
    """`core.orders.amount` is `orders.amount` of the subquery."""
    for column in tree.find_all(exp.Column):
        parts = [part.name.lower() for part in column.parts]
        if len(parts) > 2 and tuple(parts[-3:-1]) == names:
            column.set("db", None)
            column.set("catalog", None)
