"""Queries on contracts: list, find, effective contract, findings, changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge.contracts.contract import Contract, Violation
from forge.contracts.document.file import ContractError
from forge.contracts.lifecycle import ContractState, state_of
from forge.contracts.load import read_bounded
from forge.contracts.policy.data_contract import is_guarded
from forge.contracts.registry import (
    ContractCheck,
    ContractFinding,
    ContractHead,
    RegisteredContract,
    unknown_contract,
    unknown_version,
)
from forge.contracts.semver import newest, predecessor
from forge.flows.contracts.effective import ResolvedContract
from forge.flows.contracts.files import ContractFile, by_id, project_files
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.registration import (
    file_differs,
    find_ignored_status,
    known_contracts,
    read_registered,
    resolved_of,
)
from forge.flows.versioning.read import RevisionReader
from forge.model.errors import ForgeError
from forge.model.names import RunId

FILE = "file"
"""Where a version is asked for: the project's file as it is now."""
_FOREIGN = ("commit", "adopt")  # kinds of runs that bring in what was made elsewhere


@dataclass(frozen=True, slots=True)
class KnownContract:
    """A contract: registered, in a file of the project, or both."""

    id: str
    head: ContractHead | None = None
    file: ContractFile | None = None

    @property
    def registered(self) -> RegisteredContract | None:
        return self.head.newest if self.head else None

    @property
    def contract(self) -> Contract | None:
        """From the file."""
        return self.file.contract if self.file else None

    @property
    def name(self) -> str:
        if self.head is not None:
            return self.head.newest.name
        return (self.contract.name if self.contract else None) or self.id

    @property
    def tables(self) -> tuple[str, ...]:
        """In lower case: of the newest registered version, and of the file."""
        kept = self.head.newest.tables if self.head else ()
        own = [table.table for table in self.contract.tables] if self.contract else []
        return tuple(dict.fromkeys(table.lower() for table in (*kept, *own)))

    @property
    def version(self) -> str:
        """The newest registered one, else the file's."""
        if self.head is not None:
            return self.head.newest.version
        return self.contract.version if self.contract else ""

    @property
    def state(self) -> ContractState:
        if self.head is not None:
            return self.head.state
        return state_of(self.contract.status if self.contract else None)


@dataclass(frozen=True, slots=True)
class ContractText:
    """One version of a contract with its text. `source`: registered, or file."""

    contract: Contract
    text: str
    source: str

    @property
    def version(self) -> str:
        return self.contract.version


def list_known(ports: ContractPorts) -> tuple[KnownContract, ...]:
    """By name, without the texts of registered ones."""
    files = by_id(project_files(ports.root))
    heads = {head.id: head for head in ports.store.heads()}
    found = [KnownContract(key, heads.get(key), files.get(key)) for key in {**files, **heads}]
    return tuple(sorted(found, key=lambda one: (one.name.lower(), one.id)))


def find_known(ports: ContractPorts, name: str) -> KnownContract:
    """By id, else by unique name, table or file. E504 with the nearest."""
    files = by_id(project_files(ports.root))
    head = ports.store.head(name)
    if head is not None or name in files:
        return KnownContract(name, head, files.get(name))
    above = _above(ports).get(name)
    if above is not None:
        return KnownContract(name, None, above)
    every = list_known(ports)
    for are, meant in (
        ("are called", [one for one in every if one.name == name]),
        ("are about", [one for one in every if name.lower() in one.tables]),
        ("are in", [one for one in every if one.file is not None and one.file.file == name.removeprefix("./")]),
    ):
        if len(meant) == 1:
            return find_known(ports, meant[0].id)
        if meant:
            ids = ", ".join(one.id for one in meant)
            raise ForgeError(
                "E504", f"{len(meant)} contracts {are} {name}", why=f"Their ids: {ids}.", fix="Give an id."
            )
    raise unknown_contract(name, {text for one in every for text in (one.id, one.name, *one.tables)})


def _above(ports: ContractPorts) -> Mapping[str, ContractFile]:
    """Parents that are neither in the project's files nor registered here, by id: of the levels that forge.yaml
    extends, and named files."""
    from forge.flows.contracts.parents import chains_of

    chains = chains_of(known_contracts(ports), ports.governance.levels, ports.root)
    found = {one.id: one for chain in chains.by_file.values() for one in chain.contracts}
    return {key: _file_of(one, ports) for key, one in found.items()}


def _file_of(contract: Contract, ports: ContractPorts) -> ContractFile:
    try:
        text = read_bounded(ports.root / contract.file, contract.file).decode("utf-8", "replace")
    except ContractError:
        text = ""
    return ContractFile(contract.file, text, contract)


def differs(known: KnownContract, ports: ContractPorts) -> bool:
    """Whether the file differs from its registered version, or has an unregistered one."""
    if known.file is None or known.contract is None:
        return False
    newest_one = known.registered
    if newest_one is not None and newest_one.version == known.contract.version:
        return file_differs(known.file, newest_one)
    return file_differs(known.file, ports.store.version(known.id, known.contract.version))


def contract_text(known: KnownContract, ports: ContractPorts, version: str | None = None) -> ContractText:
    """A version with its text; by default the newest registered one, else the file."""
    if version == FILE or (version is None and known.head is None):
        if known.file is None or known.contract is None:
            raise ForgeError(
                "E504", f"No file of the project has the contract {known.id}", fix="Ask for a registered version."
            )
        return ContractText(known.contract, known.file.text, FILE)
    if version is None:
        assert known.head is not None
        version = known.head.newest.version
    kept = ports.store.version(known.id, version)
    if kept is None:
        if known.contract is not None and known.file is not None and known.contract.version == version:
            return ContractText(known.contract, known.file.text, FILE)
        raise unknown_version(known.id, version, [one.version for one in ports.store.versions(known.id)])
    return ContractText(read_registered(kept), kept.text, "registered")


def newest_text(known: KnownContract, ports: ContractPorts) -> ContractText:
    """The text to check: the project's file, else the registered one."""
    return contract_text(known, ports, FILE if known.contract is not None else None)


# what binds


@dataclass(frozen=True, slots=True)
class ContractAncestry:
    """A contract with its chain of parents, outermost first, itself last."""

    standing: ResolvedContract
    chain: tuple[Contract, ...]


def ancestry_of(contract: Contract, ports: ContractPorts) -> ContractAncestry:
    from forge.flows.contracts.parents import chains_of

    standing = resolved_of(contract, ports)
    others = known_contracts(ports, {contract.id})
    chains = chains_of([*others, standing.contract], ports.governance.levels, ports.root)
    chain = chains.by_file.get(standing.contract.file)
    return ContractAncestry(standing, tuple(chain.contracts) if chain is not None else (standing.contract,))


# findings


def check(known: KnownContract, ports: ContractPorts) -> ContractCheck:
    """All current findings except project policies. Nothing is written."""
    one = newest_text(known, ports)
    governance = ports.governance
    from forge.contracts.linter.lint import lint

    found = [ContractFinding("lint", each) for each in lint(one.text, one.contract.file, governance.profile)]
    if not any(each.violation.severity == "error" for each in found):
        standing = resolved_of(one.contract, ports)
        found += [ContractFinding("inheritance", each) for each in standing.violations]
        found += [ContractFinding("version", each) for each in _version(known, one, ports)]
        found += [ContractFinding("drift", each) for each in _drift(standing.effective, ports)]
    marked = tuple(ContractFinding(each.source, each.violation, "data_contract", known.id) for each in found)
    return ContractCheck(known.id, one.version, ports.clock(), marked)


def _version(known: KnownContract, one: ContractText, ports: ContractPorts) -> tuple[Violation, ...]:
    """Against the registry; a version registered as it is has no changes."""
    from forge.flows.contracts.versions import compare_with_registered

    if one.source != FILE or known.head is None:
        return ()
    unheeded = find_ignored_status(one.contract, known.head)
    found = compare_with_registered(one.contract, ports.store) if differs(known, ports) else None
    return (*(found.violations if found is not None else ()), *unheeded)


def keep_check(known: KnownContract, ports: ContractPorts) -> ContractCheck:
    checked = check(known, ports)
    ports.store.keep_checks([checked])
    return checked


def _drift(contract: Contract, ports: ContractPorts) -> tuple[Violation, ...]:
    from forge.flows.contracts.drift import find_live_drift

    if not ports.governance.drift_enabled:
        return ()
    tables = {table.table: table for table in contract.tables}
    made = _made_by_runs(tables, ports)
    return tuple(
        violation
        for found in find_live_drift(contract, reader_of(ports))
        for violation in found.violations
        if found.table not in made or not is_guarded(violation, tables[found.table])
    )


def _made_by_runs(tables: Iterable[str], ports: ContractPorts) -> frozenset[str]:
    """Tables for which `forge compile` ignores nullability too; uploaded or adopted ones are not among them."""
    branch = ports.metadata.branch(ports.default_branch)
    tree = ports.metadata.tree(branch.head if branch else None)
    makers = {str(name): RunId(version.run_id) for name, version in tree.items() if version.run_id}
    runs = ports.metadata.find_runs({makers[table] for table in tables if table in makers})
    return frozenset(
        table for table in tables if (run := runs.get(makers.get(table, RunId("")))) and run.kind not in _FOREIGN
    )


def reader_of(ports: ContractPorts) -> RevisionReader:
    return RevisionReader(ports.metadata, ports.lake(), ports.default_branch, ports.default_branch)


def list_findings(ports: ContractPorts, checks: Mapping[str, ContractCheck]) -> tuple[ContractFinding, ...]:
    """Of the last compile and the last check of each contract, whichever is newer; the worst first."""
    compiled = ports.store.compiled()
    found: dict[tuple[object, ...], ContractFinding] = {}
    newer = {key for key, one in checks.items() if compiled is None or one.checked_at > compiled.validated_at}
    for each in compiled.findings if compiled else ():
        if each.contract_id not in newer:
            found.setdefault(_key(each), each)
    for key in sorted(newer):
        for each in checks[key].findings:
            found.setdefault(_key(each), each)
    return tuple(sorted(found.values(), key=_badness))


def _key(finding: ContractFinding) -> tuple[object, ...]:
    one = finding.violation
    return one.code, one.file, one.line, one.column, one.path, one.message


_RANKS = {"error": 0, "warning": 1, "info": 2}


def _badness(finding: ContractFinding) -> tuple[object, ...]:
    one = finding.violation
    return _RANKS.get(one.severity, 3), one.file, one.line, one.column, one.code, one.message


# versions


def pair(
    known: KnownContract, ports: ContractPorts, old: str | None, new: str | None
) -> tuple[ContractText, ContractText]:
    """The two versions to compare. Without `new`: the file where it differs from the registry, else the newest version;
    without `old`: the version before it."""
    versions = [one.version for one in ports.store.versions(known.id)]
    if new is None:
        new = FILE if differs(known, ports) else newest(versions)
    later = contract_text(known, ports, new)
    if old is None:
        others = [version for version in versions if later.source == FILE or version != later.version]
        same = later.source == FILE and later.version in others
        old = later.version if same else predecessor(later.version, others)
    if old is None:
        raise ForgeError(
            "E504",
            f"{known.id} {later.version} has no version before it",
            fix="There is nothing to compare with yet.",
        )
    return contract_text(known, ports, old), later


def columns_of(contract: Contract) -> Mapping[str, Iterable[str]]:
    """Each table with its columns, for the lineage."""
    return {table.table: [one.column for one in table.columns] for table in contract.tables}
