"""Ports of the contract flows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from forge.contracts.policy.governance import Governance
from forge.model.names import BranchName, TableName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from forge.contracts.datacontract_results import TestRun, TestSummary
    from forge.contracts.lifecycle import LifecycleStep
    from forge.contracts.registry import CompileRecord, ContractCheck, ContractHead, RegisteredContract
    from forge.flows.lineage.ports import LineagePorts
    from forge.flows.ports import Lake, Metadata
    from forge.flows.quality.incidents.ports import AlertPorts
    from forge.flows.runs.records import AuditRecord
    from forge.model.time import Clock
    from forge.quality.alerts.delivery import Delivery


@dataclass(frozen=True, slots=True)
class LifecycleWrite:
    """All writes of one lifecycle step, in one transaction."""

    change: LifecycleStep
    deliveries: tuple[Delivery, ...] = ()
    audit: tuple[AuditRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Registration:
    """A version to register. `decide` is called inside the transaction with the contract's current state (None: it is
    new) and returns the step; None: its state stays."""

    new: RegisteredContract
    decide: Callable[[ContractHead | None], LifecycleWrite | None]
    audit: tuple[AuditRecord, ...] = ()


class ContractStore(Protocol):
    """Every write is one transaction. Where the catalog is in the same database, its namespace properties are written
    in it, too."""

    def register(self, registration: Registration) -> bool:
        """False: that version exists with the same content, and only its state may have changed. E505 where it exists
        with other content."""

    def register_all(self, registrations: Sequence[Registration]) -> tuple[bool | None, ...]:
        """Several at once: True where the version is new, None where it exists with other content and stays."""

    def move(self, contract_id: str, decide: Callable[[ContractHead], LifecycleWrite]) -> ContractHead:
        """E504 where there is none."""

    def head(self, contract_id: str) -> ContractHead | None: ...
    def heads(self) -> tuple[ContractHead, ...]:
        """Of all contracts, by name, without texts."""

    def versions(self, contract_id: str) -> tuple[RegisteredContract, ...]:
        """The highest first."""

    def version(self, contract_id: str, version: str) -> RegisteredContract | None: ...
    def history(self, contract_id: str) -> tuple[LifecycleStep, ...]:
        """Newest first."""

    def add_results(self, run: TestRun, audit: AuditRecord) -> bool:
        """False: a run of that id exists and stays. The newest MOST_RUNS of each contract are retained."""

    def results(self, contract_id: str, limit: int = 50) -> tuple[TestRun, ...]:
        """Newest first."""

    def last_results(self) -> Mapping[str, TestSummary]:
        """The newest of each contract, without checks."""

    def keep_checks(self, checks: Iterable[ContractCheck]) -> None:
        """Replaces the stored ones of these contracts."""

    def checks(self) -> Mapping[str, ContractCheck]: ...
    def keep_compiled(self, record: CompileRecord) -> None: ...
    def compiled(self) -> CompileRecord | None: ...


def _no_lineage() -> LineagePorts | None:
    return None


def _no_alerts() -> AlertPorts | None:
    return None


@dataclass(frozen=True, kw_only=True)
class ContractPorts:
    """`published` is called after every registration, for catalogs outside Forge's database; it never raises."""

    store: ContractStore
    root: Path
    clock: Clock
    actor: str
    metadata: Metadata
    lake: Callable[[], Lake]
    default_branch: BranchName = BranchName("main")  # noqa: RUF009
    governance: Governance = field(default_factory=Governance)
    owner: Callable[[TableName], str | None] = lambda table: None
    lineage: Callable[[], LineagePorts | None] = _no_lineage
    alerts: Callable[[], AlertPorts | None] = _no_alerts
    published: Callable[[Sequence[RegisteredContract]], None] = lambda registered: None
