"""Delta Lake as a source: a table, which is then the source itself (`FROM events`), or a folder of tables. The log says
which files a version has; of these, those that partitions, and the bounds of whole numbers and dates, rule out are not
opened. Bounds of other types are cut or rounded in the log and rule out nothing.

What the log says is not believed where it leads out of the table. A table that needs more than files of Parquet to be
read (deletion vectors, renamed columns, wider types) is described for Spark and not read here (E206); one that needs
what nobody here knows is not even described."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import reduce
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.federation.delta_version import DeltaVersion, own_file
from forge.federation.object_path import is_object_path
from forge.federation.plan import Scan, SourceQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import Source
from forge.federation.source_keys import TIMESTAMP_AS_OF, VERSION_AS_OF
from forge.flows.runs.source_rows import AT_VERSION, CHANGE
from forge.model.errors import ForgeError, SourceUnreachableError
from forge.model.name_suggestions import did_you_mean
from forge.model.types import parse_type
from forge.stores.connectors.delta_changes import (
    FEED,
    ChangedFile,
    ChangedSchema,
    UnreadableLogError,
    partition_value,
    read_changes,
    schema_columns,
)
from forge.stores.connectors.login import driver_needed
from forge.stores.connectors.names import matching
from forge.stores.connectors.objects import ObjectStore
from forge.stores.connectors.running import RunningReads, started
from forge.stores.connectors.scans import expression, spelled, typed
from forge.versioning.arrow_types import type_name

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds
    from deltalake import DeltaTable

_LOG = "_delta_log"
WHOLE = "`forge run` with `--force` loads it as a whole."
_FEATURES = frozenset({"timestampNtz", "v2Checkpoint", "vacuumProtocolCheck", "domainMetadata", "inCommitTimestamp"})
# What only Spark reads, in the words of people.
_ONLY_SPARK = {
    "deletionVectors": "deletion vectors",
    "columnMapping": "mapped columns",
    "typeWidening": "widened types",
    "typeWidening-preview": "widened types",
}
_COORDINATED = "delta.coordinatedCommits."  # tables whose versions another program knows, where the log says


class DeltaConnector:
    def __init__(
        self,
        source: Source,
        root: Path,
        refuse: Callable[[Path], None] = lambda path: None,
        secret: Callable[[str], str] = lambda reference: reference,
    ) -> None:
        self._source, self._refuse_path = source, refuse
        self._objects = ObjectStore(source, secret) if is_object_path(source.path) else None
        place = self._objects.place if self._objects else None
        self._root = Path(place.bucket, place.key) if place else root / source.path
        self._running = RunningReads(source.name)
        self._described: dict[tuple[str, ...], int] = {}  # versions, which are those that are read

    def test(self) -> str:
        paths = self._paths()
        if not paths:
            raise self._unreachable("There is no Delta table.")
        versions = [self._open(path).version() for path in paths]
        return f"Delta Lake, version {versions[0]}" if () in paths else f"Delta Lake, {len(paths)} tables"

    def relations(self) -> tuple[RelationName, ...]:
        return tuple(RelationName(self._source.name, path) for path in self._paths())

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        found = matching(path, self._paths())
        if found is None:
            return None
        table = self._open(found)
        self._described.setdefault(found, table.version())
        files = self._files(table)
        counts = files["num_records"].to_pylist()
        columns = tuple(
            SourceColumn(
                field.name, parse_type(type_name(field.type)), nullable=field.nullable, native=type_name(field.type)
            )
            for field in self._schema(table)
        )
        return SourceRelation(
            RelationName(self._source.name, found),
            columns,
            rows=None if None in counts else sum(counts),
            bytes=sum(files["size_bytes"].to_pylist()),
            version=f"{table.metadata().id}:{table.version()}",
            is_derived=self._objects is None and self._root.joinpath(*found).is_symlink() and found != (),
            delta=self._delta(found, table),
        )

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        if isinstance(asked, SourceQuery):
            raise TypeError("Delta tables understand no SQL")
        return started(schema, self._batches(asked, schema, batch_rows))

    def folder_of(self, table: str) -> str:
        """Of one of the tables in its folder, relative to the project."""
        found = matching((table,), self._paths())
        if found is None:
            names = [path[0] for path in self._paths() if path]
            what = f"{self._source.name} has no table {table}"
            fix = did_you_mean(table, names) or ("Correct `table:`." if names else "It is one table: remove `table:`.")
            raise ForgeError("E206", what, where=self._source.where, fix=fix)
        return "/".join((self._source.path.rstrip("/"), *found))

    def _delta(self, path: tuple[str, ...], table: DeltaTable) -> DeltaVersion | None:
        """None for what Spark is not to read: it knows no keys of object stores."""
        metadata = table.metadata()
        if self._objects is not None or any(name.startswith(_COORDINATED) for name in metadata.configuration):
            return None
        odd = ", ".join(dict.fromkeys(_ONLY_SPARK[one] for one in _beyond_files(table)))
        name = ".".join((self._source.name, *path))
        why = f"{name} has {odd}, which only Spark reads" if odd else ""
        folder = self._root.joinpath(*path).absolute()
        return DeltaVersion(str(folder), str(metadata.id), table.version(), why)

    @property
    def _storage(self) -> dict[str, str] | None:
        return self._objects.library_options if self._objects else None

    def refuse_no_feed(self, output: object) -> None:
        if self._objects is not None:
            what, why = (
                f"{output} cannot be loaded by key",
                "The changes of Delta tables in object stores are not read.",
            )
            raise ForgeError("E206", what, where=self._source.where, why=why, fix="Write `kind: full`.")
        if self._open_files(()).metadata().configuration.get(FEED, "").lower() == "true":
            return
        raise ForgeError(
            "E206",
            f"{self._source.name} has no change data feed, by which {output} would be loaded",
            where=self._source.where or self._source.name,
            why="Without it nobody says which rows of a Delta table were changed or deleted.",
            fix=f"ALTER TABLE delta.`{self._root}` SET TBLPROPERTIES ({FEED} = true), or `kind: full`.",
        )

    def changes(self, since: int, until: int, schema: pa.Schema) -> Callable[[], pa.RecordBatchReader] | None:
        """Of a table that is the source itself: its rows that changed after a version, each with what happened to it
        and in which version. None: its columns became others meanwhile."""
        table = self._open_files(())
        try:
            found = tuple(read_changes(self._root / _LOG, since, until))
            if not self._fits(table, since, [one.columns for one in found if isinstance(one, ChangedSchema)]):
                return None
            dataset = self._changed(table, [one for one in found if isinstance(one, ChangedFile)])
        except UnreadableLogError as error:
            raise self._unreadable(str(error), WHOLE) from error
        scan = Scan(RelationName(self._source.name, ()), tuple(schema.names))
        return lambda: started(schema, self._scanned(dataset, scan, schema, 65_536, WHOLE))

    def cancel(self) -> None:
        self._running.cancel()

    def close(self) -> None:
        self._running.cancel()

    def _paths(self) -> tuple[tuple[str, ...], ...]:
        """The source itself, or the tables in its folder."""
        if self._objects is not None:
            return self._tables_of_objects(self._objects)
        if (self._root / _LOG).is_dir():
            return ((),)
        if not self._root.is_dir():
            raise self._unreachable("There is no such folder.")
        found = sorted(one.name for one in self._root.iterdir() if (one / _LOG).is_dir() and one.name[0] != ".")
        if found and VERSION_AS_OF in self._source.options:
            raise self._unreadable("A version is that of one table.", "Name one in `path`, or take timestampAsOf.")
        return tuple((name,) for name in found)

    def _tables_of_objects(self, objects: ObjectStore) -> tuple[tuple[str, ...], ...]:
        from pyarrow.fs import FileSelector, FileType

        with objects.explained():
            found = objects.filesystem.get_file_info(FileSelector(str(self._root), allow_not_found=True))
            names = [one.base_name for one in found if one.type is FileType.Directory]
            if _LOG in names:
                return ((),)
            logs = objects.filesystem.get_file_info([f"{self._root}/{name}/{_LOG}" for name in names])
        tables = sorted(name for name, log in zip(names, logs, strict=True) if log.type is FileType.Directory)
        if tables and VERSION_AS_OF in self._source.options:
            raise self._unreadable("A version is that of one table.", "Name one in `path`, or take timestampAsOf.")
        return tuple((name,) for name in tables if name[0] != ".")

    def _open_files(self, path: tuple[str, ...]) -> DeltaTable:
        """A table whose files say its rows, at the version that was described, if it was."""
        table = self._open(path, self._described.get(path))
        self._refuse(table, _beyond_files(table))
        return table

    def _open(self, path: tuple[str, ...], described: int | None = None) -> DeltaTable:
        with driver_needed(self._source.name, "Delta Lake", "delta"):
            from deltalake import DeltaTable

        place = f"{'s3://' if self._objects else ''}{self._root.joinpath(*path)}"
        version, time = (self._source.options.get(name) for name in (VERSION_AS_OF, TIMESTAMP_AS_OF))
        with self._explained():
            number = described if described is not None else int(version) if version else None
            table = DeltaTable(place, version=number, storage_options=self._storage)
            if time and described is None:
                self._go_back(table, datetime.fromisoformat(time))
        self._refuse_features(table)
        return table

    def _go_back(self, table: DeltaTable, time: datetime) -> None:
        """The library takes the first version for any time before it, and its history is that of the newest one."""
        newest = type(table)(table.table_uri, storage_options=self._storage)
        table.load_as_version(time)
        commits = newest.history(newest.version() - table.version() + 1)
        made = next((one.get("timestamp") for one in commits if one.get("version") == table.version()), None)
        if made is None or made > time.timestamp() * 1000:
            raise self._unreadable(f"It has no version of {time.isoformat()}, or no longer.", "Take a later time.")

    def _refuse_features(self, table: DeltaTable) -> None:
        """What neither this connector nor Spark reads; of objects Spark reads nothing."""
        configuration = table.metadata().configuration
        is_spark = self._objects is None and not any(name.startswith(_COORDINATED) for name in configuration)
        odd = _beyond_files(table)
        self._refuse(table, [one for one in odd if one not in _ONLY_SPARK] if is_spark else odd)

    def _refuse(self, table: DeltaTable, odd: list[str]) -> None:
        version = table.protocol().min_reader_version
        if odd or version > 3:
            why = f"Its files alone do not say its rows: {', '.join(odd) or version}."
            raise self._unreadable(why, "Rewrite the table without it, or export it.")

    def _schema(self, table: DeltaTable) -> pa.Schema:
        import pyarrow as pa

        return pa.schema(table.schema().to_arrow())

    def _files(self, table: DeltaTable) -> pa.Table:
        import pyarrow as pa

        with self._explained():
            return pa.table(table.get_add_actions(flatten=True))

    def _batches(self, scan: Scan, schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch | None]:
        table = self._open_files(scan.relation.path)
        dataset = self._dataset(table, self._root.joinpath(*scan.relation.path))
        return self._scanned(dataset, scan, schema, most)

    def _scanned(
        self, dataset: ds.Dataset, scan: Scan, schema: pa.Schema, most: int, fix: str | None = None
    ) -> Iterator[pa.RecordBatch | None]:
        import pyarrow as pa

        own = dataset.schema
        names = [spelled(name, own) for name in scan.columns] or own.names[:1]
        left = scan.limit
        with self._running.read(lambda: None) as running:
            yield None
            try:
                scanner = dataset.scanner(
                    columns=names,
                    filter=expression(scan.filters, own),
                    batch_size=min(most, 16_384),
                    batch_readahead=2,
                    fragment_readahead=2,
                )
                for batch in self._running.until_cancelled(running, scanner.to_batches()):
                    kept = batch if left is None else batch.slice(0, left)
                    left = None if left is None else left - kept.num_rows
                    if kept.num_rows:
                        yield typed(kept, scan, schema)
                    if left == 0:
                        return
            except (pa.ArrowException, OSError, EOFError, UnicodeError) as error:
                said = str(error).splitlines() or [type(error).__name__]
                what = f"Files of {self._source.name} cannot be read"
                raise ForgeError("E210", what, why=said[0][:200], fix=fix) from error

    def _dataset(self, table: DeltaTable, place: Path) -> ds.Dataset:
        """Of the files of this version, each with what the log says of all its rows."""
        schema, partitions = self._schema(table), self._partitions(table)
        known = [(row["path"], _known_of(row, schema, partitions)) for row in _rows_of(self._files(table))]
        return self._of_files(place, schema, known)

    def _partitions(self, table: DeltaTable) -> list[str]:
        import pyarrow as pa

        schema, partitions = self._schema(table), table.metadata().partition_columns
        floats = [name for name in partitions if pa.types.is_floating(schema.field(name).type)]
        if floats:
            raise self._unreadable(f"It is partitioned by {floats[0]}, whose NaN equals nothing.", "Export it.")
        return partitions

    def _of_files(self, place: Path, schema: pa.Schema, known: Iterable[tuple[str, ds.Expression]]) -> ds.Dataset:
        import pyarrow.dataset as ds
        from pyarrow.fs import LocalFileSystem

        # Spark writes instants as INT96, which counts in nanoseconds and ends in the year 2262.
        form = ds.ParquetFileFormat(read_options=ds.ParquetReadOptions(coerce_int96_timestamp_unit="us"))
        system = self._objects.filesystem if self._objects else LocalFileSystem()
        fragments = [form.make_fragment(str(self._inside(place, path)), system, told) for path, told in known]
        return ds.FileSystemDataset(fragments, schema, form, system)

    def _changed(self, table: DeltaTable, files: Iterable[ChangedFile]) -> ds.Dataset:
        import pyarrow as pa

        schema, partitions = self._schema(table), self._partitions(table)
        known = [(one.path, self._known_of_change(one, schema, partitions)) for one in files]
        whole = schema.append(pa.field(CHANGE, pa.string())).append(pa.field(AT_VERSION, pa.int64()))
        return self._of_files(self._root, whole, known)

    def _known_of_change(self, file: ChangedFile, schema: pa.Schema, partitions: list[str]) -> ds.Expression:
        import pyarrow as pa
        import pyarrow.compute as pc

        found = [pc.field(AT_VERSION) == pa.scalar(file.version, pa.int64())]
        if file.change is not None:
            found.append(pc.field(CHANGE) == file.change)
        for name in partitions:
            try:
                value = partition_value(file.partition[name], schema.field(name).type)
            except (KeyError, pa.ArrowException) as error:
                raise UnreadableLogError(f"Version {file.version} does not say the {name} of its files.") from error
            found.append(pc.field(name) == value if value.is_valid else pc.field(name).is_null())
        return reduce(and_, found)

    def _fits(self, table: DeltaTable, since: int, later: list[Mapping[str, object]]) -> bool:
        """Whether columns were only added since."""
        if not later:
            return True
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError

        try:
            with self._explained():
                first = schema_columns(DeltaTable(str(self._root), version=since).schema().to_json())
        except (ForgeError, DeltaError):  # nobody knows any more
            return False
        now = schema_columns(table.schema().to_json())
        return all(old.items() <= now.items() for old in (first, *later))

    def _inside(self, place: Path, path: str) -> Path:
        plain = own_file(path)
        if plain is None:
            why = "Its log names a file that is not its own, as a shallow clone does."
            raise self._unreadable(why, "Copy the table whole.")
        if self._objects is None:
            self._refuse_path(place / plain)
        return place / plain

    @contextmanager
    def _explained(self) -> Iterator[None]:
        from deltalake.exceptions import DeltaError, TableNotFoundError

        try:
            yield
        except ForgeError:
            raise
        except TableNotFoundError as error:
            raise self._unreachable("There is no Delta table.") from error
        except (DeltaError, OSError, ValueError, OverflowError) as error:
            said = str(error).splitlines() or [type(error).__name__]
            raise self._unreadable(said[0][:200], "Correct `path` and `options`.") from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # of Rust, which is no Exception
                raise
            raise self._unreadable("Its log is damaged.", "Repair the table.") from None

    def _unreachable(self, why: str) -> ForgeError:
        return SourceUnreachableError(f"{self._source.name} cannot be reached", why=why, fix="Correct `path`.")

    def _unreadable(self, why: str, fix: str) -> ForgeError:
        what = f"{self._source.name} cannot be read where it is"
        return ForgeError("E206", what, where=self._source.where or self._source.name, why=why, fix=fix)


def _beyond_files(table: DeltaTable) -> list[str]:
    """Features of the table without which its files do not say its rows."""
    protocol, settings = table.protocol(), table.metadata().configuration
    odd = sorted(set(protocol.reader_features or ()) - _FEATURES)
    if protocol.min_reader_version == 2 or "columnMapping" in odd:  # the same in two versions of the protocol
        odd = [one for one in odd if one != "columnMapping"]
        mode = settings.get("delta.columnMapping.mode", "none")
        odd += ["columnMapping"] if mode != "none" else []
    return odd


def _rows_of(files: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in files.to_batches():
        for at in range(batch.num_rows):
            yield {name: batch.column(index)[at] for index, name in enumerate(batch.schema.names)} | {
                "path": batch.column("path")[at].as_py()
            }


def _known_of(row: Mapping[str, Any], schema: pa.Schema, partitions: list[str]) -> ds.Expression:
    """What is true of every row of a file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found: list[ds.Expression] = []
    for name in partitions:
        value = row[f"partition.{name}"]
        field = pc.field(name)
        found.append(field == value.cast(schema.field(name).type) if value.is_valid else field.is_null())
    for field in schema:
        low, high = row.get(f"min.{field.name}"), row.get(f"max.{field.name}")
        exact = pa.types.is_integer(field.type) or pa.types.is_date32(field.type)
        if not exact or "." in field.name or field.name in partitions or low is None or high is None:
            continue
        if low.is_valid and high.is_valid and low.type == high.type == field.type:
            column = pc.field(field.name)  # each alone: Arrow concludes nothing from an OR of both
            found += [(column >= low) | column.is_null(), (column <= high) | column.is_null()]
    return reduce(and_, found) if found else pc.scalar(True)
