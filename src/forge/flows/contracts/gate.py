"""The contract gate of runs and merges: what `forge compile` says of a table's contract, and whether the table that is
about to be published has its shape."""

from __future__ import annotations

from forge.contracts.contract import Contract, Property, TableContract, Violation
from forge.contracts.policy.data_contract import drift_of
from forge.contracts.policy.facts import Finding
from forge.contracts.policy.governance import Enforcement, Governance
from forge.flows.runs.project import Project
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.verdict import Outcome, Severity, Verdict


def contract_verdicts(project: Project, table: TableName, schema: Schema) -> tuple[Verdict, ...]:
    """Of a table that a run made or a merge would give. Nothing is said where enforcement is off."""
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
    """The contract in effect that the table stands in: its text says where each value is."""
    return next(
        (one.effective for one in project.standing if any(each is table for each in one.effective.tables)), None
    )


def drift_gate(governance: Governance) -> Enforcement:
    """What a table of another shape does to a run. Where nothing is set, it blocks: a table that is not what was
    promised is published by no one's wish."""
    if governance.is_off or not governance.drift_enabled:
        return Enforcement.OFF
    return governance.drift_enforcement or governance.enforcement or Enforcement.STRICT


def _contract_verdict(finding: Finding, table: TableName, *, blocks: bool) -> Verdict:
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
    """`severity` is what the finding is by itself; the verdict's says what the gate makes of it."""
    return {"code": violation.code, "where": violation.where, "fix": violation.fix, "severity": violation.severity}


def _is_about(violation: Violation, property_: Property) -> bool:
    path = property_.path
    return bool(path) and (violation.path == path or violation.path.startswith((f"{path}.", f"{path}[")))
