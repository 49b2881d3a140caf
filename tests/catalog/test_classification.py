"""Which classification holds."""

from __future__ import annotations

import pytest

from forge.catalog.classification import InheritedLevel, classify, most_confidential, propose_level
from forge.model.classification import ClassificationLevel

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = ClassificationLevel


@pytest.mark.parametrize(
    ("types", "level"),
    [
        ((), None),
        ((None, None), None),
        (("email",), CONFIDENTIAL),
        (("iban", None), CONFIDENTIAL),
        (("ssn",), RESTRICTED),
        (("email", "credit_card"), RESTRICTED),
    ],
)
def test_rules_propose_a_level_by_the_personal_data(
    types: tuple[str | None, ...], level: ClassificationLevel | None
) -> None:
    assert propose_level(types) is level


@pytest.mark.parametrize(
    ("types", "type_"),
    [(("email", "ssn", "phone"), "ssn"), (("ssn", "credit_card"), "credit_card"), (("phone", "email"), "email")],
)
def test_of_several_types_the_one_that_asks_for_more_stands_for_all(types: tuple[str, ...], type_: str) -> None:
    assert most_confidential(types) == most_confidential(reversed(types)) == type_


CASES = [
    # set by a person, levels of its columns, what it derives from (level, masked); holds, why
    (None, [], [], None, "nobody set it, and no rule proposes one"),
    (INTERNAL, [], [], INTERNAL, "set by a person"),
    (RESTRICTED, [CONFIDENTIAL], [], RESTRICTED, "set by a person"),
    (CONFIDENTIAL, [CONFIDENTIAL, None], [], CONFIDENTIAL, "set by a person"),
    (PUBLIC, [CONFIDENTIAL], [], CONFIDENTIAL, "a person set public; because of its columns it stays confidential"),
    (None, [CONFIDENTIAL, RESTRICTED], [], RESTRICTED, "proposed by its columns"),
    (None, [], [(RESTRICTED, False)], RESTRICTED, "proposed by what it derives from"),
    (None, [], [(RESTRICTED, True)], None, "nobody set it, and no rule proposes one"),
    (PUBLIC, [], [(RESTRICTED, True)], PUBLIC, "set by a person"),
    (
        INTERNAL,
        [PUBLIC],
        [(RESTRICTED, False)],
        RESTRICTED,
        "a person set internal; because of what it derives from it stays restricted",
    ),
    (None, [CONFIDENTIAL], [(CONFIDENTIAL, False)], CONFIDENTIAL, "proposed by its columns"),
    (None, [CONFIDENTIAL], [(RESTRICTED, True), (INTERNAL, False)], CONFIDENTIAL, "proposed by its columns"),
]


@pytest.mark.parametrize(("declared", "columns", "upstream", "level", "why"), CASES)
def test_a_person_wins_but_never_below_columns_and_origins(
    declared: ClassificationLevel | None,
    columns: list[ClassificationLevel | None],
    upstream: list[tuple[ClassificationLevel, bool]],
    level: ClassificationLevel | None,
    why: str,
) -> None:
    holds = classify(declared, columns, [InheritedLevel(*one) for one in upstream])
    assert (holds.level, holds.why) == (level, why)
    assert holds.to_dict() == {"level": str(level) if level else None, "why": why}
