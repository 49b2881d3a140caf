"""Progress of a run on stderr: one line per table. Finished tables scroll up, running ones are updated below."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from forge.cli.formatting import plural, short
from forge.cli.output import console_of, is_rich
from forge.model.duration import duration_text
from forge.model.names import RunId, TableName

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.text import Text

    from forge.connection import RunReport
    from forge.flows.runs.build import StepEvent
    from forge.wiring import Wiring

POLLS_PER_SECOND = 5
ENDS = ("up to date", "passed", "published", "blocked", "failed", "skipped")
TIMED = ("passed", "blocked", "failed")
MARKS = {
    "up to date": ("–", "dim"),
    "passed": ("✓", "green"),
    "published": ("✓", "green"),
    "blocked": ("✗", "bold red"),
    "failed": ("✗", "bold red"),
    "skipped": ("–", "yellow"),
}
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
NAME_WIDTH = 28
WARNED = 20  # violations of contracts in full at the end of a run; the rest is counted


@dataclass
class _Row:
    """A running table."""

    table: TableName
    began: float
    step: str = "started"
    detail: str = ""
    stages: str = ""


@dataclass(kw_only=True)
class RunDisplay:
    """`with RunDisplay(wiring, quiet, progress) as display: run(…, ports(display.notify))`."""

    wiring: Wiring
    quiet: bool = False
    progress: bool = True
    _rows: dict[TableName, _Row] = field(default_factory=dict)
    _run_id: RunId | None = None
    _note: str = ""
    _live: Live | None = None
    _poller: threading.Thread | None = None
    _over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        if not self.quiet and self.progress and is_rich(sys.stderr):
            from rich.live import Live

            self._live = Live(
                console=console_of(sys.stderr),
                get_renderable=self._picture,
                refresh_per_second=POLLS_PER_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
            self._poller = threading.Thread(target=self._poll, name="forge-progress", daemon=True)
            self._poller.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The thread asks Spark; it must have ended before the session does.
        self._over.set()
        if self._poller is not None:
            self._poller.join()
        if self._live is not None:
            self._live.stop()

    def notify(self, event: StepEvent) -> None:
        """Called from the threads of the run."""
        if self.quiet:
            return
        with self._lock:
            self._run_id = event.run_id
            if event.table is None:
                self._note = f"{event.step} {short(event.detail) if event.step == 'published' else event.detail}"
                return
            row = self._rows.setdefault(event.table, _Row(event.table, time.monotonic()))
            row.step = event.step
            row.detail = (short(event.detail) if event.step == "published" else event.detail) or row.detail
            if event.step in ENDS:
                del self._rows[event.table]
        if self._live is None:
            print(_plain_line(row), file=sys.stderr, flush=True)  # noqa: T201
        elif event.step in ENDS:
            self._live.console.print(_done_line(row))

    def _poll(self) -> None:
        while not self._over.wait(1 / POLLS_PER_SECOND):
            with self._lock:
                rows, run_id = list(self._rows.values()), self._run_id
            for row in rows if run_id else ():
                row.stages = self._stages(run_id or RunId(""), row)

    def _stages(self, run_id: RunId, row: _Row) -> str:
        if "engine" not in vars(self.wiring):
            return ""  # work of the driver alone: Spark was not asked for
        if not self.wiring.session.started:
            return "starting Spark"
        try:
            seen = self.wiring.engine.progress(run_id, row.table)
        except Exception:  # Spark may be stopping; a display never ends a run
            return row.stages
        if not seen.stages_known:
            return row.stages if row.stages != "starting Spark" else ""
        stage = min(seen.stages_done + 1, seen.stages_known)
        return f"stage {stage} of {seen.stages_known} · tasks {seen.tasks_done}/{seen.tasks_known}"

    def _picture(self) -> RenderableType:
        from rich.text import Text

        with self._lock:
            rows = list(self._rows.values())
        frame = SPINNER[int(time.monotonic() * 10) % len(SPINNER)]
        lines = [_working_line(row, frame) for row in rows]
        if not rows and self._note:
            lines.append(Text.assemble((frame, "cyan"), f" {self._note}"))
        return Text("\n").join(lines)


def _name(table: TableName) -> str:
    return str(table).ljust(NAME_WIDTH)


def _plain_line(row: _Row) -> str:
    took = f"  {duration_text(time.monotonic() - row.began)}" if row.step in TIMED else ""
    return f"{_name(row.table)}  {row.step}{took}{'  ' if row.detail else ''}{row.detail}"


def _working_line(row: _Row, frame: str) -> Text:
    from rich.text import Text

    doing = {"started": "working", "staged": "checking"}.get(row.step, row.step)
    detail = row.stages or row.detail
    line = Text.assemble((frame, "cyan"), " ", (_name(row.table), "bold"), f"  {doing}")
    line.append(f"  {detail}" if detail else "", style="dim")
    line.append(f"  {duration_text(time.monotonic() - row.began)}", style="dim")
    line.no_wrap, line.overflow = True, "ellipsis"
    return line


def _done_line(row: _Row) -> Text:
    from rich.text import Text

    mark, style = MARKS.get(row.step, ("·", ""))
    line = Text.assemble((mark, style), " ", (_name(row.table), "bold"), f"  {row.step}")
    if row.step in TIMED:
        line.append(f"  {duration_text(time.monotonic() - row.began)}", style="dim")
    line.append(f"  {row.detail}" if row.detail else "", style="dim")
    line.no_wrap, line.overflow = True, "ellipsis"  # truncated text is shown in full at the end
    return line


def summary(report: RunReport) -> RenderableType:
    """The end of a run: one line, and where a gate held something back, why."""
    from rich.console import Group
    from rich.text import Text

    from forge.cli.runs.incident_panel import incident_panel

    run = report.result.run
    good = report.status in ("succeeded", "nothing to do")
    style = "bold green" if good else "bold red"
    took = (run.finished_at - run.started_at).total_seconds() if run.finished_at else 0.0
    published = [output for output in run.outputs if str(output.status) == "published"]
    facts = [f"on {run.branch}"]
    if report.commit is not None:
        facts.append(f"commit {short(report.commit.id)}")
        facts.append(plural(len(published), "table"))
        facts.append(f"{plural(sum(output.rows_added or 0 for output in published), 'row')} written")
    jobs = sum(output.spark_jobs for output in run.outputs)
    facts += [plural(jobs, "Spark job")] if jobs else []
    line = Text.assemble((report.status, style), f"  {' · '.join([*facts, duration_text(took)])}")
    if report.status == "nothing to do":
        line.append("\nSame code, inputs and parameters as last time; --force runs it all the same.", style="dim")
    parts: list[RenderableType] = [line, *_warnings(report)]
    return Group(*parts, incident_panel(report)) if report.incidents else Group(*parts)


def _warnings(report: RunReport) -> list[Text]:
    """Contract warnings about tables that were published all the same."""
    from rich.text import Text

    from forge.cli.runs.gate_text import contract_lines, warnings_of

    found = warnings_of(report.result.verdicts)
    lines = [line for verdict in found[:WARNED] for line in contract_lines(verdict)]
    if len(found) > WARNED:
        lines.append(f"and {plural(len(found) - WARNED, 'more warning')}: forge runs {report.result.run.id}")
    return [Text(line, style="dim" if line.startswith("  ") else "yellow") for line in lines]
