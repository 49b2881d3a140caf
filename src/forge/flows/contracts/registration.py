"""Registration of a contract version: idempotent, with the state transition of its file and notices to consumers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from forge.contracts.canonical import schema_hash
from forge.contracts.contract import Contract, Violation
from forge.contracts.document.file import Document, parse_document
from forge.contracts.lifecycle import NEXT, ContractState, LifecycleStep, is_later, state_by_file, state_of
from forge.contracts.load import contract_of
from forge.contracts.registry import (
    NAMESPACE_KEY,
    ContractHead,
    RegisteredContract,
    digest_of,
    namespaces_of,
    registered_of,
    version_conflict,
)
from forge.contracts.semver import Version
from forge.flows.contracts.effective import ResolvedContract, lint_resolved, resolve_contracts
from forge.flows.contracts.facts import Versions
from forge.flows.contracts.files import ContractFile, by_id, project_files, virtual_file
from forge.flows.contracts.judge import versions_in
from forge.flows.contracts.lifecycle import consumers_of, transition_of
from forge.flows.contracts.ports import ContractPorts, LifecycleWrite, Registration
from forge.flows.runs.records import AuditRecord
from forge.model.errors import ForgeError
from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
class RegistrationResult:
    """`created` is False where that version existed with the same content."""

    head: ContractHead
    registered: RegisteredContract
    created: bool


def register(
    contract: Contract,
    ports: ContractPorts,
    *,
    text: str,
    effective: Contract | None = None,
    run_id: str | None = None,
) -> RegistrationResult:
    """Idempotent. E505 where the version exists with other content; nothing changes then. `effective`: the effective
    contract, where known."""
    bound = effective or resolved_of(contract, ports).effective
    registration = plan_registration(contract, bound, ports, text=text, run_id=run_id)
    created = ports.store.register(registration)
    head = ports.store.head(contract.id)
    assert head is not None, "what is registered is there"
    kept = ports.store.version(contract.id, contract.version)
    assert kept is not None
    ports.published([head.newest])
    return RegistrationResult(head, kept, created)


def register_all(
    standing: Iterable[ResolvedContract], texts: Mapping[str, str], ports: ContractPorts
) -> tuple[tuple[Contract, bool | ForgeError], ...]:
    """Several in one transaction; `texts` by file. Each with whether it is new, or why it is not registered: a conflict
    (E505) or another error of one does not affect the others."""
    planned: dict[str, Registration | ForgeError] = {}
    every = [one for one in standing if one.file in texts]
    heads = {head.id: head for head in ports.store.heads()}
    for one in every:
        contract, text = one.contract, texts[one.file]
        try:
            planned[one.file] = _planned(contract, one.effective, ports, heads.get(contract.id), text)
        except ForgeError as error:
            planned[one.file] = error
    wanted = [plan for plan in planned.values() if isinstance(plan, Registration)]
    done = dict(zip((plan.new.file for plan in wanted), ports.store.register_all(wanted), strict=True))
    listed = {plan.new.id for plan in wanted if done[plan.new.file] is not None}
    if listed:  # the newest of each: an older file takes nothing back
        ports.published([head.newest for head in ports.store.heads() if head.id in listed])
    return tuple((one.contract, _became(planned[one.file], done.get(one.file), ports)) for one in every)


def _became(plan: Registration | ForgeError, done: bool | None, ports: ContractPorts) -> bool | ForgeError:
    if isinstance(plan, ForgeError):
        return plan
    if done is not None:
        return done
    known = ports.store.version(plan.new.id, plan.new.version)
    return version_conflict(known or plan.new, plan.new)


def plan_registration(
    contract: Contract, effective: Contract, ports: ContractPorts, *, text: str, run_id: str | None = None
) -> Registration:
    """What the store should write. Nothing is written yet."""
    return _planned(contract, effective, ports, ports.store.head(contract.id), text, run_id)


def _planned(
    contract: Contract,
    effective: Contract,
    ports: ContractPorts,
    known: ContractHead | None,
    text: str,
    run_id: str | None = None,
) -> Registration:
    now = ports.clock()
    file = contract.file or None
    new = registered_of(
        contract,
        text,
        schema_hash(effective),
        at=now,
        by=ports.actor,
        file=file,
        run_id=run_id,
    )
    detail = {"version": new.version, "schema_hash": new.schema_hash, "file": file, "run": run_id}
    audit = AuditRecord(now, ports.actor, "contract.register", new.id, detail)
    # Lineage is read before the transaction, and only for steps that notify consumers.
    step = _step(known, new, contract, wanted_by=ports.actor)
    consumers = consumers_of(new, ports) if step is not None and step.is_notice and known is not None else ()

    def decide(head: ContractHead | None) -> LifecycleWrite | None:
        state = state_after(contract, head)
        if head is not None and state is head.state:
            return None
        change = LifecycleStep(
            state=state,
            before=head.state if head else None,
            at=now,
            by=ports.actor,
            version=new.version,
            reason=_reason(contract),
            ends_at=None,
            replacement=None,
        )
        return transition_of(new, change, consumers, ports)

    return Registration(new, decide, (audit,))


def state_after(contract: Contract, head: ContractHead | None) -> ContractState:
    """The state of the contract once this version is registered."""
    known = head.newest.version if head else None
    return state_by_file(head.state if head else None, known, state_of(contract.status), contract.version)


def _step(
    known: ContractHead | None, new: RegisteredContract, contract: Contract, *, wanted_by: str
) -> LifecycleStep | None:
    before = known.state if known else None
    state = state_after(contract, known)
    return (
        None
        if state is before
        else LifecycleStep(state=state, before=before, at=new.registered_at, by=wanted_by, version=new.version)
    )


def find_ignored_status(contract: Contract, head: ContractHead | None) -> tuple[Violation, ...]:
    """A warning where `status` in the file asks for a transition that is not allowed: it is ignored."""
    wanted = state_of(contract.status)
    if head is None or contract.document is None:
        return ()
    state = state_after(contract, head)
    if state is wanted or not is_later(wanted, state):
        return ()
    if Version(contract.version) < Version(head.newest.version):
        message = f"status is {contract.status}, but {head.newest.version} is the newest version: its status counts"
        fix = f"Write it into the newest version, or: forge contract state {head.id} {NEXT[state][0]}"
        return _warning(contract.document, "status", message, fix, code="E507")
    message = f"status is {contract.status}, but the contract is {state}: after {state} comes {NEXT[state][0]}"
    fix = f"Write status: {NEXT[state][0]}, so that its consumers are told first."
    return _warning(contract.document, "status", message, fix, code="E507")


def find_same_name(contract: Contract, heads: Iterable[ContractHead]) -> tuple[Violation, ...]:
    """A warning where another contract of a namespace has the name: the namespace lists one per name."""
    name, own = contract.name or contract.id, set(namespaces_of(table.table for table in contract.tables))
    others = [
        head.id
        for head in heads
        if head.id != contract.id and head.newest.name == name and own & set(namespaces_of(head.newest.tables))
    ]
    if not others or contract.document is None:
        return ()
    message = f"{others[0]} is called {name}, too: {NAMESPACE_KEY} of their namespace lists only one of them"
    fix = "Give each contract of a schema a name of its own."
    return _warning(contract.document, "name", message, fix)


def _warning(document: Document, key: str, message: str, fix: str, code: str = "") -> tuple[Violation, ...]:
    at = asdict(document.place_of((key,)))
    return (Violation(code=code, severity="warning", **at, path=key, message=message, fix=fix),)


def _reason(contract: Contract) -> str:
    """The value of `forge.deprecation`."""
    reason = contract.custom.get("forge.deprecation")
    return str(reason)[:1000] if isinstance(reason, str) else ""


def resolved_of(contract: Contract, ports: ContractPorts) -> ResolvedContract:
    """The contract resolved against files of the project and registered contracts."""
    contract = contract if contract.file else replace(contract, file=virtual_file(contract.id))
    others = [one for one in known_contracts(ports, {contract.id}) if one.file != contract.file]
    found = resolve_contracts([*others, contract], ports.governance, ports.root)
    return next(one for one in found if one.contract is contract)


def known_contracts(ports: ContractPorts, without: Collection[str] = ()) -> tuple[Contract, ...]:
    """Those of files, and registered ones without a file. One whose file now holds another contract gets a virtual file
    name, as files identify contracts."""
    files = by_id(project_files(ports.root))
    taken_files = {one.file for one in files.values()}
    found = {key: one.contract for key, one in files.items() if one.contract is not None}
    for head in ports.store.heads():
        if head.id not in found and head.id not in without:
            kept = ports.store.head(head.id)
            if kept is not None:
                contract = read_registered(kept.newest)
                if contract.file in taken_files:
                    contract = replace(contract, file=virtual_file(head.id))
                taken_files.add(contract.file)
                found[head.id] = contract
    return tuple(one for key, one in found.items() if key not in without)


def read_registered(kept: RegisteredContract) -> Contract:
    """As registered; its file gives unqualified tables their schema. Versions accepted by an older linter stay
    readable."""
    document, _ = parse_document(kept.text, kept.file or virtual_file(kept.id))
    if document is None:
        raise ForgeError("E502", f"The text of {kept.id} {kept.version} cannot be read", fix="Register a new version.")
    return contract_of(document)


def file_differs(file: ContractFile, registered: RegisteredContract | None) -> bool:
    """Whether the file differs from that version, ignoring its status."""
    if registered is None or file.contract is None or file.contract.document is None:
        return True
    return digest_of(file.contract.document.data) != registered.digest


def registrations_of_run(
    ports: ContractPorts,
    tables: Sequence[TableName],
    contracts: Sequence[ContractFile],
    run_id: str,
    note: Callable[[str], None] = lambda text: None,
) -> tuple[Registration, ...]:
    """For the publication of a run: the contracts of its tables that `forge compile` would register. One with errors is
    noted. A version with other content is skipped, as the gate of the run has reported it."""
    names = {str(table).lower() for table in tables}
    texts = {file.file: file.text for file in contracts if file.contract is not None and not file.violations}
    standing = [
        one
        for one in resolve_contracts(known_contracts(ports), ports.governance, ports.root)
        if one.file in texts and names & {table.table.lower() for table in one.contract.tables}
    ]
    versions = versions_in(ports.store) if standing else None
    found = []
    for one in standing:
        planned = plan_registration(one.contract, one.effective, ports, text=texts[one.file], run_id=run_id)
        kept = ports.store.version(one.contract.id, one.contract.version)
        if kept is None and versions is not None and _has_errors(one, ports, versions):
            note(f"{one.file} has errors and is not registered")
        elif kept is None or kept.digest == planned.new.digest:
            found.append(planned)
    return tuple(found)


def _has_errors(one: ResolvedContract, ports: ContractPorts, versions: Versions) -> bool:
    """In its form, its parents or its version."""
    found = (*lint_resolved(one, ports.governance.profile), *one.violations, *versions(one.contract))
    return any(each.severity == "error" for each in found)
