"""Runs all policies on a project's facts, in order; each finding with whether it blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from forge.contracts.policy.coverage import find_coverage
from forge.contracts.policy.custom import find_custom
from forge.contracts.policy.data_contract import find_contract_violations
from forge.contracts.policy.documentation import find_documentation
from forge.contracts.policy.facts import POLICY_TYPES, PolicyFinding, ProjectFacts
from forge.contracts.policy.governance import Enforcement, Governance
from forge.contracts.policy.naming import find_naming
from forge.contracts.policy.semantic import find_semantic
from forge.contracts.policy.violation import PolicyViolation

Policy = Callable[[ProjectFacts, Governance], Iterator[PolicyViolation]]

WORDS = {"drift": "nullability"}
"""Reported in place of the code for warnings without one; else, the gate that found it."""

POLICIES: Mapping[str, Policy] = {
    "naming": find_naming,
    "coverage": find_coverage,
    "documentation": find_documentation,
    "semantic": find_semantic,
    "custom": find_custom,
    "data_contract": find_contract_violations,
}


def find_violations(facts: ProjectFacts, governance: Governance) -> tuple[PolicyFinding, ...]:
    """By policy, then by place. Findings of two governance levels are deduplicated, with the higher severity."""
    found: list[PolicyFinding] = []
    for policy_type in POLICY_TYPES:
        here = [finding_of(policy_type, one, governance) for one in POLICIES[policy_type](facts, governance)]
        found += sorted(_once(here), key=_order)
    return tuple(found)


def finding_of(policy_type: str, found: PolicyViolation, governance: Governance) -> PolicyFinding:
    violation = found.violation
    name = violation.code or WORDS.get(found.source, found.source)
    rule = f"{name}/{found.rule}" if found.rule else name
    blocking = blocks(policy_type, found, governance)
    return PolicyFinding(
        policy_type=policy_type,
        violation=violation,
        blocks=blocking,
        rule=rule,
        table=found.table,
        contract_id=found.contract_id,
        source=found.source,
    )


def blocks(policy_type: str, found: PolicyViolation, governance: Governance) -> bool:
    """Only errors do. Unknown references and cycles always block, as the project cannot run."""
    if found.violation.severity != "error":
        return False
    if policy_type == "semantic":
        return True
    if found.source == "drift":
        return governance.drift is Enforcement.STRICT
    return governance.is_strict


_WORST = {"error": 0, "warning": 1, "info": 2}


def _once(findings: list[PolicyFinding]) -> list[PolicyFinding]:
    kept: dict[tuple[object, ...], PolicyFinding] = {}
    for finding in findings:
        violation = finding.violation
        key = (finding.rule, violation.file, violation.line, violation.column, violation.path, violation.message)
        known = kept.get(key)
        if known is None or _WORST[violation.severity] < _WORST[known.violation.severity]:
            kept[key] = finding
    return list(kept.values())


def _order(finding: PolicyFinding) -> tuple[str, int, int, str]:
    violation = finding.violation
    return violation.file, violation.line, violation.column, violation.message
