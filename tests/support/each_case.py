"""Many cheap cases as one test. pytest would collect thousands of items in every process, each with a start-up cost
above that of the case itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")


def each_case(
    cases: Iterable[T], named: Callable[[T], str] = str
) -> Callable[[Callable[[T], None]], Callable[[pytest.Subtests, pytest.FixtureRequest], None]]:
    """Like `parametrize` with one argument, but one item: all cases run, and those that fail are reported as subtests
    by their names. `pytest --case WORDS` runs those whose name has these words."""
    given = tuple(cases)

    def over(test: Callable[[T], None]) -> Callable[[pytest.Subtests, pytest.FixtureRequest], None]:
        def run(subtests: pytest.Subtests, request: pytest.FixtureRequest) -> None:
            words = request.config.getoption("--case")
            assert given, "there is no case"
            for case in given:
                if words not in named(case):
                    continue
                try:
                    test(case)
                except (Exception, pytest.fail.Exception) as error:
                    with subtests.test(named(case)):
                        raise error

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(run, name, getattr(test, name))
        return run

    return over
