"""`forge demo`: a web shop's ten days, told in one screen. On the last day a bad file is stopped."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import time
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import forge
from forge.cli.terminal import Terminal
from forge.connection import Connection, Report
from forge.flows.build import Event
from forge.flows.records import OutputStatus, RunStatus
from forge.model.errors import ForgeError
from forge.wiring import Wiring

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.status import Status

MARK = ".forge-demo"  # a folder with this file is ours to replace
DAILY = ("raw.orders+",)


def shop_folder() -> Path:
    """The demo project: inside an installed package, or beside the sources in a clone."""
    package = Path(forge.__file__).parent
    for folder in (package / "examples" / "shop", package.parents[1] / "examples" / "shop"):
        if (folder / "forge.yaml").exists():
            return folder
    raise ForgeError("E208", "The demo project is not part of this installation", fix="Install Forge again.")


def prepare_folder(target: Path) -> None:
    """A fresh copy of the shop. A folder that is not a demo is never touched."""
    if target.exists() and any(target.iterdir()):
        if not (target / MARK).exists():
            raise ForgeError(
                "E109",
                f"{target} exists and is not a demo",
                why="The demo writes a project of its own and replaces only its own.",
                fix="Name another folder: forge demo my-demo",
            )
        shutil.rmtree(target)
    shutil.copytree(
        shop_folder(), target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".forge", "data", "__pycache__")
    )
    (target / MARK).write_text("forge demo may replace this folder\n", encoding="utf-8")


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


def _fixed(moment: datetime) -> datetime:
    return moment


def demo(terminal: Terminal, folder: str | None, *, serve: bool, scale: float) -> int:
    """The whole story. `serve` will open the web app once there is a server; until then the demo ends after the run."""
    del serve
    target = Path(folder or "forge-demo").resolve()
    prepare_folder(target)
    terminal.show(_title(target))
    with Telling(terminal) as telling:
        reports = tell(target, scale=scale, telling=telling)
    last = reports[-1]
    if last.result.run.status is RunStatus.FAILED:
        raise _failure(last)
    terminal.show(_story(reports, target))
    return 0


class Telling:
    """What a person sees while the days go by: one line a day, and on a terminal what is at work now."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.began = time.monotonic()
        self._status: Status | None = None

    def __enter__(self) -> Telling:
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

    def done(self, what: str, seconds: float) -> None:
        from rich.text import Text

        text = Text.from_markup(f"  {what}")
        text.pad_right(max(0, 70 - text.cell_len))
        line = text.append(f"{seconds:6.1f} s", style="dim")
        if self._status is not None:
            self._status.console.print(line)
        elif not self.terminal.quiet:
            self.terminal.talk().print(line)

    def notify(self, event: Event) -> None:
        if event.table is not None and event.step == "started":
            self.working(f"{event.table}")


def tell(target: Path, *, scale: float, telling: Telling) -> list[Report]:
    """Ten days of the shop: one first load, then one small run a day; the reports in order."""
    wiring = Wiring.of(target)
    with Connection(wiring, wiring.default_branch) as connection:
        telling.working("starting Spark")
        began = time.monotonic()
        spark = connection.spark
        telling.done("Spark started", time.monotonic() - began)
        shop = load_generator(target)
        telling.working("making two million rows of a web shop" if scale == 1 else "making the rows of a web shop")
        began = time.monotonic()
        shop.generate_history(spark, target, scale=scale)
        telling.done("A year of orders, customers and products made from a seed", time.monotonic() - began)
        reports = []
        for number, day in enumerate(shop.DAYS):
            began = time.monotonic()
            telling.working(f"{day:%d %B}: the shop delivers its files")
            shop.generate_days(spark, target, days=[day], scale=scale)
            report = _one_day(connection, day, is_first=number == 0, telling=telling)
            reports.append(report)
            telling.done(_outcome(day, report), time.monotonic() - began)
            if report.result.run.status is RunStatus.FAILED:
                break
    return reports


def _one_day(connection: Connection, day: date, *, is_first: bool, telling: Telling) -> Report:
    connection.wiring.clock = partial(_fixed, morning(day))
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return connection.run(
        *(() if is_first else DAILY),
        params={"day": day},
        start=datetime(2000, 1, 1, tzinfo=UTC) if is_first else midnight,
        end=midnight + timedelta(days=1),
        message=f"{'First load, and ' if is_first else ''}orders of {day:%d %B %Y}",
        notify=telling.notify,
    )


def _outcome(day: date, report: Report) -> str:
    run = report.result.run
    published = sum(o.status is OutputStatus.PUBLISHED for o in run.outputs)
    commit = report.commit.id[:8] if report.commit else "–"
    sign = {"succeeded": "[green]✓[/]", "blocked": "[red]✗[/]"}.get(str(run.status), "–")
    held = sum(o.status in (OutputStatus.BLOCKED, OutputStatus.SKIPPED) for o in run.outputs)
    kept = f", [red]{held} held back[/]" if held else ""
    return f"{sign} {day:%d %b}  commit [bold]{commit}[/]  {published} tables published{kept}"


def _failure(report: Report) -> ForgeError:
    error = report.result.run.error or {}
    return ForgeError(
        str(error.get("code") or "FORGE-E304").removeprefix("FORGE-"),
        str(error.get("what") or "The demo could not run"),
        where=error.get("where"),
        why=error.get("why"),
        fix=error.get("fix"),
    )


def _title(target: Path) -> RenderableType:
    from rich.text import Text

    return Text.assemble(("\nForge demo", "bold"), "  a web shop, ten days, one bad file\n", (f"in {target}\n", "dim"))


def _story(reports: list[Report], target: Path) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from forge.cli.incident import incident_panel

    folder = target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target
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
    lines.append(f"  cd {folder}\n", style="bold cyan")
    for command, what in tries:
        lines.append(f"  {command}", style="bold cyan")
        lines.append(f"   {what}\n" if what else "\n", style="dim")
    return Group(Text(), incident_panel(reports[-1]), lines)
