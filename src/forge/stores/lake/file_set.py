"""A snapshot as a set of live files, from its manifests: data files, each with the delete files that apply to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pyiceberg.avro.file import AvroFile
from pyiceberg.io import FileIO
from pyiceberg.manifest import (
    MANIFEST_ENTRY_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    _inherit_from_manifest,
    read_manifest_list,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.typedef import Record

from forge.model.errors import ForgeError
from forge.model.lru_cache import LruCache

_PATH_OF_DELETE = 2147483546  # Iceberg's field id of `file_path` in a position delete file
_REFERENCED, _OFFSET, _SIZE = 17, 18, 19  # in a DataFile read by the schema of version 3
_KEPT_ENTRIES = 200_000
_KEPT_SETS = 16
_KEPT_TARGETS = 4096

Entries = Mapping[str, ManifestEntry]


@dataclass(frozen=True, slots=True)
class LiveFile:
    entry: ManifestEntry
    deletes: tuple[ManifestEntry, ...] = ()

    @property
    def delete_names(self) -> tuple[str, ...]:
        return tuple(sorted(name_of(entry.data_file) for entry in self.deletes))

    @property
    def size(self) -> int:
        return self.entry.data_file.file_size_in_bytes + sum(_size(entry.data_file) for entry in self.deletes)

    @property
    def needs_engine(self) -> bool:
        """Only position deletes in Parquet files are applied on the driver."""
        file = self.entry.data_file
        return file.file_format != FileFormat.PARQUET or any(
            entry.data_file.content == DataFileContent.EQUALITY_DELETES
            or entry.data_file.file_format != FileFormat.PARQUET
            for entry in self.deletes
        )


class ManifestReader:
    """Reads each manifest once: they never change, and the snapshots of a table share most of them."""

    def __init__(self, io: FileIO) -> None:
        self._io = io
        self._entries: LruCache[str, Entries] = LruCache(_KEPT_ENTRIES, weigh=len)
        self._sets: LruCache[str, Mapping[str, LiveFile]] = LruCache(_KEPT_SETS)
        self._targets: LruCache[str, frozenset[str] | None] = LruCache(_KEPT_TARGETS)

    def manifests(self, snapshot: Snapshot) -> list[ManifestFile]:
        try:
            return list(read_manifest_list(self._io.new_input(snapshot.manifest_list)))
        except (OSError, ValueError) as error:
            raise unreadable(snapshot.manifest_list, error) from error

    def entries(self, manifest: ManifestFile) -> Entries:
        """The live ones, by `name_of` their file."""
        path = manifest.manifest_path
        if (found := self._entries.get(path)) is not None:
            return found
        try:
            found = {name_of(entry.data_file): entry for entry in _read_entries(self._io, manifest)}
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error
        self._entries.keep({path: found})
        return found

    def live(self, snapshot: Snapshot, specs: Mapping[int, PartitionSpec]) -> Mapping[str, LiveFile]:
        """By path."""
        if (kept := self._sets.get(snapshot.manifest_list)) is not None:
            return kept
        data: list[ManifestEntry] = []
        deletes: list[ManifestEntry] = []
        for manifest in self.manifests(snapshot):
            into = data if manifest.content == ManifestContent.DATA else deletes
            into.extend(self.entries(manifest).values())
        found = assign(data, deletes, specs, self)
        self._sets.keep({snapshot.manifest_list: found})
        return found

    def targets(self, file: DataFile) -> frozenset[str] | None:
        """The data files that a position delete file names; None: only their partition is known."""
        if file[_REFERENCED] is not None:
            return frozenset((str(file[_REFERENCED]),))
        low, high = ((bounds or {}).get(_PATH_OF_DELETE) for bounds in (file.lower_bounds, file.upper_bounds))
        if low is not None and low == high:
            return frozenset((bytes(low).decode(),))
        for known in self._targets.take([file.file_path]).values():
            return known
        found = _read_targets(self._io, file)
        self._targets.keep({file.file_path: found})
        return found


def name_of(file: DataFile) -> str:
    """Its path; of a deletion vector, many of which share one file, also its offset."""
    return file.file_path if file[_OFFSET] is None else f"{file.file_path}#{file[_OFFSET]}"


def _size(file: DataFile) -> int:
    return file.file_size_in_bytes if file[_SIZE] is None else int(file[_SIZE])


def _read_entries(io: FileIO, manifest: ManifestFile) -> Iterator[ManifestEntry]:
    """As PyIceberg reads them, plus the fields of version 3, which say what a delete file refers to."""
    with AvroFile[ManifestEntry](
        io.new_input(manifest.manifest_path),
        MANIFEST_ENTRY_SCHEMAS[3],
        read_types={-1: ManifestEntry, 2: DataFile},
        read_enums={0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent},
    ) as reader:
        for entry in reader:
            if entry.status != ManifestEntryStatus.DELETED:
                yield _inherit_from_manifest(entry, manifest)


def _read_targets(io: FileIO, file: DataFile) -> frozenset[str] | None:
    from pyarrow import parquet

    if file.file_format != FileFormat.PARQUET:
        return None
    try:
        with io.new_input(file.file_path).open() as stream:
            column = parquet.read_table(stream, columns=["file_path"]).column(0)
    except (OSError, ValueError) as error:
        raise unreadable(file.file_path, error) from error
    return frozenset(column.unique().to_pylist())


class _Deletes:
    """Delete files by what they apply to."""

    def __init__(self, deletes: Iterable[ManifestEntry], specs: Mapping[int, PartitionSpec], reader: ManifestReader):
        self.by_path: dict[str, list[ManifestEntry]] = {}
        self.by_partition: dict[tuple[int, Record], list[ManifestEntry]] = {}
        self.everywhere: list[ManifestEntry] = []
        for entry in deletes:
            file = entry.data_file
            if file.content == DataFileContent.POSITION_DELETES and (paths := reader.targets(file)) is not None:
                for path in paths:
                    self.by_path.setdefault(path, []).append(entry)
            elif file.content == DataFileContent.EQUALITY_DELETES and specs[file.spec_id].is_unpartitioned():
                self.everywhere.append(entry)
            else:
                self.by_partition.setdefault((file.spec_id, file.partition), []).append(entry)

    def of(self, entry: ManifestEntry) -> tuple[ManifestEntry, ...]:
        file = entry.data_file
        candidates = [
            *self.by_path.get(file.file_path, ()),
            *self.by_partition.get((file.spec_id, file.partition), ()),
            *self.everywhere,
        ]
        return tuple(delete for delete in candidates if _reaches(delete, entry))


def _reaches(delete: ManifestEntry, data: ManifestEntry) -> bool:
    """A position delete applies to files of its own commit and older ones, an equality delete only to older ones."""
    own = delete.data_file.content == DataFileContent.POSITION_DELETES
    mine, theirs = data.sequence_number or 0, delete.sequence_number or 0
    return mine <= theirs if own else mine < theirs


def assign(
    data: Iterable[ManifestEntry],
    deletes: list[ManifestEntry],
    specs: Mapping[int, PartitionSpec],
    reader: ManifestReader,
) -> dict[str, LiveFile]:
    if not deletes:
        return {entry.data_file.file_path: LiveFile(entry) for entry in data}
    index = _Deletes(deletes, specs, reader)
    return {entry.data_file.file_path: LiveFile(entry, index.of(entry)) for entry in data}


def unreadable(path: str, error: Exception) -> ForgeError:
    missing = isinstance(error, FileNotFoundError)
    return ForgeError(
        "E406",
        "A file of the table is missing" if missing else "A file of the table cannot be read",
        where=path,
        why="It was deleted by something other than Forge." if missing else str(error).split("\n", 1)[0],
        fix="forge doctor",
    )
