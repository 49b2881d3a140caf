"""What is said of types of checks and their keys comes from their classes, and agrees with how they are read."""

from __future__ import annotations

from dataclasses import MISSING, fields

import pytest

from forge.quality.check import Check
from forge.quality.checks import CHECKS, class_of
from forge.quality.description import describe_check, describe_checks, describe_common
from forge.quality.keys import Key, KeyKind
from forge.quality.spec import COMMON, keys_of


def read(key: Key, value: object) -> object:
    return key.read(value)


def test_every_type_is_described_in_the_order_of_the_list() -> None:
    assert [one.type for one in describe_checks()] == [check.type for check in CHECKS]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.type))
def test_every_key_is_described_once_under_its_name_or_as_an_alias(check: type[Check]) -> None:
    described = describe_check(check)
    own = [name for key in described.keys for name in (key.name, *key.aliases)]
    common = [key.name for key in describe_common() if key.name not in described.without]
    assert len(own) == len(set(own))
    assert {"type", *own, *common} == set(keys_of(check))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.type))
def test_a_default_is_what_the_check_has_when_the_key_is_left_out(check: type[Check]) -> None:
    defaults = {field.name: field.default for field in fields(check)}
    for described in describe_check(check).keys:
        key = check.keys[described.name]
        assert not (described.required and described.default is not None)
        if described.default is not None:
            assert read(key, described.default) == defaults[key.field]
        elif not described.required:
            assert defaults.get(key.field, MISSING) in (None, ()), described.name


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.type))
def test_every_spelling_leads_to_the_type(check: type[Check]) -> None:
    for one in describe_check(check).spellings:
        told: dict[object, object] = {} if one.key is None else {one.key: one.value or "anything"}
        assert class_of({"type": one.word, **told}) is check


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.type))
def test_the_summary_is_one_sentence_of_the_text(check: type[Check]) -> None:
    described = describe_check(check)
    assert described.summary.endswith(".")
    assert described.text.startswith(described.summary)
    assert described.label


def test_choices_have_their_words_and_nothing_else_has_any() -> None:
    for key in (*describe_common(), *(key for one in describe_checks() for key in one.keys)):
        assert bool(key.words) is (key.kind in (KeyKind.CHOICE, KeyKind.CHOICES)), key.name
        for word in key.words if key.name in COMMON else ():
            assert read(COMMON[key.name], word)
