"""The one transaction of a publish: every pointer compared and set, every record written, the branch moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert

from forge.flows.records import Moved, Pointer, Publication, RunRecord, TableLineage
from forge.model.names import CatalogName, CommitId, RunId
from forge.quality.verdict import Verdict
from forge.stores.sql import rows, tables
from forge.stores.sql.tables import CATALOG, HIDDEN

_ROWS_AT_ONCE = 500


class PointerMoved(Exception):
    def __init__(self, moved: Moved) -> None:
        super().__init__()
        self.moved = moved


def write_publication(connection: Connection, publication: Publication, seam: Callable[[str], None]) -> None:
    """Raises PointerMoved, which rolls the transaction back. The order of the locks is the same for all publishes
    (pointers by name, then the branch, then records by name), so that no two of them can wait for each other."""
    pointers = sorted(publication.pointers, key=lambda pointer: pointer.catalog)
    check_unmoved(connection, publication, pointers)
    set_pointers(connection, pointers)
    move_branch(connection, publication)
    seam("publish.pointers")
    write_commit(connection, publication)
    write_run(connection, publication.run)
    write_records(connection, publication)
    seam("publish.records")


def check_unmoved(connection: Connection, publication: Publication, pointers: Sequence[Pointer]) -> None:
    """Locks the rows, and names everything that moved rather than the first thing found."""
    actual = read_pointers(connection, [pointer.catalog for pointer in pointers], lock=True)
    moved = tuple(pointer.catalog for pointer in pointers if actual.get(pointer.catalog) != pointer.expected)
    head = connection.execute(
        select(tables.branches.c.head).where(tables.branches.c.name == publication.branch).with_for_update()
    ).first()
    branch_moved = head is None or head[0] != publication.expected_head
    if moved or branch_moved:
        raise PointerMoved(Moved(moved, branch_moved))


def read_pointers(
    connection: Connection, names: Iterable[CatalogName], *, lock: bool = False
) -> dict[CatalogName, str | None]:
    t = tables.iceberg_tables.c
    found: dict[CatalogName, str | None] = {}
    for some in _batches(names):
        query = (
            select(t.table_namespace, t.table_name, t.metadata_location)
            .where(t.catalog_name == CATALOG)
            .where(tuple_(t.table_namespace, t.table_name).in_([(name.namespace, name.name) for name in some]))
            .order_by(t.table_namespace, t.table_name)
        )
        for namespace, name, location in connection.execute(query.with_for_update() if lock else query):
            found[CatalogName(namespace, name)] = location
    return found


def _batches(names: Iterable[CatalogName]) -> Iterator[list[CatalogName]]:
    """So many names as one statement may carry."""
    rest = list(names)
    while rest:
        yield rest[:_ROWS_AT_ONCE]
        rest = rest[_ROWS_AT_ONCE:]


def set_pointers(connection: Connection, pointers: Sequence[Pointer]) -> None:
    new = [pointer for pointer in pointers if pointer.expected is None]
    old = [pointer for pointer in pointers if pointer.expected is not None]
    add_namespaces(connection, {pointer.catalog.namespace for pointer in new})
    if new:
        values = [_pointer_row(pointer) for pointer in new]
        statement = _insert(connection, tables.iceberg_tables).on_conflict_do_nothing()
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
    """The count of rows that were set is the proof; who moved is asked only when it does not hold."""
    if count == len(pointers):
        return
    actual = read_pointers(connection, [pointer.catalog for pointer in pointers])
    moved = tuple(p.catalog for p in pointers if actual.get(p.catalog) not in (p.location, p.expected))
    raise PointerMoved(Moved(moved or tuple(p.catalog for p in pointers), branch_moved=False))


def drop_rows(connection: Connection, names: Iterable[CatalogName]) -> int:
    t = tables.iceberg_tables
    count = 0
    for some in _batches(names):
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
        insert = _insert(connection, tables.iceberg_namespace_properties)
        connection.execute(insert.on_conflict_do_nothing(), values)


def move_branch(connection: Connection, publication: Publication) -> None:
    t = tables.branches
    moved = connection.execute(
        update(t)
        .where(t.c.name == publication.branch, t.c.head.is_not_distinct_from(publication.expected_head))
        .values(head=publication.commit.id, updated_at=publication.commit.time)
    )
    if moved.rowcount != 1:
        raise PointerMoved(Moved((), branch_moved=True))


def write_commit(connection: Connection, publication: Publication) -> None:
    commit, tree = publication.commit, publication.tree
    connection.execute(
        _insert(connection, tables.trees)
        .values(id=commit.tree_id, body=rows.tree_body(tree), view_files=rows.view_files_of(tree))
        .on_conflict_do_nothing()
    )
    _add(connection, tables.commits, [rows.commit_row(commit)])
    _add(connection, tables.commit_parents, rows.parent_rows(commit))
    _add(connection, tables.commit_tables, rows.statistics_rows(commit))


def write_run(connection: Connection, run: RunRecord) -> None:
    """The run as it is now; it may have been started before, or not."""
    row = rows.run_row(run)
    insert = _insert(connection, tables.runs).values(row)
    connection.execute(insert.on_conflict_do_update(index_elements=["id"], set_=row))
    connection.execute(delete(tables.outputs).where(tables.outputs.c.run_id == run.id))
    _add(connection, tables.outputs, rows.output_rows(run))


def write_verdicts(connection: Connection, run_id: RunId, verdicts: Sequence[Verdict]) -> None:
    if verdicts:
        connection.execute(delete(tables.verdicts).where(tables.verdicts.c.run_id == run_id))
        _add(connection, tables.verdicts, rows.verdict_rows(run_id, verdicts))


def write_lineage(
    connection: Connection, run_id: RunId, commit_id: CommitId | None, lineage: Sequence[TableLineage]
) -> None:
    """`commit_id` None: of what was not published. A run that ends twice (its publish was completed by a repair) leaves
    the lineage of each output once."""
    names = [str(one.table) for one in lineage]
    if not names:
        return
    for table in (tables.edges, tables.table_edges):
        held = (table.c.run_id == run_id) & table.c.commit_id.is_(None) & table.c.output.in_(names)
        connection.execute(delete(table).where(held))
    _add(connection, tables.edges, rows.edge_rows(run_id, commit_id, lineage))
    _add(connection, tables.table_edges, rows.table_edge_rows(run_id, commit_id, lineage))


def write_records(connection: Connection, publication: Publication) -> None:
    write_verdicts(connection, publication.run.id, publication.verdicts)
    write_lineage(connection, publication.run.id, publication.commit.id, publication.lineage)
    write_lineage(connection, publication.run.id, None, publication.unpublished)
    assets = [rows.asset_row(asset) for asset in sorted(publication.assets, key=lambda asset: asset.table)]
    if assets:
        insert = _insert(connection, tables.assets)
        new = {column.name: insert.excluded[column.name] for column in tables.assets.c if not column.primary_key}
        connection.execute(insert.on_conflict_do_update(index_elements=["table_name"], set_=new), assets)
    _add(connection, tables.profiles, rows.profile_rows(publication))
    _add(connection, tables.loaded_files, rows.loaded_rows(publication))
    _add(connection, tables.audit, [rows.audit_row(record) for record in publication.audit])


def _add(connection: Connection, table: Any, values: Sequence[Mapping[str, Any]]) -> None:
    if values:
        connection.execute(table.insert(), values)


def _insert(connection: Connection, table: Any) -> Any:
    """Both databases know ON CONFLICT; SQLAlchemy keeps it in their dialects."""
    insert: Insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)
    return insert
