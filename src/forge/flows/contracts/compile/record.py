"""Stores a compile: its findings in the records, its contracts in the registry."""

from __future__ import annotations

from dataclasses import dataclass

from forge.contracts.contract import Contract
from forge.contracts.policy.facts import PolicyFinding
from forge.contracts.registry import CompileRecord, ContractCheck, ContractHead
from forge.contracts.registry import ContractFinding as Kept
from forge.flows.contracts.compile.project import CompileResult
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.registration import find_same_name, register_all
from forge.model.errors import ForgeError


@dataclass(frozen=True, slots=True)
class CompileRegistrations:
    registered: tuple[str, ...] = ()  # `orders 1.2.0`, those that were new
    notes: tuple[str, ...] = ()


def keep_compiled(compiled: CompileResult, ports: ContractPorts) -> CompileRegistrations:
    """Findings are always stored. Contracts without errors are registered where nothing blocks; failures are noted."""
    kept = CompileRegistrations()
    if not compiled.project.governance.is_off:
        kept = _register(compiled, ports) if not compiled.blocking else kept
        ports.store.keep_checks(_checked(compiled))
    ports.store.keep_compiled(
        CompileRecord(
            valid=compiled.valid,
            validated_at=compiled.validated_at,
            validated_by=ports.actor,
            enforcement=compiled.enforcement,
            schema_hash=compiled.schema_hash,
            summary=compiled.summary(),
            findings=tuple(_kept(finding) for finding in compiled.findings),
        )
    )
    return kept


def _register(compiled: CompileResult, ports: ContractPorts) -> CompileRegistrations:
    wrong = {finding.violation.file for finding in compiled.violations if not finding.is_drift}
    new: list[str] = []
    notes: list[str] = []
    notes += [f"{one.file} has errors and is not registered" for one in _contracts(compiled) if one.file in wrong]
    sound = [one for one in compiled.project.standing if one.file not in wrong]
    named: dict[str, list[ContractHead]] = {}
    for head in ports.store.heads():
        named.setdefault(head.newest.name, []).append(head)
    for own in (one.contract for one in sound if one.file in compiled.texts):
        twins = find_same_name(own, named.get(own.name or own.id, ()))
        notes += [f"{each.where}: {each.message}" for each in twins]
    for contract, became in register_all(sound, compiled.texts, ports):
        if isinstance(became, ForgeError):
            notes.append(str(became))
        elif became:
            new.append(f"{contract.name or contract.id} {contract.version}")
    if new:
        notes.insert(0, f"registered {', '.join(new)}")
    return CompileRegistrations(tuple(new), tuple(notes))


def _contracts(compiled: CompileResult) -> tuple[Contract, ...]:
    return tuple(one.contract for one in compiled.project.standing if one.file in compiled.texts)


def _checked(compiled: CompileResult) -> list[ContractCheck]:
    by_contract: dict[str, list[Kept]] = {}
    for finding in compiled.findings:
        if finding.contract_id is not None:
            by_contract.setdefault(finding.contract_id, []).append(_kept(finding))
    return [
        ContractCheck(contract.id, contract.version, compiled.validated_at, tuple(by_contract.get(contract.id, ())))
        for contract in {contract.id: contract for contract in _contracts(compiled)}.values()
    ]


def _kept(finding: PolicyFinding) -> Kept:
    return Kept(finding.source, finding.violation, finding.policy_type, finding.contract_id)
