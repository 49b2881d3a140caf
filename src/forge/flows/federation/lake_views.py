"""Views of the lake in a query: each is replaced by its text over the tables that it was pinned to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlglot import exp

from forge.federation.names import ref_of, set_ref
from forge.federation.relation import RelationName
from forge.federation.source import LAKE
from forge.flows.runs.pin import Pin
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.transforms.sql import CATALOG
from forge.transforms.sql_parse import parse_query

if TYPE_CHECKING:
    from forge.federation.lake_rules import LakeRules
    from forge.federation.virtual_table import VirtualTable
    from forge.flows.federation.query import FederationPorts


class TwoVersionsError(Exception):
    """One table at two snapshots: only an engine that knows versions can read it."""


def lake_name(table: TableName, at: str = "") -> RelationName:
    return RelationName(LAKE, (table.schema, table.name), at)


def lake_table(name: RelationName) -> TableName:
    return TableName(name.path[0].lower(), name.path[-1].lower())


def rules_below(ports: FederationPorts, tables: Iterable[VirtualTable]) -> LakeRules:
    """The rules of the lake, with those of views that these virtual tables read, by what each is made of now."""
    if not ports.rules.readers:
        return ports.rules
    named = {lake_table(each.relation) for one in tables for each in one.sources if each.connector_id == LAKE}
    views: dict[str, set[str]] = {}
    for table in named:
        with suppress(ForgeError):  # what is not there shows nothing
            views[str(table)] = {str(one) for one in _tables_below(ports.reader.pins_of([table], None)[table])}
    return ports.rules.with_views(views)


def _tables_below(pin: Pin) -> Iterator[TableName]:
    for one in pin.view_inputs:
        yield one.table
        yield from _tables_below(one)


def expand_views(tree: exp.Query, pins: Mapping[RelationName, Pin]) -> tuple[exp.Query, dict[RelationName, Pin]]:
    """The query without views, and the tables that it reads. What a view at a branch is made of is read there, too."""
    tables: dict[RelationName, Pin] = {}
    found = _expanded(tree.copy(), pins, tables)
    return found, tables


def _expanded(
    tree: exp.Query, pins: Mapping[RelationName, Pin], tables: dict[RelationName, Pin], at: str = ""
) -> exp.Query:
    for node in list(tree.find_all(exp.Table)):
        names = tuple(part.name.lower() for part in node.parts)
        names = names[1:] if len(names) == 3 and names[0] == CATALOG else names
        name = RelationName(LAKE, names, at or ref_of(node))
        pin = pins.get(name)
        if pin is None:
            continue
        if pin.view_sql is None:
            set_ref(node, name.at)
            if tables.setdefault(name, pin) != pin:
                raise TwoVersionsError
            continue
        inner = parse_query(pin.view_sql, str(pin.table)).tree.copy()
        assert isinstance(inner, exp.Query), "a view is a query"
        inner = _expanded(inner, {lake_name(one.table, name.at): one for one in pin.view_inputs}, tables, name.at)
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
