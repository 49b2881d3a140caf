"""Snapshots made of files: manifests, a manifest list and the snapshot that points at it. No data file is opened.

Unchanged manifests are reused. Files that stay keep their sequence number and snapshot, added files get the new one,
so that no delete file applies to what it was not written for."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from pyiceberg.io import FileIO
from pyiceberg.manifest import (
    DataFile,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriter,
    write_manifest,
    write_manifest_list,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import TableProperties
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadataV2
from pyiceberg.table.snapshots import (
    Operation,
    Snapshot,
    SnapshotSummaryCollector,
    Summary,
    update_snapshot_summaries,
)

from forge.model.errors import ForgeError
from forge.stores.lake.file_set import ManifestReader


@dataclass(frozen=True, slots=True)
class SnapshotChange:
    """The changes of a snapshot against its parent."""

    removed: tuple[DataFile, ...]
    added: tuple[DataFile, ...]

    @property
    def operation(self) -> Operation:
        if not self.removed:
            return Operation.APPEND
        return Operation.OVERWRITE if self.added else Operation.DELETE


class SnapshotWriter:
    """Writes one snapshot on top of the metadata's current one."""

    def __init__(self, metadata: TableMetadataV2, io: FileIO, reader: ManifestReader, now_ms: int) -> None:
        self._metadata = metadata
        self._io = io
        self._reader = reader
        self._now_ms = max(now_ms, metadata.last_updated_ms)
        self._id = metadata.new_snapshot_id()
        self._sequence = metadata.next_sequence_number()
        self._names = (f"{uuid.uuid4()}-m{number}.avro" for number in count())
        self._places = load_location_provider(metadata.location, metadata.properties)
        self._codec: Any = metadata.properties.get(
            TableProperties.WRITE_AVRO_COMPRESSION, TableProperties.WRITE_AVRO_COMPRESSION_DEFAULT
        )

    def replaced(self, removed: frozenset[str], added: Sequence[DataFile], *, foreign: bool) -> Snapshot:
        """Without the files of these paths and with the others. `foreign`: the added ones were written for another
        snapshot, and may be in this one already."""
        parent = self._metadata.current_snapshot()
        kept: list[ManifestFile] = []
        gone: list[DataFile] = []
        for manifest in self._reader.manifests(parent) if parent else ():
            names = self._names_in(manifest, added) if foreign else frozenset()
            if names:
                raise _doubled(sorted(names)[0])
            touched = len(gone) < len(removed) and manifest.content == ManifestContent.DATA
            hit = removed.intersection(self._reader.entries(manifest)) if touched else frozenset()
            if hit:
                gone += [self._reader.entries(manifest)[path].data_file for path in hit]
            kept.append(self._without(manifest, hit) if hit else manifest)
        if len(gone) != len(removed):
            raise _not_there(removed - {file.file_path for file in gone})
        change = SnapshotChange(tuple(gone), tuple(added))
        return self._snapshot([*self._new_manifests(added), *kept], self._summary(change, parent), parent)

    def only(
        self, files: Iterable[ManifestEntry], deletes: Sequence[ManifestFile], summary: Mapping[str, str]
    ) -> Snapshot:
        """A snapshot of exactly these files, with their original sequence numbers, and these delete manifests."""
        by_spec: dict[int, list[ManifestEntry]] = {}
        for entry in files:
            by_spec.setdefault(entry.data_file.spec_id, []).append(entry)
        manifests = []
        for spec_id, entries in by_spec.items():
            with self._writer(spec_id) as writer:
                for entry in entries:
                    writer.existing(entry)
            manifests.append(writer.to_manifest_file())
        parent = self._metadata.current_snapshot()
        return self._snapshot([*manifests, *deletes], Summary(Operation.OVERWRITE, **summary), parent)

    def _names_in(self, manifest: ManifestFile, added: Sequence[DataFile]) -> frozenset[str]:
        if manifest.content != ManifestContent.DATA:
            return frozenset()
        return frozenset(file.file_path for file in added).intersection(self._reader.entries(manifest))

    def _without(self, manifest: ManifestFile, removed: frozenset[str]) -> ManifestFile:
        with self._writer(manifest.partition_spec_id) as writer:
            for path, entry in self._reader.entries(manifest).items():
                if path in removed:
                    writer.delete(entry)
                else:
                    writer.existing(entry)
        return writer.to_manifest_file()

    def _new_manifests(self, added: Sequence[DataFile]) -> list[ManifestFile]:
        by_spec: dict[int, list[DataFile]] = {}
        for file in added:
            by_spec.setdefault(file.spec_id, []).append(file)
        manifests = []
        for spec_id, files in by_spec.items():
            with self._writer(spec_id) as writer:
                for file in files:
                    writer.add_entry(
                        ManifestEntry.from_args(
                            status=ManifestEntryStatus.ADDED,
                            snapshot_id=self._id,
                            sequence_number=None,  # inherited from the manifest: the new snapshot's
                            file_sequence_number=None,
                            data_file=file,
                        )
                    )
            manifests.append(writer.to_manifest_file())
        return manifests

    def _writer(self, spec_id: int) -> ManifestWriter:
        spec = self._metadata.specs()[spec_id]
        place = self._io.new_output(self._places.new_metadata_location(next(self._names)))
        return write_manifest(2, spec, self._schema_for(spec), place, self._id, self._codec)

    def _schema_for(self, spec: PartitionSpec) -> Schema:
        """The current schema, unless a partition column of an old spec was dropped since."""
        sources = {field.source_id for field in spec.fields}
        schemas = [self._metadata.schema(), *reversed(self._metadata.schemas)]
        return next((schema for schema in schemas if sources <= schema.field_ids), schemas[0])

    def _summary(self, change: SnapshotChange, parent: Snapshot | None) -> Summary:
        limit = self._metadata.properties.get(
            TableProperties.WRITE_PARTITION_SUMMARY_LIMIT, TableProperties.WRITE_PARTITION_SUMMARY_LIMIT_DEFAULT
        )
        specs = self._metadata.specs()
        collected = SnapshotSummaryCollector(partition_summary_limit=int(limit))
        for file in change.added:
            spec = specs[file.spec_id]
            collected.add_file(file, partition_spec=spec, schema=self._schema_for(spec))
        for file in change.removed:
            spec = specs[file.spec_id]
            collected.remove_file(file, partition_spec=spec, schema=self._schema_for(spec))
        summary = Summary(change.operation, **collected.build())
        return update_snapshot_summaries(summary, parent.summary if parent else None)

    def _snapshot(self, manifests: list[ManifestFile], summary: Summary, parent: Snapshot | None) -> Snapshot:
        place = self._places.new_metadata_location(f"snap-{self._id}-0-{uuid.uuid4()}.avro")
        parent_id = parent.snapshot_id if parent else None
        with write_manifest_list(
            2, self._io.new_output(place), self._id, parent_id, self._sequence, self._codec
        ) as writer:
            if manifests:
                writer.add_manifests(manifests)
        return Snapshot.model_validate(
            {
                "snapshot-id": self._id,
                "parent-snapshot-id": parent_id,
                "sequence-number": self._sequence,
                "timestamp-ms": self._now_ms,
                "manifest-list": place,
                "summary": summary,
                "schema-id": self._metadata.current_schema_id,
            }
        )


def with_snapshot(metadata: TableMetadataV2, snapshot: Snapshot) -> TableMetadataV2:
    """The metadata with the snapshot added; no ref points at it yet."""
    sequence = max(metadata.last_sequence_number, snapshot.sequence_number or 0)
    return metadata.model_copy(update={"snapshots": [*metadata.snapshots, snapshot], "last_sequence_number": sequence})


def slice_summary(entries: Iterable[ManifestEntry], parent: Snapshot) -> dict[str, str]:
    """Totals of these data files; delete files are counted as in the parent snapshot."""
    files = [entry.data_file for entry in entries]
    known = parent.summary.additional_properties if parent.summary else {}
    deletes = ("total-delete-files", "total-position-deletes", "total-equality-deletes")
    return {
        "total-data-files": str(len(files)),
        "total-records": str(sum(file.record_count for file in files)),
        "total-files-size": str(sum(file.file_size_in_bytes for file in files)),
        **{name: known[name] for name in deletes if name in known},
    }


def _not_there(paths: frozenset[str]) -> ForgeError:
    return ForgeError(
        "E406",
        f"{len(paths)} files to replace are not in the table",
        where=sorted(paths)[0],
        why="The table is not the one that was compared.",
        fix="Try again.",
    )


def _doubled(path: str) -> ForgeError:
    return ForgeError(
        "E406",
        "A file to add is in the table already",
        where=path,
        why="Its rows would be there twice.",
        fix="Try again; if it stays, forge doctor.",
    )
