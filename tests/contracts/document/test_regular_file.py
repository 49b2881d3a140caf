"""Only files are read as contracts: a pipe would be waited for, and a device has no end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from forge.contracts.document.file import ContractError
from forge.contracts.document.regular_file import read_regular
from forge.contracts.load import contract_files, read_bounded


def test_a_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abcdef")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert (read_regular(tmp_path / "a", 4), read_regular(tmp_path / "link", 9)) == (b"abcd", b"abcdef")


@pytest.mark.parametrize("name", ["pipe", "zero", "folder", "missing"])
def test_nothing_else_is(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"no regular file|directory"):
        read_regular(tmp_path / name, 10)


def test_a_pipe_among_the_contracts_is_a_finding_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    os.mkfifo(tmp_path / "contracts" / "a.odcs.yaml")
    (file,) = contract_files(tmp_path)
    with pytest.raises(ContractError) as refused:
        read_bounded(file, "contracts/a.odcs.yaml")
    (found,) = refused.value.violations
    assert (found.code, "no regular file" in found.message) == ("E502", True)
