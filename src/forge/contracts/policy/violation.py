"""A violation of one policy, before enforcement decides whether it blocks."""

from __future__ import annotations

from dataclasses import dataclass

from forge.contracts.contract import FilePlace, FindingSource, Violation, ViolationSeverity


@dataclass(frozen=True, slots=True)
class PolicyViolation:
    violation: Violation
    table: str | None = None
    rule: str = ""  # of a custom rule: its name
    contract_id: str | None = None
    source: FindingSource = "policy"


def violation_at(
    code: str,
    severity: ViolationSeverity,
    place: FilePlace,
    path: str,
    message: str,
    fix: str,
    table: str | None = None,
    rule: str = "",
) -> PolicyViolation:
    return PolicyViolation(
        Violation(
            code=code,
            severity=severity,
            file=place.file,
            line=place.line,
            column=place.column,
            path=path,
            message=message,
            fix=fix,
        ),
        table,
        rule,
    )
