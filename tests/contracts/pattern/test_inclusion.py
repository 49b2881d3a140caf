"""Which of two patterns lets more pass; every answer is held against Python's own engine."""

from __future__ import annotations

import itertools
import re

import pytest

from forge.contracts.compare.change import ContractChangeKind
from forge.contracts.compare.versions import find_breaking_changes
from forge.contracts.inherit.contract import effective_of
from forge.contracts.pattern.inclusion import _outcome, counterexample, pattern_budget
from forge.contracts.pattern.syntax import UnsupportedPattern

PATTERNS = (
    *("", "a", "^a", "a$", "^a$", "^ab?$", "^a*b*$", "^(a|b)+$", "^[ab]+$", "[^a]", "^[^a]*$", ".", "^.$", "^.{0,2}$"),
    *("^a{2}$", "^a{1,3}$", "^a{2,}$", "^(ab)*$", "^(?:a|ab)(c|)$", "a|^b", "^a|b$", r"^\w+$", r"\W", r"^\d?$", "^$"),
    *(r"^[a\-c]$", "^[]a]$", "^[a-c]+?$", r"\Aa\Z", "^(?P<n>a)b*$", "(a|b)*c", "^(a*)*$", r"^\x61\.$", "[b-]"),
)
TEXTS = tuple("".join(signs) for size in range(4) for signs in itertools.product("abc0-.]", repeat=size))


@pytest.mark.parametrize("own", PATTERNS)
def test_the_answer_is_that_of_the_texts(own: str) -> None:
    for above in PATTERNS:
        found = counterexample(own, above)
        passing = [text for text in TEXTS if re.search(own, text) and not re.search(above, text)]
        if found is None:
            assert not passing, above
        else:
            assert re.search(own, found), (above, found)
            assert not re.search(above, found), (above, found)


@pytest.mark.parametrize(
    "pattern",
    [r"(?=a)", r"(?i)a", r"(a)\1", r"\bword", r"\p{L}", "a++", "(a", "a)", "[a", "*a", "^*", "a{3,2}", "[[:alpha:]]"],
)
def test_what_is_not_covered_is_not_understood(pattern: str) -> None:
    with pytest.raises(UnsupportedPattern):
        counterexample(pattern, "a")


def test_patterns_that_blow_up_are_given_up_soon() -> None:
    for hostile in ("(" * 100 + "a" + ")" * 100, "(a{1000}){1000}", "[ab]*a[ab]{30}", "^(a|b|ab)*c{0,900}$"):
        with pytest.raises(UnsupportedPattern):
            counterexample(hostile, "^[ab]*b[ab]{20}$")


def test_one_that_other_engines_choke_on_is_no_trouble() -> None:
    assert counterexample("^(a+)+$", "^a+$") is None
    assert counterexample("^(a|aa)+$", "^a{1,40}$") == "a" * 41


def test_what_was_too_large_once_is_not_tried_again() -> None:
    _outcome.cache_clear()
    for _ in range(3):
        with pytest.raises(UnsupportedPattern):
            counterexample("[ab]*a[ab]{30}", "^[ab]*b[ab]{20}$")
    assert (_outcome.cache_info().misses, _outcome.cache_info().hits) == (1, 2)


def test_one_comparison_has_a_budget_and_the_next_one_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forge.contracts.pattern.inclusion._BUDGET", 1_000)
    for _ in range(2):  # what is known by now spends as much: the answers do not change
        with pattern_budget():
            answers = [_answer(f"^[a-z]{{1,{size}}}$", "^[a-z]*$") for size in range(20, 40)]
            assert answers[0] == "None"
            assert answers[-1] == "the patterns are too many to compare"
    assert _answer("^[a-z]{1,39}$", "^[a-z]*$") == "None", "alone it has no budget"


def _answer(own: str, above: str) -> str:
    try:
        return str(counterexample(own, above))
    except UnsupportedPattern as error:
        return str(error)


def test_a_comparison_of_contracts_that_has_spent_its_budget_counts_patterns_as_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def contract(more: str) -> str:
        patterns = {f"c{at}": f"^[a-z]{{1,{at}}}{more}$" for at in range(20, 40)}
        columns = [
            f"      - {{name: {name}, logicalType: string, logicalTypeOptions: {{pattern: '{pattern}'}}}}\n"
            for name, pattern in patterns.items()
        ]
        head = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\n"
        return f"{head}schema:\n  - name: core.t\n    properties:\n{''.join(columns)}"

    monkeypatch.setattr("forge.contracts.pattern.inclusion._BUDGET", 5_000)
    old, new = contract("[a-z]?"), contract("")
    kinds = [change.kind for change in find_breaking_changes(old, new).changes]
    assert (kinds[0], kinds[-1]) == (ContractChangeKind.TIGHTENED, ContractChangeKind.CHANGED)
    warned = [one.severity for one in effective_of([new, old]).violations]
    assert warned[0] == "error"
    assert warned[-1] == "warning"


def test_classes_of_very_many_signs_are_given_up_soon() -> None:
    signs = "".join(chr(0x4E00 + 2 * at) for at in range(10_000))
    with pytest.raises(UnsupportedPattern, match="too many signs"):
        counterexample(f"^[{signs}]$", f"^[{signs}x]$")
