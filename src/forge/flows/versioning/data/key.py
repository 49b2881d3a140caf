"""The key of a table after a commit of data: remembered with the new version, and held by the rows that came."""

from __future__ import annotations

from dataclasses import replace

from forge.flows.versioning.data.request import CommitMode, CommitRequest, key_said, refuse_unknown
from forge.flows.versioning.key_check import remembered_key
from forge.flows.versioning.keys import judges_key
from forge.flows.versioning.merge.tree import TableOutcome
from forge.flows.versioning.ports import Work
from forge.versioning.commit import TableVersion

Key = tuple[str, ...]


def with_key(work: Work, request: CommitRequest, before: TableVersion | None, outcome: TableOutcome) -> TableOutcome:
    """E611 where rows that were added have a key that is there already. The key that was said first stays: one call may
    find rows by another, or delete by what is no key."""
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
    held = key_said(request, ports, remembered)
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


def is_judged(work: Work, request: CommitRequest, key: Key) -> bool:
    """Whether a check of the project tells a key that is there twice: then the commit is held back by its verdict."""
    return bool(key) and judges_key(work.ports.project().checks.get(request.table, ()), key)


def _files(work: Work, version: TableVersion) -> frozenset[object]:
    if version.snapshot_id is None:
        return frozenset()
    return frozenset(work.ports.tables.files(version.catalog, version.snapshot_id).files)


def _is_unique(request: CommitRequest, before: TableVersion | None, key: Key, held: Key) -> bool:
    """All of the table: what was there before, too."""
    if not key:
        return False
    if before is None or request.mode is CommitMode.OVERWRITE:
        return held == key
    was = before.is_unique and before.key == key
    return was and (held == key or request.mode is CommitMode.DELETE)
