"""A file as a commit: its rows, in the columns that the table of the branch has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from forge.flows.data import CommitResult, commit_data
from forge.flows.data_request import CommitMode, CommitRequest, find_key
from forge.flows.pins import line_of
from forge.flows.tables import TableFiles
from forge.flows.upload import read_upload
from forge.flows.version_ports import VersionPorts
from forge.model.names import BranchName
from forge.versioning.protection import refuse_change


def commit_file(
    request: CommitRequest, source: BinaryIO | Path, ports: VersionPorts, *, content_type: str | None = None
) -> CommitResult:
    """`request` says where the rows go; `request.where` is what the file is called. A bad file is refused whole."""
    refuse_change(ports.branch(request.branch), request.action)  # before a long file is read
    files = _files(request, ports)
    needed = None
    if files is not None and request.mode is CommitMode.DELETE:  # other columns of the file are not looked at
        needed = find_key(request, ports, files.fields, files.identifier)
    rows = read_upload(
        request.where or "file",
        source,
        files.fields if files is not None else None,
        content_type=content_type,
        partial=request.mode is CommitMode.MERGE,
        needed=needed,
    )
    return commit_data(replace(request, rows=rows), ports)


def _files(request: CommitRequest, ports: VersionPorts) -> TableFiles | None:
    version = line_of(ports.metadata, BranchName(request.branch), ports.default_branch).tree.get(request.table)
    if version is None or version.snapshot_id is None:
        return None
    return ports.tables.files(version.catalog, version.snapshot_id)
