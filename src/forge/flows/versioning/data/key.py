"""The key of a table after a commit of data: recorded with the new version, and enforced on the added rows."""

from __future__ import annotations

from dataclasses import replace

from forge.flows.versioning.data.request import CommitMode, CommitRequest, effective_key, refuse_unknown
from forge.flows.versioning.key_check import remembered_key
from forge.flows.versioning.keys import judges_key
from forge.flows.versioning.merge.tree import TableOutcome
from forge.flows.versioning.ports import Operation
from forge.versioning.commit import TableVersion

Key = tuple[str, ...]


def with_key(
    work: Operation, request: CommitRequest, before: TableVersion | None, outcome: TableOutcome
) -> TableOutcome:
    """E611 where an added row duplicates a key. The first recorded key stays: one call may match rows by another, or
    delete by columns that are no key."""
    version = outcome.version
    assert version is not None
    assert version.snapshot_id is not None
    ports = work.ports
    after = ports.tables.files(version.catalog, version.snapshot_id)
    names = {field.name for field in after.fields}
    remembered = remembered_key(before, after)
    if request.key:
        refuse_unknown(request, request.key, after.fields)
    key = tuple(ports.keys.get(request.table, ())) or remembered
    if not names.issuperset(key):
        key = ()
    if request.mode is not CommitMode.DELETE:
        key = key or request.key
    held = effective_key(request, ports, remembered)
    by_other = request.mode is CommitMode.MERGE and held != key  # rows found by other columns may bring the key twice
    if by_other:
        held = key
    is_added = by_other or request.mode in (CommitMode.APPEND, CommitMode.OVERWRITE)
    if is_added and names.issuperset(held) and not is_judged(work, request, held):
        old = frozenset() if before is None else _files(work, before)
        ports.key_check.refuse_twins(
            str(request.table),
            after,
            after.files - old,
            held,
            whose=f"{request.table} would be wrong: it",
            fix=f"Merge by {', '.join(held)}, the key of the table, or leave them out."
            if by_other
            else "Commit them with --mode merge, which changes the rows that are there, or leave them out.",
        )
    return replace(outcome, version=replace(version, key=key, is_unique=_is_unique(request, before, key, held)))


def is_judged(work: Operation, request: CommitRequest, key: Key) -> bool:
    """Whether a check of the project reports duplicate keys: then the commit is blocked by its verdict."""
    return bool(key) and judges_key(work.ports.project().checks.get(request.table, ()), key)


def _files(work: Operation, version: TableVersion) -> frozenset[object]:
    if version.snapshot_id is None:
        return frozenset()
    return frozenset(work.ports.tables.files(version.catalog, version.snapshot_id).files)


def _is_unique(request: CommitRequest, before: TableVersion | None, key: Key, held: Key) -> bool:
    """Of the whole table, existing rows included."""
    if not key:
        return False
    if before is None or request.mode is CommitMode.OVERWRITE:
        return held == key
    was = before.is_unique and before.key == key
    return was and (held == key or request.mode is CommitMode.DELETE)
