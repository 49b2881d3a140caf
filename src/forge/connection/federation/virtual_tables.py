"""`forge.connect().virtual_tables`: SELECTs over sources, the lake and each other, kept as data."""

from __future__ import annotations

from dataclasses import dataclass

from forge.connection.tabular import TabularTuple
from forge.federation.virtual.draft import VirtualTableDraft
from forge.federation.virtual_table import DeclaredVirtualTable
from forge.flows.federation.virtual_draft import ask_draft
from forge.flows.federation.virtual_tables import (
    VirtualTableDrift,
    VirtualTablePorts,
    change_virtual_table,
    create_virtual_table,
    drop_virtual_table,
    find_virtual_table,
    find_virtual_table_drift,
    list_virtual_tables,
    probe_virtual_table,
)
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.wiring import Wiring


class VirtualTableListing(TabularTuple[DeclaredVirtualTable]):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class VirtualTableBook:
    """Virtual tables of virtual_tables/*.yaml, and those that a command or a request created; the latter are changed
    here. Rows: `f.query("SELECT … FROM virtual.name")`."""

    wiring: Wiring

    @property
    def _ports(self) -> VirtualTablePorts:
        return self.wiring.federation.virtual_ports()

    def list(self) -> VirtualTableListing:
        """By name."""
        return VirtualTableListing(list_virtual_tables(self._ports).tables)

    def errors(self) -> tuple[ForgeError, ...]:
        """What is wrong with files, and names that are taken."""
        return list_virtual_tables(self._ports).errors

    def get(self, name: str) -> DeclaredVirtualTable:
        """E895."""
        return find_virtual_table(name, self._ports)

    def draft(self, sql: str) -> VirtualTableDraft:
        """A SELECT as a virtual table: `f.virtual_tables.create("people", **f.virtual_tables.draft(sql).to_dict())`.
        E889 with all that keeps it from being one."""
        ports = self._ports
        return ask_draft(sql, ports.federation, QueryCaller(ports.actor, "Python", ports.clock))

    def create(self, name: str, **keys: object) -> DeclaredVirtualTable:
        """`f.virtual_tables.create("people", sources=[…], columns=[…])`, by the keys of a file. E894, E896, E893."""
        return create_virtual_table({"name": name, **keys}, self._ports)

    def edit(self, name: str, *, expected_version: int | None = None, **keys: object) -> DeclaredVirtualTable:
        """What is not named stays; lists are replaced whole. E897 where it is not at that version."""
        return change_virtual_table(name, keys, self._ports, version=expected_version)

    def delete(self, name: str) -> DeclaredVirtualTable:
        """What its sources hold is not touched."""
        return drop_virtual_table(name, self._ports)

    def test(self, name: str) -> VirtualTableDrift:
        """Asks its sources whether they have what it reads, and takes them as they are now. E893."""
        return probe_virtual_table(name, self._ports)

    def drift(self, name: str) -> VirtualTableDrift:
        """What is not as it was when it was created, changed or tested."""
        return find_virtual_table_drift(name, self._ports)
