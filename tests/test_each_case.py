"""Many cases in one test: all of them run, and each that fails is named."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]
CONFTEST = "def pytest_addoption(parser): parser.addoption('--case', default='')"
TEST = """
import pytest
from each_case import each_case

@each_case([1, 2, 3, 4, 5], lambda number: f"number {number}")
def test_is_odd(number):
    assert number % 2
    if number == 5:
        pytest.fail("too large")

@each_case([])
def test_nothing(case): pass
"""


@pytest.fixture
def cases(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TEST)
    return pytester


@pytest.mark.slow
def test_every_case_that_fails_is_named_and_the_others_run(cases: pytest.Pytester) -> None:
    told = cases.runpytest_inprocess("-k", "odd", "-p", "no:cacheprovider")
    assert told.ret == pytest.ExitCode.TESTS_FAILED
    text = told.stdout.str()
    assert [f"test_is_odd [number {n}]" in text for n in range(1, 6)] == [False, True, False, True, True]
    assert "too large" in text


@pytest.mark.slow
def test_a_case_is_chosen_by_words_of_its_name(cases: pytest.Pytester) -> None:
    assert cases.runpytest_inprocess("-k", "odd", "--case", "number 3", "-p", "no:cacheprovider").ret == 0


@pytest.mark.slow
def test_a_test_without_cases_fails(cases: pytest.Pytester) -> None:
    told = cases.runpytest_inprocess("-k", "nothing", "-p", "no:cacheprovider")
    assert told.ret == pytest.ExitCode.TESTS_FAILED
    assert "there is no case" in told.stdout.str()
