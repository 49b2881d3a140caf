"""Questions about contracts: which there are, what binds, what is wrong, and what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge.contracts.contract import Contract, Violation
from forge.contracts.document.file import ContractError
from forge.contracts.lifecycle import State, state_of
from forge.contracts.load import read_bounded
from forge.contracts.policy.data_contract import is_guarded
from forge.contracts.registry import Checked, Finding, Head, Registered, unknown, unknown_version
from forge.contracts.semver import newest, predecessor
from forge.flows.contracts.effective import Standing
from forge.flows.contracts.files import ContractFile, by_id, project_files
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.registration import (
    file_differs,
    find_unheeded,
    known_contracts,
    read_registered,
    standing_of,
)
from forge.flows.versioning.read import Reader
from forge.model.errors import ForgeError
from forge.model.names import RunId

FILE = "file"
"""Where a version is asked for: the project's file as it is now."""
_FOREIGN = ("commit", "adopt")  # kinds of runs that bring in what was made elsewhere


@dataclass(frozen=True, slots=True)
class Known:
    """A contract as far as it is known: registered, in a file of the project, or both."""

    id: str
    head: Head | None = None
    file: ContractFile | None = None

    @property
    def registered(self) -> Registered | None:
        return self.head.newest if self.head else None

    @property
    def contract(self) -> Contract | None:
        """Of the file."""
        return self.file.contract if self.file else None

    @property
    def name(self) -> str:
        if self.head is not None:
            return self.head.newest.name
        return (self.contract.name if self.contract else None) or self.id

    @property
    def tables(self) -> tuple[str, ...]:
        """In small letters: of the newest that is registered, and of the file."""
        kept = self.head.newest.tables if self.head else ()
        own = [table.table for table in self.contract.tables] if self.contract else []
        return tuple(dict.fromkeys(table.lower() for table in (*kept, *own)))

    @property
    def version(self) -> str:
        """The newest that is registered, else the file's."""
        if self.head is not None:
            return self.head.newest.version
        return self.contract.version if self.contract else ""

    @property
    def state(self) -> State:
        if self.head is not None:
            return self.head.state
        return state_of(self.contract.status if self.contract else None)


@dataclass(frozen=True, slots=True)
class Written:
    """One version of a contract with its text. `source`: registered, or file."""

    contract: Contract
    text: str
    source: str

    @property
    def version(self) -> str:
        return self.contract.version


def list_known(ports: ContractPorts) -> tuple[Known, ...]:
    """By name. The texts of registered ones are left out."""
    files = by_id(project_files(ports.root))
    heads = {head.id: head for head in ports.store.heads()}
    found = [Known(key, heads.get(key), files.get(key)) for key in {**files, **heads}]
    return tuple(sorted(found, key=lambda one: (one.name.lower(), one.id)))


def find_known(ports: ContractPorts, name: str) -> Known:
    """By its id, else by the only one of that name, about that table, or of that file. E504 with the nearest."""
    files = by_id(project_files(ports.root))
    head = ports.store.head(name)
    if head is not None or name in files:
        return Known(name, head, files.get(name))
    above = _above(ports).get(name)
    if above is not None:
        return Known(name, None, above)
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
    raise unknown(name, {text for one in every for text in (one.id, one.name, *one.tables)})


def _above(ports: ContractPorts) -> Mapping[str, ContractFile]:
    """Contracts that stand above those of the project and are neither its files nor registered here, by id: of the
    levels that forge.yaml extends, and files named as parents."""
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


def differs(known: Known, ports: ContractPorts) -> bool:
    """Whether the file says something else than its version in the registry, or a version that is not there."""
    if known.file is None or known.contract is None:
        return False
    newest_one = known.registered
    if newest_one is not None and newest_one.version == known.contract.version:
        return file_differs(known.file, newest_one)
    return file_differs(known.file, ports.store.version(known.id, known.contract.version))


def written(known: Known, ports: ContractPorts, version: str | None = None) -> Written:
    """A version with its text; without one the newest registered, else the file."""
    if version == FILE or (version is None and known.head is None):
        if known.file is None or known.contract is None:
            raise ForgeError(
                "E504", f"No file of the project has the contract {known.id}", fix="Ask for a registered version."
            )
        return Written(known.contract, known.file.text, FILE)
    if version is None:
        assert known.head is not None
        version = known.head.newest.version
    kept = ports.store.version(known.id, version)
    if kept is None:
        if known.contract is not None and known.file is not None and known.contract.version == version:
            return Written(known.contract, known.file.text, FILE)
        raise unknown_version(known.id, version, [one.version for one in ports.store.versions(known.id)])
    return Written(read_registered(kept), kept.text, "registered")


def newest_written(known: Known, ports: ContractPorts) -> Written:
    """What is to be checked: the file where the project has one, else what is registered."""
    return written(known, ports, FILE if known.contract is not None else None)


# what binds


@dataclass(frozen=True, slots=True)
class Bound:
    """A contract with the chain of those above it, outermost first, itself last."""

    standing: Standing
    chain: tuple[Contract, ...]


def bound(contract: Contract, ports: ContractPorts) -> Bound:
    from forge.flows.contracts.parents import chains_of

    standing = standing_of(contract, ports)
    others = known_contracts(ports, {contract.id})
    chains = chains_of([*others, standing.contract], ports.governance.levels, ports.root)
    chain = chains.by_file.get(standing.contract.file)
    return Bound(standing, tuple(chain.contracts) if chain is not None else (standing.contract,))


# what is wrong


def check(known: Known, ports: ContractPorts) -> Checked:
    """All gates but the policies of the project, as things are now. Nothing is written."""
    one = newest_written(known, ports)
    governance = ports.governance
    from forge.contracts.linter.lint import lint

    found = [Finding("lint", each) for each in lint(one.text, one.contract.file, governance.profile)]
    if not any(each.violation.severity == "error" for each in found):
        standing = standing_of(one.contract, ports)
        found += [Finding("inheritance", each) for each in standing.violations]
        found += [Finding("version", each) for each in _version(known, one, ports)]
        found += [Finding("drift", each) for each in _drift(standing.effective, ports)]
    marked = tuple(Finding(each.source, each.violation, "data_contract", known.id) for each in found)
    return Checked(known.id, one.version, ports.clock(), marked)


def _version(known: Known, one: Written, ports: ContractPorts) -> tuple[Violation, ...]:
    """Against what is registered; what is there as it is has no change."""
    from forge.flows.contracts.versions import compare_with_registered

    if one.source != FILE or known.head is None:
        return ()
    unheeded = find_unheeded(one.contract, known.head)
    found = compare_with_registered(one.contract, ports.store) if differs(known, ports) else None
    return (*(found.violations if found is not None else ()), *unheeded)


def keep_check(known: Known, ports: ContractPorts) -> Checked:
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
    """Those of which `forge compile` says nothing of NULL either: what was uploaded or adopted is not among them."""
    branch = ports.metadata.branch(ports.default_branch)
    tree = ports.metadata.tree(branch.head if branch else None)
    makers = {str(name): RunId(version.run_id) for name, version in tree.items() if version.run_id}
    runs = ports.metadata.find_runs({makers[table] for table in tables if table in makers})
    return frozenset(
        table for table in tables if (run := runs.get(makers.get(table, RunId("")))) and run.kind not in _FOREIGN
    )


def reader_of(ports: ContractPorts) -> Reader:
    return Reader(ports.metadata, ports.lake(), ports.default_branch, ports.default_branch)


def list_findings(ports: ContractPorts, checks: Mapping[str, Checked]) -> tuple[Finding, ...]:
    """Of the last compile and of the last check of each contract, whichever is newer; the worst first."""
    compiled = ports.store.compiled()
    found: dict[tuple[object, ...], Finding] = {}
    newer = {key for key, one in checks.items() if compiled is None or one.checked_at > compiled.validated_at}
    for each in compiled.findings if compiled else ():
        if each.contract_id not in newer:
            found.setdefault(_key(each), each)
    for key in sorted(newer):
        for each in checks[key].findings:
            found.setdefault(_key(each), each)
    return tuple(sorted(found.values(), key=_badness))


def _key(finding: Finding) -> tuple[object, ...]:
    one = finding.violation
    return one.code, one.file, one.line, one.column, one.path, one.message


_RANKS = {"error": 0, "warning": 1, "info": 2}


def _badness(finding: Finding) -> tuple[object, ...]:
    one = finding.violation
    return _RANKS.get(one.severity, 3), one.file, one.line, one.column, one.code, one.message


# versions


def pair(known: Known, ports: ContractPorts, old: str | None, new: str | None) -> tuple[Written, Written]:
    """What to compare. Without `new`: the file where it differs from what is registered, else the newest version;
    without `old`: the version before it."""
    versions = [one.version for one in ports.store.versions(known.id)]
    if new is None:
        new = FILE if differs(known, ports) else newest(versions)
    later = written(known, ports, new)
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
    return written(known, ports, old), later


def columns_of(contract: Contract) -> Mapping[str, Iterable[str]]:
    """Each table with its columns, for the lineage."""
    return {table.table: [one.column for one in table.columns] for table in contract.tables}
