"""`forge.connect().contracts`: the registry, lint, drift, diff and lifecycle of contracts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from forge.connection.contracts.items import ContractFindings, ContractItem, Contracts, RegisteredItem
from forge.connection.tabular import TabularTuple
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.queries import KnownContract, find_known
from forge.model.errors import ForgeError
from forge.model.names import BranchName
from forge.model.time import as_utc
from forge.wiring import Wiring

if TYPE_CHECKING:
    from forge.contracts.compare.versions import ContractComparison
    from forge.contracts.datacontract_results import TestRun
    from forge.contracts.drift.table import ContractDrift
    from forge.contracts.lifecycle import LifecycleStep
    from forge.contracts.registry import RegisteredContract
    from forge.flows.contracts.consumers import Consumer
    from forge.flows.contracts.draft import ContractDraft
    from forge.flows.contracts.queries import ContractAncestry


@dataclass(frozen=True, slots=True)
class ContractsView:
    """A contract is named by its id; or by its name, table or file, where that is unique."""

    wiring: Wiring
    branch: BranchName

    @property
    def _ports(self) -> ContractPorts:
        return self.wiring.contracts.ports()

    def _known(self, name: str) -> KnownContract:
        return find_known(self._ports, name)

    def list(self) -> Contracts:
        """Registered ones, and those of the project's files."""
        from forge.flows.contracts.queries import list_known

        return Contracts.of(list_known(self._ports), self._ports)

    def get(self, name: str) -> ContractItem:
        """E504."""
        return ContractItem.of(self._known(name), self._ports)

    def text(self, name: str, version: str | None = None) -> str:
        """As written; `version="file"` is the project's current file."""
        from forge.flows.contracts.queries import contract_text

        return contract_text(self._known(name), self._ports, version).text

    def register(self, source: str | Path, *, dry_run: bool = False) -> RegisteredItem:
        """A file, or a text. Idempotent; E505 where that version exists with other content."""
        from forge.flows.contracts.admission import admit

        text, file = _read(source, self.wiring.root)
        return RegisteredItem(admit(text, file, self._ports, trial=dry_run))

    def draft(self, table: str, *, profile: bool | None = None) -> ContractDraft:
        """A draft contract for a table: `.text`, and `.gaps` to fill in. Nothing is written. `profile`: True reads all
        rows with Spark, False reads none; default: readings of the last run and a sample."""
        from forge.flows.contracts.draft import draft_for

        dataset = table if "@" in table else f"{table}@{self.branch}"
        return draft_for(dataset, self.wiring.quality.check_ports(), self.wiring.settings.project, profile=profile)

    def export(
        self,
        name: str,
        format: str,
        *,
        version: str | None = None,
        table: str | None = None,
        dialect: str | None = None,
    ) -> str | bytes:
        """In another format: `jsonschema`, `sql`, `dbt-models`, … E105 for an unknown one."""
        from forge.flows.contracts.export import export_contract
        from forge.wiring.contracts import contract_tool

        text = self.text(name, version)
        return export_contract(text, name, format, contract_tool(), table=table, dialect=dialect).content

    def versions(self, name: str) -> TabularTuple[RegisteredContract]:
        """The highest first."""
        return TabularTuple(self._ports.store.versions(self._known(name).id))

    def diff(self, name: str, old: str | None = None, new: str | None = None) -> ContractComparison:
        """Changes between two versions, and the bump they require. Default: the project's file where it differs from
        the registry, else the newest version, against the one before."""
        from forge.contracts.compare.versions import find_breaking_changes
        from forge.flows.contracts.queries import pair

        before, after = pair(self._known(name), self._ports, old, new)
        return find_breaking_changes(before.contract, after.contract)

    def effective(self, name: str, version: str | None = None) -> ContractAncestry:
        """The effective contract: `.standing.effective`, `.standing.origins`, `.chain`."""
        from forge.flows.contracts.queries import ancestry_of, contract_text, newest_text

        known = self._known(name)
        shown = contract_text(known, self._ports, version) if version else newest_text(known, self._ports)
        return ancestry_of(shown.contract, self._ports)

    def check(self, name: str, *, keep: bool = False) -> ContractFindings:
        """All current findings: lint, inheritance, version, drift. `keep` stores them as the last check."""
        from forge.flows.contracts.queries import check, keep_check

        known = self._known(name)
        return ContractFindings((keep_check if keep else check)(known, self._ports).findings)

    def drift(self, name: str, at: str | None = None) -> tuple[ContractDrift, ...]:
        """Against live tables, on the branch or at a revision; from metadata alone."""
        from forge.flows.contracts.drift import find_live_drift

        contract = self.effective(name).standing.effective
        return find_live_drift(contract, self.wiring.versioning.reader(self.branch), at)

    def consumers(self, name: str) -> TabularTuple[Consumer]:
        """Readers of its tables by lineage, nearest first."""
        from forge.flows.contracts.consumers import find_consumers
        from forge.flows.contracts.queries import columns_of, newest_text

        ports = self._ports
        contract = newest_text(self._known(name), ports).contract
        return TabularTuple(find_consumers(self.wiring.lineage.graph, columns_of(contract), owner=ports.owner))

    # its life

    def set_state(
        self,
        name: str,
        state: str,
        *,
        reason: str = "",
        ends_at: datetime | None = None,
        replacement: str | None = None,
    ) -> ContractItem:
        """draft, active, deprecated, sunset, retired; only forward (E507). From deprecated on, consumers are
        notified."""
        from forge.contracts.lifecycle import ContractState
        from forge.flows.contracts.lifecycle import change_state

        if state not in list(ContractState):
            raise ForgeError("E105", f"'{state}' is no state of a contract", fix=f"One of {', '.join(ContractState)}.")
        ends = as_utc(ends_at) if ends_at is not None else None
        known = self._known(name)
        change_state(known.id, ContractState(state), self._ports, reason=reason, ends_at=ends, replacement=replacement)
        return self.get(known.id)

    def history(self, name: str) -> TabularTuple[LifecycleStep]:
        """Newest first."""
        return TabularTuple(self._ports.store.history(self._known(name).id))

    # tests by others

    def results(self, name: str, limit: int = 50) -> TabularTuple[TestRun]:
        """Results of `datacontract test`, newest first."""
        return TabularTuple(self._ports.store.results(self._known(name).id, limit))

    def take_results(self, data: Mapping[str, object]) -> bool:
        """Stores the JSON results of `datacontract test`. False: they were stored before."""
        from forge.flows.contracts.results import receive_results

        return receive_results(data, self._ports).created


def _read(source: str | Path, root: Path) -> tuple[str, str]:
    """The text and its name. A single line that names a file means the file."""
    is_text = isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{"))
    if is_text:
        return str(source), "contract.odcs.yaml"
    from forge.contracts.load import read_bounded

    path = Path(source)
    path = path if path.is_absolute() or path.is_file() else root / path
    inside = path.resolve().is_relative_to(root.resolve())
    file = path.resolve().relative_to(root.resolve()).as_posix() if inside else path.name
    if not path.exists():
        fix = "Give the path of a file that is there."
        raise ForgeError("E103", f"{source} cannot be read", where=str(source), why="There is no such file.", fix=fix)
    data = read_bounded(path, file)
    try:
        return data.decode("utf-8"), file
    except UnicodeDecodeError as error:
        raise ForgeError("E502", "The contract is not UTF-8", where=file, why=str(error), fix="Save it so.") from error
