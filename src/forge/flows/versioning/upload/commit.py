"""A file as a commit: its rows, in the columns of the table on the branch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from forge.flows.runs.input_pins import pin_branch
from forge.flows.versioning.data.commit import CommitResult, commit_data
from forge.flows.versioning.data.request import CommitMode, CommitRequest, find_key
from forge.flows.versioning.key_check import remembered_key
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.upload.file import read_upload
from forge.model.names import BranchName
from forge.versioning.protection import refuse_change


def commit_file(
    request: CommitRequest, source: BinaryIO | Path, ports: VersionPorts, *, content_type: str | None = None
) -> CommitResult:
    """`request` says where the rows go; `request.where` is the name of the file. A bad file is refused as a whole."""
    refuse_change(ports.branch(request.branch), request.action)  # before a long file is read
    version = pin_branch(ports.metadata, BranchName(request.branch), ports.default_branch).tree.get(request.table)
    files = None
    if version is not None and version.snapshot_id is not None:
        files = ports.tables.files(version.catalog, version.snapshot_id)
    needed = None
    if files is not None and request.mode is CommitMode.DELETE:  # other columns of the file are ignored
        needed = find_key(request, ports, files.fields, remembered_key(version, files))
    rows = read_upload(
        request.where or "file",
        source,
        files.fields if files is not None else None,
        content_type=content_type,
        partial=request.mode is CommitMode.MERGE,
        needed=needed,
    )
    return commit_data(replace(request, rows=rows), ports)
