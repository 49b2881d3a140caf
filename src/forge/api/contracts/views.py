"""JSON views of contracts, their versions, state changes and findings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from forge.api.contracts.wire.registry import (
    CompileView,
    ConsumerView,
    ContractChangeView,
    ContractDetail,
    ContractVersionView,
    ContractView,
    CountsView,
    LastTestView,
    NoticeView,
    ParentView,
    StateChangeView,
    TableDrift,
    TestCheckView,
    TestRunView,
    TestWord,
    ViolationsView,
    ViolationView,
)
from forge.contracts.canonical import data_of
from forge.contracts.compare.change import ContractChange
from forge.contracts.compare.versions import ContractComparison
from forge.contracts.contract import Contract, Violation
from forge.contracts.datacontract_results import TestRun, TestSummary
from forge.contracts.drift import table as drift
from forge.contracts.lifecycle import LifecycleStep, next_states
from forge.contracts.policy.governance import Enforcement
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


def contract_detail(
    known: KnownContract, ports: ContractPorts, records: ContractRecords, shown: ContractText
) -> ContractDetail:
    return ContractDetail.model_validate(
        {
            **_facts(known, ports, records),
            "document": plain(data_of(shown.contract)),
            "text": shown.text,
            "source": shown.source,
            "next_states": [state.value for state in next_states(known.state)] if known.head else [],
            "history": [state_view(change) for change in ports.store.history(known.id)],
        }
    )


def _facts(known: KnownContract, ports: ContractPorts, records: ContractRecords) -> dict[str, object]:
    kept, contract, head = known.registered, known.contract, known.head
    checked, tested = records.checks.get(known.id), records.tests.get(known.id)
    return {
        **(_registered_facts(kept) if kept is not None else _file_facts(contract)),
        "id": known.id,
        "name": known.name,
        "version": known.version,
        "state": known.state.value,
        "registered": kept is not None,
        "versions": head.versions if head else 0,
        "file": known.file.file if known.file else None,
        "file_version": contract.version if contract else None,
        "file_differs": differs(known, ports),
        "violations": counts_view(checked) if checked else None,
        "last_test": last_test_view(tested) if tested else None,
        "notice": notice_view(head.notice) if head and head.notice else None,
    }


def _registered_facts(kept: RegisteredContract) -> dict[str, object]:
    return {
        "domain": kept.domain,
        "owner": kept.owner,
        "description": kept.description,
        "api_version": kept.api_version,
        "tables": list(kept.tables),
        "tags": list(kept.tags),
        "extends": list(kept.extends),
        "registered_at": kept.registered_at,
        "registered_by": kept.registered_by,
        "schema_hash": kept.schema_hash,
    }


def _file_facts(contract: Contract | None) -> dict[str, object]:
    return {
        "domain": contract.domain if contract else None,
        "owner": contract.owner if contract else None,
        "description": description_of(data_of(contract)) if contract else "",
        "api_version": contract.api_version if contract else "",
        "tables": [table.table for table in contract.tables] if contract else [],
        "tags": list(contract.tags) if contract else [],
        "extends": list(contract.extends) if contract else [],
        "registered_at": None,
        "registered_by": None,
        "schema_hash": None,
    }


def counts_view(checked: ContractCheck) -> CountsView:
    return CountsView(
        errors=checked.count("error"),
        warnings=checked.count("warning"),
        infos=checked.count("info"),
        checked_at=checked.checked_at,
    )


def last_test_view(run: TestSummary) -> LastTestView:
    return LastTestView(
        id=run.id,
        result=_result(run.result),
        finished_at=run.finished_at,
        passed=run.passed,
        failed=run.failed,
    )


def notice_view(change: LifecycleStep) -> NoticeView:
    return NoticeView(
        state=change.state.value,
        since=change.at,
        ends_at=change.ends_at,
        replacement=change.replacement,
        reason=change.reason,
    )


def state_view(change: LifecycleStep) -> StateChangeView:
    return StateChangeView(
        state=change.state.value,
        before=change.before.value if change.before else None,
        at=change.at,
        by=change.by,
        reason=change.reason,
        ends_at=change.ends_at,
        replacement=change.replacement,
        told=list(change.told),
    )


def version_facts(
    one: RegisteredContract, comparison: ContractComparison | None, *, current: bool
) -> dict[str, object]:
    return {
        "version": one.version,
        "schema_hash": one.schema_hash,
        "owner": one.owner,
        "tables": list(one.tables),
        "registered_at": one.registered_at,
        "registered_by": one.registered_by,
        "current": current,
        "bump": comparison.actual_bump if comparison else None,
        "required_bump": comparison.required_bump if comparison else None,
        "breaking": len(comparison.breaking) if comparison else None,
        "run_id": one.run_id,
    }


def version_view(
    one: RegisteredContract, comparison: ContractComparison | None, *, current: bool
) -> ContractVersionView:
    return ContractVersionView.model_validate(version_facts(one, comparison, current=current))


def change_view(change: ContractChange) -> ContractChangeView:
    return ContractChangeView.model_validate(
        {
            "kind": str(change.kind),
            "path": change.path,
            "subject": change.subject,
            "old": plain(change.old),
            "new": plain(change.new),
            "bump": str(change.bump),
            "message": change.message,
            "file": change.place.file,
            "line": change.place.line,
        }
    )


def consumer_view(one: Consumer, breaks: Sequence[str] = ()) -> ConsumerView:
    return ConsumerView(
        table=one.name,
        owner=one.owner,
        reads=list(one.reads),
        columns=list(one.columns),
        depth=one.depth,
        breaks=list(breaks),
    )


def parent_view(contract: Contract) -> ParentView:
    return ParentView(
        id=contract.id, name=contract.name or contract.id, version=contract.version, file=contract.file or None
    )


# findings


def violation_views(found: Iterable[Violation], source: str, contract_id: str | None = None) -> list[ViolationView]:
    return [finding_view(ContractFinding(source, one, "data_contract", contract_id)) for one in found]


def finding_view(finding: ContractFinding) -> ViolationView:
    return ViolationView.model_validate(finding.to_dict())


def checked_view(checked: ContractCheck) -> ViolationsView:
    return ViolationsView(
        id=checked.contract_id,
        version=checked.version,
        checked_at=checked.checked_at,
        errors=checked.count("error"),
        warnings=checked.count("warning"),
        infos=checked.count("info"),
        violations=[finding_view(finding) for finding in checked.findings],
    )


def compile_view(record: CompileRecord) -> CompileView:
    return CompileView(
        valid=record.valid,
        validated_at=record.validated_at,
        validated_by=record.validated_by,
        enforcement=Enforcement(record.enforcement),
        schema_hash=record.schema_hash,
        summary=dict(record.summary),
        violations=[finding_view(finding) for finding in record.findings],
    )


def drift_view(one: drift.ContractDrift, contract_id: str) -> TableDrift:
    return TableDrift(
        table=one.table,
        exists=one.exists,
        violations=violation_views(one.violations, "drift", contract_id),
        patch=one.patch or None,
        alter=list(one.alter),
    )


# tests


def test_view(run: TestRun) -> TestRunView:
    passed, failed = run.count("passed"), run.count("failed", "error")
    return TestRunView(
        id=run.id,
        contract_id=run.contract_id,
        version=run.version,
        server=run.server,
        result=_result(run.result),
        started_at=run.started_at,
        finished_at=run.finished_at,
        received_at=run.received_at,
        received_by=run.received_by,
        tool=run.tool,
        passed=passed,
        failed=failed,
        other=len(run.checks) - passed - failed,
        checks=[
            TestCheckView(
                name=check.name,
                type=check.type,
                category=check.category,
                table=check.table,
                column=check.column,
                result=_result(check.result),
                reason=check.reason,
            )
            for check in run.checks
        ],
    )


def _result(word: str) -> TestWord:
    return cast(TestWord, word)


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
