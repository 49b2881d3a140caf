"""What may be required of a table."""

from __future__ import annotations

import pytest

from forge.model.errors import ForgeError
from forge.quality.fitness import Requirements, read_requirements


def test_requirements_are_read() -> None:
    assert read_requirements({"min_score": 95, "max_age": 24, "no_pii": True}) == Requirements(95, 24, True)
    assert read_requirements({"max_age_hours": 1.5}) == Requirements(None, 1.5, False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "nothing is required"),
        ({"min_scor": 3}, "Did you mean min_score?"),
        ({"min_score": 101}, "from 0 to 100"),
        ({"min_score": "95"}, "is a number"),
        ({"min_score": True}, "is a number"),
        ({"min_score": float("nan")}, "is a number"),
        ({"max_age": 0}, "above 0"),
        ({"max_age": -1}, "above 0"),
        ({"max_age": 1, "max_age_hours": 2}, "twice"),
        ({"no_pii": 1}, "true or false"),
    ],
)
def test_what_cannot_be_read_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ForgeError) as caught:
        read_requirements(given)
    assert caught.value.code == "E744"
    assert said in (caught.value.why or "")


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(ForgeError) as caught:
        read_requirements({"min_score": 101, "max_age": "x", "pii": False})
    assert len((caught.value.why or "").splitlines()) == 3
