"""`forge quality baseline`: metric histories with expected bands, and feedback on anomalies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.quality.metrics.anomalies import MetricSeries
    from forge.flows.quality.metrics.history import DatedValue, MetricPorts
    from forge.model.names import BranchName, TableName
    from forge.quality.anomaly import AnomalyFinding, Feedback
    from forge.quality.metric import Metric

_DAYS = 30


@command
def baseline(
    terminal: Terminal,
    table: Annotated[
        str | None, typer.Argument(metavar="[TABLE[@BRANCH]]", help="None: what was odd lately, of all tables.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", metavar="M", help="Like row_count or mean(amount). None: all, newest value."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="seasonal, zscore, iqr, mad, isolation_forest or prophet."),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", metavar="N", help="How far out is too far, in the method's own unit.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, max=1000, help="At most so many.")] = 30,
    expected: Annotated[
        str | None,
        typer.Option("--expected", metavar="TIME", help="Say that the value of that time is as it should be."),
    ] = None,
    incident: Annotated[
        str | None, typer.Option("--incident", metavar="TIME", help="Say that something was wrong then.")
    ] = None,
    forget: Annotated[
        str | None, typer.Option("--forget", metavar="TIME", help="Take back what was said of that time.")
    ] = None,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, for those who look later.")] = "",
) -> None:
    """Show metrics with the band that was expected of them, and say what of it was expected or an incident. A time may
    be cut short where it stays clear: 2026-11-14."""
    from forge.model.names import BranchName, TableName

    marks = [(word, time) for word, time in (("expected", expected), ("incident", incident), ("", forget)) if time]
    if len(marks) > 1:
        raise ForgeError(
            "E105", "--expected, --incident and --forget are one at a time", fix="Say one after the other."
        )
    if table is None and (metric or method or marks or threshold is not None):
        raise ForgeError(
            "E105", "Of which table?", fix="Name it: forge quality baseline core.orders --metric row_count"
        )
    with terminal.open() as wiring:
        ports = wiring.quality.metric_ports()
        if table is None:
            terminal.answer(_flagged(ports, limit))
            return
        name, _, branch = table.partition("@")
        place = TableName.parse(name), BranchName(branch or wiring.default_branch)
        if marks:
            _record_feedback(terminal, ports, place, metric or "row_count", marks[0], note, wiring.author.email)
        if metric is None and method is None and threshold is None and not marks:
            terminal.answer(_metrics(ports, place))
            return
        answer = _series(ports, place, metric or "row_count", method, threshold, limit)
        terminal.answer(answer)


def _record_feedback(
    terminal: Terminal,
    ports: MetricPorts,
    place: tuple[TableName, BranchName],
    metric: str,
    mark: tuple[str, str],
    note: str,
    user: str,
) -> None:
    from forge.flows.quality.metrics.anomalies import find_time, record_feedback
    from forge.quality.anomaly import Feedback

    table, branch = place
    word, text = mark
    time = find_time(ports, table, metric, branch, text)
    feedback = Feedback(word) if word else None
    record_feedback(ports, table, metric, time, feedback, branch=branch, user=user, note=note)
    outcome = f"called {_called(feedback)}" if feedback else "as if nothing had been said"
    terminal.say(f"{table} {metric} of {time:%Y-%m-%d %H:%M:%S} UTC: {outcome}")


def _called(feedback: Feedback) -> str:
    return "expected" if feedback.value == "expected" else "an incident"


def _flagged(ports: MetricPorts, limit: int) -> CommandAnswer:
    from forge.flows.quality.metrics.anomalies import find_flagged

    items = [
        {
            "table": str(point.table),
            "metric": point.metric,
            "time": point.time,
            "value": point.value,
            "low": point.finding.low if point.finding else None,
            "high": point.finding.high if point.finding else None,
            "expected": point.finding.expected if point.finding else None,
            "explanation": point.finding.explanation if point.finding else "",
            "feedback": given.feedback.value if given else None,
            "commit": point.commit_id,
            "run_id": point.run_id,
        }
        for point, given in find_flagged(ports, _DAYS, limit=limit)
    ]
    columns = (
        AnswerColumn("when (UTC)", _when),
        AnswerColumn("table", lambda i: str(i["table"]), style="bold"),
        AnswerColumn("metric", lambda i: str(i["metric"])),
        AnswerColumn("why it was odd", lambda i: str(i["explanation"])),
        AnswerColumn("said", lambda i: str(i["feedback"] or "")),
    )
    foot = () if items else (f"Nothing was odd in the last {_DAYS} days.",)
    return CommandAnswer(name="anomalies", items=items, columns=columns, foot=foot)


def _metrics(ports: MetricPorts, place: tuple[TableName, BranchName]) -> CommandAnswer:
    from forge.flows.quality.metrics.anomalies import find_metrics

    table, branch = place
    items = [_metric_item(*one) for one in find_metrics(ports, table, branch)]
    columns = (
        AnswerColumn("", _mark),
        AnswerColumn("metric", lambda i: str(i["metric"]), style="bold"),
        AnswerColumn("newest (UTC)", _when),
        AnswerColumn("value", lambda i: _number(i["value"]), right=True),
        AnswerColumn("expected", _band),
        AnswerColumn("in words", lambda i: str(i["explanation"])),
    )
    foot = () if items else (f"Nothing is known of {table} on '{branch}'. Judge it: forge quality run {table}",)
    return CommandAnswer(
        name="metrics", items=items, columns=columns, facts={"table": str(table), "branch": branch}, foot=foot
    )


def _metric_item(metric: Metric, value: DatedValue, found: AnomalyFinding) -> Item:
    return {"metric": metric.name, "unit": metric.unit, "points": found.points, **value.to_dict(found)}


def _series(
    ports: MetricPorts,
    place: tuple[TableName, BranchName],
    metric: str,
    method: str | None,
    threshold: float | None,
    limit: int,
) -> CommandAnswer:
    from forge.flows.quality.metrics.anomalies import find_series
    from forge.quality.anomaly.methods import DEFAULT

    found: MetricSeries = find_series(
        ports, place[0], metric, place[1], method=method or DEFAULT, threshold=threshold, limit=limit
    )
    items = found.point_dicts()
    columns = (
        AnswerColumn("", _mark),
        AnswerColumn("when (UTC)", _when),
        AnswerColumn("value", lambda i: _number(i["value"]), right=True),
        AnswerColumn("expected", _band),
        AnswerColumn("said", lambda i: str(i["feedback"] or ("held back" if i["held_back"] else ""))),
        AnswerColumn("in words", lambda i: str(i["explanation"]) if i["is_anomaly"] or i["low"] is None else ""),
    )
    facts = {
        "table": str(found.table),
        "branch": found.branch,
        "metric": found.metric.name,
        "method": found.method,
        "threshold": found.threshold,
    }
    return CommandAnswer(name="points", items=items, columns=columns, facts=facts)


def _mark(item: Item) -> str:
    return "✗" if item["is_anomaly"] else "·" if item["low"] is None else "✓"


def _when(item: Item) -> str:
    return f"{item['time']:%Y-%m-%d %H:%M:%S}"


def _number(value: object) -> str:
    from forge.quality.anomaly.explain import number

    return number(float(value)) if isinstance(value, int | float) else ""


def _band(item: Item) -> str:
    return f"{_number(item['low'])} … {_number(item['high'])}" if item["low"] is not None else "not known yet"
