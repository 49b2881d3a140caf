"""The contract gate of runs and merges: the compile findings of a table's contract, and whether the staged table
matches its schema."""

from __future__ import annotations

from forge.contracts.contract import Contract, ContractProperty, TableContract, Violation
from forge.contracts.policy.data_contract import drift_of
from forge.contracts.policy.facts import PolicyFinding
from forge.contracts.policy.governance import Enforcement, Governance
from forge.flows.runs.project import Project
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.verdict import Outcome, Severity, Verdict


def contract_verdicts(project: Project, table: TableName, schema: Schema) -> tuple[Verdict, ...]:
    """For a table made by a run or a merge. None where enforcement is off."""
    governance = project.governance
    if governance.is_off:
        return ()
    contract = project.contracts.get(table)
    verdicts = [_contract_verdict(finding, table, blocks=finding.blocks) for finding in project.judged().get(table, ())]
    gate = drift_gate(governance)
    if contract is not None and gate is not Enforcement.OFF:
        verdicts += [
            _schema_verdict(found.violation, contract, table, gate)
            for found in drift_of(contract, schema, str(table), _holder(project, contract), nullability=False)
        ]
    return tuple(verdicts)


def _holder(project: Project, table: TableContract) -> Contract | None:
    """The effective contract of the table, whose text has the places."""
    return next(
        (one.effective for one in project.standing if any(each is table for each in one.effective.tables)), None
    )


def drift_gate(governance: Governance) -> Enforcement:
    """How drift affects a run. The default is to block, as nobody asked to publish a table that violates its
    contract."""
    if governance.is_off or not governance.drift_enabled:
        return Enforcement.OFF
    return governance.drift_enforcement or governance.enforcement or Enforcement.STRICT


def _contract_verdict(finding: PolicyFinding, table: TableName, *, blocks: bool) -> Verdict:
    violation = finding.violation
    severity = Severity.ERROR if blocks else min(Severity(violation.severity), Severity.WARNING, key=_RANK.__getitem__)
    parts = [str(table), "contract", violation.code, *([violation.path] if violation.path else [])]
    return Verdict(
        check_id=".".join(parts),
        check_type="contract",
        table=str(table),
        columns=(),
        outcome=Outcome.FAILED,
        severity=severity,
        message=violation.message,
        blocks=blocks,
        details=_details(violation),
    )


_RANK = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2, Severity.CRITICAL: 3}


def _schema_verdict(violation: Violation, contract: TableContract, table: TableName, gate: Enforcement) -> Verdict:
    is_error = violation.severity == "error"
    blocks = is_error and gate is Enforcement.STRICT
    columns = tuple(each.column for each in contract.columns if _is_about(violation, each))
    severity = Severity.ERROR if blocks else Severity.WARNING if is_error else Severity(violation.severity)
    return Verdict(
        check_id=".".join([str(table), *(columns or (violation.path,)), "schema"]),
        check_type="schema",
        table=str(table),
        columns=columns,
        outcome=Outcome.FAILED,
        severity=severity,
        message=violation.message,
        blocks=blocks,
        details=_details(violation),
    )


def _details(violation: Violation) -> dict[str, object]:
    """`severity` is the finding's own; the verdict's depends on enforcement."""
    return {"code": violation.code, "where": violation.where, "fix": violation.fix, "severity": violation.severity}


def _is_about(violation: Violation, property_: ContractProperty) -> bool:
    path = property_.path
    return bool(path) and (violation.path == path or violation.path.startswith((f"{path}.", f"{path}[")))
