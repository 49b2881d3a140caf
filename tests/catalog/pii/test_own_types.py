"""Types of personal data that a project declares are found as those that Forge knows."""

from __future__ import annotations

import json
import time

import pytest

from forge.catalog.pii import PiiType, find_pii, rests_on_values
from forge.catalog.pii.own_types import matcher_of
from forge.model.classification import ClassificationLevel

BADGE = PiiType("employee_number", ("employee no", "Personnel-Number", "matricula"), "E[0-9]{6}")
BADGES: list[object] = [f"E{number}" for number in range(100_000, 100_010)]


@pytest.mark.parametrize(
    ("column", "values", "found"),
    [
        ("emp_no", [], ("employee_number", 0.75)),
        ("personnelNumber", BADGES, ("employee_number", 0.99)),
        ("matricula", [*BADGES[:6], "none yet", "?x", "later", "soon"], ("employee_number", 0.9)),
        ("employeenumber", [], ("employee_number", 0.75)),
        ("c7", BADGES, ("employee_number", 0.9)),
        ("c7", BADGES[:2], (None, 0.0)),  # few values prove nothing
        ("c7", [*BADGES[:5], *range(5)], (None, 0.0)),
        ("emp_no", list(range(100_000, 100_010)), (None, 0.0)),  # another number
        ("employee_no_count", [], (None, 0.0)),
        ("has_employee_no", [], (None, 0.0)),
        ("employee_no", [True, False, True], (None, 0.0)),
        ("c7", [f"xE{number}" for number in range(100_000, 100_010)], (None, 0.0)),  # of whole values
    ],
)
def test_a_type_is_found_by_its_names_and_its_pattern(
    column: str, values: list[object], found: tuple[str | None, float]
) -> None:
    (one,) = find_pii({column: values}, [BADGE])
    assert (one.type, one.score) == found


def test_evidence_counts_and_names_no_value() -> None:
    (found,) = find_pii({"employee no": BADGES}, [BADGE])
    assert found.evidence == ("the name says employee number", "10 of 10 values look like it")
    assert rests_on_values(found.evidence)


def test_names_or_a_pattern_are_enough() -> None:
    named, formed = PiiType("nickname_of_pet", ("pet",)), PiiType("badge", pattern="E[0-9]{6}")
    assert [one.type for one in find_pii({"pet": ["Rex"], "c7": BADGES}, [named, formed])] == [
        "nickname_of_pet",
        "badge",
    ]


def test_of_what_is_as_sure_the_type_of_the_project_counts() -> None:
    mails: list[object] = [f"p{number}@corp.example" for number in range(9)]
    work = PiiType("work_mail", pattern=".*@corp[.]example")
    assert [one.type for one in find_pii({"c1": mails, "email": mails}, [work])] == ["work_mail", "email"]


def test_the_level_of_a_type_counts_inside_of_objects() -> None:
    values = [json.dumps({"email": f"p{n}@example.org", "badge": badge}) for n, badge in enumerate(BADGES)]
    for level, kind in ((ClassificationLevel.RESTRICTED, "badge"), (ClassificationLevel.INTERNAL, "email")):
        (found,) = find_pii({"payload": values}, [PiiType("badge", ("badge",), "E[0-9]{6}", level)])
        assert found.type == kind
        assert {"badge": "also email", "email": "also badge"}[kind] in found.evidence[-1]


def test_hostile_values_cost_no_time() -> None:
    cruel = PiiType("cruel", pattern="(a+)+b|(a|a)*c")
    begun = time.process_time()
    assert find_pii({"x": ["a" * 199, "a" * 100_000, "\ud800"] * 300}, [cruel])[0].type is None
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("pattern", ["(", "a)|(b", r"(a)\1", "(?=a)", "(?x) a # b", "(a{1000}){1000}"])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        matcher_of(pattern)
