"""Contracts, their versions and findings in Python, in the terminal's JSON and in notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forge.connection.tabular import Row, TabularTuple
from forge.contracts.canonical import data_of
from forge.contracts.contract import Violation
from forge.contracts.datacontract_results import TestSummary
from forge.contracts.lifecycle import next_states
from forge.contracts.registry import ContractCheck, ContractFinding, description_of
from forge.flows.contracts.admission import Admission
from forge.flows.contracts.gate_results import last_checks
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.queries import KnownContract, differs


@dataclass(frozen=True, slots=True)
class ContractItem:
    """A contract: registered, in a file of the project, or both."""

    known: KnownContract
    file_differs: bool = False
    checked: ContractCheck | None = None
    tested: TestSummary | None = None

    @classmethod
    def of(cls, known: KnownContract, ports: ContractPorts) -> ContractItem:
        return cls(known, differs(known, ports), last_checks(ports, [known]).get(known.id), _last(ports, known.id))

    @property
    def id(self) -> str:
        return self.known.id

    @property
    def version(self) -> str:
        return self.known.version

    @property
    def state(self) -> str:
        return self.known.state.value

    def to_dict(self) -> Row:
        known, kept, contract = self.known, self.known.registered, self.known.contract
        tables = kept.tables if kept else tuple(table.table for table in contract.tables) if contract else ()
        about = kept.description if kept else description_of(data_of(contract)) if contract else ""
        return {
            "id": known.id,
            "name": known.name,
            "version": known.version,
            "state": self.state,
            "owner": kept.owner if kept else contract.owner if contract else None,
            "domain": kept.domain if kept else contract.domain if contract else None,
            "description": about,
            "tables": list(tables),
            "registered_at": kept.registered_at if kept else None,
            "registered_by": kept.registered_by if kept else None,
            "schema_hash": kept.schema_hash if kept else None,
            "versions": known.head.versions if known.head else 0,
            "file": known.file.file if known.file else None,
            "file_version": contract.version if contract else None,
            "file_differs": self.file_differs,
            "errors": self.checked.count("error") if self.checked else None,
            "warnings": self.checked.count("warning") if self.checked else None,
            "checked_at": self.checked.checked_at if self.checked else None,
            "last_test": self.tested.result if self.tested else None,
            "next_states": [state.value for state in next_states(known.state)] if known.head else [],
            "notice": known.head.notice.to_dict() if known.head and known.head.notice else None,
        }


def _last(ports: ContractPorts, contract_id: str) -> TestSummary | None:
    return next((run.summary for run in ports.store.results(contract_id, limit=1)), None)


class Contracts(TabularTuple[ContractItem]):
    """By name."""

    @classmethod
    def of(cls, every: Iterable[KnownContract], ports: ContractPorts) -> Contracts:
        every = tuple(every)
        checks, tests = last_checks(ports, every), ports.store.last_results()
        return cls(
            ContractItem(known, differs(known, ports), checks.get(known.id), tests.get(known.id)) for known in every
        )

    def to_dict(self) -> Row:
        return {"contracts": self.rows()}


class ContractFindings(TabularTuple[ContractFinding]):
    """Findings of a contract. Truthy where none of them is an error."""

    @property
    def is_valid(self) -> bool:
        return not self.errors()

    def errors(self) -> tuple[Violation, ...]:
        return tuple(one.violation for one in self if one.violation.severity == "error")

    def violations(self) -> tuple[Violation, ...]:
        return tuple(one.violation for one in self)

    def to_dict(self) -> Row:
        return {"violations": self.rows()}


@dataclass(frozen=True, slots=True)
class RegisteredItem:
    """The outcome of a registration."""

    admitted: Admission

    @property
    def created(self) -> bool:
        """False: that version existed with the same content. For a dry run: whether it would be new."""
        return self.admitted.created

    @property
    def findings(self) -> ContractFindings:
        return ContractFindings(self.admitted.findings)

    def to_dict(self) -> Row:
        one, comparison = self.admitted, self.admitted.comparison
        kept = one.registering.registered if one.registering else None
        return {
            "id": one.contract.id,
            "name": one.contract.name or one.contract.id,
            "version": one.contract.version,
            "file": one.contract.file or None,
            "state": one.state.value,
            "created": self.created,
            "schema_hash": one.schema_hash,
            "registered_at": kept.registered_at if kept else None,
            "registered_by": kept.registered_by if kept else None,
            "required_bump": comparison.required_bump if comparison else None,
            "actual_bump": comparison.actual_bump if comparison else None,
            "violations": self.findings.rows(),
        }
