"""Writes of branches, merges and hashes within a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, case, delete, select, update

from forge.flows.runs.records import HashRecords, Pointer
from forge.flows.versioning.merge.record import MergeRecord
from forge.model.names import BranchName
from forge.stores.refusals import no_conflicts, no_merge
from forge.stores.sql import tables
from forge.stores.sql.statements import add, add_new, batches, find_rows, put
from forge.stores.sql.versioning import rows as version_rows
from forge.versioning.conflict import Conflict, ResolutionRule
from forge.versioning.merge import OPEN_MERGES


def write_merge(connection: Connection, merge: MergeRecord) -> None:
    put(connection, tables.merges, [version_rows.merge_row(merge)])


def replace_conflicts(connection: Connection, merge_id: str, conflicts: Sequence[Conflict]) -> None:
    """A resolution stays with its conflict. The merge counts at least the recorded resolutions."""
    t = tables.conflicts
    query = select(t.c.id, t.c.resolution, t.c.resolved_value)
    answered = find_rows(connection, query.where(t.c.merge_id == merge_id, t.c.resolution.is_not(None)))
    kept = {row["id"]: row for row in answered}
    connection.execute(delete(t).where(t.c.merge_id == merge_id))
    rows = [
        row if row["resolution"] is not None else {**row, **kept.get(row["id"], {})}
        for row in version_rows.conflict_rows(merge_id, conflicts)
    ]
    add(connection, t, rows)
    resolved = sum(row["resolution"] is not None for row in rows)
    m = tables.merges
    fewer = (m.c.id == merge_id) & (m.c.resolved_count < resolved)
    connection.execute(update(m).where(fewer).values(resolved_count=resolved))


def write_answers(connection: Connection, merge_id: str, answers: Mapping[str, ResolutionRule], time: datetime) -> None:
    m, t = tables.merges, tables.conflicts
    # the merge is locked first, as by everyone who writes its conflicts
    if connection.execute(select(m.c.id).where(m.c.id == merge_id).with_for_update()).first() is None:
        raise no_merge(merge_id)
    known: dict[str, str | None] = {}
    for some in batches(list(answers)):
        query = select(t.c.id, t.c.resolution).where(t.c.merge_id == merge_id, t.c.id.in_(some))
        known |= {row["id"]: row["resolution"] for row in find_rows(connection, query)}
    if len(known) < len(answers):
        raise no_conflicts(merge_id, set(answers) - set(known))
    statement = (
        update(t)
        .where(t.c.merge_id == merge_id, t.c.id == bindparam("conflict"))
        .values(resolution=bindparam("take"), resolved_value=bindparam("value"))
    )
    given = [{"conflict": key, "take": rule.take.value, "value": rule.value} for key, rule in answers.items()]
    if given:
        connection.execute(statement, given)
    new = sum(resolution is None for resolution in known.values())
    counted = m.c.resolved_count + new
    connection.execute(update(m).where(m.c.id == merge_id).values(resolved_count=counted, updated_at=time))


def rename_everywhere(connection: Connection, old: BranchName, new: BranchName) -> None:
    """In everything that refers to the branch by name; commits keep the name of their time."""
    from forge.stores.sql.tables import remediations

    b, m, r = tables.branches, tables.merges, tables.runs
    connection.execute(update(b).where(b.c.parent == old).values(parent=new))
    is_open = m.c.status.in_([status.value for status in OPEN_MERGES])
    for column in (m.c.source, m.c.target):
        connection.execute(update(m).where(is_open, column == old).values({column: new}))
    connection.execute(update(r).where(r.c.branch == old).values(branch=new))
    connection.execute(update(remediations).where(remediations.c.branch == old).values(branch=new))


def set_statuses(connection: Connection, statuses: Mapping[BranchName, str], time: datetime) -> None:
    """Of branches that still exist."""
    t = tables.branches
    for name, status in sorted(statuses.items()):
        connection.execute(update(t).where(t.c.name == name).values(status=status, updated_at=time))


def reopened_status() -> Any:
    """The status of a branch that moves: one that was merged is active again."""
    status = tables.branches.c.status
    return case((status == "merged", "active"), else_=status)


def write_homes(connection: Connection, pointers: Sequence[Pointer]) -> None:
    moved = [(pointer.home.uuid, pointer.catalog) for pointer in pointers if pointer.home is not None]
    rows = [{"uuid": uuid, "namespace": name.namespace, "name": name.name} for uuid, name in sorted(moved)]
    put(connection, tables.homes, rows)


def write_hashes(connection: Connection, hashes: HashRecords) -> None:
    """Known hashes stay unchanged."""
    add_new(connection, tables.blobs, version_rows.blob_rows(hashes.blobs))
    add_new(connection, tables.table_trees, version_rows.table_tree_rows(hashes))
