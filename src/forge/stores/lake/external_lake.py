"""The lake in an external Iceberg catalog (REST, Hive, Glue, SQL), through PyIceberg.

Staging follows docs/decisions/0002-staging.md, with hidden tables in the catalog instead of hidden rows. A
publication goes table by table, each by the catalog's own compare-and-set: no transaction spans the catalog and
Forge's records."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from forge.flows.ports import (
    EarlierMetadata,
    Expiry,
    OrphanFile,
    PublishedRef,
    SnapshotGrowth,
    SnapshotState,
    Stage,
    TablePublisher,
    TableState,
)
from forge.flows.runs.records import Pointer, PointerConflict
from forge.model.errors import DatabaseBusyError, ForgeError, UnknownNameError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.model.retry import attempts
from forge.model.schema import Schema
from forge.model.time import Clock, utc_now
from forge.quality.measure import Measure, Reading
from forge.stores.lake.iceberg import hidden_name, no_snapshot, ref_of, run_of, snapshot_state
from forge.stores.sql.tables import CATALOG, HIDDEN, STAGING

if TYPE_CHECKING:  # PyIceberg is slow to import, and commands that only read records never need it
    from pyiceberg.catalog import Catalog
    from pyiceberg.io import FileIO
    from pyiceberg.table import Table
    from pyiceberg.table.metadata import TableMetadata, TableMetadataV2

    from forge.stores.lake.files import Files

_MAIN = "main"
_TRIES = 50
_EXTRAS = {"hive": "pyiceberg[hive]", "glue": "pyiceberg[glue]"}


class ExternalLake:
    def __init__(self, kind: str, properties: Mapping[str, str], warehouse: str, clock: Clock = utc_now) -> None:
        """`properties` are PyIceberg's, `uri` among them; `warehouse` is the folder of Forge's own files and, unless
        the catalog is REST and chooses itself, of new tables."""
        self._kind = kind
        self._properties = dict(properties)
        self._warehouse = warehouse.rstrip("/")
        self._clock = clock
        self._opened: Catalog | None = None
        self._guard = threading.Lock()

    @property
    def promise(self) -> str:
        return (
            f"The catalog is external ({self._kind}): a publish goes table by table, not in one transaction. "
            "A crash between two tables leaves some new and some old; `forge repair` completes the record."
        )

    @property
    def expiry(self) -> Expiry | None:
        return None

    @property
    def by_table(self) -> TablePublisher | None:
        return self

    # what there is

    def state(self, catalog: CatalogName) -> TableState | None:
        table = self._find(catalog)
        if table is None:
            return None
        refs = {name: SnapshotId(ref.snapshot_id) for name, ref in table.metadata.refs.items()}
        return TableState(
            catalog, table.metadata_location, str(table.metadata.table_uuid), refs, table.metadata.current_schema_id
        )

    def tables(self) -> tuple[CatalogName, ...]:
        return tuple(name for name in self._names() if name.namespace not in HIDDEN)

    def snapshot(self, catalog: CatalogName, snapshot_id: SnapshotId | None = None) -> SnapshotState | None:
        table = self._find(catalog)
        if table is None:
            return None
        metadata = _metadata(table)
        snapshot = metadata.current_snapshot() if snapshot_id is None else metadata.snapshot_by_id(snapshot_id)
        return None if snapshot is None else snapshot_state(metadata, snapshot)

    def rows(
        self, catalog: CatalogName, snapshot_id: SnapshotId, columns: Sequence[str], limit: int
    ) -> tuple[tuple[object, ...], ...] | None:
        from forge.stores.lake.rows import first_rows

        table = self._table(catalog)
        metadata = _metadata(table)
        if metadata.snapshot_by_id(snapshot_id) is None:
            raise no_snapshot(catalog, snapshot_id)
        with self._reached():
            return first_rows(metadata, table.io, snapshot_id, columns, limit)

    def open_table(self, catalog: CatalogName) -> tuple[TableMetadata, FileIO]:
        """What a scan needs."""
        table = self._table(catalog)
        return table.metadata, table.io

    def landed(self) -> tuple[PublishedRef, ...]:
        found = []
        for name in self._names():
            table = self._find(name) if name.namespace != STAGING else None
            if table is None or table.metadata.format_version != 2:
                continue
            metadata = _metadata(table)
            for ref, at in sorted(metadata.refs.items()):
                snapshot = metadata.snapshot_by_id(at.snapshot_id)
                state = snapshot_state(metadata, snapshot) if snapshot else None
                if state is not None and state.run_id is not None:
                    found.append(PublishedRef(name, ref, str(metadata.table_uuid), state, state.run_id))
        return tuple(found)

    def measure(
        self, catalog: CatalogName, snapshot_id: SnapshotId, measures: Sequence[Measure]
    ) -> dict[Measure, Reading]:
        from forge.stores.lake.measure import ManifestMeasurer

        table = self._find(catalog)
        if table is None:
            return {}
        return dict(ManifestMeasurer(table.metadata, snapshot_id, table.io).measure(measures))

    def growth(self, catalog: CatalogName, since: SnapshotId, until: SnapshotId) -> SnapshotGrowth | None:
        from forge.stores.lake.growth import growth_of

        table = self._find(catalog)
        return None if table is None else growth_of(table.metadata, table.io, since, until)

    # staging

    def open_stage(self, run_id: RunId, table: TableName, origin: CatalogName | None, base: SnapshotId | None) -> Stage:
        hidden = CatalogName(STAGING, f"{run_id}__{table.schema}__{table.name}")
        self._drop(hidden)
        self._add_namespace(STAGING)
        if origin is None:
            folder = self._new_folder(table)
            return Stage(run_id=run_id, table=table, catalog=hidden, location=folder, base=None, origin=None)
        from forge.stores.lake.table_metadata import staged_from

        found = self._table(origin)
        metadata = _metadata(found)
        if base is not None and metadata.snapshot_by_id(base) is None:
            raise no_snapshot(origin, base)
        self._register(hidden, found, staged_from(metadata, base, self._now_ms()))
        return Stage(run_id=run_id, table=table, catalog=hidden, location=metadata.location, base=base, origin=origin)

    def prepare(
        self, stage: Stage, branch: BranchName, *, is_default: bool, expected: SnapshotId | None
    ) -> Pointer | PointerConflict:
        """Only checks whether the catalog would accept it now. The pointer names the table; `land` moves it."""
        from forge.stores.lake.commits import table_commit
        from forge.stores.lake.table_metadata import MetadataDiverged

        ref = ref_of(branch, is_default=is_default)
        staged = _metadata(self._table(stage.catalog))
        if stage.origin is None:
            name = _name_of(stage, staged, ref)
            if self._find(name) is not None:
                return PointerConflict((name,), branch_moved=False)
            return Pointer(catalog=name, expected=None, location="", kind="TABLE", staged=stage.catalog)
        table = self._find(stage.origin)
        if table is None or not _is_at(_metadata(table), ref, stage, expected):
            return PointerConflict((stage.origin,), branch_moved=False)
        try:
            table_commit(_metadata(table), staged, ref, stage.run_id, self._now_ms())
        except MetadataDiverged:
            return PointerConflict((stage.origin,), branch_moved=False)
        return Pointer(
            catalog=stage.origin, expected=table.metadata_location, location="", kind="TABLE", staged=stage.catalog
        )

    def land(self, stage: Stage, branch: BranchName, *, is_default: bool, expected: SnapshotId | None) -> bool:
        ref = ref_of(branch, is_default=is_default)
        hidden = self._find(stage.catalog)
        if hidden is None:
            return False
        if stage.origin is None:
            return self._land_new(stage, hidden, ref)
        return self._land_on(stage, stage.origin, _metadata(hidden), ref, expected)

    def _land_on(
        self, stage: Stage, origin: CatalogName, staged: TableMetadataV2, ref: str, expected: SnapshotId | None
    ) -> bool:
        from pyiceberg.exceptions import BadRequestError, CommitFailedException, CommitStateUnknownException

        from forge.stores.lake.commits import table_commit
        from forge.stores.lake.table_metadata import MetadataDiverged

        for _ in attempts(_TRIES, 0.01, 1):
            table = self._find(origin)
            if table is None:
                return False
            current = _metadata(table)
            if _head(current, ref) == staged.current_snapshot_id:
                return True  # an earlier try got through, whatever its answer was
            if not _is_at(current, ref, stage, expected):
                return False
            try:
                change = table_commit(current, staged, ref, stage.run_id, self._now_ms())
                with self._reached((CommitFailedException, BadRequestError, CommitStateUnknownException)):
                    self._catalog.commit_table(table, *change)
            except (MetadataDiverged, BadRequestError):
                return False
            except (CommitFailedException, CommitStateUnknownException):
                continue  # someone moved another ref of the table, or the response was lost: retry
        return False

    def _land_new(self, stage: Stage, hidden: Table, ref: str) -> bool:
        from pyiceberg.exceptions import TableAlreadyExistsError

        from forge.stores.lake.table_metadata import published_new, stamped

        staged = _metadata(hidden)
        name = _name_of(stage, staged, ref)
        if self._find(name) is None:
            self._add_namespace(name.namespace)
            new = published_new(stamped(staged, None, stage.run_id), ref, self._now_ms())
            with suppress(TableAlreadyExistsError):  # someone's, or ours by a try whose answer was lost
                self._register(name, hidden, new)
        table = self._find(name)
        return table is not None and table.metadata.table_uuid == staged.table_uuid

    def stages(self) -> tuple[tuple[RunId, CatalogName], ...]:
        return tuple((run_of(name), name) for name in self._names_in(STAGING))

    def drop_stages(self, run_id: RunId) -> int:
        return sum(self._drop(name) for run, name in self.stages() if run == run_id)

    def set_ref(self, catalog: CatalogName, ref: str, snapshot_id: SnapshotId | None) -> None:
        from pyiceberg.exceptions import CommitFailedException, CommitStateUnknownException

        from forge.stores.lake.commits import ref_change

        for _ in attempts(_TRIES, 0.01, 1):
            table = self._table(catalog)
            metadata = _metadata(table)
            if snapshot_id is not None and metadata.snapshot_by_id(snapshot_id) is None:
                raise no_snapshot(catalog, snapshot_id)
            if _head(metadata, ref) == snapshot_id:
                return
            try:
                with self._reached((CommitFailedException, CommitStateUnknownException)):
                    self._catalog.commit_table(table, *ref_change(metadata, ref, snapshot_id))
                return
            except (CommitFailedException, CommitStateUnknownException):
                continue
        raise DatabaseBusyError(
            f"{catalog} moves too often to set {ref} on it",
            why=f"{_TRIES} tries found it moved by someone else each time.",
            fix="Try again when fewer runs publish it.",
        )

    # views and unused files

    def write_view(self, table: TableName, sql: str, schema: Schema, previous: str | None) -> str:
        """In a file of Forge's own: commits point at it, the catalog does not."""
        from forge.stores.lake.view import write_next

        return write_next(self._files, self._warehouse, table, sql, schema, previous, self._now_ms())

    def read_view(self, location: str) -> str:
        from forge.stores.lake.view import sql_of

        return sql_of(self._files.read_view(location))

    def schema(self, catalog: CatalogName) -> Schema | None:
        from forge.stores.lake.spark_types import spark_schema

        table = self._find(catalog)
        return None if table is None else spark_schema(_metadata(table).schema())

    def view_schema(self, location: str) -> Schema:
        from forge.stores.lake.view import schema_of

        return schema_of(self._files.read_view(location))

    def before(self, catalog: CatalogName) -> EarlierMetadata | None:
        return None

    def sync(self, locations: Iterable[str]) -> None:
        """Durability is up to whoever writes the files: the catalog commits each table by itself."""

    def orphans(self, older_than: datetime) -> tuple[OrphanFile, ...]:
        raise ForgeError(
            "E407",
            "Forge deletes no files of an external catalog's warehouse",
            where=self._warehouse,
            why="Others may keep files there that this catalog does not know.",
            fix="Use the catalog's own upkeep, or Iceberg's procedure remove_orphan_files.",
        )

    def delete(self, orphans: Sequence[OrphanFile]) -> int:
        return 0

    # the catalog

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    @property
    def _catalog(self) -> Catalog:
        with self._guard:
            if self._opened is None:
                from pyiceberg.catalog import load_catalog

                with self._reached():
                    self._opened = load_catalog(CATALOG, **{**self._properties, "type": self._kind})
            return self._opened

    @cached_property
    def _files(self) -> Files:
        from forge.stores.lake.files import Files

        return Files.at(self._warehouse, self._properties)

    @contextmanager
    def _reached(self, expected: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        """Any unexpected exception of a catalog client means that the catalog cannot be used."""
        from pyiceberg.exceptions import NotInstalledError

        try:
            yield
        except Exception as error:
            if isinstance(error, (ForgeError, *expected)):
                raise
            fix = "Check catalog.uri and catalog.properties in forge.yaml, and that the catalog is up."
            if isinstance(error, NotInstalledError | ModuleNotFoundError):
                fix = f"Install its client: pip install '{_EXTRAS.get(self._kind, 'pyiceberg')}'"
            raise ForgeError(
                "E405",
                f"The {self._kind} catalog cannot be used",
                where=self._address(),
                why=(str(error).strip().splitlines() or [type(error).__name__])[0],
                fix=fix,
            ) from error

    def _address(self) -> str | None:
        """For people: without a password."""
        uri = self._properties.get("uri")
        if uri is None or self._kind != "sql":
            return uri
        from sqlalchemy import make_url

        return make_url(uri).render_as_string(hide_password=True)

    def _find(self, name: CatalogName) -> Table | None:
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

        try:
            with self._reached((NoSuchTableError, NoSuchNamespaceError)):
                return self._catalog.load_table((name.namespace, name.name))
        except (NoSuchTableError, NoSuchNamespaceError):
            return None

    def _table(self, name: CatalogName) -> Table:
        table = self._find(name)
        if table is None:
            raise UnknownNameError(f"There is no table {name} in the catalog", fix="forge doctor")
        return table

    def _names(self) -> list[CatalogName]:
        with self._reached():
            namespaces = [".".join(parts) for parts in self._catalog.list_namespaces()]
        return sorted(name for namespace in namespaces for name in self._names_in(namespace))

    def _names_in(self, namespace: str) -> list[CatalogName]:
        from pyiceberg.exceptions import NoSuchNamespaceError

        try:
            with self._reached((NoSuchNamespaceError,)):
                listed = self._catalog.list_tables((namespace,))
        except NoSuchNamespaceError:
            return []
        return sorted(CatalogName(namespace, parts[-1]) for parts in listed)

    def _add_namespace(self, namespace: str) -> None:
        with self._reached():
            try:
                self._catalog.create_namespace_if_not_exists((namespace,))
            except Exception:
                if not self._catalog.namespace_exists((namespace,)):  # another process may just have made it
                    raise

    def change_namespace(self, namespace: str, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> bool:
        """Update properties of a namespace by `change`; nothing where it does not exist. Whether anything was
        written."""
        from pyiceberg.exceptions import NoSuchNamespaceError

        try:
            with self._reached((NoSuchNamespaceError,)):
                found = self._catalog.load_namespace_properties(namespace)
                kept = {str(key): str(value) for key, value in found.items()}
                new = {key: value for key, value in change(kept).items() if kept.get(key) != value}
                if new:
                    self._catalog.update_namespace_properties(namespace, updates=new)
                return bool(new)
        except NoSuchNamespaceError:
            return False

    def _register(self, name: CatalogName, sibling: Table, metadata: TableMetadataV2) -> None:
        """A new catalog entry for metadata written next to that of the table `sibling`, with its credentials."""
        from pyiceberg.exceptions import TableAlreadyExistsError

        from forge.stores.lake.files import Files

        location = Files(sibling.io).write(metadata, after=sibling.metadata_location)
        with self._reached((TableAlreadyExistsError,)):
            self._catalog.register_table((name.namespace, name.name), location)

    def _drop(self, name: CatalogName) -> bool:
        """The entry alone; its files stay."""
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

        try:
            with self._reached((NoSuchTableError, NoSuchNamespaceError)):
                self._catalog.drop_table((name.namespace, name.name))
        except (NoSuchTableError, NoSuchNamespaceError):
            return False
        return True

    def _new_folder(self, table: TableName) -> str:
        """A REST catalog chooses the location of its tables."""
        return "" if self._kind == "rest" else f"{self._warehouse}/{table.schema}/{table.name}-{uuid.uuid4().hex[:8]}"

    def _now_ms(self) -> int:
        return int(self._clock().timestamp() * 1000)


def _metadata(table: Table) -> TableMetadataV2:
    from forge.stores.lake.files import version_2

    return version_2(table.metadata, table.metadata_location)


def _head(metadata: TableMetadataV2, ref: str) -> int | None:
    return metadata.refs[ref].snapshot_id if ref in metadata.refs else None


def _is_at(current: TableMetadataV2, ref: str, stage: Stage, expected: SnapshotId | None) -> bool:
    """A branch that has not touched the table has no ref; its fork point may be expected."""
    actual = _head(current, ref)
    return actual == expected or (actual is None and ref != _MAIN and expected == stage.base)


def _name_of(stage: Stage, staged: TableMetadataV2, ref: str) -> CatalogName:
    if ref == _MAIN:
        return CatalogName(stage.table.schema, stage.table.name)
    return hidden_name(stage.table, str(staged.table_uuid))
