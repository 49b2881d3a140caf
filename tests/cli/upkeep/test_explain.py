from __future__ import annotations

from typing import Any

import pytest

from forge.model.codes import CODES


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_is_explained(forge: Any, code: str) -> None:
    ended = forge("explain", code)
    assert ended.status == 0
    assert ended.out.startswith(f"FORGE-{code}  {CODES[code].title}\n")
    assert CODES[code].meaning in ended.out
    assert f"exit {CODES[code].exit}" in ended.out


@pytest.mark.parametrize("code", [code for code in sorted(CODES) if code.startswith("E5")])
def test_every_code_of_contracts_says_why(forge: Any, code: str) -> None:
    assert f"  why: {CODES[code].why}" in forge("explain", code).out
    assert len(CODES[code].why) > 20


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("E501", "exit 3; as a finding"),
        ("E502", "compile 1"),
        ("E503", "compile 1"),
        ("E532", "exit 0"),
        ("E530", "exit 1"),
    ],
)
def test_the_exit_status_of_findings_is_told(forge: Any, code: str, told: str) -> None:
    assert told in forge("explain", code).out


@pytest.mark.parametrize("spelled", ["E403", "FORGE-E403", "forge-e403", "403"])
def test_a_code_may_be_spelled_as_people_do(forge: Any, spelled: str) -> None:
    assert forge("explain", spelled, "--json").json["code"]["code"] == "FORGE-E403"


def test_an_unknown_code_names_the_nearest(forge: Any) -> None:
    ended = forge("explain", "E404X")
    assert ended.status == 2
    assert "FORGE-E108" in ended.err
    assert "Did you mean E404" in ended.err


def test_without_a_code_all_are_listed(forge: Any) -> None:
    assert [item["code"] for item in forge("explain", "--json").json["codes"]] == [f"FORGE-{code}" for code in CODES]
