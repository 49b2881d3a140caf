"""Output of a compile: lines for the terminal, rows for JUnit and GitHub annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.formatting import plural

if TYPE_CHECKING:
    from forge.contracts.policy.facts import PolicyFinding
    from forge.flows.contracts.compile.project import CompileResult

Item = Mapping[str, object]


def summary_text(compiled: CompileResult) -> str:
    """`3 errors, 1 warning in 12 tables and 5 contracts (naming 2, data_contract 2)`."""
    notes = sum(finding.violation.severity == "info" for finding in compiled.findings)
    counts = [
        (len(compiled.violations), "error"),
        (len(compiled.warnings) - notes, "warning"),
        (notes, "note"),
    ]
    totals = ", ".join(plural(number, word) for number, word in counts if number) or "no findings"
    tables, contracts = len(compiled.facts.tables), len(compiled.facts.contracts)
    by_type = ", ".join(f"{kind} {number}" for kind, number in compiled.summary().items() if number)
    where = f"{plural(tables, 'table')} and {plural(contracts, 'contract')}"
    return f"{totals} in {where}{f' ({by_type})' if by_type else ''}"


def github_items(findings: Sequence[PolicyFinding]) -> list[Item]:
    """Findings as items of cli/quality/github.py."""
    return [
        {
            "verdict": "failed",
            "severity": finding.violation.severity,
            "blocks": finding.blocks,
            "place": f"{finding.violation.where}:{finding.violation.column}",
            "title": f"{_name(finding)} {finding.policy_type}",
            "message": _message(finding),
        }
        for finding in findings
    ]


def junit_items(compiled: CompileResult, counting: Sequence[PolicyFinding]) -> tuple[list[Item], list[str]]:
    """A suite for each policy; a case for each finding, and a passed one for each table or contract without findings.
    Also the ids of findings for which the command exits with 1."""
    counts = set(map(id, counting))
    items: list[Item] = []
    failing: list[str] = []
    for kind in compiled.summary():
        findings = [finding for finding in compiled.findings if finding.policy_type == kind]
        for number, finding in enumerate(findings, start=1):
            name = f"{_subject(finding)}: {_name(finding)} #{number}"
            items.append(_case(compiled, kind, name, finding))
            failing += [name] if id(finding) in counts else []
        hit = {finding.table for finding in findings} | {finding.violation.file for finding in findings}
        subjects = [facts.file for facts in compiled.facts.contracts] if kind == "data_contract" else []
        subjects += list(compiled.facts.tables)
        items += [_case(compiled, kind, subject, None) for subject in subjects if subject not in hit]
    return items, failing


def _case(compiled: CompileResult, kind: str, name: str, finding: PolicyFinding | None) -> Item:
    return {
        "dataset": kind,
        "check_id": name,
        "type": _name(finding) if finding else kind,
        "verdict": "failed" if finding else "passed",
        "severity": finding.violation.severity if finding else "error",
        "message": _message(finding) if finding else "",
        "place": f"{finding.violation.where}:{finding.violation.column}" if finding else None,
        "executed_at": compiled.validated_at.isoformat(),
        "execution_ms": 0,
    }


def _name(finding: PolicyFinding) -> str:
    return f"FORGE-{finding.rule}"


def _subject(finding: PolicyFinding) -> str:
    return finding.table or finding.violation.file


def _message(finding: PolicyFinding) -> str:
    violation = finding.violation
    return f"{violation.message}\nfix: {violation.fix}" if violation.fix else violation.message
