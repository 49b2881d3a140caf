"""The publish transaction: every pointer compared and set, every record written, the branch moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, delete, select, tuple_, update

from forge.flows.runs.records import BranchAdvance, Pointer, PointerConflict, Publication, RunRecord, TableLineage
from forge.model.names import CatalogName, CommitId, RunId
from forge.stores.refusals import no_commit
from forge.stores.sql import rows, tables
from forge.stores.sql.change_log import touch
from forge.stores.sql.statements import add, add_new, batches, insert_into, put
from forge.stores.sql.tables import CATALOG, HIDDEN
from forge.stores.sql.versioning.writes import reopened_status, set_statuses, write_hashes, write_homes, write_merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from forge.flows.contracts.ports import Registration
    from forge.quality.verdict import Verdict
    from forge.versioning.commit import Commit, Tree


class PointerMoved(Exception):
    def __init__(self, moved: PointerConflict) -> None:
        super().__init__()
        self.moved = moved


def write_publication(connection: Connection, publication: Publication, fault_point: Callable[[str], None]) -> None:
    """Raises PointerMoved, which rolls the transaction back. All publications lock in the same order (pointers by
    name, then branches by name, then records by name, then the log of changes), so that they cannot deadlock."""
    commit = publication.commit
    move(connection, publication, commit.id, commit.time)
    fault_point("publish.pointers")
    for earlier, tree in _unknown(connection, publication.before):
        write_commit(connection, earlier, tree)
    write_commit(connection, commit, publication.tree)
    write_run(connection, publication.run)
    write_records(connection, publication)
    write_shared(connection, publication, commit.time)
    write_hashes(connection, publication.hashes)
    if publication.remediation is not None:
        from forge.stores.sql.quality.remediations import write_remediation

        write_remediation(connection, publication.remediation)
    _write_contracts(connection, publication.contracts)
    touch(connection, "facts", {verdict.table for verdict in publication.verdicts})
    fault_point("publish.records")


def write_advance(connection: Connection, advance: BranchAdvance, fault_point: Callable[[str], None]) -> None:
    """The same for an existing commit."""
    c = tables.commits.c
    head = connection.execute(select(c.time).where(c.id == advance.head)).first()
    if head is None:
        raise no_commit(advance.head)
    time = moved_at(advance, head[0])
    move(connection, advance, advance.head, time)
    fault_point("publish.pointers")
    if advance.run is not None:
        write_run(connection, advance.run)
    write_shared(connection, advance, time)
    _write_contracts(connection, advance.contracts)
    fault_point("publish.records")


def _write_contracts(connection: Connection, contracts: Sequence[Registration]) -> None:
    from forge.stores.sql.contracts.registry import write_registrations  # most commands only read, and need none of it

    write_registrations(connection, contracts)


def moved_at(advance: BranchAdvance, head: datetime) -> datetime:
    """When the branch moved: from the accompanying records, else the time of its new head."""
    if advance.audit:
        return advance.audit[-1].time
    if advance.merge is not None:
        return advance.merge.updated_at
    if advance.run is not None:
        return advance.run.finished_at or advance.run.started_at
    return head


def move(connection: Connection, change: Publication | BranchAdvance, head: CommitId, time: datetime) -> None:
    pointers = sorted(change.pointers, key=lambda pointer: pointer.catalog)
    check_unmoved(connection, change, pointers)
    set_pointers(connection, pointers)
    move_branch(connection, change, head, time)


def check_unmoved(connection: Connection, change: Publication | BranchAdvance, pointers: Sequence[Pointer]) -> None:
    """Locks the rows, and reports everything that moved, not only the first."""
    names = {name for pointer in pointers for name in catalogs_of(pointer)}
    moved = find_moved(pointers, read_pointers(connection, sorted(names), lock=True))
    t = tables.branches.c
    query = select(t.name, t.head).where(t.name.in_([change.branch, *change.statuses])).order_by(t.name)
    heads = {row.name: row.head for row in connection.execute(query.with_for_update())}
    branch_moved = change.branch not in heads or heads[change.branch] != change.expected_head
    if moved or branch_moved:
        raise PointerMoved(PointerConflict(moved, branch_moved))


def catalogs_of(pointer: Pointer) -> tuple[CatalogName, ...]:
    return (pointer.catalog,) if pointer.home is None else (pointer.catalog, pointer.home.catalog)


def find_moved(pointers: Sequence[Pointer], actual: Mapping[CatalogName, str | None]) -> tuple[CatalogName, ...]:
    """A name that one table leaves is free for another."""
    leaving = rows_left(pointers)
    gone = {name for name, location in leaving if actual.get(name) != location}
    left = {name for name, _ in leaving}
    taken = {
        pointer.catalog
        for pointer in pointers
        if not pointer.gone and (None if pointer.catalog in left else actual.get(pointer.catalog)) != pointer.expected
    }
    return tuple(sorted(gone | taken))


def rows_left(pointers: Sequence[Pointer]) -> list[tuple[CatalogName, str | None]]:
    """Removed rows, each with its expected location: of renamed tables, and of dropped ones."""
    homes = [(pointer.home.catalog, pointer.home.location) for pointer in pointers if pointer.home is not None]
    return [*homes, *((pointer.catalog, pointer.expected) for pointer in pointers if pointer.gone)]


def read_pointers(
    connection: Connection, names: Iterable[CatalogName], *, lock: bool = False
) -> dict[CatalogName, str | None]:
    t = tables.iceberg_tables.c
    found: dict[CatalogName, str | None] = {}
    for some in batches(list(names)):
        query = (
            select(t.table_namespace, t.table_name, t.metadata_location)
            .where(t.catalog_name == CATALOG)
            .where(tuple_(t.table_namespace, t.table_name).in_([(name.namespace, name.name) for name in some]))
            .order_by(t.table_namespace, t.table_name)
        )
        for namespace, name, location in connection.execute(query.with_for_update() if lock else query):
            found[CatalogName(namespace, name)] = location
    return found


def set_pointers(connection: Connection, pointers: Sequence[Pointer]) -> None:
    leave_rows(connection, rows_left(pointers))
    new = [pointer for pointer in pointers if not pointer.gone and pointer.expected is None]
    old = [pointer for pointer in pointers if not pointer.gone and pointer.expected is not None]
    add_namespaces(connection, {pointer.catalog.namespace for pointer in new})
    if new:
        values = [_pointer_row(pointer) for pointer in new]
        statement = insert_into(connection, tables.iceberg_tables).on_conflict_do_nothing()
        inserted = connection.execute(statement.execution_options(preserve_rowcount=True), values)
        _expect(connection, inserted.rowcount, new)
    if old:
        t = tables.iceberg_tables
        compare_and_set = (
            update(t)
            .where(t.c.catalog_name == CATALOG)
            .where(t.c.table_namespace == bindparam("namespace"), t.c.table_name == bindparam("name"))
            .where(t.c.metadata_location == bindparam("expected"))
            .values(
                metadata_location=bindparam("location"),
                previous_metadata_location=bindparam("expected"),
                iceberg_type=bindparam("kind"),
            )
        )
        moved = connection.execute(compare_and_set, [_cas_values(pointer) for pointer in old])
        _expect(connection, moved.rowcount, old)
    drop_rows(connection, [pointer.staged for pointer in pointers if pointer.staged])
    write_homes(connection, pointers)


def leave_rows(connection: Connection, leaving: Sequence[tuple[CatalogName, str | None]]) -> None:
    """Compared and removed before any name is assigned: another table may get it."""
    t = tables.iceberg_tables
    for name, location in leaving:
        row = (t.c.table_namespace == name.namespace) & (t.c.table_name == name.name)
        here = row & (t.c.catalog_name == CATALOG) & (t.c.metadata_location == location)
        if connection.execute(delete(t).where(here)).rowcount != 1:
            raise PointerMoved(PointerConflict((name,), branch_moved=False))


def _pointer_row(pointer: Pointer) -> dict[str, Any]:
    return {
        "catalog_name": CATALOG,
        "table_namespace": pointer.catalog.namespace,
        "table_name": pointer.catalog.name,
        "metadata_location": pointer.location,
        "previous_metadata_location": None,
        "iceberg_type": pointer.kind,
    }


def _cas_values(pointer: Pointer) -> dict[str, Any]:
    return {
        "namespace": pointer.catalog.namespace,
        "name": pointer.catalog.name,
        "expected": pointer.expected,
        "location": pointer.location,
        "kind": pointer.kind,
    }


def _expect(connection: Connection, count: int, pointers: Sequence[Pointer]) -> None:
    """The number of updated rows is the proof; what moved is queried only when it does not match."""
    if count == len(pointers):
        return
    actual = read_pointers(connection, [pointer.catalog for pointer in pointers])
    moved = tuple(p.catalog for p in pointers if actual.get(p.catalog) not in (p.location, p.expected))
    raise PointerMoved(PointerConflict(moved or tuple(p.catalog for p in pointers), branch_moved=False))


def drop_rows(connection: Connection, names: Iterable[CatalogName]) -> int:
    """Hidden rows only, whatever was requested: a table that readers see is never dropped with a stage."""
    t = tables.iceberg_tables
    count = 0
    for some in batches([name for name in names if name.namespace in HIDDEN]):
        keys = [(name.namespace, name.name) for name in some]
        found = tuple_(t.c.table_namespace, t.c.table_name).in_(keys)
        count += connection.execute(delete(t).where(t.c.catalog_name == CATALOG, found)).rowcount
    return count


def add_namespaces(connection: Connection, namespaces: Iterable[str]) -> None:
    """A namespace exists for Spark once it has a property."""
    values = [
        {"catalog_name": CATALOG, "namespace": name, "property_key": "exists", "property_value": "true"}
        for name in sorted(set(namespaces) - set(HIDDEN))
    ]
    if values:
        insert = insert_into(connection, tables.iceberg_namespace_properties)
        connection.execute(insert.on_conflict_do_nothing(), values)


def move_branch(connection: Connection, change: Publication | BranchAdvance, head: CommitId, time: datetime) -> None:
    t = tables.branches
    moved = connection.execute(
        update(t)
        .where(t.c.name == change.branch, t.c.head.is_not_distinct_from(change.expected_head))
        .values(head=head, updated_at=time, **({"status": reopened_status()} if head != change.expected_head else {}))
    )
    if moved.rowcount != 1:
        raise PointerMoved(PointerConflict((), branch_moved=True))


def _unknown(connection: Connection, before: Sequence[tuple[Commit, Tree]]) -> list[tuple[Commit, Tree]]:
    """Commits are content-addressed: an identical one exists already."""
    c = tables.commits.c
    known: set[str] = set()
    for some in batches([commit.id for commit, _ in before]):
        known |= set(connection.execute(select(c.id).where(c.id.in_(some))).scalars())
    return [(commit, tree) for commit, tree in before if commit.id not in known]


def write_commit(connection: Connection, commit: Commit, tree: Tree) -> None:
    body = {"id": commit.tree_id, "body": rows.tree_body(tree), "view_files": rows.view_files_of(tree)}
    add_new(connection, tables.trees, [body])
    add(connection, tables.commits, [rows.commit_row(commit)])
    add(connection, tables.commit_parents, rows.parent_rows(commit))
    add(connection, tables.commit_tables, rows.statistics_rows(commit))


def write_run(connection: Connection, run: RunRecord) -> None:
    """Insert or update the run."""
    row = rows.run_row(run)
    insert = insert_into(connection, tables.runs).values(row)
    connection.execute(insert.on_conflict_do_update(index_elements=["id"], set_=row))
    connection.execute(delete(tables.outputs).where(tables.outputs.c.run_id == run.id))
    add(connection, tables.outputs, rows.output_rows(run))


def write_verdicts(connection: Connection, run_id: RunId, verdicts: Sequence[Verdict]) -> None:
    if verdicts:
        connection.execute(delete(tables.verdicts).where(tables.verdicts.c.run_id == run_id))
        add(connection, tables.verdicts, rows.verdict_rows(run_id, verdicts))


def write_lineage(
    connection: Connection, run_id: RunId, commit_id: CommitId | None, lineage: Sequence[TableLineage]
) -> None:
    """`commit_id` None: of unpublished outputs. A run that ends twice (its publication was completed by a repair)
    leaves the lineage of each output once."""
    names = [str(one.table) for one in lineage]
    if not names:
        return
    for table in (tables.edges, tables.table_edges):
        held = (table.c.run_id == run_id) & table.c.commit_id.is_(None) & table.c.output.in_(names)
        connection.execute(delete(table).where(held))
    add(connection, tables.edges, rows.edge_rows(run_id, commit_id, lineage))
    add(connection, tables.table_edges, rows.table_edge_rows(run_id, commit_id, lineage))


def write_records(connection: Connection, publication: Publication) -> None:
    write_verdicts(connection, publication.run.id, publication.verdicts)
    write_lineage(connection, publication.run.id, publication.commit.id, publication.lineage)
    write_lineage(connection, publication.run.id, None, publication.unpublished)
    add(connection, tables.profiles, rows.profile_rows(publication))
    add(connection, tables.loaded_files, rows.loaded_rows(publication))


def write_shared(connection: Connection, change: Publication | BranchAdvance, time: datetime) -> None:
    """What a publication and an advance both write."""
    put(connection, tables.assets, [rows.asset_row(asset) for asset in sorted(change.assets, key=lambda a: a.table)])
    if change.merge is not None:
        write_merge(connection, change.merge)
    set_statuses(connection, change.statuses, time)
    add(connection, tables.audit, [rows.audit_row(record) for record in change.audit])
