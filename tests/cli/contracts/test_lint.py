"""`forge contract lint` outside any project: what it prints, and what its exit status says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Forge = Callable[..., Any]

GOOD = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\n"
BAD = GOOD.replace("1.0.0", "one")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.odcs.yaml").write_text(GOOD, "utf-8")
    (tmp_path / "bad.odcs.yaml").write_text(BAD, "utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_findings_are_an_answer_and_end_with_1(forge: Forge) -> None:
    done = forge("contract", "lint", "bad.odcs.yaml", "good.odcs.yaml", "--json")
    assert done.status == 1
    assert done.json == {
        "schema_version": 1,
        "violations": [
            {
                "code": "FORGE-E502",
                "severity": "error",
                "file": "bad.odcs.yaml",
                "line": 4,
                "column": 10,
                "path": "version",
                "message": "'one' is not a semantic version",
                "fix": "Write three numbers, like 1.0.0.",
            }
        ],
    }


@pytest.mark.usefixtures("folder")
def test_a_good_contract_has_none_and_ends_with_0(forge: Forge) -> None:
    done = forge("contract", "lint", "good.odcs.yaml", "--json")
    assert (done.status, done.json) == (0, {"schema_version": 1, "violations": []})


@pytest.mark.usefixtures("folder")
def test_people_read_lines(forge: Forge) -> None:
    done = forge("contract", "lint", "bad.odcs.yaml")
    assert done.out.splitlines() == [
        "FORGE-E502 bad.odcs.yaml:4:10  'one' is not a semantic version",
        "  fix: Write three numbers, like 1.0.0.",
        "1 error in 1 contract",
    ]


@pytest.mark.usefixtures("folder")
def test_the_strict_profile_wants_more(forge: Forge) -> None:
    done = forge("contract", "lint", "good.odcs.yaml", "--profile", "strict", "--json")
    assert done.status == 1
    assert [each["path"] for each in done.json["violations"]] == ["name", "schema", "team"]
    assert {each["code"] for each in done.json["violations"]} == {"FORGE-E501"}


def test_a_folder_stands_for_its_contracts(forge: Forge, folder: Path) -> None:
    (folder / "notes.yaml").write_text("- no contract", "utf-8")
    done = forge("contract", "lint", str(folder), "--json")
    assert [each["file"] for each in done.json["violations"]] == [(folder / "bad.odcs.yaml").as_posix()]


def test_without_files_the_contracts_of_the_project_are_meant(forge: Forge, folder: Path) -> None:
    assert forge("contract", "lint").status == 2
    (folder / "contracts").mkdir()
    (folder / "bad.odcs.yaml").rename(folder / "contracts" / "orders.odcs.yaml")
    (folder / "datacontract.yaml").write_text(BAD, "utf-8")
    found = forge("contract", "lint", "--json").json["violations"]
    assert [each["file"] for each in found] == ["contracts/orders.odcs.yaml", "datacontract.yaml"]


def test_a_contract_can_come_through_a_pipe(forge: Forge) -> None:
    done = forge("contract", "lint", "-", "--json", stdin=BAD)
    assert [(each["file"], each["line"]) for each in done.json["violations"]] == [("-", 4)]


def test_a_file_that_is_not_there_could_not_be_read(forge: Forge, tmp_path: Path) -> None:
    done = forge("contract", "lint", str(tmp_path / "none.odcs.yaml"), "--json")
    assert done.status == 3
    assert done.json["error"]["code"] == "FORGE-E103"


def test_the_words_of_the_group_are_found_by_name(forge: Forge) -> None:
    assert "lint" in forge("contract", "--help").out
    assert forge("contract", "lnt").status == 2


@pytest.mark.services  # for datacontract-cli takes a second to load
def test_a_second_opinion_is_told_and_has_no_say(forge: Forge, folder: Path) -> None:
    (folder / "plain.odcs.yaml").write_text(GOOD + "schema:\n  - name: orders\n", "utf-8")
    assert forge("contract", "lint", "--second-opinion", "plain.odcs.yaml", "--json").json["violations"] == []
    found = forge("contract", "lint", "--second-opinion", "bad.odcs.yaml", "--json")
    assert [each["severity"] for each in found.json["violations"] if "datacontract-cli" not in each["message"]] == [
        "error"
    ]
    (folder / "bomb.odcs.yaml").write_text("a: &a [*a]", "utf-8")
    assert len(forge("contract", "lint", "--second-opinion", "bomb.odcs.yaml", "--json").json["violations"]) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("lint", "pipe"),
        ("check", "pipe"),
        ("diff", "pipe", "pipe"),
        ("drift", "pipe", "--schema", "pipe"),
        ("lint", "zero"),
    ],
)
def test_what_is_no_file_is_refused_and_not_waited_for(forge: Forge, tmp_path: Path, words: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    done = forge("contract", *words)
    assert (done.status, done.out) == (3, "")
    assert "no regular file" in done.err
    assert "- reads stdin" in done.err


@pytest.mark.usefixtures("folder")
def test_what_import_maps_is_told_to_be_imported(forge: Forge, tmp_path: Path) -> None:
    text = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\nfreshness: 6h\n"
    (tmp_path / "a.yaml").write_text(f"{text}quality: {{completeness: 99}}\nmodels: {{}}\n", "utf-8")
    (tmp_path / "b.yaml").write_text(text, "utf-8")
    fixes = [each["fix"] for each in forge("contract", "lint", "a.yaml", "--json").json["violations"]]
    assert fixes == ["Turn it into ODCS: forge contract import a.yaml"] * 3
    (found,) = forge("contract", "lint", "b.yaml", "--json").json["violations"]
    assert found["fix"] == "Write slaProperties: [{property: freshness, value: …}]."


@pytest.mark.parametrize(("name", "personal"), [("mail", True), ("E_Mail", True), ("msisdn", True), ("zip", False)])
def test_the_strict_profile_knows_what_personal_columns_are_called(
    forge: Forge, tmp_path: Path, name: str, personal: bool
) -> None:
    text = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nname: a\nversion: 1.0.0\nstatus: active\nteam: {name: x}\n"
    text += f"schema: [{{name: t, properties: [{{name: {name}, description: d}}]}}]\n"
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    found = forge("contract", "lint", "a.yaml", "--profile", "strict", "--json").json["violations"]
    assert [each["path"].rpartition(".")[2] for each in found] == ["classification"] * personal


def test_a_reference_is_one_finding(forge: Forge, tmp_path: Path) -> None:
    text = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\nschema:\n"
    (tmp_path / "a.yaml").write_text(f"{text}  - $ref: other.yaml\n", "utf-8")
    (found,) = forge("contract", "lint", "a.yaml", "--json").json["violations"]
    assert "references are not followed" in found["message"]


def test_a_pipe_in_a_folder_is_a_finding_and_hides_no_other(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    os.mkfifo(tmp_path / "contracts" / "a.odcs.yaml")
    (tmp_path / "contracts" / "b.odcs.yaml").write_text("kind: x\n", "utf-8")
    for words in ((), ("contracts",)):
        done = forge("contract", "lint", *words, "--json")
        assert done.status == 1
        assert {each["file"] for each in done.json["violations"]} == {"contracts/a.odcs.yaml", "contracts/b.odcs.yaml"}
