"""What was promised, and how it is kept."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.quality.monitors.monitor import MonitorRunStatus, status_of
from forge.quality.monitors.sla import SlaRun, SlaState, judge_sla
from forge.quality.verdict import Outcome, Severity

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
GOOD, BAD, UNKNOWN = MonitorRunStatus.PASSED, MonitorRunStatus.FAILED, MonitorRunStatus.NOT_MEASURED


def runs(*statuses: MonitorRunStatus, hours: float = 1.0) -> list[SlaRun]:
    """The last one an hour ago, the one before two hours ago, and so on."""
    return [SlaRun(NOW - timedelta(hours=hours * (n + 1)), status) for n, status in enumerate(reversed(statuses))]


def test_the_pass_rate_is_the_share_of_measured_runs_without_a_failed_error_or_critical_check() -> None:
    sla = judge_sla(runs(*[GOOD] * 18, BAD, BAD, UNKNOWN, hours=24), 90, 30, NOW)
    assert sla.pass_rate == 90.0
    assert (sla.counted.runs, sla.counted.met, sla.counted.missed, sla.counted.not_measured) == (20, 18, 2, 1)
    assert (sla.budget_runs, sla.budget_left, sla.burn_rate) == (2.0, 0.0, 1.0)
    assert sla.state is SlaState.AT_RISK


def test_one_more_failure_breaks_the_promise_and_overdraws_the_budget() -> None:
    sla = judge_sla(runs(*[GOOD] * 17, BAD, BAD, BAD, hours=24), 90, 30, NOW)
    assert (sla.state, sla.budget_left, sla.burn_rate) == (SlaState.MISSED, -50.0, 1.5)


def test_only_runs_of_the_window_count() -> None:
    old = [SlaRun(NOW - timedelta(days=8), BAD), SlaRun(NOW + timedelta(seconds=1), BAD)]
    assert judge_sla([*old, *runs(GOOD)], 99, 7, NOW).pass_rate == 100.0
    assert judge_sla([*old, *runs(GOOD)], 99, 9, NOW).pass_rate == 50.0


@pytest.mark.parametrize("status", [MonitorRunStatus.CANCELLED, MonitorRunStatus.SKIPPED, MonitorRunStatus.INTERRUPTED])
def test_a_run_that_was_not_made_says_nothing(status: MonitorRunStatus) -> None:
    sla = judge_sla(runs(GOOD, status), 99, 30, NOW)
    assert (sla.counted.runs, sla.counted.not_measured) == (1, 0)


def test_without_a_target_there_is_a_pass_rate_and_no_budget() -> None:
    sla = judge_sla(runs(GOOD, BAD), None, 30, NOW)
    assert (sla.state, sla.pass_rate, sla.budget_left, sla.burn_rate) == (SlaState.NO_TARGET, 50.0, None, None)


@pytest.mark.parametrize("found", [[], [SlaRun(NOW, UNKNOWN)]])
def test_without_a_measured_run_nothing_is_said(found: list[SlaRun]) -> None:
    sla = judge_sla(found, 99, 30, NOW)
    assert (sla.state, sla.pass_rate, sla.budget_left) == (SlaState.NO_RUNS, None, None)


def test_a_target_of_all_is_kept_until_the_first_failure() -> None:
    assert judge_sla(runs(GOOD, GOOD), 100, 30, NOW).state is SlaState.MET
    broken = judge_sla(runs(GOOD, BAD), 100, 30, NOW)
    assert (broken.state, broken.budget_left, broken.burn_rate) == (SlaState.MISSED, 0.0, None)


def test_burn_rates_look_at_several_windows() -> None:
    """Two failures of the last six hours, after weeks without one."""
    sla = judge_sla(runs(*[GOOD] * 600, BAD, GOOD, BAD, GOOD), 99, 30, NOW)
    assert {burn.hours: (burn.runs, burn.missed, burn.rate) for burn in sla.burns} == {
        1: (0, 0, None),
        6: (5, 2, 40.0),
        24: (23, 2, 8.7),
        72: (71, 2, 2.82),
    }
    assert sla.state is SlaState.AT_RISK  # the budget lasts, but goes fast
    assert sla.budget_left == pytest.approx(66.89)


def test_a_window_of_a_day_has_no_burn_rate_of_three() -> None:
    assert [burn.hours for burn in judge_sla([], 99, 1, NOW).burns] == [1, 6, 24]


def test_days_are_all_there_and_the_budget_goes_from_day_to_day() -> None:
    sla = judge_sla(runs(*[GOOD] * 9, BAD, hours=24), 80, 11, NOW)
    assert len(sla.days) == 12  # the first and the last are not whole
    assert [day.day for day in sla.days][-2:] == [date(2026, 11, 14), date(2026, 11, 15)]
    assert [day.budget_left for day in sla.days][-3:] == [100.0, 50.0, 50.0]


@given(st.lists(st.sampled_from([GOOD, BAD, UNKNOWN]), max_size=60), st.floats(0.1, 100))
def test_the_promise_is_missed_exactly_where_the_budget_is_overdrawn(
    found: list[MonitorRunStatus], target: float
) -> None:
    sla = judge_sla(runs(*found), target, 30, NOW)
    assert sum(day.counted.runs for day in sla.days) == sla.counted.runs
    if sla.counted.runs and sla.budget_left is not None and abs(sla.budget_left) > 0.01:
        assert (sla.state is SlaState.MISSED) == (sla.budget_left < 0)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ([], GOOD),
        ([(Outcome.PASSED, Severity.ERROR)], GOOD),
        ([(Outcome.FAILED, Severity.WARNING), (Outcome.PASSED, Severity.ERROR)], GOOD),
        ([(Outcome.FAILED, Severity.ERROR), (Outcome.NOT_MEASURED, Severity.CRITICAL)], BAD),
        ([(Outcome.FAILED, Severity.CRITICAL)], BAD),
        ([(Outcome.NOT_MEASURED, Severity.ERROR), (Outcome.PASSED, Severity.ERROR)], UNKNOWN),
        ([(Outcome.NOT_MEASURED, Severity.INFO), (Outcome.PASSED, Severity.ERROR)], GOOD),
        ([(Outcome.NOT_MEASURED, Severity.INFO)], UNKNOWN),
    ],
)
def test_how_a_run_counts_hangs_on_its_checks_of_severity_error_and_critical(
    said: list[tuple[Outcome, Severity]], status: MonitorRunStatus
) -> None:
    assert status_of(said) is status
