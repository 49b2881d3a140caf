"""Contracts as a policy: missing contracts, lint findings, weakened parents, versions, drift."""

from __future__ import annotations

from collections.abc import Iterator

from forge.contracts.contract import Contract, ContractProperty, FindingSource, TableContract, Violation
from forge.contracts.drift.table import find_drift
from forge.contracts.policy.facts import ContractFacts, ProjectFacts, TableFacts
from forge.contracts.policy.governance import Enforcement, Governance
from forge.contracts.policy.violation import PolicyViolation, violation_at
from forge.model.schema import Schema


def find_contract_violations(facts: ProjectFacts, governance: Governance) -> Iterator[PolicyViolation]:
    if governance.is_off:
        return
    for table in facts.tables.values():
        if find_missing(table, governance):
            yield _missing(table)
    for contract in facts.contracts:
        yield from of_contract(contract)
    if governance.drift is not Enforcement.OFF:
        for table in facts.tables.values():
            if table.contract is not None and table.schema is not None:
                found = drift_of(table.contract, table.schema, table.table, table.contract_of)
                yield from (each for each in found if not _is_guarded(each.violation, table))


def find_missing(table: TableFacts, governance: Governance) -> bool:
    """E500 applies to outputs of transforms, not to sources."""
    return (
        table.is_made
        and not table.is_source
        and table.contract is None
        and not table.has_broken_contract
        and governance.requires_contract(table.table)
    )


def _missing(table: TableFacts) -> PolicyViolation:
    return violation_at(
        "E500",
        "error",
        table.place,
        table.table,
        f"{table.table} has no contract, and governance.contracts.required_for asks for one",
        f"Run: forge contract init {table.table}",
        table.table,
    )


def of_contract(contract: ContractFacts) -> Iterator[PolicyViolation]:
    """Findings of the linter, inheritance and version comparison, each once."""
    seen: set[tuple[str, str, int, str]] = set()
    by_source: dict[FindingSource, tuple[Violation, ...]] = {
        "lint": contract.lint,
        "inheritance": contract.inherited,
        "version": contract.versions,
    }
    for source, violation in ((source, each) for source, violations in by_source.items() for each in violations):
        key = (violation.code, violation.path, violation.line, violation.message)
        if key not in seen:
            seen.add(key)
            yield PolicyViolation(violation, _table_of(contract, violation), contract_id=contract.id, source=source)


def _table_of(contract: ContractFacts, violation: Violation) -> str | None:
    """The table of the contract that a path belongs to."""
    tables = contract.contract.tables if contract.contract else ()
    for table in tables:
        if table.path and (
            violation.path == table.path or violation.path.startswith((f"{table.path}.", f"{table.path}["))
        ):
            return table.table
    return tables[0].table if len(tables) == 1 else None


def _is_guarded(violation: Violation, table: TableFacts) -> bool:
    return table.is_made and table.contract is not None and is_guarded(violation, table.contract)


def is_guarded(violation: Violation, contract: TableContract) -> bool:
    """A required but nullable column in a table that the project makes is due to how Spark writes tables. It holds no
    NULL: `required` is a check that blocks a run."""
    return not violation.code and violation.path.removesuffix(".required") in _required(contract.properties)


def _required(properties: tuple[ContractProperty, ...]) -> frozenset[str]:
    """Paths of required properties, nested ones included."""
    own = {each.path for each in properties if each.required}
    return frozenset(own.union(*(_required(each.properties) for each in properties)))


def drift_of(
    contract: TableContract, schema: Schema, table: str, of: Contract | None = None, *, nullability: bool = True
) -> Iterator[PolicyViolation]:
    """`nullability`: False for a frame, whose nullability is meaningless."""
    for violation in find_drift(contract, schema, nullability=nullability, of=of):
        yield PolicyViolation(violation, table, contract_id=of.id if of else None, source="drift")
