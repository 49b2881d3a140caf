"""`forge pii scan`: outside of a project, in every format, without a value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CSV = "id,email,city\n1,ada@example.com,Berlin\n2,bob@example.org,Rome\n3,cy@example.net,Paris\n"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(CSV)
    return tmp_path / "people.csv"


def test_columns_are_told_with_their_evidence_and_no_value(forge: Callable[..., Any], people: Path) -> None:
    said = forge("pii", "scan", "people.csv").out
    assert "email" in said
    assert "quasi-identifier" in said
    assert "people.csv: 1 column of 3 with personal data, by all rows" in said
    assert "example.com" not in said
    assert "Berlin" not in said


def test_the_data_is_the_same_as_json(forge: Callable[..., Any], people: Path) -> None:
    found = forge("pii", "scan", "people.csv", "--rows", "2", "--json").json
    assert found["files"] == [{"file": "people.csv", "rows": 2, "complete": False}]
    assert [(one["column"], one["type"], one["quasi"]) for one in found["columns"]] == [
        ("id", None, False),
        ("email", "email", False),
        ("city", None, True),
    ]
    assert {"column", "type", "score", "evidence"} <= found["columns"][1].keys()


def test_people_are_shown_every_column_only_when_they_ask(forge: Callable[..., Any], people: Path) -> None:
    assert "\nid" not in forge("pii", "scan", "people.csv").out
    assert "\nid" in forge("pii", "scan", "people.csv", "--all").out


def test_types_of_the_project_are_looked_for_in_files_inside_of_it(forge: Callable[..., Any], people: Path) -> None:
    Path("badges.csv").write_text("c7\n" + "".join(f"E10000{n}\n" for n in range(5)))
    assert forge("pii", "scan", "badges.csv", "--json").json["columns"][0]["type"] is None
    Path("forge.yaml").write_text("project: x\npii: {types: {badge: {pattern: 'E[0-9]{6}'}}}\n")
    assert forge("pii", "scan", "badges.csv", "--json").json["columns"][0]["type"] == "badge"
    Path("forge.yaml").write_text("project: x\npii: {types: {badge: {pattern: 'E['}}}\n")
    assert "FORGE-E105" in forge("pii", "scan", "badges.csv").err


def test_a_file_that_cannot_be_read_is_an_error(forge: Callable[..., Any], people: Path) -> None:
    people.rename("people.xls")
    failed = forge("pii", "scan", "people.xls")
    assert failed.status == 2
    assert "FORGE-E629" in failed.err


def test_a_name_with_control_characters_does_not_reach_the_terminal(forge: Callable[..., Any], people: Path) -> None:
    people.write_text("\x1b[31memail\x07,b\n" + "ada@example.com,1\n" * 3)
    ended = forge("pii", "scan", "people.csv")
    assert "\x1b" not in ended.out
    assert "\\x1b[31memail\\x07" in ended.out
    people.rename("\x1b[31m.xls")
    assert "\x1b" not in forge("pii", "scan", "\x1b[31m.xls").err
