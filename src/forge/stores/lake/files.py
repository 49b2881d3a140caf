"""Metadata files: read, written under new names, listed. Files are never changed once written."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlparse

from pyiceberg.exceptions import ValidationError
from pyiceberg.io import FileIO, load_file_io
from pyiceberg.serializers import FromInputFile, ToOutputFile
from pyiceberg.table.metadata import TableMetadata, TableMetadataV2
from pyiceberg.view.metadata import ViewMetadata

from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata
from forge.model.errors import DiskFullError, ForgeError
from forge.stores.lake.local_path import local_path as local_path

_NUMBER = re.compile(r"^(\d+)-")


class Files:
    def __init__(self, io: FileIO) -> None:
        self.io = io

    @classmethod
    def at(cls, warehouse: str, properties: Mapping[str, str] | None = None) -> Files:
        """`properties` are PyIceberg's: endpoints and keys of an object store."""
        return cls(load_file_io(dict(properties or {}), warehouse))

    def read_any(self, location: str) -> TableMetadata:
        try:
            return FromInputFile.table_metadata(self.io.new_input(location))
        except (OSError, ValidationError, ValueError) as error:
            raise _unreadable(location, error) from error

    def read(self, location: str) -> TableMetadataV2:
        return version_2(self.read_any(location), location)

    def read_view(self, location: str) -> ViewMetadata:
        try:
            with self.io.new_input(location).open() as stream:
                return ViewMetadata.model_validate_json(stream.read())
        except (OSError, ValueError) as error:
            raise _unreadable(location, error) from error

    def write(self, metadata: TableMetadataV2, after: str | None) -> str:
        """In the metadata folder, numbered after the file `after`."""
        location = next_location(metadata.location, after)
        try:
            ToOutputFile.table_metadata(metadata, self.io.new_output(location))
        except OSError as error:
            raise unwritable(location, error) from error
        return location

    def write_view(self, metadata: ViewMetadata, after: str | None) -> str:
        location = next_location(metadata.location, after)
        try:
            with self.io.new_output(location).create() as stream:
                stream.write(metadata.model_dump_json(exclude_none=True).encode())
        except OSError as error:
            raise unwritable(location, error) from error
        return location

    def delete(self, path: str) -> None:
        self.io.delete(path)


def version_2(metadata: TableMetadata, location: str) -> TableMetadataV2:
    if not isinstance(metadata, TableMetadataV2):
        raise ForgeError(
            "E406",
            f"The table has Iceberg's format version {metadata.format_version}",
            where=location,
            why="Forge writes version 2.",
            fix="Write it as version 2: TBLPROPERTIES ('format-version'='2')",
        )
    return metadata


def next_location(folder: str, after: str | None) -> str:
    found = _NUMBER.match(after.rsplit("/", 1)[-1]) if after else None
    number = int(found[1]) + 1 if found else 0
    return f"{folder.rstrip('/')}/metadata/{number:05d}-{uuid.uuid4()}.metadata.json"


def local_folder(location: str) -> Path:
    if not location.startswith("file:") and (scheme := urlparse(location).scheme):
        raise ForgeError(
            "E407",
            f"Forge cannot list files on {scheme}",
            where=location,
            why="Unused files are found by listing the warehouse, which is done on local file systems only.",
            fix="Use the storage's own tools, or Iceberg's procedure remove_orphan_files.",
        )
    return Path(local_path(location))


def list_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from list_files(Path(entry.path))
            else:
                yield entry


def _unreadable(location: str, error: Exception) -> UnreadableMetadata:
    if isinstance(error, FileNotFoundError):
        return UnreadableMetadata(location, "Someone deleted or moved it.", is_missing=True)
    if isinstance(error, OSError):
        return UnreadableMetadata(location, f"{error.strerror or str(error).splitlines()[0]}.")
    return UnreadableMetadata(location, f"It is not, or not all of, what Iceberg writes{_size(location)}.")


def _size(location: str) -> str:
    try:
        return f" ({os.stat(local_path(location)).st_size} bytes)"
    except OSError:
        return ""


def unwritable(location: str, error: OSError) -> ForgeError:
    why = f"{str(error).splitlines()[0]}. Nothing was published."
    if "no space left" in str(error).lower():
        return DiskFullError(
            "The warehouse has no space left", where=location, why=why, fix="Free space, then run again."
        )
    fix = "Check the rights of the folder, then run again."
    return ForgeError("E408", "The warehouse cannot be written", where=location, why=why, fix=fix)
