"""Comparison of a contract with its previous version, registered or from git, and the readers that breaking changes
affect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from forge.contracts.compare.versions import ContractComparison, compare_documents
from forge.contracts.contract import Contract, TableContract
from forge.contracts.document.file import Document, read_document
from forge.contracts.load import contract_of
from forge.contracts.registry import RegisteredContract, digest_of, unknown_version
from forge.contracts.semver import Version, predecessor
from forge.flows.contracts.files import ContractFile, project_files
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName

if TYPE_CHECKING:
    from forge.flows.contracts.consumers import Consumer
    from forge.flows.lineage.ports import LineagePorts

GIT = "git:"


class RegisteredVersions(Protocol):
    """The part of the registry used here."""

    def versions(self, contract_id: str) -> tuple[RegisteredContract, ...]: ...
    def version(self, contract_id: str, version: str) -> RegisteredContract | None: ...


class CommittedFiles(Protocol):
    """The files of a project at another commit."""

    def files(self, ref: str) -> Iterable[str]:
        """Contract files, relative to the project. E109 where there is no such commit."""

    def read(self, ref: str, file: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class AffectedReader:
    """A reader of what breaks. `breaks`: messages of the changes that affect it."""

    consumer: Consumer
    breaks: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        one = self.consumer
        return {
            "name": one.name,
            "owner": one.owner,
            "depth": one.depth,
            "reads": list(one.reads),
            "columns": list(one.columns),
            "breaks": list(self.breaks),
        }


def find_contract(root: Path, name: str) -> ContractFile:
    """A contract of the project by id, name, file or table."""
    files = project_files(root)
    wanted = name.lower().removeprefix("./")
    for matches in (_by_id, _by_file, _by_name, _by_table):
        found = [file for file in files if matches(file, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            places = ", ".join(file.file for file in found)
            raise ForgeError("E504", f"{name} names more than one contract", why=places, fix="Give the file.")
    known = [word for file in files for word in _names(file)]
    raise ForgeError(
        "E504",
        f"There is no contract {name} in the project",
        why=did_you_mean(name, known),
        fix="Give its id, its file or its table; forge contract list shows those that are registered.",
    )


def registered_before(contract: Contract, versions: RegisteredVersions) -> RegisteredContract | None:
    """The version to compare a contract with: the same one where it is registered with other content, else the previous
    one. None: there is none, or the contract equals the registered one."""
    if contract.document is None:
        raise ValueError("the contract was not read from a document")
    known = {one.version: one for one in versions.versions(contract.id)}
    same = known.get(contract.version)
    if same is None:
        before = predecessor(contract.version, known)
    elif same.digest != digest_of(contract.document.data):
        before = same.version
    else:
        before = max((one for one in known if Version(one) < Version(same.version)), key=Version, default=None)
    return versions.version(contract.id, before) if before is not None else None


def compare_with_registered(contract: Contract, versions: RegisteredVersions) -> ContractComparison | None:
    """None where nothing was registered before."""
    before = registered_before(contract, versions)
    if before is None or contract.document is None:
        return None
    return compare_documents(_read(before), contract.document)


def old_document(
    contract: Contract, against: str | None, versions: RegisteredVersions, commits: CommittedFiles
) -> Document:
    """The document to compare with: the previous registered version, one by number, or `git:REF`."""
    if against is None:
        before = registered_before(contract, versions)
        if before is None:
            raise ForgeError(
                "E504",
                f"No version of {contract.id} before {contract.version} is registered",
                where=contract.file,
                fix="Compare it with a commit (--against git:HEAD) or two files (forge contract diff OLD NEW).",
            )
        return _read(before)
    if against.startswith(GIT):
        return _committed(contract, against.removeprefix(GIT), commits)
    found = versions.version(contract.id, against)
    if found is None:
        raise unknown_version(contract.id, against, [one.version for one in versions.versions(contract.id)])
    return _read(found)


def find_affected(
    comparison: ContractComparison,
    old: Contract | Document,
    ports: LineagePorts,
    *,
    owner: Callable[[TableName], str | None] | None = None,
) -> tuple[AffectedReader, ...]:
    """Readers of what breaks, nearest first. A change of a column affects readers of that column; one of a table or the
    whole contract affects all."""
    from forge.flows.contracts.consumers import find_consumers  # all of lineage, for few who ask

    contract = contract_of(old) if isinstance(old, Document) else old
    columns: dict[str, set[str]] = {}
    for change in comparison.breaking:
        for table in _tables(contract, change.table):
            columns.setdefault(table.table, set()).update({change.column} - {""})
    if not columns:
        return ()
    own = [table.table for table in contract.tables]
    found = find_consumers(ports, {table: sorted(names) for table, names in columns.items()}, owner=owner, own=own)
    hits = (AffectedReader(one, _reaching(comparison, contract, one)) for one in found)
    return tuple(hit for hit in hits if hit.breaks)


def _reaching(comparison: ContractComparison, contract: Contract, consumer: Consumer) -> tuple[str, ...]:
    columns = {name.lower() for name in consumer.columns}
    messages = []
    for change in comparison.breaking:
        tables = [table.table for table in _tables(contract, change.table) if table.table in consumer.reads]
        if any(not change.column or f"{table}.{change.column}".lower() in columns for table in tables):
            messages.append(change.message)
    return tuple(messages)


def _tables(contract: Contract, name: str) -> list[TableContract]:
    return [table for table in contract.tables if not name or table.name.lower() == name.lower()]


def _read(registered: RegisteredContract) -> Document:
    return read_document(registered.text, f"{registered.id} {registered.version}")


def _committed(contract: Contract, ref: str, commits: CommittedFiles) -> Document:
    """The same file, else the file with the contract's id at that commit."""
    content = commits.read(ref, contract.file)
    if content is not None:
        return read_document(content, f"{ref}:{contract.file}")
    for file in commits.files(ref):
        content = commits.read(ref, file)
        document = read_document(content, f"{ref}:{file}") if content is not None else None
        if document is not None and document.data.get("id") == contract.id:
            return document
    raise ForgeError(
        "E504",
        f"{ref} has no contract {contract.id}",
        where=contract.file,
        fix="Take a commit that has it: git log --oneline -- contracts",
    )


def _by_id(file: ContractFile, name: str) -> bool:
    return file.contract is not None and file.contract.id.lower() == name


def _by_file(file: ContractFile, name: str) -> bool:
    return name in (file.file.lower(), file.file.lower().rpartition("/")[2])


def _by_name(file: ContractFile, name: str) -> bool:
    return file.contract is not None and (file.contract.name or "").lower() == name


def _by_table(file: ContractFile, name: str) -> bool:
    return file.contract is not None and any(table.table.lower() == name for table in file.contract.tables)


def _names(file: ContractFile) -> list[str]:
    contract = file.contract
    if contract is None:
        return [file.file]
    return [contract.id, file.file, *([contract.name] if contract.name else []), *(t.table for t in contract.tables)]
