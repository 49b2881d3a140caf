"""What tests measure is told at the end, also where worker processes run them."""

from __future__ import annotations

from pathlib import Path

import measured
import pytest

pytest_plugins = ["pytester"]
CONFTEST = """
from measured import write_measured
def pytest_terminal_summary(terminalreporter): write_measured(terminalreporter)
"""
TEST = """
def test_recall(record_property):
    record_property("measured", "recall 0.812")
    print("and what it prints")

def test_precision(record_property):
    record_property("measured", "precision 0.703")
    assert False
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_measurements_are_in_the_summary_with_and_without_workers(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(measured.__file__).parent))
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TEST)
    told = pytester.runpytest_subprocess("-q", "-n", workers, "-p", "no:cacheprovider")
    assert told.ret == pytest.ExitCode.TESTS_FAILED
    told.stdout.fnmatch_lines(["*= measured =*", "precision 0.703", "recall 0.812"])
    told.stdout.no_fnmatch_line("*what it prints*")
