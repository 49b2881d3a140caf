"""Resolves the contracts of a project with their parents into effective contracts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forge.contracts.contract import Contract, TableContract, Violation
from forge.contracts.inherit.contract import EffectiveContract
from forge.contracts.inherit.lint import without_inherited
from forge.contracts.linter.lint import lint_document
from forge.contracts.load import contract_of
from forge.contracts.policy.governance import Governance
from forge.flows.contracts.parents import chains_of


@dataclass(frozen=True, slots=True)
class ResolvedContract:
    """One contract. `effective` is the contract itself where it has no parents."""

    contract: Contract
    effective: Contract
    origins: Mapping[str, str] = field(default_factory=dict)  # path → the contract it comes from
    violations: tuple[Violation, ...] = ()  # E510, E511
    parents: tuple[str, ...] = ()  # files of the contracts above it, the outermost first

    @property
    def file(self) -> str:
        return self.contract.file


@dataclass(frozen=True, slots=True)
class ContractResolution:
    """`above`: errors in contracts of the levels above the project."""

    standing: tuple[ResolvedContract, ...]
    above: tuple[Violation, ...] = ()


def resolve_contracts(
    contracts: Sequence[Contract], governance: Governance, root: Path
) -> tuple[ResolvedContract, ...]:
    """Each with what it inherits from contracts of the levels above the project and from its named parents."""
    return resolve_all(contracts, governance, root).standing


def resolve_all(contracts: Sequence[Contract], governance: Governance, root: Path) -> ContractResolution:
    if not governance.levels and not any(contract.extends for contract in contracts):
        return ContractResolution(tuple(ResolvedContract(contract, contract) for contract in contracts))
    chains = chains_of(contracts, governance.levels, root)
    lost: dict[str, list[Violation]] = {}
    for violation in chains.violations:
        lost.setdefault(violation.file, []).append(violation)
    found: list[ResolvedContract] = []
    for contract in contracts:
        missing = tuple(lost.get(contract.file, ()))
        chain = chains.by_file.get(contract.file)
        if chain is None or len(chain.contracts) < 2:
            found.append(ResolvedContract(contract, contract, violations=missing))
            continue
        effective = chain.effective(governance.inheritance)
        found.append(
            ResolvedContract(
                contract,
                contract_of(effective.document),
                effective.origins,
                (*missing, *effective.violations),
                tuple(parent.file for parent in chain.contracts[:-1]),
            )
        )
    own = {contract.file for contract in contracts}
    return ContractResolution(tuple(found), tuple(each for each in chains.violations if each.file not in own))


@dataclass(frozen=True, slots=True)
class Claims:
    """Which contract covers which table. `own`: contracts with the tables they name, without pure parents; each table
    at most once. `more`: further candidates, in order, for tables without one."""

    own: tuple[Contract, ...]
    more: tuple[TableContract, ...]


def claims_of(standing: Sequence[ResolvedContract]) -> Claims:
    """A parent covers a table only where none of its children does; an inherited table belongs to the only child, or to
    the parent where there is more than one."""
    above = {file for one in standing for file in one.parents}
    heirs = [one for one in standing if one.file not in above]
    own = tuple(replace(one.effective, tables=_named(one, inherited=False)) for one in heirs)
    inherited = [table for one in heirs for table in _named(one, inherited=True)]
    counts = Counter(table.table for table in inherited)
    alone = [table for table in inherited if counts[table.table] == 1]
    parents = [table for one in standing if one.file in above for table in one.effective.tables]
    return Claims(own, (*alone, *parents, *inherited))


def _named(one: ResolvedContract, *, inherited: bool) -> tuple[TableContract, ...]:
    names = {table.table for table in one.contract.tables}
    return tuple(table for table in one.effective.tables if (table.table not in names) is inherited)


def lint_resolved(one: ResolvedContract, profile: str, own: Sequence[Violation] | None = None) -> tuple[Violation, ...]:
    """Lint findings of a contract, without those that inherited terms resolve, such as an owner that only its parent
    has. `own`: findings of the file alone, where known."""
    document, effective = one.contract.document, one.effective.document
    if document is None or effective is None:
        return tuple(own or ())
    found = lint_document(document, profile) if own is None else tuple(own)
    if not one.parents or not found:
        return found
    standard = frozenset(lint_document(document)) if profile != "standard" else frozenset(found)
    kept = without_inherited(
        [each for each in found if each in standard], document, EffectiveContract(effective, one.origins)
    )
    if profile == "standard":
        return kept
    still = {(each.code, each.message) for each in lint_document(effective, profile)}
    return (*kept, *(each for each in found if each not in standard and (each.code, each.message) in still))
