"""One vocabulary of resolutions: the same words in settings, terminal, Python and HTTP."""

from __future__ import annotations

import pytest

from forge.model.errors import ForgeError
from forge.versioning.conflict import Conflict, ConflictKind, Rule, Take, location_of
from forge.versioning.merge import Strategy, parse_strategy
from forge.versioning.resolution import FUNCTIONS, UNSAID, parse_rule, standing_rules

GREATEST = "greatest(ours, theirs)"


@pytest.mark.parametrize(
    ("word", "value", "wanted"),
    [
        ("ours", UNSAID, Rule(Take.OURS)),
        ("THEIRS", UNSAID, Rule(Take.THEIRS)),
        (" base ", UNSAID, Rule(Take.BASE)),
        ("manual", 5, Rule(Take.MANUAL, value=5)),
        ("manual", None, Rule(Take.MANUAL, value=None)),
        ("expression", GREATEST, Rule(Take.EXPRESSION, value=GREATEST)),
        (GREATEST, UNSAID, Rule(Take.EXPRESSION, value=GREATEST)),
        ("max", UNSAID, Rule(Take.EXPRESSION, value=GREATEST)),
        ("sum", UNSAID, Rule(Take.EXPRESSION, value="ours + theirs - base")),
    ],
)
def test_a_word_says_a_rule(word: str, value: object, wanted: Rule) -> None:
    assert parse_rule(word, value=value) == wanted


@pytest.mark.parametrize("word", ["our", "manual", "expression", "", "delete from x", "nope(ours)", "ours theirs"])
def test_what_says_nothing_is_refused_with_a_way_out(word: str) -> None:
    with pytest.raises(ForgeError) as refused:
        parse_rule(word)
    assert refused.value.code in ("E619", "E625")
    assert refused.value.fix


def test_every_short_name_is_an_expression_that_can_be_worked_out() -> None:
    from forge.versioning.expression.parse import parse_expression

    found = {name: parse_expression(text).evaluate(10, 15, 8) for name, text in FUNCTIONS.items()}
    assert found == {"max": 15, "min": 8, "sum": 13}


def test_settings_say_rules_in_the_same_words() -> None:
    given = {"core.orders": {"amount": "max", "note": "theirs", "total": "ours + 1"}}
    assert standing_rules(given) == (
        Rule(Take.EXPRESSION, "core.orders", "amount", GREATEST),
        Rule(Take.THEIRS, "core.orders", "note"),
        Rule(Take.EXPRESSION, "core.orders", "total", "ours + 1"),
    )


@pytest.mark.parametrize("word", ["ff", "fast_forward", "fast-forward", "FF"])
def test_a_fast_forward_has_two_names(word: str) -> None:
    assert parse_strategy(word) is Strategy.FF


@pytest.mark.parametrize("word", ["three_way", "three-way"])
def test_a_three_way_merge_is_written_either_way(word: str) -> None:
    assert parse_strategy(word) is Strategy.THREE_WAY


@pytest.mark.parametrize(
    ("conflict", "wanted"),
    [
        (Conflict(kind=ConflictKind.MODIFY_MODIFY, key={"id": 1}, column="amount"), "column amount of row id = 1"),
        (Conflict(kind=ConflictKind.DELETE_MODIFY, key={"id": 1, "day": "x"}), "row id = 1, day = x"),
        (Conflict(kind=ConflictKind.SCHEMA_CHANGE, column="id"), "column id"),
        (Conflict(kind=ConflictKind.CONSTRAINT, location="core.orders.id.unique"), "core.orders.id.unique"),
        (Conflict(kind=ConflictKind.MODIFY_DELETE), "the whole table"),
    ],
)
def test_every_conflict_says_where_it_is(conflict: Conflict, wanted: str) -> None:
    assert location_of(conflict) == wanted


def test_a_place_shows_no_key_that_is_hidden() -> None:
    conflict = Conflict(kind=ConflictKind.MODIFY_MODIFY, key={"email": "ada@example.com"}, column="amount")
    assert location_of(conflict, {"email": None}) == "column amount of row email = None"
