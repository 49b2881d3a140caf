"""What a power cut finds on the disk: every file of a publish, and its folders, before the pointer that names it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from sealed_lake import ITEMS, ORDERS, SealedLake, local, numbers
from sqlalchemy import Connection, event

from forge.model.errors import ForgeError
from forge.model.names import CatalogName, TableName
from forge.stores.lake.sync import DiskSync
from forge.stores.sql import publish as publishing
from forge.stores.sql.database import writing


@pytest.fixture
def happened(sealed_lake: SealedLake, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths in the order they were synced, "pointer" where a pointer moved, and "commit, synchronous=…"."""
    told: list[str] = []
    sync, set_pointers = os.fsync, publishing.set_pointers

    def recorded_sync(handle: int) -> None:
        sync(handle)
        told.append(os.readlink(f"/proc/self/fd/{handle}"))

    def recorded_pointers(*arguments: Any) -> None:
        set_pointers(*arguments)
        told.append("pointer")

    def committed(connection: Connection) -> None:
        if told and told[-1] == "pointer":
            told.append(f"commit, synchronous={connection.exec_driver_sql('PRAGMA synchronous').scalar()}")

    monkeypatch.setattr(os, "fsync", recorded_sync)
    monkeypatch.setattr(publishing, "set_pointers", recorded_pointers)
    event.listen(sealed_lake.database, "commit", committed)
    return told


def files_of(sealed_lake: SealedLake, table: TableName) -> set[str]:
    """Of the newest version: data files, manifests, manifest list, metadata file."""
    state = sealed_lake.lake.state(CatalogName(table.schema, table.name))
    assert state is not None
    metadata = sealed_lake.lake.files.read(state.location)
    snapshot = metadata.current_snapshot()
    assert snapshot is not None
    io = sealed_lake.lake.files.io
    manifests = snapshot.manifests(io)
    data = [entry.data_file.file_path for m in manifests for entry in m.fetch_manifest_entry(io)]
    return {
        str(local(path))
        for path in (state.location, snapshot.manifest_list, *data, *(m.manifest_path for m in manifests))
    }


def before_the_pointer(happened: list[str]) -> list[str]:
    return happened[: happened.index("pointer")]


def test_every_new_file_and_its_folders_are_on_the_disk_before_the_pointer_moves(
    sealed_lake: SealedLake, happened: list[str]
) -> None:
    sealed_lake.append({ORDERS: numbers(1, 2), ITEMS: numbers(1)})
    synced = before_the_pointer(happened)
    files = files_of(sealed_lake, ORDERS) | files_of(sealed_lake, ITEMS)
    assert files <= set(synced)
    folders = {str(folder) for file in files for folder in Path(file).parents if sealed_lake.root in folder.parents}
    assert folders <= set(synced), "a new folder is as lost as a new file"
    last_file = max(synced.index(file) for file in files)
    assert all(synced.index(folder) > last_file for folder in folders)
    assert happened[len(synced) :][:2] == ["pointer", "commit, synchronous=2"]


@pytest.mark.slow
def test_only_what_is_new_is_synced(sealed_lake: SealedLake, happened: list[str]) -> None:
    sealed_lake.append({ORDERS: numbers(1, 2), ITEMS: numbers(1)})
    old = files_of(sealed_lake, ORDERS) | files_of(sealed_lake, ITEMS)
    happened.clear()
    sealed_lake.append({ORDERS: numbers(3)})
    synced = [path for path in before_the_pointer(happened) if stat.S_ISREG(os.stat(path).st_mode)]
    new = files_of(sealed_lake, ORDERS) - old
    assert new <= set(synced)
    assert not set(synced) & old
    assert len(synced) == len(set(synced))


def test_the_checksum_that_hadoop_keeps_beside_a_file_is_synced_with_it(tmp_path: Path, happened: list[str]) -> None:
    file, checksum = tmp_path / "a.parquet", tmp_path / ".a.parquet.crc"
    file.touch()
    checksum.touch()
    DiskSync(str(tmp_path)).sync([f"file://{file}"])
    assert {str(file), str(checksum), str(tmp_path)} <= set(happened)


def test_the_metadata_file_of_a_ref_that_is_set_is_synced(sealed_lake: SealedLake, happened: list[str]) -> None:
    sealed_lake.append({ORDERS: numbers(1)})
    happened.clear()
    head = sealed_lake.metadata.tree(sealed_lake.head())[ORDERS].snapshot_id
    sealed_lake.lake.set_ref(CatalogName("core", "orders"), "kept", head)
    state = sealed_lake.lake.state(CatalogName("core", "orders"))
    assert state is not None
    assert str(local(state.location)) in happened


def test_what_lies_in_an_object_store_is_not_looked_for_here(happened: list[str]) -> None:
    DiskSync("s3://bucket/warehouse").sync(["s3://bucket/warehouse/core/orders/data/a.parquet"])
    assert happened == []


def test_a_file_that_cannot_be_synced_stops_the_publish(tmp_path: Path) -> None:
    with pytest.raises(ForgeError) as raised:
        DiskSync(str(tmp_path)).sync([str(tmp_path / "gone.parquet")])
    assert raised.value.code == "E408"
    assert "Nothing was published" in (raised.value.why or "")


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 1)])
def test_a_publish_is_written_through_and_notes_are_not(sealed_lake: SealedLake, durable: bool, level: int) -> None:
    for _ in range(2):
        with writing(sealed_lake.database, durable=not durable):
            pass
        with writing(sealed_lake.database, durable=durable) as connection:
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == level
