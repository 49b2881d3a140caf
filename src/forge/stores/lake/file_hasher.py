"""Content hashes of the lake's files: BLAKE3, files in parallel. They are read in blocks and not mapped, so
that a disk error is an exception and not the end of the process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

from forge.flows.versioning.content_hash import FileHash, HashProgress, ListedFile, SnapshotFacts
from forge.model.canonical_json import digest_of
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, SnapshotId
from forge.stores.lake.iceberg import IcebergLake, naming

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata


BLOCK = 2**20  # larger ones fall out of the processor's cache
_AT_ONCE = 4


class IcebergFileHasher:
    def __init__(self, lake: IcebergLake, at_once: int | None = None) -> None:
        self._lake = lake
        self._at_once = at_once or min(_AT_ONCE, os.cpu_count() or 1)
        self._read = lru_cache(maxsize=64)(lambda path: lake.files.read_any(path))  # metadata files never change

    def facts(
        self, catalog: CatalogName, snapshot_id: SnapshotId | None, schema_id: int, location: str | None = None
    ) -> SnapshotFacts | None:
        if location is None:
            state = self._lake.state(catalog)
            if state is None or state.kind == "VIEW":
                return None
            location = state.location
        with naming(catalog):
            return facts_of(self._read(location), snapshot_id, schema_id)

    def manifests(self, manifest_list: str) -> tuple[str, ...]:
        from pyiceberg.manifest import read_manifest_list

        try:
            return tuple(m.manifest_path for m in read_manifest_list(self._lake.files.io.new_input(manifest_list)))
        except Exception as error:  # bytes that are not Avro make the decoder raise anything
            raise _unreadable("manifest list", manifest_list, error) from error

    def listed(self, manifest: str) -> tuple[ListedFile, ...]:
        from pyiceberg.avro.file import AvroFile
        from pyiceberg.manifest import (
            DEFAULT_READ_VERSION,
            MANIFEST_ENTRY_SCHEMAS,
            DataFile,
            DataFileContent,
            FileFormat,
            ManifestEntry,
            ManifestEntryStatus,
        )

        try:
            with AvroFile[ManifestEntry](
                self._lake.files.io.new_input(manifest),
                MANIFEST_ENTRY_SCHEMAS[DEFAULT_READ_VERSION],
                read_types={-1: ManifestEntry, 2: DataFile},
                read_enums={0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent},
            ) as entries:
                live = [e.data_file for e in entries if e.status != ManifestEntryStatus.DELETED]
        except Exception as error:  # likewise
            raise _unreadable("manifest", manifest, error) from error
        return tuple(ListedFile(int(f.content), f.file_path, f.file_size_in_bytes, f.record_count) for f in live)

    def hashes(self, paths: Iterable[str], progress: HashProgress | None = None) -> Mapping[str, FileHash]:
        wanted = list(dict.fromkeys(paths))
        if len(wanted) < 2:
            return {path: self._hash(path, progress) for path in wanted}
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="forge-hash") as pool:
            return dict(zip(wanted, pool.map(partial(self._hash, progress=progress), wanted), strict=True))

    def sizes(self, paths: Iterable[str]) -> Mapping[str, int | None]:
        return {path: self._size(path) for path in paths}

    def _size(self, path: str) -> int | None:
        try:
            local = _local(path)
            return os.stat(local).st_size if local else len(self._lake.files.io.new_input(path))
        except OSError:
            return None

    def _hash(self, path: str, progress: HashProgress | None) -> FileHash:
        try:
            local = _local(path)
            if local:
                with open(local, "rb", buffering=0) as file:
                    return hash_stream(file, progress)
            with self._lake.files.io.new_input(path).open() as stream:
                return hash_stream(stream, progress)
        except FileNotFoundError:
            return FileHash(None, problem="it is not there")
        except OSError as error:
            return FileHash(None, problem=error.strerror or str(error))


def hash_stream(stream: Any, progress: HashProgress | None = None) -> FileHash:
    from blake3 import blake3

    digest, size = blake3(), 0
    if hasattr(stream, "readinto"):
        buffer = bytearray(BLOCK)
        view = memoryview(buffer)
        while count := stream.readinto(buffer):
            digest.update(view[:count])
            size += count
            if progress:
                progress(count)
    else:
        while block := stream.read(BLOCK):
            digest.update(block)
            size += len(block)
            if progress:
                progress(len(block))
    return FileHash(digest.hexdigest(), size)


def facts_of(metadata: TableMetadata, snapshot_id: int | None, schema_id: int) -> SnapshotFacts:
    schema = metadata.schema_by_id(schema_id)
    snapshot = metadata.snapshot_by_id(snapshot_id) if snapshot_id is not None else None
    return SnapshotFacts(
        uuid=str(metadata.table_uuid),
        schema=digest_of(schema.model_dump(mode="json", by_alias=True)) if schema else None,
        spec_id=metadata.default_spec_id,
        specs={spec.spec_id: spec.model_dump(mode="json", by_alias=True) for spec in metadata.partition_specs},
        properties=dict(metadata.properties),
        manifest_list=snapshot.manifest_list if snapshot else None,
    )


def _local(path: str) -> str | None:
    """The path on this machine's file system, if it exists there."""
    from forge.stores.lake.files import local_path

    return local_path(path) if path.startswith("file:") or not urlparse(path).scheme else None


def _unreadable(kind: str, path: str, error: Exception) -> ForgeError:
    return ForgeError(
        "E624", f"A {kind} cannot be read", where=path, why=str(error) or type(error).__name__, fix="forge doctor"
    )
