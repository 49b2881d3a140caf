"""`forge.connect().saved_queries`: queries that people keep by a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forge.connection.tabular import TabularTuple
from forge.federation.saved_query import SavedQuery
from forge.flows.federation.saved_queries import (
    SavedQueryPorts,
    change_saved_query,
    drop_saved_query,
    keep_query,
    list_saved_queries,
    named_saved_query,
)
from forge.wiring import Wiring


class SavedQueryListing(TabularTuple[SavedQuery]):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SavedQueryBook:
    """The user's own saved queries, and those that others share. A name is one's own before that of somebody else; an
    id is understood, too. Rows: `f.query(saved="Orders by city")`."""

    wiring: Wiring

    @property
    def _ports(self) -> SavedQueryPorts:
        return self.wiring.federation.saved_query_ports(self.wiring.author.email)

    def list(self) -> SavedQueryListing:
        """By name."""
        return SavedQueryListing(list_saved_queries(self._ports))

    def get(self, name: str) -> SavedQuery:
        """E875."""
        return named_saved_query(name, self._ports)

    def save(
        self,
        name: str,
        sql: str,
        parameters: Mapping[str, object] | None = None,
        *,
        at: str | None = None,
        description: str = "",
        is_shared: bool = False,
    ) -> SavedQuery:
        """E876 where there is one by that name. Whether it can be run, only running it tells."""
        given = {"name": name, "sql": sql, "parameters": dict(parameters or {}), "at": at}
        return keep_query({**given, "description": description, "is_shared": is_shared}, self._ports)

    def edit(self, name: str, /, *, expected_version: int | None = None, **keys: object) -> SavedQuery:
        """`f.saved_queries.edit("mine", sql="…", is_shared=True)`: what is not named stays; `name=` is a new name. E877
        where it is not at that version, E878 where it is of somebody else."""
        return change_saved_query(self.get(name).id, keys, self._ports, version=expected_version)

    def delete(self, name: str) -> SavedQuery:
        return drop_saved_query(self.get(name).id, self._ports)
