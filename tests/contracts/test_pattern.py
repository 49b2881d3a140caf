"""Which of two patterns lets more pass; every answer is held against Python's own engine."""

from __future__ import annotations

import itertools
import re

import pytest

from forge.contracts.pattern import NotUnderstood, counterexample

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
    with pytest.raises(NotUnderstood):
        counterexample(pattern, "a")


def test_patterns_that_blow_up_are_given_up_soon() -> None:
    for hostile in ("(" * 100 + "a" + ")" * 100, "(a{1000}){1000}", "[ab]*a[ab]{30}", "^(a|b|ab)*c{0,900}$"):
        with pytest.raises(NotUnderstood):
            counterexample(hostile, "^[ab]*b[ab]{20}$")


def test_one_that_other_engines_choke_on_is_no_trouble() -> None:
    assert counterexample("^(a+)+$", "^a+$") is None
    assert counterexample("^(a|aa)+$", "^a{1,40}$") == "a" * 41
