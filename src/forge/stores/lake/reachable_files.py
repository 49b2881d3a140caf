"""Files reachable from the catalog: metadata, manifest lists, manifests, data, deletes, statistics."""

from __future__ import annotations

import os
from collections.abc import Iterable

from forge.model.errors import ForgeError
from forge.stores.lake.files import Files, local_path


def reachable_files(files: Files, rows: Iterable[tuple[str, str]]) -> set[str]:
    """Local paths reachable from catalog rows, each a metadata location and its kind. Anything unreadable is an
    error: a file is unused only when everything that could use it has been read."""
    found: set[str] = set()
    manifests: set[str] = set()
    lists: set[str] = set()
    for location, kind in rows:
        found.add(local_path(location))
        if kind == "VIEW":
            continue  # a view's earlier files are named by trees, not by its metadata
        metadata = files.read_any(location)
        found |= {local_path(entry.metadata_file) for entry in metadata.metadata_log}
        found |= {local_path(s.statistics_path) for s in (*metadata.statistics, *metadata.partition_statistics)}
        for snapshot in metadata.snapshots:
            if snapshot.manifest_list not in lists:
                lists.add(snapshot.manifest_list)
                found |= _of_manifest_list(files, snapshot.manifest_list, manifests)
    return found


def _of_manifest_list(files: Files, manifest_list: str, seen: set[str]) -> set[str]:
    from pyiceberg.manifest import read_manifest_list

    found = {local_path(manifest_list)}
    try:
        for manifest in read_manifest_list(files.io.new_input(manifest_list)):
            if manifest.manifest_path in seen:
                continue
            seen.add(manifest.manifest_path)
            found.add(local_path(manifest.manifest_path))
            entries = manifest.fetch_manifest_entry(files.io, discard_deleted=True)
            found |= {local_path(entry.data_file.file_path) for entry in entries}
    except (OSError, ValueError) as error:
        raise ForgeError(
            "E406", "A manifest of the lake cannot be read", where=manifest_list, why=str(error), fix="forge doctor"
        ) from error
    return found


def is_checksum_of(path: str, found: set[str]) -> bool:
    """Hadoop keeps a checksum `.name.crc` next to each local file `name`."""
    folder, name = os.path.split(path)
    return name.startswith(".") and name.endswith(".crc") and os.path.join(folder, name[1:-4]) in found
