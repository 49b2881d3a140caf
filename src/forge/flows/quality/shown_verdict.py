"""Verdicts that were kept, as they may be shown today: a column may have become personal since they were given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from forge.flows.catalog.personal import HIDDEN, PersonalColumns
from forge.quality.checks import (
    Anomaly,
    Drift,
    Function,
    Iqr,
    KsTest,
    Mean,
    Quantile,
    Query,
    Range,
    Std,
    ZScore,
)
from forge.quality.monitors.monitor import CheckResult
from forge.quality.paths import is_within
from forge.quality.verdict import Outcome, Verdict

_FREE = frozenset({Query.type, Function.type})  # they call columns as they like
# What they say depends on whether their column is personal; all others never name a value.
TELLING = frozenset(kind.type for kind in (Anomaly, Drift, Iqr, KsTest, Mean, Quantile, Range, Std, ZScore))
_KEPT = ("name", "where", "partition_by", "since", "thresholds", "personal", "reads", "sample", "sample_missing")


def shown_verdict(verdict: Verdict, personal: PersonalColumns) -> Verdict:
    message, details = _shown(
        verdict.table, verdict.check_type, verdict.columns, verdict.message, verdict.outcome, verdict.details, personal
    )
    return replace(verdict, message=message, details=details)


def shown_result(result: CheckResult, personal: PersonalColumns) -> CheckResult:
    message, details = _shown(
        str(result.dataset), result.type, result.columns, result.message, result.verdict, result.details, personal
    )
    return replace(result, message=message, details=details)


def shown_message(table: str, kind: str, columns: Sequence[str], message: str, personal: PersonalColumns) -> str:
    """What a check said, where nothing else of it was kept."""
    return _shown(table, kind, columns, message, Outcome.FAILED, {}, personal)[0]


def shown_text(text: str, verdicts: Iterable[Verdict], personal: PersonalColumns) -> str:
    """A text that repeats what checks said: why a table was held back, a step of a run."""
    for verdict in verdicts:
        text = text.replace(verdict.message, shown_verdict(verdict, personal).message) if verdict.message else text
    return text


def _shown(
    table: str,
    kind: str,
    columns: Sequence[str],
    message: str,
    outcome: Outcome,
    details: Mapping[str, object],
    personal: PersonalColumns,
) -> tuple[str, Mapping[str, object]]:
    """The sample without values of personal columns. Where the check was about a column that was not personal then,
    what it said of it stays out, too: its message and readings may hold values."""
    hidden = personal.of(table)
    sample = details.get("sample")
    if isinstance(sample, Sequence):
        closed = kind in _FREE and bool(hidden or any(personal.of(str(one)) for one in _listed(details, "reads")))
        rows = [_row(row, hidden, closed) for row in sample if isinstance(row, Mapping)]
        details = {**details, "sample": rows}
    known = frozenset(_listed(details, "personal"))
    about = (*(columns if kind in TELLING else ()), *_listed(details, "partition_by"))
    new = [column for column in about if column not in known and any(is_within(column, one) for one in hidden)]
    if not new:
        return message, details
    said = f"{', '.join(columns) or kind}: {outcome}; what it said is not shown, as {new[0]} holds personal data"
    return said, {key: value for key, value in details.items() if key in _KEPT}


def _row(row: Mapping[str, object], hidden: frozenset[str], closed: bool) -> dict[str, object]:
    def is_hidden(name: str) -> bool:
        return closed or any(is_within(name, one) or is_within(one, name) for one in hidden)

    return {str(name): HIDDEN if value is not None and is_hidden(str(name)) else value for name, value in row.items()}


def _listed(details: Mapping[str, object], key: str) -> tuple[str, ...]:
    found = details.get(key)
    return tuple(str(each) for each in found) if isinstance(found, Sequence) and not isinstance(found, str) else ()
