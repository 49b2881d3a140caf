"""Addresses of sources as Spark's process needs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.engines.spark.sources import rooted_url

ROOT = Path("/p/shop")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("jdbc:sqlite:data/x.db", "jdbc:sqlite:/p/shop/data/x.db"),
        ("jdbc:sqlite:/data/x.db", "jdbc:sqlite:/data/x.db"),
        ("jdbc:sqlite::memory:", "jdbc:sqlite::memory:"),
        ("jdbc:sqlite:file:x.db?mode=ro", "jdbc:sqlite:file:x.db?mode=ro"),
        ("jdbc:sqlite:", "jdbc:sqlite:"),
        ("jdbc:postgresql://h/d", "jdbc:postgresql://h/d"),
    ],
)
def test_a_file_of_sqlite_starts_at_the_project(url: str, expected: str) -> None:
    assert rooted_url(url, ROOT) == expected
