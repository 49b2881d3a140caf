"""The contracts of a project among those that stand above them: what each says itself, and what binds in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forge.contracts.contract import Contract, TableContract, Violation
from forge.contracts.inherit.contract import Effective
from forge.contracts.inherit.lint import unexcused
from forge.contracts.linter.lint import lint_document
from forge.contracts.load import contract_of
from forge.contracts.policy.governance import Governance
from forge.flows.contracts.parents import chains_of


@dataclass(frozen=True, slots=True)
class Standing:
    """One contract. `effective` is the contract itself where nothing stands above it."""

    contract: Contract
    effective: Contract
    origins: Mapping[str, str] = field(default_factory=dict)  # path → the contract that it came from
    violations: tuple[Violation, ...] = ()  # E510, E511
    parents: tuple[str, ...] = ()  # files of the contracts above it, the outermost first

    @property
    def file(self) -> str:
        return self.contract.file


@dataclass(frozen=True, slots=True)
class Standings:
    """`above`: what is wrong with contracts of the levels above the project."""

    standing: tuple[Standing, ...]
    above: tuple[Violation, ...] = ()


def stand(contracts: Sequence[Contract], governance: Governance, root: Path) -> tuple[Standing, ...]:
    """Each with what it inherits from the contracts of the levels above the project and from those that it names."""
    return stand_all(contracts, governance, root).standing


def stand_all(contracts: Sequence[Contract], governance: Governance, root: Path) -> Standings:
    if not governance.levels and not any(contract.extends for contract in contracts):
        return Standings(tuple(Standing(contract, contract) for contract in contracts))
    chains = chains_of(contracts, governance.levels, root)
    lost: dict[str, list[Violation]] = {}
    for violation in chains.violations:
        lost.setdefault(violation.file, []).append(violation)
    found: list[Standing] = []
    for contract in contracts:
        missing = tuple(lost.get(contract.file, ()))
        chain = chains.by_file.get(contract.file)
        if chain is None or len(chain.contracts) < 2:
            found.append(Standing(contract, contract, violations=missing))
            continue
        effective = chain.effective(governance.inheritance)
        found.append(
            Standing(
                contract,
                contract_of(effective.document),
                effective.origins,
                (*missing, *effective.violations),
                tuple(parent.file for parent in chain.contracts[:-1]),
            )
        )
    own = {contract.file for contract in contracts}
    return Standings(tuple(found), tuple(each for each in chains.violations if each.file not in own))


@dataclass(frozen=True, slots=True)
class Claims:
    """Which contract speaks for which table. `own`: the contracts with the tables that they name themselves, but for
    those that only stand above others: each table may be named once among them. `more`: who else may speak, in order,
    where nobody does."""

    own: tuple[Contract, ...]
    more: tuple[TableContract, ...]


def claims_of(standing: Sequence[Standing]) -> Claims:
    """A contract that others extend speaks for a table only where none of them does; a table that is inherited belongs
    to the heir where there is one, to the parent where there are several."""
    above = {file for one in standing for file in one.parents}
    heirs = [one for one in standing if one.file not in above]
    own = tuple(replace(one.effective, tables=_named(one, inherited=False)) for one in heirs)
    inherited = [table for one in heirs for table in _named(one, inherited=True)]
    counts = Counter(table.table for table in inherited)
    alone = [table for table in inherited if counts[table.table] == 1]
    parents = [table for one in standing if one.file in above for table in one.effective.tables]
    return Claims(own, (*alone, *parents, *inherited))


def _named(one: Standing, *, inherited: bool) -> tuple[TableContract, ...]:
    names = {table.table for table in one.contract.tables}
    return tuple(table for table in one.effective.tables if (table.table not in names) is inherited)


def lint_standing(one: Standing, profile: str, own: Sequence[Violation] | None = None) -> tuple[Violation, ...]:
    """What the linter says of a contract, less what it inherits makes good: an owner or a description that only its
    parent has is there. `own`: what was found of the file alone, where it was looked at already."""
    document, effective = one.contract.document, one.effective.document
    if document is None or effective is None:
        return tuple(own or ())
    found = lint_document(document, profile) if own is None else tuple(own)
    if not one.parents or not found:
        return found
    standard = frozenset(lint_document(document)) if profile != "standard" else frozenset(found)
    kept = unexcused([each for each in found if each in standard], document, Effective(effective, one.origins))
    if profile == "standard":
        return kept
    still = {(each.code, each.message) for each in lint_document(effective, profile)}
    return (*kept, *(each for each in found if each not in standard and (each.code, each.message) in still))
