"""Profiles as data: JSON, masks, bins and differences."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from forge.catalog.profile import (
    ColumnHistogram,
    ProfiledColumn,
    ProfileMeasurement,
    TableProfile,
    TopValue,
    ValueClass,
    class_of,
    diff_profiles,
    mask_profile,
    plan_bins,
)
from forge.catalog.profile.value_class import cell_of, iso_date, iso_time
from forge.model.names import CommitId, SnapshotId, TableName

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
AMOUNT = ProfiledColumn(
    name="amount",
    type="decimal(12,2)",
    nulls=1,
    distinct=9,
    minimum="-1.50",
    maximum="9.00",
    mean=2.5,
    stddev=1.25,
    q1=1.0,
    median=2.0,
    q3=3.0,
    zeros=0,
    negatives=1,
    histogram=ColumnHistogram((-1.5, 3.75, 9.0), (8, 1)),
    top=(TopValue("2.00", 3),),
)
MAIL = ProfiledColumn(
    name="Mail", type="string", nulls=0, distinct=10, minimum="ada@x.org", maximum="zoe@x.org", empties=0, max_length=9
)


def profile(*columns: ProfiledColumn, rows: int = 10, sample: float | None = None) -> TableProfile:
    return TableProfile(
        table=TableName("core", "orders"),
        state="7",
        snapshot_id=SnapshotId(2**62),
        commit_id=CommitId("c" * 64),
        profiled_at=NOW,
        measured=ProfileMeasurement(rows, columns, None if sample else 0, rows if sample else None, 0.001),
        sample_fraction=sample,
    )


def test_json_gives_back_the_same_profile() -> None:
    for one in (profile(AMOUNT, MAIL), profile(AMOUNT, sample=0.1), profile()):
        assert TableProfile.from_dict(json.loads(json.dumps(one.to_dict()))) == one


def test_a_profile_of_a_later_version_is_read_without_what_is_new() -> None:
    text = profile(AMOUNT).to_dict() | {"later": 1}
    text["columns"] = [{**AMOUNT.to_dict(), "later": 2}]
    assert TableProfile.from_dict(text) == profile(AMOUNT)


def test_a_snapshot_is_a_text_in_json() -> None:
    assert profile().to_dict()["snapshot_id"] == str(2**62)


def test_a_mask_takes_every_value_and_leaves_the_counts() -> None:
    shown = mask_profile(profile(AMOUNT, MAIL), {"amount", "mail"})
    text = json.dumps(shown.to_dict()["columns"])
    assert "ada" not in text
    assert "9.00" not in text
    assert "3.75" not in text
    amount, mail = shown.columns
    assert (amount.nulls, amount.negatives, amount.masked, amount.top) == (1, 1, True, ())
    assert (mail.distinct, mail.max_length, mail.masked) == (10, 9, True)
    assert mask_profile(profile(AMOUNT), {"mail"}) == profile(AMOUNT)


def test_equal_profiles_differ_in_nothing() -> None:
    assert diff_profiles(profile(AMOUNT, MAIL), profile(AMOUNT, MAIL)).same


def test_a_diff_says_by_how_much() -> None:
    after = replace(AMOUNT, nulls=3, maximum="18.00", median=2.0, type="decimal(14,2)")
    found = diff_profiles(profile(AMOUNT), profile(after, rows=20))
    by_name = {(one.column, one.statistic): one for one in found.changes}
    assert by_name[None, "row_count"].by == 10
    assert by_name[None, "row_count"].share == 1.0
    assert (by_name["amount", "maximum"].by, by_name["amount", "maximum"].share) == (9.0, 1.0)
    assert by_name["amount", "type"].by is None
    assert by_name["amount", "null_share"].after == 0.15
    assert ("amount", "median") not in by_name


def test_columns_that_came_and_went_are_named() -> None:
    found = diff_profiles(profile(AMOUNT), profile(MAIL))
    assert (found.added, found.removed) == (("Mail",), ("amount",))


def test_a_diff_with_sides_swapped_has_the_same_statistics() -> None:
    one, two = profile(AMOUNT, MAIL), profile(replace(AMOUNT, mean=7.0, top=()), rows=9)
    there, back = diff_profiles(one, two), diff_profiles(two, one)
    assert [(c.column, c.statistic, c.before, c.after) for c in there.changes] == [
        (c.column, c.statistic, c.after, c.before) for c in back.changes
    ]
    assert (there.added, there.removed) == (back.removed, back.added)


def test_masked_values_are_not_compared() -> None:
    shown = mask_profile(profile(AMOUNT), {"amount"})
    assert {one.statistic for one in diff_profiles(shown, profile(AMOUNT)).changes} == set()


def test_counts_of_a_sample_are_not_compared_with_those_of_all_rows() -> None:
    part = profile(replace(AMOUNT, distinct=4, zeros=5), sample=0.5)
    assert {one.statistic for one in diff_profiles(part, profile(AMOUNT)).changes} == set()


@pytest.mark.parametrize(
    ("low", "high", "whole", "bins"),
    [(0, 0, True, 1), (1, 20, True, 20), (0, 20, True, 11), (-5, 5, True, 11), (0.0, 1.0, False, 20)],
)
def test_bins_cover_all_values(low: float, high: float, whole: bool, bins: int) -> None:
    plan = plan_bins(low, high, whole=whole)
    assert plan is not None
    assert plan.bins == bins
    assert (plan.index(low), plan.index(high)) == (0, bins - 1)
    assert len(plan.edges()) == bins + 1


def test_no_bins_without_numbers() -> None:
    assert plan_bins(None, None, whole=True) is None
    assert plan_bins(0.0, math.inf, whole=False) is None


def test_edges_of_dates_are_dates() -> None:
    plan = plan_bins(0, 1, whole=True)
    assert plan is not None
    assert plan.edges(ValueClass.DATE) == ("1970-01-01", "1970-01-02", "1970-01-03")


def test_a_histogram_is_a_row_of_blocks() -> None:
    assert ColumnHistogram((0, 1, 2, 3, 4), (1, 0, 50, 100)).blocks == "▁ ▄█"
    assert ColumnHistogram((0, 1), (0,)).blocks == " "


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        ("bigint", ValueClass.INTEGER),
        ("decimal(3,1)", ValueClass.DECIMAL),
        ("varchar(3)", ValueClass.TEXT),
        ("timestamp_ntz", ValueClass.TIMESTAMP_NTZ),
        ("array<int>", ValueClass.OTHER),
        ("interval day", ValueClass.OTHER),
        ("void", ValueClass.OTHER),
    ],
)
def test_types_have_classes(type_: str, kind: ValueClass) -> None:
    assert class_of(type_) is kind


def test_values_are_written_as_json_has_them() -> None:
    assert cell_of("-0.0", ValueClass.FLOAT) == 0.0
    assert cell_of(math.inf, ValueClass.FLOAT) == "Infinity"
    assert cell_of("0E-10", ValueClass.DECIMAL) == "0.0000000000"
    assert cell_of("x" * 101, ValueClass.TEXT) == "x" * 100 + "…"
    assert cell_of(1, ValueClass.TIMESTAMP) == "1970-01-01T00:00:00.000001Z"
    assert iso_time(-1) == "1969-12-31T23:59:59.999999"
    assert [iso_date(day) for day in (-719_529, -719_528, 11_016, 2_932_896, 2_932_897)] == [
        "-0001-12-31",
        "0000-01-01",
        "2000-02-29",
        "9999-12-31",
        "+10000-01-01",
    ]
