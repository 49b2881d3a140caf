"""What tests measure, told at the end of the run: what they print themselves is lost where workers run them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MEASURED = "measured"
RecordProperty = Callable[[str, object], None]
"""pytest's `record_property`, which goes from a worker to the run."""


def write_measured(reporter: Any) -> None:
    reports = (report for outcome in ("passed", "failed") for report in reporter.stats.get(outcome, ()))
    told = sorted({text for report in reports for name, text in report.user_properties if name == MEASURED})
    if told:
        reporter.section(MEASURED)
    for text in told:
        reporter.line(text)
