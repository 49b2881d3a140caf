"""A SELECT as a virtual table that could be declared: its relations are asked for their columns, no row is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.federation.names import find_relations
from forge.federation.source import VIRTUAL
from forge.federation.virtual.draft import VirtualTableDraft, draft_virtual_table, refuse_unkept
from forge.federation.virtual.keys import read_virtual_table
from forge.flows.federation.query import FederationPorts, QueryRequest, describe_query
from forge.flows.runs.input_pins import inputs_of
from forge.flows.upkeep.query_audit import DRAFTED, audited
from forge.model.errors import raise_errors
from forge.transforms.sql_parse import parse_query

if TYPE_CHECKING:
    from forge.federation.relation import RelationName
    from forge.flows.versioning.read import QueryCaller

_FILE = "query"


def ask_draft(
    sql: str, ports: FederationPorts, caller: QueryCaller, types: Mapping[str, str] | None = None
) -> VirtualTableDraft:
    """The draft, and in the audit that it was asked for: its sources are connected to."""
    return audited(
        *(ports.reader.metadata, caller.clock, caller.name, caller.door, sql),
        lambda: inputs_of(sql, _FILE),
        lambda: draft_from_sql(sql, ports, types),
        lambda draft: {},
        DRAFTED,
    )


def draft_from_sql(sql: str, ports: FederationPorts, types: Mapping[str, str] | None = None) -> VirtualTableDraft:
    """E889 with all that keeps it from being one; E885 and E887 as for a query. `types`: of its result, as far as they
    are known."""
    parsed = parse_query(sql, _FILE)
    refuse_unkept(parsed.tree, parsed.where)
    columns = _columns(sql, ports)
    draft = draft_virtual_table(parsed.tree, tuple(ports.sources()), columns, types=types, place=parsed.where)
    read_virtual_table({"name": "draft", **draft.to_dict()})
    return draft


def _columns(sql: str, ports: FederationPorts) -> Mapping[RelationName, Sequence[str] | None]:
    """None: a view of the lake, whose columns the engine knows."""
    found = describe_query(ports, QueryRequest(sql))
    raise_errors(found.missing)
    virtual = ports.virtual()
    named = find_relations(parse_query(sql, _FILE).tree, {*ports.sources(), VIRTUAL})
    columns: dict[RelationName, Sequence[str] | None] = {}
    for name in named:
        if name.source == VIRTUAL:
            columns[name] = [one.name for one in virtual[name.path[0].lower()].columns]
        else:
            known = found.relations.get(name)
            columns[name] = [one.name for one in known.columns] if known is not None else None
    return columns
