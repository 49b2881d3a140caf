"""`forge demo`: ten days of a web shop, summarized on one screen, then served. On the last day a bad file is
stopped."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from forge.cli.runs.demo_folder import DemoMarker, digest_of, finish_folder, prepare_folder, read_marker, shop_folder
from forge.cli.runs.demo_usage import use_that_day, use_until_today
from forge.cli.terminal import Terminal
from forge.connection import Connection, RunReport
from forge.flows.quality.incidents.impact import find_incidents
from forge.flows.quality.incidents.open_incidents import result_of
from forge.flows.runs.build import StepEvent
from forge.flows.runs.records import OutputStatus, RunRecord, RunStatus
from forge.model.errors import ForgeError
from forge.model.names import CommitId, RunId
from forge.wiring import Wiring

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.status import Status

DAILY = ("raw.orders+",)
PORTS_TRIED = 20
# Profiled as they were after the first day, too, so that there is a change to look at.
PROFILED_EARLY = ("core.orders", "marts.daily_revenue")


@dataclass(frozen=True, slots=True)
class DemoStory:
    """One run for each day, and the incident of the last one."""

    runs: tuple[RunRecord, ...]
    last: RunReport


def demo(terminal: Terminal, folder: str | None, *, scale: float, fresh: bool) -> Path:
    """Make the demo on Spark or, where it was made before from the same inputs, load it from its records. Its
    folder."""
    target = Path(folder or "forge-demo").resolve()
    digest = digest_of(shop_folder(), scale)
    story = None if fresh else load_story(target, digest)
    if story is None:
        prepare_folder(target)
        terminal.show(_title(target))
        with DemoDisplay(terminal) as display:
            story = run_days(target, scale=scale, display=display)
        if story.last.result.run.status is RunStatus.FAILED:
            raise _failure(story.last)
        finish_folder(target, DemoMarker(digest, tuple(run.id for run in story.runs)))
    else:
        terminal.show(_title(target))
        terminal.say("  As it was made before; --fresh makes it anew.")
        for run in story.runs:
            DemoDisplay(terminal).done(_outcome(run))
    _use_until_today(target)
    terminal.show(_story(story.last, target))
    return target


def _use_until_today(target: Path) -> None:
    wiring = Wiring.of(target)
    try:
        use_until_today(wiring.catalog.discovery.usage, wiring.clock())
    finally:
        wiring.close()


def serve_demo(terminal: Terminal, target: Path, *, browse: bool) -> None:
    """Serve the web app of the demo until Ctrl-C, on the port of the settings or the next free one. Spark is stopped
    by then and starts again when needed."""
    from forge.api.server import ServeOptions, serve

    wiring = Wiring.of(target)
    try:
        port = free_port(wiring.settings.server.host, wiring.settings.server.port)
        # Ctrl-C may come before the server listens to it; that is an end like any other.
        with contextlib.suppress(KeyboardInterrupt):
            serve(wiring, ServeOptions(port=port), lambda url: _announce(terminal, url, wiring, port, browse=browse))
    finally:
        wiring.close()
    terminal.say(f"\nThe server has stopped. Start it again: forge serve --project {_shown(target)}")


def free_port(host: str, wanted: int) -> int:
    """The wanted port, or the first after it on which nobody listens."""
    from forge.api.server import PortTakenError, bind

    for port in range(wanted, min(wanted + PORTS_TRIED, 65536)):
        try:
            bind(host, port).close()
        except PortTakenError:
            continue
        return port
    raise PortTakenError(
        f"Ports {wanted} to {wanted + PORTS_TRIED - 1} of {host} are taken",
        why="Other programs listen on all of them.",
        fix="Name another one: FORGE_SERVER__PORT=9000 forge demo",
    )


def _announce(terminal: Terminal, url: str, wiring: Wiring, port: int, *, browse: bool) -> None:
    """The address is the last thing on the screen, alone on its line."""
    from forge.cli.upkeep.serve import open_browser

    wanted = wiring.settings.server.port
    if port != wanted and wanted:
        terminal.say(f"Port {wanted} is taken, so this is {port}.")
    terminal.say("The web app runs until Ctrl-C. Open this address; whoever has it is signed in:\n")
    terminal.still()
    print(url, flush=True)  # noqa: T201
    if browse:
        open_browser(url)


def load_generator(target: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("forge_demo_generate", target / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def morning(day: date) -> datetime:
    """Files of a day arrive over night; the run is at ten past six the next morning."""
    return datetime(day.year, day.month, day.day, 6, 10, tzinfo=UTC) + timedelta(days=1)


def _since(moment: datetime, began: float) -> datetime:
    """A clock that starts at that moment and runs at normal speed."""
    return moment + timedelta(seconds=time.monotonic() - began)


class DemoDisplay:
    """Progress display: one line a day, and on a terminal the current step."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.began = time.monotonic()
        self._status: Status | None = None

    def __enter__(self) -> DemoDisplay:
        if self.terminal.is_live:
            self._status = self.terminal.talk().status("")
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def working(self, what: str) -> None:
        if self._status is not None:
            self._status.update(f"[dim]{time.monotonic() - self.began:4.0f} s[/]  {what}")

    def done(self, what: str, seconds: float | None = None) -> None:
        from rich.text import Text

        line = Text.from_markup(f"  {what}")
        if seconds is not None:
            line.pad_right(max(0, 70 - line.cell_len))
            line.append(f"{seconds:6.1f} s", style="dim")
        if self._status is not None:
            self._status.console.print(line)
        elif not self.terminal.quiet:
            self.terminal.talk().print(line)

    def notify(self, event: StepEvent) -> None:
        if event.table is not None and event.step == "started":
            self.working(f"{event.table}")


def run_days(target: Path, *, scale: float, display: DemoDisplay) -> DemoStory:
    """Ten days of the shop: one first load, then one small run a day. Spark is stopped at the end."""
    wiring = Wiring.of(target, overrides={"catalog.follow": False})  # once, at the end
    with Connection(wiring, wiring.default_branch) as connection:
        display.working("starting Spark")
        began = time.monotonic()
        spark = connection.spark
        display.done("Spark started", time.monotonic() - began)
        shop = load_generator(target)
        display.working("making two million rows of a web shop" if scale == 1 else "making the rows of a web shop")
        began = time.monotonic()
        shop.generate_history(spark, target, scale=scale)
        display.done("A year of orders, customers and products made from a seed", time.monotonic() - began)
        reports = []
        for number, day in enumerate(shop.DAYS):
            began = time.monotonic()
            display.working(f"{day:%d %B}: the shop delivers its files")
            shop.generate_days(spark, target, days=[day], scale=scale)
            report = _one_day(connection, day, is_first=number == 0, display=display)
            reports.append(report)
            display.done(_outcome(report.result.run), time.monotonic() - began)
            if report.result.run.status is RunStatus.FAILED:
                break
            use_that_day(wiring.catalog.discovery.recorder)
        began = time.monotonic()
        display.working("profiles, personal data and the catalog")
        _profile_early(wiring, reports[0].result.run.commit_id)
        _catalogue(wiring)
        display.done("Tables profiled, scanned for personal data and catalogued", time.monotonic() - began)
    return DemoStory(tuple(report.result.run for report in reports), reports[-1])


def _one_day(connection: Connection, day: date, *, is_first: bool, display: DemoDisplay) -> RunReport:
    connection.wiring.clock = partial(_since, morning(day), time.monotonic())
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return connection.run(
        *(() if is_first else DAILY),
        params={"day": day},
        start=datetime(2000, 1, 1, tzinfo=UTC) if is_first else midnight,
        end=midnight + timedelta(days=1),
        message=f"{'First load, and ' if is_first else ''}orders of {day:%d %B %Y}",
        notify=display.notify,
    )


def _profile_early(wiring: Wiring, commit: CommitId | None) -> None:
    """As they were at this commit, before the profiles of today, which are the newest then. On the driver: that takes
    two seconds, and Spark several times as long."""
    from forge.flows.catalog.profiling.profile_table import profile_table

    ports = wiring.catalog.profile_ports()
    small = ports.small
    if commit is None or small is None:
        return
    ports = replace(ports, large=lambda: small)
    for table in PROFILED_EARLY:
        profile_table(table, ports, at=commit)


def _catalogue(wiring: Wiring) -> None:
    from forge.flows.catalog.crawl import crawl

    wiring.catalog.follower.mark()
    wiring.catalog.follower.catch_up()
    crawl(wiring.catalog.crawl_ports())


def load_story(target: Path, digest: str) -> DemoStory | None:
    """The demo loaded from its records, if it was made from the same inputs; None where it must be made."""
    mark = read_marker(target)
    if mark is None or mark.digest != digest or not (target / "forge.yaml").exists():
        return None
    wiring = Wiring.of(target)
    try:
        runs = tuple(run for name in mark.runs if (run := wiring.metadata.run(RunId(name))) is not None)
        if not runs or len(runs) != len(mark.runs):
            return None
        return DemoStory(runs, _report_of(wiring, runs[-1]))
    finally:
        wiring.close()


def _report_of(wiring: Wiring, run: RunRecord) -> RunReport:
    """As it was when the run ended, whatever came after it."""
    metadata = wiring.metadata
    head = run.commit_id or wiring.branch_head(run.branch)
    made = tuple(lineage for _, lineage in metadata.lineage([run.id]))
    result = replace(result_of(metadata, run), lineage=made)
    return RunReport(result, find_incidents(result, wiring.project(), metadata, metadata.tree(head), head))


def _outcome(run: RunRecord) -> str:
    published = sum(o.status is OutputStatus.PUBLISHED for o in run.outputs)
    commit = run.commit_id[:8] if run.commit_id else "–"
    sign = {"succeeded": "[green]✓[/]", "blocked": "[red]✗[/]"}.get(str(run.status), "–")
    held = sum(o.status in (OutputStatus.BLOCKED, OutputStatus.SKIPPED) for o in run.outputs)
    kept = f", [red]{held} held back[/]" if held else ""
    day = date.fromisoformat(str(run.params["day"]))
    return f"{sign} {day:%d %b}  commit [bold]{commit}[/]  {published} tables published{kept}"


def _failure(report: RunReport) -> ForgeError:
    error = report.result.run.error or {}
    return ForgeError(
        str(error.get("code") or "FORGE-E304").removeprefix("FORGE-"),
        str(error.get("what") or "The demo could not run"),
        where=error.get("where"),
        why=error.get("why"),
        fix=error.get("fix"),
    )


def _shown(target: Path) -> Path:
    """Relative to the working directory, if below it."""
    return target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target


def _title(target: Path) -> RenderableType:
    from rich.text import Text

    return Text.assemble(("\nForge demo", "bold"), "  a web shop, ten days, one bad file\n", (f"in {target}\n", "dim"))


def _story(last: RunReport, target: Path) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from forge.cli.runs.incident_panel import incident_panel

    tries = (
        ("forge log", "ten days of commits"),
        ("forge diff HEAD~1..HEAD", "what the last day changed"),
        ("forge upstream marts.daily_revenue.revenue", "where a figure comes from"),
        ('forge query "SELECT * FROM marts.daily_revenue ORDER BY day DESC LIMIT 5"', ""),
    )
    lines = Text()
    lines.append("\nTry it\n", style="bold")
    if shutil.which("forge") is None:
        lines.append(f'  export PATH="{Path(sys.executable).parent}:$PATH"\n', style="bold cyan")
    lines.append(f"  cd {_shown(target)}\n", style="bold cyan")
    for command, what in tries:
        lines.append(f"  {command}", style="bold cyan")
        lines.append(f"   {what}\n" if what else "\n", style="dim")
    return Group(Text(), incident_panel(last), lines)
