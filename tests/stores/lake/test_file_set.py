"""Which delete files reach which data files, by Iceberg's rules of sequence numbers and partitions."""

from __future__ import annotations

from typing import Any

import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestEntry, ManifestEntryStatus
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionField, PartitionSpec
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record

from forge.stores.lake.file_set import LiveFile, ManifestReader, assign

DATA, POSITION, EQUALITY = DataFileContent.DATA, DataFileContent.POSITION_DELETES, DataFileContent.EQUALITY_DELETES
FLAT, BY_DAY = 0, 1
SPECS = {
    FLAT: UNPARTITIONED_PARTITION_SPEC,
    BY_DAY: PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "day"), spec_id=BY_DAY),
}


def entry(
    path: str, content: DataFileContent, sequence: int, spec: int = FLAT, day: str | None = None, **more: Any
) -> Any:
    fields: dict[str, Any] = {
        "content": content,
        "file_path": path,
        "file_format": "PARQUET",
        "partition": Record(day) if spec == BY_DAY else Record(),
        "record_count": 1,
        "file_size_in_bytes": 100,
        **more,
    }
    file = DataFile.from_args(_table_format_version=3, **fields)
    file.spec_id = spec
    return ManifestEntry.from_args(
        status=ManifestEntryStatus.EXISTING,
        snapshot_id=1,
        sequence_number=sequence,
        file_sequence_number=sequence,
        data_file=file,
    )


def deletes_of(data: list[Any], deletes: list[Any]) -> dict[str, tuple[str, ...]]:
    found = assign(data, deletes, SPECS, ManifestReader(PyArrowFileIO()))
    return {path: file.delete_names for path, file in found.items()}


def test_a_position_delete_reaches_the_file_it_refers_to_up_to_its_own_commit() -> None:
    delete = entry("d", POSITION, 2, referenced_data_file="a")
    assert deletes_of([entry("a", DATA, 2), entry("b", DATA, 1)], [delete]) == {"a": ("d",), "b": ()}
    assert deletes_of([entry("a", DATA, 3)], [delete]) == {"a": ()}


def test_a_position_delete_whose_bounds_are_one_path_refers_to_it() -> None:
    bounds: dict[str, Any] = {"lower_bounds": {2147483546: b"a"}, "upper_bounds": {2147483546: b"a"}}
    delete = entry("d", POSITION, 2, **bounds)
    assert deletes_of([entry("a", DATA, 1), entry("ab", DATA, 1)], [delete]) == {"a": ("d",), "ab": ()}


def test_a_position_delete_that_cannot_be_opened_here_may_reach_all_of_its_partition() -> None:
    delete = entry("d", POSITION, 2, BY_DAY, "mon", file_format="AVRO")
    data = [entry("a", DATA, 1, BY_DAY, "mon"), entry("b", DATA, 1, BY_DAY, "tue"), entry("c", DATA, 3, BY_DAY, "mon")]
    assert deletes_of(data, [delete]) == {"a": ("d",), "b": (), "c": ()}


@pytest.mark.parametrize(("sequence", "reached"), [(1, True), (2, False), (3, False)], ids=["older", "same", "newer"])
def test_an_equality_delete_reaches_only_older_files(sequence: int, reached: bool) -> None:
    found = deletes_of([entry("a", DATA, sequence)], [entry("d", EQUALITY, 2)])
    assert found == {"a": ("d",) if reached else ()}


def test_an_equality_delete_is_of_its_partition_or_of_all() -> None:
    data = [entry("a", DATA, 1, BY_DAY, "mon"), entry("b", DATA, 1, BY_DAY, "tue"), entry("c", DATA, 1)]
    one, all_ = entry("one", EQUALITY, 2, BY_DAY, "mon"), entry("all", EQUALITY, 2)
    assert deletes_of(data, [one, all_]) == {"a": ("all", "one"), "b": ("all",), "c": ("all",)}


def test_deletion_vectors_of_one_file_are_told_apart() -> None:
    vector: dict[str, Any] = {"file_format": "PUFFIN", "content_size_in_bytes": 40}
    deletes = [
        entry("v", POSITION, 2, referenced_data_file="a", content_offset=4, **vector),
        entry("v", POSITION, 2, referenced_data_file="b", content_offset=44, **vector),
    ]
    assert deletes_of([entry("a", DATA, 1), entry("b", DATA, 1)], deletes) == {"a": ("v#4",), "b": ("v#44",)}


@pytest.mark.parametrize(
    ("deletes", "expected"),
    [
        ([], False),
        ([entry("d", POSITION, 2)], False),
        ([entry("d", EQUALITY, 2)], True),
        ([entry("d", POSITION, 2, file_format="PUFFIN")], True),
    ],
    ids=["none", "position", "equality", "vector"],
)
def test_what_only_an_engine_reads_is_known(deletes: list[Any], expected: bool) -> None:
    assert LiveFile(entry("a", DATA, 1), tuple(deletes)).needs_engine is expected


def test_a_data_file_that_is_not_parquet_needs_an_engine() -> None:
    assert LiveFile(entry("a", DATA, 1, file_format=FileFormat.ORC.value)).needs_engine


def test_the_size_counts_delete_files_and_of_a_vector_its_own_part() -> None:
    vector = entry("v", POSITION, 2, file_format="PUFFIN", content_offset=4, content_size_in_bytes=40)
    assert LiveFile(entry("a", DATA, 1), (entry("d", POSITION, 2), vector)).size == 240
