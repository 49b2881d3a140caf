"""Admission of a contract to the registry: lint errors always block; weakened parents and breaking changes block
according to the project's enforcement."""

from __future__ import annotations

from dataclasses import dataclass, replace

from forge.contracts.canonical import schema_hash
from forge.contracts.compare.versions import ContractComparison, find_breaking_changes
from forge.contracts.contract import Contract
from forge.contracts.document.file import ContractError
from forge.contracts.lifecycle import ContractState
from forge.contracts.registry import ContractFinding, RegisteredContract, digest_of, registered_of, version_conflict
from forge.contracts.semver import predecessor
from forge.flows.contracts.files import ContractFile, read_text
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.registration import (
    RegistrationResult,
    find_ignored_status,
    find_same_name,
    read_registered,
    register,
    resolved_of,
    state_after,
)
from forge.model.errors import ForgeError


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """`registering` is None for a dry run. `comparison` is with the previous version; None: it is the first. `findings`
    did not block. The rest is the outcome, of a dry run the expected one."""

    contract: Contract
    registering: RegistrationResult | None
    comparison: ContractComparison | None
    findings: tuple[ContractFinding, ...]
    created: bool
    state: ContractState
    schema_hash: str


def admit(
    text: str, file: str, ports: ContractPorts, *, contract_id: str | None = None, trial: bool = False
) -> Admission:
    """E501–E503 with all errors, E505; with enforcement strict also E510, E511 and E520. Nothing changes then.
    `contract_id`: the required id."""
    found = _sound(text, file, ports)
    contract = found.contract
    assert contract is not None
    if contract_id is not None and contract.id != contract_id:
        raise ForgeError(
            "E105",
            f"The contract calls itself {contract.id[:200]}",
            where="body.id",
            why=f"It was sent to {contract_id}.",
            fix="Send it to the address of its own id.",
        )
    standing = resolved_of(contract, ports)
    comparison = _compare(contract, ports)
    findings = [ContractFinding("lint", one) for one in found.violations]
    if not ports.governance.is_off:
        findings += [ContractFinding("inheritance", one) for one in standing.violations]
        findings += [ContractFinding("version", one) for one in (comparison.violations if comparison else ())]
        findings += [
            ContractFinding("version", one) for one in find_ignored_status(contract, ports.store.head(contract.id))
        ]
        findings += [ContractFinding("version", one) for one in find_same_name(contract, ports.store.heads())]
    marked = tuple(replace(one, policy_type="data_contract", contract_id=contract.id) for one in findings)
    _refuse_conflict(contract, text, ports)
    errors = tuple(one.violation for one in marked if one.violation.severity == "error")
    if errors and ports.governance.is_strict:
        raise ContractError(errors)
    if trial:
        head = ports.store.head(contract.id)
        is_new = ports.store.version(contract.id, contract.version) is None
        state = state_after(contract, head)
        return Admission(
            contract=contract,
            registering=None,
            comparison=comparison,
            findings=marked,
            created=is_new,
            state=state,
            schema_hash=schema_hash(standing.effective),
        )
    registering = register(contract, ports, text=text, effective=standing.effective)
    kept = registering.registered.schema_hash
    return Admission(
        contract=contract,
        registering=registering,
        comparison=comparison,
        findings=marked,
        created=registering.created,
        state=registering.head.state,
        schema_hash=kept,
    )


def _sound(text: str, file: str, ports: ContractPorts) -> ContractFile:
    """With lint findings below error."""
    from forge.contracts.linter.lint import lint

    violations = lint(text, file, ports.governance.profile)
    errors = tuple(one for one in violations if one.severity == "error")
    if errors:
        raise ContractError(errors)
    found = read_text(text, file)
    if found.violations or found.contract is None:
        raise ContractError(found.violations)
    return replace(found, violations=tuple(violations))


def _refuse_conflict(contract: Contract, text: str, ports: ContractPorts) -> None:
    """Before changes are judged: a conflicting version must be fixed first."""
    known = ports.store.version(contract.id, contract.version)
    assert contract.document is not None
    if known is not None and known.digest != digest_of(contract.document.data):
        new = registered_of(contract, text, "", at=ports.clock(), by=ports.actor, file=contract.file or None)
        raise version_conflict(known, new)


def _compare(contract: Contract, ports: ContractPorts) -> ContractComparison | None:
    before = predecessor_of(contract, ports)
    return find_breaking_changes(read_registered(before), contract) if before is not None else None


def predecessor_of(contract: Contract, ports: ContractPorts) -> RegisteredContract | None:
    """The registered version before this one; None: it is the first."""
    versions = {one.version: one for one in ports.store.versions(contract.id)}
    wanted = predecessor(contract.version, versions)
    return versions[wanted] if wanted is not None else None
