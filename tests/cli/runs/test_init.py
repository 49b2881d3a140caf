from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def files_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".forge" not in path.parts
    }


def test_a_new_project_can_be_planned_at_once(forge: Any, project: Path) -> None:
    ended = forge("plan", "--json", at=project)
    assert ended.status == 0, ended.err
    steps = ended.json["steps"]
    assert [(step["table"], step["kind"], step["action"]) for step in steps] == [
        ("raw.orders", "source", "run"),
        ("marts.revenue", "full", "run"),
    ]
    assert [step["checks"] for step in steps] == [0, 1]
    assert steps[1]["inputs"] == ["raw.orders"]


def test_a_new_project_has_every_place_and_keeps_the_database_out_of_git(project: Path) -> None:
    for folder in ("sources", "transforms", "contracts", "checks", "data"):
        assert (project / folder).is_dir()
    assert ".forge/" in (project / ".gitignore").read_text().splitlines()


def test_the_created_files_are_the_data(forge: Any, tmp_path: Path) -> None:
    created = {item["file"] for item in forge("init", "shop", "--json").json["created"]}
    assert created == set(files_of(tmp_path / "shop"))


@pytest.mark.parametrize("taken", ["forge.yaml", "data/orders.csv"])
def test_nothing_is_ever_overwritten(forge: Any, tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).parent.mkdir(exist_ok=True)
    (tmp_path / taken).write_text("mine\n")
    ended = forge("init")
    assert ended.status == 2
    assert "FORGE-E109" in ended.err
    assert taken in ended.err
    assert files_of(tmp_path) == {taken: "mine\n"}


def test_a_repository_keeps_its_own_gitignore(forge: Any, tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.pyc\n")
    assert forge("init").status == 0
    assert (tmp_path / ".gitignore").read_text().splitlines() == ["*.pyc", ".forge/"]


def test_a_folder_of_any_name_becomes_a_project(forge: Any, tmp_path: Path) -> None:
    assert forge("init", 'odd: "name" # here').status == 0
    assert forge("plan", at=tmp_path / 'odd: "name" # here').status == 0


def test_a_folder_that_cannot_be_made_is_told_with_its_reason(forge: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ended = forge("init", "file/shop")
    assert ended.status == 2
    assert "FORGE-E109" in ended.err
    assert "Not a directory" in ended.err
