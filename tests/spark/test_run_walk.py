"""One run goes the way that docs/architecture.md shows, begun from Python instead of the terminal."""

from __future__ import annotations

import pytest
from recorded_walk import assert_walk, record_calls, walks
from shop_project import MakeProject

pytestmark = pytest.mark.spark
FILES = {
    "transforms/core/a.sql": "SELECT 1 AS x",
    "checks/a.yaml": "core.a:\n  - {type: not_null, column: x}\n",
}


def test_a_run_goes_the_way_that_is_written(make_project: MakeProject) -> None:
    called = record_calls(make_project(FILES).run)
    terminal, *steps = walks()["A run"]
    assert terminal == ("cli/runs/runs.py", "run")
    assert_walk([("connection/runs/project.py", "run"), *steps], called, begin_threads={"flows/runs/build.py"})
