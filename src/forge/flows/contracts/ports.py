"""What registering contracts, and asking about them, needs of the world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from forge.contracts.policy.governance import Governance
from forge.model.names import BranchName, TableName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from forge.contracts.lifecycle import StateChange
    from forge.contracts.registry import Checked, CompileRecord, Head, Registered
    from forge.contracts.tested import TestRun, TestSummary
    from forge.flows.lineage.ports import LineagePorts
    from forge.flows.ports import Lake, Metadata
    from forge.flows.quality.incidents.ports import AlertPorts
    from forge.flows.runs.records import AuditRecord
    from forge.model.time import Clock
    from forge.quality.alerts.delivery import Delivery


@dataclass(frozen=True, slots=True)
class Moving:
    """What one transaction writes when a contract goes on in its life."""

    change: StateChange
    deliveries: tuple[Delivery, ...] = ()
    audit: tuple[AuditRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Registration:
    """A version to be registered. `decide` is asked inside the transaction where the contract goes, given where it
    stands now (None: it is new); None: its state stays."""

    new: Registered
    decide: Callable[[Head | None], Moving | None]
    audit: tuple[AuditRecord, ...] = ()


class ContractStore(Protocol):
    """Every write is one transaction. Where the catalog of the lake is in the same database, the properties of its
    namespaces are written in it, too."""

    def register(self, registration: Registration) -> bool:
        """False: that version is there with the same content, and only its state may have moved. E505 where it is there
        with another one."""
        ...

    def register_all(self, registrations: Sequence[Registration]) -> tuple[bool | None, ...]:
        """Several at once: True where the version is new, None where it is there with another content and stays."""
        ...

    def move(self, contract_id: str, decide: Callable[[Head], Moving]) -> Head:
        """E504 where there is none."""
        ...

    def head(self, contract_id: str) -> Head | None: ...
    def heads(self) -> tuple[Head, ...]:
        """Of all contracts, by name. Their texts are left out."""
        ...

    def versions(self, contract_id: str) -> tuple[Registered, ...]:
        """The highest first."""
        ...

    def version(self, contract_id: str, version: str) -> Registered | None: ...
    def history(self, contract_id: str) -> tuple[StateChange, ...]:
        """Newest first."""
        ...

    def add_results(self, run: TestRun, audit: AuditRecord) -> bool:
        """False: a run of that id was kept before, and stays as it is. Of each contract the newest MOST_RUNS are
        kept."""
        ...

    def results(self, contract_id: str, limit: int = 50) -> tuple[TestRun, ...]:
        """Newest first."""
        ...

    def last_results(self) -> Mapping[str, TestSummary]:
        """The newest of each contract; checks are not read."""
        ...

    def keep_checks(self, checks: Iterable[Checked]) -> None:
        """In place of what was kept of these contracts."""
        ...

    def checks(self) -> Mapping[str, Checked]: ...
    def keep_compiled(self, record: CompileRecord) -> None: ...
    def compiled(self) -> CompileRecord | None: ...


def _no_lineage() -> LineagePorts | None:
    return None


def _no_alerts() -> AlertPorts | None:
    return None


@dataclass(frozen=True, kw_only=True)
class ContractPorts:
    """`published` is told of every registration, for catalogs that no transaction of Forge's database reaches; it never
    raises."""

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
    published: Callable[[Sequence[Registered]], None] = lambda registered: None
