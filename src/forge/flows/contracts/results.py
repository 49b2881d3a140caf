"""Test results of contracts: received from datacontract-cli, and our own in its format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from forge.contracts.contract import Contract
from forge.contracts.datacontract_results import TestRun, read_results
from forge.flows.contracts.files import by_id, project_files
from forge.flows.contracts.ports import ContractPorts
from forge.flows.runs.records import AuditRecord
from forge.quality.monitors.monitor import CheckResult
from forge.quality.verdict import Outcome, Severity


@dataclass(frozen=True, slots=True)
class ReceivedRun:
    """`created` is False where the run was stored before. `known`: whether the contract exists."""

    run: TestRun
    created: bool
    known: bool


def receive_results(data: object, ports: ContractPorts) -> ReceivedRun:
    """E105 for anything but results of datacontract-cli. Results of unknown contracts are stored, too: they may be
    registered later."""
    now = ports.clock()
    run = read_results(data, at=now, by=ports.actor)
    detail = {"contract": run.contract_id, "version": run.version, "result": run.result, "checks": len(run.checks)}
    created = ports.store.add_results(run, AuditRecord(now, ports.actor, "contract.results", run.id, detail))
    known = ports.store.head(run.contract_id) is not None or run.contract_id in by_id(project_files(ports.root))
    return ReceivedRun(run, created, known)


def results_of(contract: Contract, found: Iterable[CheckResult], now: datetime) -> dict[str, object]:
    """The latest results of Forge's checks on a contract's tables, in the format of datacontract-cli, without rows and
    samples."""
    newest: dict[str, CheckResult] = {}
    for one in found:  # newest first
        newest.setdefault(one.check_id, one)
    checks = [_check(one) for one in newest.values()]
    words = {str(check["result"]) for check in checks}
    times = [one.executed_at for one in newest.values()] or [now]
    whole = next((word for word in ("failed", "warning", "passed") if word in words), "unknown")
    return {
        "runId": str(uuid4()),
        "dataContractId": contract.id,
        "dataContractVersion": contract.version,
        "timestampStart": min(times).isoformat(),
        "timestampEnd": max(times).isoformat(),
        "result": whole,
        "checks": checks,
    }


def _check(one: CheckResult) -> dict[str, object]:
    result = {Outcome.PASSED: "passed", Outcome.NOT_MEASURED: "unknown"}.get(one.verdict)
    soft = one.severity in (Severity.INFO, Severity.WARNING)
    return {
        "id": one.check_id,
        "key": one.check_id,
        "category": "quality",
        "type": one.type,
        "name": one.check_id,
        "model": one.dataset,
        "field": one.columns[0] if len(one.columns) == 1 else None,
        "engine": "forge",
        "result": result or ("warning" if soft else "failed"),
        "reason": one.message,
    }
