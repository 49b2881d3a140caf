"""Paths of objects: what they find, and what is none."""

from __future__ import annotations

import pytest

from forge.federation.object_path import ObjectPath, parse_object_path


@pytest.mark.parametrize(
    "odd",
    [
        "s3a://", "s3a://Bucket/x", "s3a://b/x", "s3a://key:secret@bucket/x", "s3a://bucket/../x", "s3a://bucket/a//b",
        "s3a://bucket/%2e%2e/x", "s3a://bucket/x#y", "s3a://bucket/a\\b", "gs://bucket/x", "file:///etc/passwd",
        "s3a://bucket..evil/x", "s3a://bucket:80/x", "https://bucket/x", "s3a://bucket/x\n",
    ],
)  # fmt: skip
def test_what_is_no_path_of_objects(odd: str) -> None:
    assert parse_object_path(odd) is None


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("a/*.csv", "bucket/a/1.csv", True),
        ("a/*.csv", "bucket/a/b/1.csv", False),
        ("a/**/*.csv", "bucket/a/1.csv", True),
        ("a/**/*.csv", "bucket/a/b/c/1.csv", True),
        ("**/*.csv", "bucket/.trash/1.csv", False),
        ("a/*", "bucket/a/.hidden", False),
        ("a/[12].csv", "bucket/a/3.csv", False),
        ("a/*.csv", "other/a/1.csv", False),
    ],
)
def test_a_pattern_finds_what_one_of_files_would(pattern: str, path: str, found: bool) -> None:
    parsed = parse_object_path(f"s3a://bucket/{pattern}")
    assert parsed is not None
    assert parsed.matches(path) is found


def test_what_may_hold_the_same_objects() -> None:
    lake = ObjectPath("bucket", "lake/warehouse")
    for key in ("", "lake", "lake/*", "lake/warehouse/core/*.parquet", "*/x"):
        assert ObjectPath("bucket", key).overlaps(lake), key
    for other in (ObjectPath("bucket", "data/x"), ObjectPath("bucket", "lake/ware"), ObjectPath("else", "lake")):
        assert not other.overlaps(lake)
