"""One vocabulary of resolutions: the same words in settings, terminal, Python and HTTP."""

from __future__ import annotations

import pytest

from forge.model.errors import ForgeError
from forge.versioning.conflict import Conflict, ConflictKind, ResolutionChoice, ResolutionRule, location_of
from forge.versioning.merge import Strategy, parse_strategy
from forge.versioning.resolution import FUNCTIONS, UNSET, parse_rule, standing_rules

GREATEST = "greatest(ours, theirs)"


@pytest.mark.parametrize(
    ("word", "value", "wanted"),
    [
        ("ours", UNSET, ResolutionRule(ResolutionChoice.OURS)),
        ("THEIRS", UNSET, ResolutionRule(ResolutionChoice.THEIRS)),
        (" base ", UNSET, ResolutionRule(ResolutionChoice.BASE)),
        ("manual", 5, ResolutionRule(ResolutionChoice.MANUAL, value=5)),
        ("manual", None, ResolutionRule(ResolutionChoice.MANUAL, value=None)),
        ("expression", GREATEST, ResolutionRule(ResolutionChoice.EXPRESSION, value=GREATEST)),
        (GREATEST, UNSET, ResolutionRule(ResolutionChoice.EXPRESSION, value=GREATEST)),
        ("max", UNSET, ResolutionRule(ResolutionChoice.EXPRESSION, value=GREATEST)),
        ("sum", UNSET, ResolutionRule(ResolutionChoice.EXPRESSION, value="ours + theirs - base")),
    ],
)
def test_a_word_says_a_rule(word: str, value: object, wanted: ResolutionRule) -> None:
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
        ResolutionRule(ResolutionChoice.EXPRESSION, "core.orders", "amount", GREATEST),
        ResolutionRule(ResolutionChoice.THEIRS, "core.orders", "note"),
        ResolutionRule(ResolutionChoice.EXPRESSION, "core.orders", "total", "ours + 1"),
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
