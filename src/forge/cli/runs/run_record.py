"""Runs as data and as tables: the output of `forge runs` and `forge run --json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.formatting import count, moment, plural, short
from forge.cli.runs.gate_text import source_lines
from forge.model.duration import duration_text
from forge.model.errors import UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import RunId

if TYPE_CHECKING:
    from forge.flows.runs.ports import Runs
    from forge.flows.runs.records import RunRecord
    from forge.quality.verdict import Verdict

MARKS = {"passed": "✓", "failed": "✗", "not measured": "?"}


def find_run(metadata: Runs, text: str) -> RunRecord:
    """By its id or the beginning of it; `r` and the date alone are often enough."""
    exact = metadata.run(RunId(text))
    if exact is not None:
        return exact
    known = metadata.runs(limit=10_000)
    near = [run for run in known if run.id.startswith(text)]
    if len(near) == 1:
        return near[0]
    why = f"{plural(len(near), 'run')} begin with it." if near else did_you_mean(text, (run.id for run in known))
    raise UnknownNameError(f"There is no run '{text}'", why=why, fix="`forge runs` lists them.")


def answer_of_runs(runs: Sequence[RunRecord]) -> CommandAnswer:
    items = [run.to_dict() for run in runs]
    columns = (
        AnswerColumn("run", lambda i: str(i["run_id"]), style="bold"),
        AnswerColumn("kind", lambda i: str(i["kind"])),
        AnswerColumn("status", lambda i: str(i["status"])),
        AnswerColumn("branch", lambda i: str(i["branch"])),
        AnswerColumn("started (UTC)", lambda i: moment(i["started_at"])),
        AnswerColumn(
            "took", lambda i: duration_text(i["seconds"]) if isinstance(i["seconds"], float) else "", right=True
        ),
        AnswerColumn("tables", lambda i: str(len(i["outputs"])) if isinstance(i["outputs"], list) else "", right=True),
        AnswerColumn("commit", lambda i: short(i["commit"])),
    )
    return CommandAnswer(name="runs", items=items, columns=columns)


def answer_of_run(run: RunRecord, verdicts: Sequence[Verdict]) -> CommandAnswer:
    """One run in full. Its outputs are the rows; the verdicts are listed below them."""
    outputs = [output.to_dict() for output in run.outputs]
    columns = (
        AnswerColumn("table", lambda i: str(i["table"]), style="bold"),
        AnswerColumn("status", lambda i: str(i["status"])),
        AnswerColumn("rows", lambda i: count(i["rows"]), right=True),
        AnswerColumn("jobs", lambda i: count(i["spark_jobs"]), right=True),
        AnswerColumn("took", lambda i: duration_text(float(str(i["seconds"]))), right=True),
        AnswerColumn("why", lambda i: str(i["reason"])),
    )
    facts = {"run": run.to_dict(), "verdicts": [verdict.to_dict() for verdict in verdicts]}
    return CommandAnswer(
        name="outputs", items=outputs, columns=columns, facts=facts, head=_head(run), foot=_foot(run, verdicts)
    )


def _head(run: RunRecord) -> list[str]:
    took = run.seconds
    kind = f"  {run.kind}" if run.kind != "run" else ""
    lines = [
        f"run     {run.id}{kind}",
        f"status  {run.status}" + (f", in {duration_text(took)}" if took is not None else ""),
    ]
    lines.append(f"branch  {run.branch}" + (f"  commit {short(run.commit_id)}" if run.commit_id else ""))
    lines.append(f"began   {moment(run.started_at)} UTC by {run.user} on {run.host}")
    if run.selection:
        lines.append(f"{'select' if run.kind == 'run' else 'what  '}  {' '.join(run.selection)}")
    if run.start and run.end:
        lines.append(f"range   {moment(run.start)} … {moment(run.end)} UTC")
    if run.params:
        lines.append(f"params  {' '.join(f'{name}={value}' for name, value in run.params.items())}")
    return [*lines, ""]


def _foot(run: RunRecord, verdicts: Sequence[Verdict]) -> list[str]:
    lines = [""] if verdicts else []
    for verdict in verdicts:
        lines += [verdict_line(verdict), *(f"    {line}" for line in source_lines(verdict))]
    if run.error:
        from forge.cli.failure import problem_text

        lines += ["", problem_text(run.error)]
    return lines


def verdict_line(verdict: Verdict) -> str:
    mark = MARKS[str(verdict.outcome)]
    place = ".".join((verdict.table, "+".join(verdict.columns))) if verdict.columns else verdict.table
    blocking = " (blocks)" if verdict.blocks else ""
    return f"{mark} {place}  {verdict.check_type}, {verdict.severity}: {verdict.message}{blocking}"
