"""The bench of quality: what it holds the tools against, and what it calls missed."""

from __future__ import annotations

import pytest

from bench.quality.bench import Line, missed, shown
from bench.quality.forge_checks import forge_checks
from bench.quality.task import TASKS, bad_rows, right


def line(tool: str, target: str, seconds: float, correct: int = len(TASKS)) -> Line:
    return Line(tool, target, seconds, 1, 10, correct)


def lines(parquet: float, view: float, correct: int = len(TASKS)) -> list[Line]:
    floor = [line("floor", target, 10.0) for target in ("parquet", "view")]
    return [*floor, line("forge", "parquet", parquet, correct), line("forge", "view", view)]


@pytest.mark.parametrize("rows", [0, 1, 17, 18, 100_017, 100_018, 1_000_000])
def test_the_number_of_bad_rows_is_what_counting_them_gives(rows: int) -> None:
    assert bad_rows((100_000, 17), rows) == sum(number % 100_000 == 17 for number in range(rows))


def test_there_are_twenty_checks_and_forge_is_asked_for_each() -> None:
    assert len(TASKS) == len({task.id for task in TASKS}) == len(forge_checks()) == 20


def test_a_verdict_that_is_missing_is_not_right() -> None:
    said = {task.id: task.passes(1_000_000) for task in TASKS}
    assert right(said, 1_000_000) == 20
    assert right({**said, "id_there": False}, 1_000_000) == 19
    said.pop("rows")
    assert right(said, 1_000_000) == 19


def test_what_is_slower_than_its_bound_or_wrong_is_missed() -> None:
    assert missed(lines(6.4, 10.9)) == []
    assert len(missed(lines(6.6, 10.9))) == 1
    assert len(missed(lines(6.4, 11.2))) == 1
    assert len(missed(lines(6.4, 10.9, correct=19))) == 1


def test_a_tool_that_could_not_be_run_is_shown_with_its_reason() -> None:
    told = shown([*lines(5, 5), Line("gx", "view", 0, 0, 0, 0, "no such module")])
    assert "0.50" in told
    assert "no such module" in told
