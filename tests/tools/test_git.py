"""Contracts as another commit has them, from a real Git repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from forge.model.errors import ForgeError
from forge.tools.git import GitFiles


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project inside a larger repository."""
    root = tmp_path_factory.mktemp("repository")
    folder = root / "data project"
    (folder / "contracts").mkdir(parents=True)
    (folder / "contracts/ö.odcs.yaml").write_text("id: one\n")
    (folder / "notes.txt").write_text("no contract\n")
    (root / "outside.odcs.yaml").write_text("id: outside\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"], ["tag", "first"]):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *words], cwd=root, check=True)
    (folder / "contracts/ö.odcs.yaml").write_text("id: changed\n")
    return folder


def test_a_commit_is_read_as_it_was(project: Path) -> None:
    git = GitFiles(project)
    assert git.files("first") == ["contracts/ö.odcs.yaml"]
    assert git.read("HEAD", "contracts/ö.odcs.yaml") == b"id: one\n"
    assert git.read("HEAD", "contracts/other.odcs.yaml") is None


@pytest.mark.parametrize("ref", ["nothing", "--help", "-p", "", "HEAD:notes.txt"])
def test_what_is_no_commit_is_refused(project: Path, ref: str) -> None:
    with pytest.raises(ForgeError, match="Git knows no commit") as refused:
        GitFiles(project).files(ref)
    assert refused.value.code == "E504"


def test_a_folder_without_git_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(ForgeError, match="Git knows no commit"):
        GitFiles(tmp_path).read("HEAD", "x.odcs.yaml")


def test_without_git_it_says_so(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ForgeError, match="Git is not installed"):
        GitFiles(project).files("HEAD")
