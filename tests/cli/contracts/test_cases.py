"""The four commands that take files, as an editor or a CI job calls them: outside any project."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from contract_cases import CASES, load_case

Forge = Callable[..., Any]
DRIFT = ("drift", "contract.yaml", "--schema", "schema.yaml")


def laid_out(folder: Path, case: str) -> list[str]:
    """The texts of a case as files, named as it names them."""
    texts = load_case(CASES / f"{case}.yaml").texts
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_bytes(text)
    return [f"{name}.yaml" for name in texts]


@pytest.mark.parametrize(
    ("case", "words", "found"),
    [
        ("lint/v302-timestamp", ("lint", "contract.yaml"), ("FORGE-E503", "contract.yaml", 10)),
        (
            "check/required-taken-back",
            ("check", "child.yaml", "--parent", "parent.yaml"),
            ("FORGE-E510", "child.yaml", 10),
        ),
        ("diff/type-changed", ("diff", "old.yaml", "new.yaml"), ("FORGE-E520", "new.yaml", 10)),
        ("drift/integer-is-text", DRIFT, ("FORGE-E530", "contract.yaml", 10)),
    ],
)
def test_the_real_command_finds_it_without_java_or_network(
    forge_process: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
    case: str,
    words: tuple[str, ...],
    found: tuple[str, str, int],
) -> None:
    laid_out(tmp_path, case)
    nowhere = {"JAVA_HOME": str(tmp_path / "no-java"), "https_proxy": "http://127.0.0.1:9", "HOME": str(tmp_path)}
    process = forge_process("contract", *words, "--json", **nowhere)
    out, talk = process.communicate(timeout=60)
    assert (process.returncode, talk) == (1, "")
    answer = json.loads(out)
    assert answer["schema_version"] == 1
    assert [(one["code"], one["file"], one["line"]) for one in answer["violations"]] == [found]


def test_lint_names_all_that_an_editor_needs(forge: Forge, tmp_path: Path) -> None:
    laid_out(tmp_path, "lint/all-errors-at-once")
    ended = forge("contract", "lint", "contract.yaml", "--json")
    assert ended.status == 1
    keys = {"code", "severity", "file", "line", "column", "path", "message", "fix"}
    assert all(keys <= set(one) and one["file"] == "contract.yaml" for one in ended.json["violations"])


def test_lint_of_many_files_is_strict_where_asked(forge: Forge, tmp_path: Path) -> None:
    laid_out(tmp_path, "lint/strict-off")
    (tmp_path / "other.yaml").write_bytes((tmp_path / "contract.yaml").read_bytes())
    files = ("contract.yaml", "other.yaml")
    plain = forge("contract", "lint", *files, "--json")
    assert (plain.status, plain.json["violations"]) == (0, [])
    strict = forge("contract", "lint", *files, "--profile", "strict", "--json")
    assert strict.status == 1
    assert {one["file"] for one in strict.json["violations"]} == set(files)


def test_check_takes_a_chain_of_parents(forge: Forge, tmp_path: Path) -> None:
    *parents, child = laid_out(tmp_path, "check/three-levels")
    chain = [word for parent in parents for word in ("--parent", parent)]
    strict = forge("contract", "check", child, *chain, "--json")
    assert strict.status == 1
    assert [(one["code"], one["line"]) for one in strict.json["violations"]] == [("FORGE-E510", 8)]
    assert strict.json["effective"]["slaProperties"][0]["value"] == 24
    lenient = forge("contract", "check", child, *chain, "--mode", "permissive", "--json")
    assert lenient.status == 0
    assert [one["severity"] for one in lenient.json["violations"]] == ["warning"]


def test_diff_names_the_bump(forge: Forge, tmp_path: Path) -> None:
    laid_out(tmp_path, "diff/type-changed")
    ended = forge("contract", "diff", "old.yaml", "new.yaml", "--json")
    assert (ended.json["required_bump"], ended.json["actual_bump"]) == ("major", "minor")
    assert "amount" in json.dumps(ended.json["changes"])


def test_drift_reads_the_schema_of_iceberg(forge: Forge, tmp_path: Path) -> None:
    laid_out(tmp_path, "drift/iceberg-json")
    ended = forge("contract", *DRIFT, "--json")
    assert ended.status == 1
    assert {one["code"] for one in ended.json["violations"]} == {"FORGE-E530", "FORGE-E531", "FORGE-E532"}


def test_an_undocumented_column_never_fails(forge: Forge, tmp_path: Path) -> None:
    laid_out(tmp_path, "drift/column-undocumented")
    ended = forge("contract", *DRIFT, "--json")
    assert ended.status == 0
    assert [(one["code"], one["severity"]) for one in ended.json["violations"]] == [("FORGE-E532", "info")]


@pytest.mark.parametrize(
    "words",
    [DRIFT, ("diff", "good.yaml", "contract.yaml"), ("check", "contract.yaml", "--parent", "good.yaml")],
    ids=lambda words: words[0],
)
def test_a_contract_that_is_none_gets_no_clean_verdict(forge: Forge, tmp_path: Path, words: tuple[str, ...]) -> None:
    laid_out(tmp_path, "drift/none")
    good = (tmp_path / "contract.yaml").read_text("utf-8")
    (tmp_path / "good.yaml").write_text(good, "utf-8")
    (tmp_path / "contract.yaml").write_text(good.replace("logicalType: boolean", "logicalType: tinyint"), "utf-8")
    ended = forge("contract", *words, "--json")
    assert ended.status == 1
    found = {(one["code"], one["file"], one["line"]) for one in ended.json["violations"]}
    assert ("FORGE-E503", "contract.yaml", 13) in found


def test_a_schema_file_that_is_none_could_not_be_read(forge: Forge, tmp_path: Path) -> None:
    laid_out(tmp_path, "drift/none")
    (tmp_path / "schema.yaml").write_text("orders: {a: [1\n", "utf-8")
    ended = forge("contract", *DRIFT, "--json")
    assert ended.status == 3
    assert "schema.yaml" in ended.out + ended.err


def test_a_file_that_is_not_there_could_not_be_run(forge: Forge) -> None:
    ended = forge("contract", "lint", "missing.yaml", "--json")
    assert ended.status == 3
    assert "missing.yaml" in ended.out + ended.err


@pytest.mark.parametrize("words", [("diff",), ("lint", "old.yaml", "--profile", "wild"), ("check", "--mode", "wild")])
def test_a_command_called_wrongly_says_so(forge: Forge, tmp_path: Path, words: tuple[str, ...]) -> None:
    laid_out(tmp_path, "diff/type-changed")
    assert forge("contract", *words).status == 2


def test_a_sparse_file_of_a_gigabyte_is_refused(forge: Forge, tmp_path: Path) -> None:
    with (tmp_path / "huge.yaml").open("wb") as file:
        file.truncate(1_000_000_000)
    ended = forge("contract", "lint", "huge.yaml", "--json")
    assert ended.status in (1, 3)
    assert "E502" in ended.out + ended.err
