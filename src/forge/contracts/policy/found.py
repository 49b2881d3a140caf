"""What one policy found, before it is known whether it blocks."""

from __future__ import annotations

from dataclasses import dataclass

from forge.contracts.contract import Place, Violation, ViolationSeverity


@dataclass(frozen=True, slots=True)
class Found:
    violation: Violation
    table: str | None = None
    rule: str = ""  # of a custom rule: its name
    contract_id: str | None = None
    source: str = "policy"  # of what is found about contracts: lint, inheritance, version or drift


def found_at(
    code: str,
    severity: ViolationSeverity,
    place: Place,
    path: str,
    message: str,
    fix: str,
    table: str | None = None,
    rule: str = "",
) -> Found:
    return Found(
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
