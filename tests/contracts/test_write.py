"""Contracts written as YAML: what is read back is what was given."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.contracts.document.file import read_document
from forge.contracts.linter.lint import lint
from forge.contracts.write import write_contract

CASES = sorted((Path(__file__).parent / "standard").rglob("*.yaml"))
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn"), include_characters="\n\t"), max_size=30)
KEYS = st.sampled_from(
    ["name", "description", "schema", "properties", "items", "team", "tags", "quality", "value", "x"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=8,
)


@settings(max_examples=examples(30), deadline=None)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=6))
def test_what_is_written_reads_back_as_it_was(data: dict[str, object]) -> None:
    assert read_document(write_contract(data), "a").data == data


@pytest.mark.parametrize("text", ["yes", "1.0", "2026-01-01", "~", "0x1F", "12:30:45", "a: b", "# no", " x ", ""])
def test_texts_that_look_like_something_else_stay_texts(text: str) -> None:
    assert read_document(write_contract({"name": text}), "a").data == {"name": text}


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_the_standards_own_examples_survive_and_stay_clean(case: Path) -> None:
    before = read_document(case.read_bytes(), case.name).data
    text = write_contract(before)
    assert read_document(text, case.name).data == before
    assert not [each for each in lint(text, case.name) if each.severity == "error"]


def test_a_reader_finds_the_keys_in_the_usual_order() -> None:
    column = {"description": "x", "quality": [], "physicalType": "int", "name": "id"}
    data = {
        "schema": [{"properties": [column], "name": "orders"}],
        "version": "1.0.0",
        "id": "a",
        "apiVersion": "v3.1.0",
    }
    keys = [line.split(":")[0].strip(" -") for line in write_contract(data).splitlines()]
    assert keys == [
        *("apiVersion", "id", "version", "schema", "name", "properties"),
        *("name", "physicalType", "description", "quality"),
    ]


def test_the_same_value_twice_is_written_twice() -> None:
    member = {"username": "ada", "role": "owner"}
    assert "&" not in write_contract({"team": {"members": [member, member]}})


def test_long_texts_are_blocks_and_short_entries_are_lines() -> None:
    text = write_contract({"description": {"purpose": "one\ntwo\n"}, "tags": ["a", "b"], "slaProperties": [{"a": 1}]})
    assert "purpose: |\n    one\n    two\n" in text
    assert "tags: [a, b]" in text
    assert "- {a: 1}" in text
