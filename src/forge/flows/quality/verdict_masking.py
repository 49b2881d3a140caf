"""Masks stored verdicts for display: a column may have become personal since they were given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from forge.flows.catalog.personal_data import HIDDEN, PersonalColumns
from forge.quality.checks import (
    AnomalyCheck,
    DriftCheck,
    FunctionCheck,
    IqrCheck,
    KsTestCheck,
    MeanCheck,
    QuantileCheck,
    QueryCheck,
    RangeCheck,
    StdCheck,
    ZScoreCheck,
)
from forge.quality.monitors.monitor import CheckResult
from forge.quality.paths import is_within
from forge.quality.verdict import Outcome, Verdict

_FREE = frozenset({QueryCheck.type, FunctionCheck.type})  # they call columns as they like
# Their messages depend on whether the column is personal; others never contain a value.
REVEALING = frozenset(
    kind.type
    for kind in (
        AnomalyCheck,
        DriftCheck,
        IqrCheck,
        KsTestCheck,
        MeanCheck,
        QuantileCheck,
        RangeCheck,
        StdCheck,
        ZScoreCheck,
    )
)
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
    """The message of a check, where nothing else was stored."""
    return _shown(table, kind, columns, message, Outcome.FAILED, {}, personal)[0]


def shown_text(text: str, verdicts: Iterable[Verdict], personal: PersonalColumns) -> str:
    """A text that quotes verdicts: why a table was held back, a step of a run."""
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
    """The sample without values of personal columns. Where the checked column was not personal then, message and
    readings are hidden too, as they may hold values."""
    hidden = personal.of(table)
    is_closed = personal.closes(table)
    sample = details.get("sample")
    if isinstance(sample, Sequence):
        closed = kind in _FREE and bool(hidden or any(_is_private(one, personal) for one in _listed(details, "reads")))
        rows = [_row(row, hidden, closed or is_closed) for row in sample if isinstance(row, Mapping)]
        details = {**details, "sample": rows}
    known = frozenset(_listed(details, "personal"))
    about = (*(columns if kind in REVEALING else ()), *_listed(details, "partition_by"))
    new = [
        column
        for column in about
        if column not in known and (is_closed or any(is_within(column, one) for one in hidden))
    ]
    if not new:
        return message, details
    masked = f"{', '.join(columns) or kind}: {outcome}; what it said is not shown, as {new[0]} holds personal data"
    return masked, {key: value for key, value in details.items() if key in _KEPT}


def _is_private(table: str, personal: PersonalColumns) -> bool:
    return personal.closes(table) or bool(personal.of(table))


def _row(row: Mapping[str, object], hidden: frozenset[str], closed: bool) -> dict[str, object]:
    def is_hidden(name: str) -> bool:
        return closed or any(is_within(name, one) or is_within(one, name) for one in hidden)

    return {str(name): HIDDEN if value is not None and is_hidden(str(name)) else value for name, value in row.items()}


def _listed(details: Mapping[str, object], key: str) -> tuple[str, ...]:
    found = details.get(key)
    return tuple(str(each) for each in found) if isinstance(found, Sequence) and not isinstance(found, str) else ()
