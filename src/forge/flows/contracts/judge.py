"""Violations of the contracts themselves, for the gates of runs and merges and for `forge compile`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from forge.contracts.compare.versions import ContractComparison, compare_documents
from forge.contracts.contract import BREAKING_CHANGE, Contract, Violation
from forge.contracts.document.file import read_document
from forge.contracts.load import contract_of
from forge.contracts.policy.data_contract import find_contract_violations
from forge.contracts.policy.facts import PolicyFinding
from forge.contracts.policy.judge import finding_of
from forge.contracts.registry import digest_of
from forge.flows.contracts.effective import lint_resolved
from forge.flows.contracts.facts import LintResults, Versions, contracts_by_table, facts_of
from forge.flows.contracts.ports import ContractStore
from forge.flows.contracts.versions import AffectedReader, registered_before
from forge.flows.runs.project import Project
from forge.model.names import TableName

Findings = Mapping[TableName, tuple[PolicyFinding, ...]]
Hits = Callable[[ContractComparison, Contract], tuple[AffectedReader, ...]]
"""Who reads what a change breaks, given the contract as it was."""
MOST_NAMED = 5


def find_gated(project: Project, versions: Versions) -> Findings:
    governance = project.governance
    if governance.is_off:
        return {}
    facts = facts_of(project, LintResults(_lint(project)), versions)
    held: dict[str, list[TableName]] = {}
    for table, contract in contracts_by_table(project).items():
        held.setdefault(contract.id, []).append(table)
    found: dict[TableName, list[PolicyFinding]] = {}
    for one in find_contract_violations(facts, governance):
        finding = finding_of("data_contract", one, governance)
        # Findings about the whole contract apply to all its tables.
        tables = [TableName.parse(one.table)] if one.table else held.get(one.contract_id or "", [])
        for table in tables:
            found.setdefault(table, []).append(finding)
    return {table: tuple(findings) for table, findings in found.items()}


def _lint(project: Project) -> dict[str, tuple[Violation, ...]]:
    """By default, an invalid contract was rejected when the project was loaded."""
    if project.governance.enforcement is None:
        return {}
    return {one.file: lint_resolved(one, project.governance.profile) for one in project.standing}


def versions_in(store: ContractStore, hits: Hits = lambda comparison, old: ()) -> Versions:
    """Against the previous registered version. A contract registered as it is has no changes. `hits`: readers of what
    breaks."""
    heads = {head.id: head.newest for head in store.heads()}

    def versions(contract: Contract) -> tuple[Violation, ...]:
        known = heads.get(contract.id)
        if known is None or contract.document is None or known.digest == digest_of(contract.document.data):
            return ()
        return _breaks(contract, store, hits)

    return versions


def _breaks(contract: Contract, store: ContractStore, hits: Hits) -> tuple[Violation, ...]:
    before = registered_before(contract, store)
    if before is None or contract.document is None:
        return ()
    old = read_document(before.text, f"{before.id} {before.version}")
    comparison = compare_documents(old, contract.document)
    breaks = any(each.code == BREAKING_CHANGE for each in comparison.violations)
    hit = hits(comparison, contract_of(old)) if breaks else ()
    return tuple(_with_hit(violation, hit, comparison) for violation in comparison.violations)


def _with_hit(violation: Violation, hits: tuple[AffectedReader, ...], comparison: ContractComparison) -> Violation:
    """Adds the affected readers, nearest first."""
    messages = {change.message for change in comparison.breaking if change.path == violation.path}
    reached = [hit.consumer for hit in hits if messages.intersection(hit.breaks)]
    if violation.code != BREAKING_CHANGE or not reached:
        return violation
    names = [f"{one.name} ({one.owner})" if one.owner else one.name for one in reached]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return replace(violation, message=f"{violation.message}; it hits {', '.join(names[:MOST_NAMED])}{more}")
