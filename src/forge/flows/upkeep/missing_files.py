"""Missing files of the newest table versions, from manifests alone: no data is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from forge.flows.runs.input_pins import pin_branch
from forge.flows.versioning.content_hash import FileHasher, ListedFile
from forge.flows.versioning.record_ports import CommitHistory
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.versioning.commit import TableVersion

FindingKind = Literal[
    "interrupted run",
    "unrecorded publish",
    "leftover stage",
    "foreign write",
    "missing table",
    "missing snapshot",
    "missing view file",
    "unreadable manifest",
    "missing data file",
    "damaged data file",
    "missing metadata file",
    "unreadable metadata file",
    "forgotten tables",
]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """A problem and its fix."""

    kind: FindingKind
    subject: str
    detail: str
    fix: str


def find_missing_files(metadata: CommitHistory, hasher: FileHasher, default: BranchName) -> list[DoctorFinding]:
    """Of the heads of all branches; `forge verify` checks the whole history, and bytes."""
    found: dict[tuple[str, object], list[DoctorFinding]] = {}
    for branch in metadata.branches():
        for table, version in sorted(pin_branch(metadata, branch.name, default).tree.items()):
            key = (version.uuid, version.snapshot_id or version.metadata_location)
            if key not in found:
                look = _of_view if version.kind == "view" else _of
                found[key] = list(look(hasher, table, version))
    return [finding for findings in found.values() for finding in findings]


def _of_view(hasher: FileHasher, table: TableName, version: TableVersion) -> Iterator[DoctorFinding]:
    path = version.metadata_location or ""
    if hasher.sizes([path])[path] is None:
        yield DoctorFinding("missing view file", str(table), f"{path} is not there.", f"forge run {table} --force")


def _of(hasher: FileHasher, table: TableName, version: TableVersion) -> Iterator[DoctorFinding]:
    try:
        facts = hasher.facts(version.catalog, version.snapshot_id, version.schema_id)
    except ForgeError:
        return  # its metadata file cannot be read, which is a finding of its own
    if facts is None or facts.manifest_list is None:
        return
    try:
        listed = [file for path in hasher.manifests(facts.manifest_list) for file in hasher.listed(path)]
    except ForgeError as error:
        detail = f"{error.where} cannot be read: {error.why} Without it nobody knows the files of the table."
        yield DoctorFinding("unreadable manifest", str(table), detail, _way_out(table))
        return
    yield from _files(hasher, table, listed)


def _files(hasher: FileHasher, table: TableName, listed: list[ListedFile]) -> Iterator[DoctorFinding]:
    sizes = hasher.sizes(file.path for file in listed)
    missing = [file for file in listed if sizes[file.path] is None]
    other = [file for file in listed if sizes[file.path] not in (None, file.size)]
    if missing:
        detail = f"{len(missing)} of its {len(listed)} files are not there: {_named(missing)}."
        yield DoctorFinding("missing data file", str(table), detail, _way_out(table))
    if other:
        detail = f"{len(other)} of its {len(listed)} files have another size than was written: {_named(other)}."
        yield DoctorFinding("damaged data file", str(table), detail, _way_out(table))


def _named(files: list[ListedFile]) -> str:
    return files[0].path + (f" and {len(files) - 1} more" if len(files) > 1 else "")


def _way_out(table: TableName) -> str:
    return f"Bring it back from a copy; or make it anew (forge run {table} --force), or go back: forge log {table}"
