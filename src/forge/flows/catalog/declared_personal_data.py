"""Columns that contracts declare personal: those of the project's files, and registered contracts that no file has.

Files are read leniently, whatever else is wrong in the project: personal data must be known even where nothing can
be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from forge.contracts.contract import Contract, TableContract, declared_level
from forge.contracts.policy.governance import Governance
from forge.flows.catalog.personal_data import Key, named_by
from forge.flows.contracts.effective import resolve_contracts
from forge.flows.contracts.files import by_id, project_files, read_text, virtual_file
from forge.flows.contracts.ports import ContractStore
from forge.model.classification import ClassificationLevel, strictest
from forge.model.errors import ForgeError
from forge.model.names import TableName

_MOST = 5_000


class DeclaredPersonalData:
    def __init__(self, root: Path, governance: Governance, store: Callable[[], ContractStore]) -> None:
        self._root, self._governance, self._store = root, governance, store
        # Both are replaced, never cleared while somebody reads them. Versions never change, and so do no objects.
        self._registered: dict[tuple[str, str], Contract | None] = {}
        self._named: dict[int, tuple[TableContract, frozenset[Key]]] = {}

    def __call__(self) -> frozenset[Key]:
        """A column is personal if any contract declares it so."""
        return frozenset[Key]().union(*(self._keys(table) for table in self._tables()))

    def of(self, table: TableName) -> frozenset[str] | None:
        """The columns that the table's own contracts declare personal; None: it has no contract."""
        own = [one for one in self._tables() if _names(one, table)]
        return frozenset(column for one in own for _, column in self._keys(one)) if own else None

    def levels(self) -> dict[str, ClassificationLevel]:
        """By table, the strictest classification that contracts give its columns."""
        found: dict[str, ClassificationLevel] = {}
        for table in self._tables():
            level = declared_level(table)
            if level is not None:
                found[table.table] = strictest((found.get(table.table), level)) or level
        return found

    def _tables(self) -> Iterator[TableContract]:
        files = project_files(self._root)
        contracts = [file.contract for file in files if file.contract is not None]
        contracts += self._only_registered(frozenset(by_id(files)))
        for one in resolve_contracts(contracts, self._governance, self._root):
            yield from one.contract.tables
            if one.effective is not one.contract:
                yield from one.effective.tables

    def _only_registered(self, ids: frozenset[str]) -> list[Contract]:
        store, found = self._store(), []
        for head in store.heads():
            if head.id in ids:
                continue
            key = (head.id, head.newest.version)
            if key not in self._registered:
                version = store.version(*key)
                file = f"registry/{virtual_file(head.id)}"
                known = {} if len(self._registered) >= _MOST else self._registered
                self._registered = {**known, key: read_text(version.text, file).contract if version else None}
            contract = self._registered.get(key)
            if contract is not None:
                found.append(contract)
        return found

    def _keys(self, table: TableContract) -> frozenset[Key]:
        known = self._named.get(id(table))
        if known is None or known[0] is not table:
            known = (table, named_by((table,)))
            if len(self._named) >= _MOST:
                self._named = {}
            self._named[id(table)] = known
        return known[1]


def _names(contract: TableContract, table: TableName) -> bool:
    try:
        return TableName.parse(contract.table) == table
    except ForgeError:
        return False
