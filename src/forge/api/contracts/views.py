"""JSON views of contracts, their versions, state changes and findings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forge.api.contracts.wire.registry import (
    CompileView,
    ConsumerView,
    ContractChangeView,
    ContractDetail,
    ContractView,
    CountsView,
    LastTestView,
    NoticeView,
    ParentView,
    StateChangeView,
    TableDrift,
    TestRunView,
    ViolationsView,
    ViolationView,
)
from forge.contracts.canonical import data_of
from forge.contracts.compare.change import ContractChange
from forge.contracts.compare.versions import ContractComparison
from forge.contracts.contract import Contract, FindingSource, Violation
from forge.contracts.datacontract_results import TestRun, TestSummary
from forge.contracts.drift import table as drift
from forge.contracts.lifecycle import next_states
from forge.contracts.registry import CompileRecord, ContractCheck, ContractFinding, RegisteredContract, description_of
from forge.flows.contracts.consumers import Consumer
from forge.flows.contracts.gate_results import last_checks
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.queries import ContractText, KnownContract, differs


@dataclass(frozen=True, slots=True)
class ContractRecords:
    """Checks and tests of contracts, read once for a list."""

    checks: Mapping[str, ContractCheck]
    tests: Mapping[str, TestSummary]


def contract_records(ports: ContractPorts, every: Iterable[KnownContract]) -> ContractRecords:
    return ContractRecords(last_checks(ports, every), ports.store.last_results())


def contract_view(known: KnownContract, ports: ContractPorts, records: ContractRecords) -> ContractView:
    return ContractView.model_validate(_facts(known, ports, records))


def contract_detail(known: KnownContract, ports: ContractPorts, shown: ContractText) -> ContractDetail:
    return ContractDetail.model_validate(
        {
            **_facts(known, ports, contract_records(ports, [known])),
            "document": plain(data_of(shown.contract)),
            "text": shown.text,
            "source": shown.source,
            "next_states": [state.value for state in next_states(known.state)] if known.head else [],
            "history": [StateChangeView.model_validate(step) for step in ports.store.history(known.id)],
        }
    )


def _facts(known: KnownContract, ports: ContractPorts, records: ContractRecords) -> dict[str, object]:
    kept, contract, head = known.registered, known.contract, known.head
    checked, tested = records.checks.get(known.id), records.tests.get(known.id)
    return {
        **_text_facts(kept, contract),
        "id": known.id,
        "name": known.name,
        "version": known.version,
        "state": known.state.value,
        "registered": kept is not None,
        "versions": head.versions if head else 0,
        "file": known.file.file if known.file else None,
        "file_version": contract.version if contract else None,
        "file_differs": differs(known, ports),
        "violations": CountsView.of(checked, **_counts(checked)) if checked else None,
        "last_test": LastTestView.model_validate(tested) if tested else None,
        "notice": NoticeView.of(head.notice, since=head.notice.at) if head and head.notice else None,
    }


def _text_facts(kept: RegisteredContract | None, contract: Contract | None) -> dict[str, object]:
    """Of the registered version, else of the file, which may be unreadable."""
    names = ("domain", "owner", "api_version", "tags", "extends")
    if kept is not None:
        more = ("description", "tables", "registered_at", "registered_by", "schema_hash")
        return {name: getattr(kept, name) for name in (*names, *more)}
    unread: dict[str, object] = {"domain": None, "owner": None, "api_version": "", "tags": (), "extends": ()}
    return {
        **({name: getattr(contract, name) for name in names} if contract else unread),
        "description": description_of(data_of(contract)) if contract else "",
        "tables": [table.table for table in contract.tables] if contract else [],
        **dict.fromkeys(("registered_at", "registered_by", "schema_hash")),
    }


def _counts(checked: ContractCheck) -> dict[str, int]:
    return {
        "errors": checked.count("error"),
        "warnings": checked.count("warning"),
        "infos": checked.count("info"),
    }


def version_facts(comparison: ContractComparison | None, *, current: bool) -> dict[str, object]:
    """What a version does not say of itself."""
    return {
        "current": current,
        "bump": comparison.actual_bump if comparison else None,
        "required_bump": comparison.required_bump if comparison else None,
        "breaking": len(comparison.breaking) if comparison else None,
    }


def change_view(change: ContractChange) -> ContractChangeView:
    place = change.place
    return ContractChangeView.of(change, old=plain(change.old), new=plain(change.new), file=place.file, line=place.line)


def consumer_view(one: Consumer, breaks: Sequence[str] = ()) -> ConsumerView:
    return ConsumerView.of(one, table=one.name, breaks=breaks)


def parent_view(contract: Contract) -> ParentView:
    return ParentView.of(contract, name=contract.name or contract.id, file=contract.file or None)


# findings


def violation_views(
    found: Iterable[Violation], source: FindingSource, contract_id: str | None = None
) -> list[ViolationView]:
    return [finding_view(ContractFinding(source, one, "data_contract", contract_id)) for one in found]


def finding_view(finding: ContractFinding) -> ViolationView:
    return ViolationView.model_validate(finding.to_dict())


def checked_view(checked: ContractCheck) -> ViolationsView:
    findings = [finding_view(finding) for finding in checked.findings]
    return ViolationsView.of(checked, id=checked.contract_id, violations=findings, **_counts(checked))


def compile_view(record: CompileRecord) -> CompileView:
    return CompileView.of(record, violations=[finding_view(finding) for finding in record.findings])


def drift_view(one: drift.ContractDrift, contract_id: str) -> TableDrift:
    return TableDrift.of(one, violations=violation_views(one.violations, "drift", contract_id), patch=one.patch or None)


# tests


def test_view(run: TestRun) -> TestRunView:
    counts = run.summary
    other = len(run.checks) - counts.passed - counts.failed
    return TestRunView.of(run, passed=counts.passed, failed=counts.failed, other=other)


def plain(value: object) -> Any:
    """JSON-safe: other YAML types become strings."""
    match value:
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case str() | bool() | int() | None:
            return value
        case float():
            return value if value == value and abs(value) != float("inf") else str(value)
        case Sequence():
            return [plain(item) for item in value]
    return json.loads(json.dumps(value, default=str))
