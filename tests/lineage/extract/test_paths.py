"""One place, one node, however its path is written."""

from __future__ import annotations

import pytest

from forge.lineage.extract.paths import plain_path


@pytest.mark.parametrize("written", ["out/x", "out//x", "./out/x", "out/x/", "out/./x", "out/a/../x", ".//out///x//"])
def test_spellings_of_one_path_are_one(written: str) -> None:
    assert plain_path(written) == "out/x"


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("s3://lake//x/", "s3://lake/x"),
        ("dbfs:/mnt//x/", "dbfs:/mnt/x"),
        ("hdfs://name:8020/a//b", "hdfs://name:8020/a/b"),
        ("//a/b", "/a/b"),
        ("/", "/"),
        ("../x", "../x"),
        ("@stage/x/", "@stage/x"),
        ("a/*.csv", "a/*.csv"),
        ("${HOME}/x/", "${HOME}/x"),
        ("C:\\data\\x", "C:\\data\\x"),
        ("https://host/x?from=a//b", "https://host/x?from=a//b"),
        ("", ""),
    ],
)
def test_what_stands_before_a_path_stays(written: str, plain: str) -> None:
    assert plain_path(written) == plain
