"""Readings that are kept: written and read back as they were, and added to those of new files."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.quality.measure import Measure, NotMeasured, Reading
from forge.quality.readings import DistinctSketch, FunctionReading, Moments, Quantiles
from forge.quality.state import add, adds_up, dump, is_kept, key_of, load

SAMPLES: tuple[Reading, ...] = (
    *(None, True, 0, -(2**70), 0.1, math.inf, "Ünï\n🙂", Decimal("12.50"), date(2026, 11, 15)),
    datetime(2026, 11, 15, 1, 2, 3, 4, tzinfo=UTC),
    Moments(3, 0.1, 2.5),
    Quantiles.of([1.0, 2.0]),
    DistinctSketch.of([1, 2, 3]),
)


@pytest.mark.parametrize("reading", SAMPLES, ids=repr)
def test_a_reading_is_read_back_as_it_was(reading: Reading) -> None:
    text = dump(reading)
    assert text is not None
    assert load(text) == reading
    assert type(load(text)) is type(reading)


def test_nan_is_read_back_as_nan() -> None:
    text = dump(math.nan)
    assert text is not None
    assert math.isnan(load(text))  # type: ignore[arg-type]


def test_what_is_no_state_is_not_written() -> None:
    assert dump(NotMeasured("why")) is None
    assert dump(FunctionReading(True)) is None
    with pytest.raises(ValueError, match="is no reading"):
        load('["riddle", 1]')


@given(st.lists(st.floats(-1e6, 1e6)), st.lists(st.floats(-1e6, 1e6)))
def test_parts_add_up_to_the_whole(one: list[float], two: list[float]) -> None:
    whole = [*one, *two]
    low, high = Measure(kind="min", columns=("x",)), Measure(kind="max", columns=("x",))
    assert add(low, min(one, default=None), min(two, default=None)) == min(whole, default=None)
    assert add(high, max(one, default=None), max(two, default=None)) == max(whole, default=None)
    assert add(Measure(kind="rows"), len(one), len(two)) == len(whole)
    both = add(Measure(kind="moments", columns=("x",)), Moments.of(one), Moments.of(two))
    assert isinstance(both, Moments)
    assert both.mean == pytest.approx(Moments.of(whole).mean, abs=1e-6)
    assert both.m2 == pytest.approx(Moments.of(whole).m2, rel=1e-6, abs=1e-3)


def test_nan_is_the_greatest() -> None:
    for pair in ((math.nan, 1.0), (1.0, math.nan)):
        assert add(Measure(kind="min", columns=("x",)), *pair) == 1.0
        assert math.isnan(add(Measure(kind="max", columns=("x",)), *pair))  # type: ignore[arg-type]


def test_sketches_add_up() -> None:
    both = add(
        Measure(kind="distinct", columns=("x",)), DistinctSketch.of(range(100)), DistinctSketch.of(range(50, 150))
    )
    assert isinstance(both, DistinctSketch)
    assert both.estimate == pytest.approx(150, rel=0.02)


def test_readings_of_different_kinds_do_not_add_up() -> None:
    with pytest.raises(TypeError):
        add(Measure(kind="moments", columns=("x",)), Moments(), 3)


@pytest.mark.parametrize(
    ("measure", "kept", "added"),
    [
        (Measure(kind="rows"), True, True),
        (Measure(kind="false", columns=(), arguments=("amount > 0",)), True, True),
        (Measure(kind="nulls", columns=("a",), where="day = date '2026-01-01'"), True, True),
        (Measure(kind="duplicates", columns=("id",)), True, False),
        (
            Measure(kind="orphans", columns=("id",), arguments=("core.x", "id")),
            False,
            False,
        ),  # the other table changes by itself
        (Measure(kind="rows", by=("day",)), False, False),
        (Measure(kind="rows", since="main"), False, False),
        (Measure(kind="false", columns=(), arguments=("at < current_timestamp()",)), False, False),
        (Measure(kind="false", columns=(), arguments=("at < NOW()",)), False, False),
        (Measure(kind="rows", where="id in (select id from core.other)"), False, False),
        (Measure(kind="rows", where="rand() < 0.5"), False, False),
        (Measure(kind="rows", where="day >= date 'yesterday'"), False, False),
        (Measure(kind="false", columns=(), arguments=("limit_ > (TABLE core.limits)",)), False, False),
        (Measure(kind="query_rows", columns=(), arguments=("select 1",)), False, False),
    ],
)
def test_only_what_the_snapshot_alone_says_is_kept(measure: Measure, kept: bool, added: bool) -> None:
    assert is_kept(measure) is kept
    assert adds_up(measure) is added


def test_keys_tell_measures_apart_by_all_that_they_are() -> None:
    measures = [
        Measure(kind="rows"),
        Measure(kind="nulls", columns=("a",)),
        Measure(kind="nulls", columns=("b",)),
        Measure(kind="nulls", columns=("a",), where="b > 1"),
        Measure(kind="outside_range", columns=("a",), arguments=(1, None)),
        Measure(kind="outside_range", columns=("a",), arguments=(1.0, None)),
        Measure(kind="outside_range", columns=("a",), arguments=(Decimal(1), None)),
        Measure(kind="outside_range", columns=("a",), arguments=(None, 1)),
        Measure(kind="outside_set", columns=("a",), arguments=("1",)),
        Measure(kind="outside_set", columns=("a",), arguments=(1,)),
    ]
    assert len({key_of(measure) for measure in measures}) == len(measures)
    assert key_of(Measure(kind="nulls", columns=("A",))) == key_of(Measure(kind="nulls", columns=("a",)))
