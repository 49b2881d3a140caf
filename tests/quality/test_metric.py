"""Metrics out of readings, and their names."""

from __future__ import annotations

from decimal import Decimal

import pytest

from forge.model.errors import ForgeError
from forge.quality.measure import PREVIOUS, Measure, NotMeasured, Reading
from forge.quality.metric import Metric, metrics_of, parse_metric
from forge.quality.readings import DistinctSketch, Moments, Quantiles


def test_each_reading_of_the_whole_table_gives_its_metrics() -> None:
    readings: dict[Measure, Reading] = {
        Measure(kind="rows"): 200,
        Measure(kind="nulls", columns=("Amount",)): 5,
        Measure(kind="moments", columns=("amount",)): Moments(4, 2.5, 12.0),
        Measure(kind="quantiles", columns=("amount",)): Quantiles.of([1.0, 2.0, 9.0]),
        Measure(kind="distinct", columns=("amount",)): DistinctSketch.of([1, 2, 3]),
        Measure(kind="min", columns=("amount",)): Decimal("1.50"),
        Measure(kind="max", columns=("amount",)): 9,
        Measure(kind="duplicates", columns=("id", "day")): 3,
    }
    assert metrics_of(readings) == pytest.approx(
        {
            "row_count": 200.0,
            "null_percentage(amount)": 2.5,
            "mean(amount)": 2.5,
            "std(amount)": 2.0,
            "median(amount)": 2.0,
            "distinct(amount)": 3.0,
            "min(amount)": 1.5,
            "max(amount)": 9.0,
            "duplicates(id+day)": 3.0,
        },
        rel=1e-3,
    )


@pytest.mark.parametrize(
    ("measure", "reading"),
    [
        (Measure(kind="min", columns=("name",)), "ada"),
        (Measure(kind="max", columns=("amount",)), float("nan")),
        (Measure(kind="max", columns=("amount",)), 10**400),
        (Measure(kind="max", columns=("is_new",)), True),
        (Measure(kind="min", columns=("amount",)), None),
        (Measure(kind="moments", columns=("amount",)), Moments()),
        (Measure(kind="quantiles", columns=("amount",)), Quantiles.of([])),
        (Measure(kind="nulls", columns=("amount",)), 0),  # of a table whose number of rows nobody asked for
        (Measure(kind="rows"), NotMeasured("broken")),
        (Measure(kind="rows", by=("country",)), {("at",): 4}),
        (Measure(kind="rows", since=PREVIOUS), 4),
        (Measure(kind="rows", at=PREVIOUS), 4),
        (Measure(kind="outside_range", columns=("amount",), arguments=(0, 9)), 4),
    ],
)
def test_what_is_no_number_of_the_whole_table_is_no_metric(measure: Measure, reading: Reading) -> None:
    assert metrics_of({measure: reading}) == {}


def test_a_share_of_no_rows_is_none() -> None:
    assert metrics_of({Measure(kind="rows"): 0, Measure(kind="nulls", columns=("a",)): 0}) == {"row_count": 0.0}


def test_a_filter_is_part_of_the_name() -> None:
    where = "status = 'paid'"
    readings: dict[Measure, Reading] = {
        Measure(kind="rows", where=where): 8,
        Measure(kind="nulls", columns=("a",), where=where): 2,
    }
    assert metrics_of(readings) == {f"row_count where {where}": 8.0, f"null_percentage(a) where {where}": 25.0}


@pytest.mark.parametrize(
    "metric",
    [
        Metric("row_count"),
        Metric("mean", "amount"),
        Metric("mean", "address.city"),
        Metric("duplicates", "id+day"),
        Metric("row_count", None, "a = 'x (y)'"),
        Metric("mean", "amount", "a > 3 and b where"),
        Metric("mean", "größe"),
    ],
)
def test_a_name_leads_back_to_its_metric(metric: Metric) -> None:
    assert parse_metric(metric.name) == metric


@pytest.mark.parametrize("name", ["", "rowcount", "mean", "mean()", "row_count(a)", "drop table", "mean(a", "x" * 5000])
def test_what_is_no_metric_is_refused(name: str) -> None:
    with pytest.raises(ForgeError) as caught:
        parse_metric(name)
    assert caught.value.code == "E740"
