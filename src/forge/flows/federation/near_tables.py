"""The names nearest to that of a table which the lake does not have: of the lake, of sources and of virtual tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from forge.federation.credentials import asked_for
from forge.federation.rights import may_read
from forge.federation.virtual.rights import has_rights
from forge.flows.federation.lake_views import rules_below
from forge.model.name_suggestions import ask_for, find_near

if TYPE_CHECKING:
    from forge.federation.source import Source
    from forge.flows.federation.query import FederationPorts
    from forge.flows.versioning.read import UnknownTableError


def near_tables(error: UnknownTableError, ports: FederationPorts, sources: Mapping[str, Source]) -> str | None:
    """Of sources and virtual tables only what who asks may read. No source is connected to: its tables are those that
    it had when it was last looked at; of one that never was, its name alone is compared."""
    readable = [one for one in sources.values() if _is_for(one, ports)]
    seen = {one.name: ports.last_seen(one) for one in readable}
    virtual = ports.virtual()
    rules = rules_below(ports, virtual.values())
    tables = [
        *error.known,
        *(_name(source, path) for source, one in seen.items() if one for path in one.tables),
        *(str(one.relation) for one in virtual.values() if has_rights(one, virtual, sources, ports.user, rules)),
    ]
    unseen = find_near(error.table.partition(".")[0], (source for source, one in seen.items() if one is None))
    return ask_for([*find_near(error.table, tables), *(f"the source {one}" for one in unseen)][:3])


def _is_for(source: Source, ports: FederationPorts) -> bool:
    is_named = not source.credentials or asked_for(source, ports.subject) != ""
    return is_named and may_read(source, ports.user)


def _name(source: str, path: str) -> str:
    return f"{source}.{path}" if path else source
