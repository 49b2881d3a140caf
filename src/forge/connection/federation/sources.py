"""`forge.connect().sources`: databases and files that queries read beside the lake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

from forge.connection.tabular import TabularTuple
from forge.federation.relation import SourceRelation
from forge.federation.source import DeclaredSource
from forge.flows.federation.source_users import SourceUser
from forge.flows.federation.sources import (
    SourceDrift,
    SourcePorts,
    SourceTest,
    change_source,
    create_source,
    describe_source,
    describe_source_table,
    drop_source,
    find_source,
    find_source_drift,
    list_sources,
    probe_source,
)
from forge.model.errors import ForgeError
from forge.wiring import Wiring


class SourceListing(TabularTuple[DeclaredSource]):
    __slots__ = ()


class SourceUserListing(TabularTuple[SourceUser]):
    __slots__ = ()


class SourceTableListing(TabularTuple[SourceRelation]):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SourceBook:
    """Sources of sources/*.yaml, and those that a command or a request created; the latter are changed here."""

    wiring: Wiring

    @property
    def _ports(self) -> SourcePorts:
        return self.wiring.federation.source_ports()

    def list(self) -> SourceListing:
        """By name."""
        return SourceListing(list_sources(self._ports).sources)

    def errors(self) -> tuple[ForgeError, ...]:
        """What is wrong with sources of files, and names that are taken."""
        return list_sources(self._ports).errors

    def get(self, name: str) -> DeclaredSource:
        """E881."""
        return find_source(name, self._ports)

    def test(self, name: str) -> SourceTest:
        """Connects, says what answered and what has changed, and takes the source as it is now. E308."""
        return probe_source(name, self._ports)

    @overload
    def show(self, name: str) -> SourceTableListing: ...
    @overload
    def show(self, name: str, table: str) -> SourceRelation: ...
    def show(self, name: str, table: str | None = None) -> SourceTableListing | SourceRelation:
        """Its tables with their columns, or one of them. E885, E887."""
        if table is not None:
            return describe_source_table(name, table, self._ports)
        return SourceTableListing(describe_source(name, self._ports).tables)

    def users(self, name: str) -> SourceUserListing:
        """Who uses it: virtual tables, loads, and saved queries that you may see."""
        source = find_source(name, self._ports).name
        return SourceUserListing(self.wiring.federation.source_users(self.wiring.author.email).of(source))

    def drift(self, name: str) -> SourceDrift:
        """What is not as it was when the source was last tested."""
        return find_source_drift(name, self._ports)

    def add(self, name: str, connector: str, **keys: object) -> DeclaredSource:
        """`f.sources.add("crm", "postgresql", url="jdbc:postgresql://host/db", password="env:CRM_PASSWORD")`. E880,
        E882."""
        return create_source({"name": name, "connector": connector, **keys}, self._ports)

    def edit(self, name: str, *, expected_version: int | None = None, **keys: object) -> DeclaredSource:
        """What is not named stays; None takes a key away. E883 where it is not at that version."""
        return change_source(name, keys, self._ports, version=expected_version)

    def remove(self, name: str) -> DeclaredSource:
        """What the source holds is not touched."""
        return drop_source(name, self._ports)
