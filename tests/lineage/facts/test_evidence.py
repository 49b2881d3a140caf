"""How sure an edge is: the one rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import level_of
from forge.lineage.facts.evidence import ALMOST, Basis, Evidence, combine, confidence_of, is_same_sighting

CONFIDENCES = st.floats(0, 1)
SIGHT = Evidence(
    basis=Basis.RESOLVED,
    extractor="sql",
    file="jobs/a.sql",
    line=3,
    statement="select 1",
    run_id="r-1",
    seen_at=datetime(2026, 1, 1, tzinfo=UTC),
    times=4,
)


@pytest.mark.parametrize(
    ("basis", "level"),
    [
        (Basis.DECLARED, "certain"),
        (Basis.OBSERVED, "certain"),
        (Basis.RESOLVED, "high"),
        (Basis.POSITION, "high"),
        (Basis.GUESSED, "low"),
        (Basis.MENTIONED, "uncertain"),
    ],
    ids=str,
)
def test_each_basis_has_its_level(basis: Basis, level: str) -> None:
    assert level_of(confidence_of([Evidence(basis=basis)])) == level


def test_the_surest_basis_comes_first() -> None:
    confidences = [confidence_of([Evidence(basis=basis)]) for basis in Basis]
    assert confidences == sorted(confidences, reverse=True)


def test_a_claim_is_as_sure_as_its_best_evidence() -> None:
    assert (
        confidence_of([Evidence(basis=Basis.GUESSED), Evidence(basis=Basis.POSITION), Evidence(basis=Basis.MENTIONED)])
        == 0.8
    )


def test_a_claim_without_evidence_is_a_guess() -> None:
    assert confidence_of([]) == confidence_of([Evidence(basis=Basis.GUESSED)])


def test_several_producers_leave_the_product_of_their_doubts() -> None:
    assert combine([0.8, 0.5]) == pytest.approx(0.9)
    assert combine([0.3, 0.3, 0.3]) == pytest.approx(1 - 0.7**3)


def test_many_that_are_not_certain_make_nothing_certain() -> None:
    assert combine([0.95] * 10) == ALMOST
    assert level_of(combine([0.95] * 10)) == "high"


def test_one_that_is_certain_makes_it_certain() -> None:
    assert combine([0.1, 1.0, 0.5]) == 1.0


@given(CONFIDENCES)
def test_one_producer_counts_for_what_it_says(confidence: float) -> None:
    assert combine([confidence]) == confidence


@given(st.lists(CONFIDENCES, min_size=1, max_size=6))
def test_support_never_lowers_and_stays_within_bounds(confidences: list[float]) -> None:
    together = combine(confidences)
    assert max(confidences) <= together + 1e-12
    assert 0 <= together <= 1
    assert together == pytest.approx(combine(sorted(confidences)), abs=1e-12)
    assert together <= combine([*confidences, 0.5]) + 1e-12


def test_the_same_place_is_the_same_sight_whenever_and_in_whichever_run() -> None:
    assert is_same_sighting(SIGHT, replace(SIGHT, run_id="r-2", seen_at=None, times=9))


@pytest.mark.parametrize(
    "change",
    [{"basis": Basis.GUESSED}, {"extractor": "py"}, {"file": "b.sql"}, {"line": 4}, {"statement": "select 2"}],
    ids=lambda change: next(iter(change)),
)
def test_another_place_is_another_sight(change: dict[str, object]) -> None:
    assert not is_same_sighting(SIGHT, replace(SIGHT, **change))  # type: ignore[arg-type]


def test_a_place_is_a_file_and_a_line() -> None:
    assert SIGHT.place == "jobs/a.sql:3"
    assert replace(SIGHT, line=0).place == "jobs/a.sql"
    assert replace(SIGHT, file="").place == ""
