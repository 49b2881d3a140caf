"""`forge demo`: a web shop's ten days, told in one screen. On the last day a bad file is stopped."""

from __future__ import annotations

import importlib.util
import shutil
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from types import ModuleType

import forge
from forge.connection import Connection, Report
from forge.flows.records import OutputStatus, RunStatus
from forge.model.errors import ForgeError
from forge.wiring import Wiring

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


def tell(target: Path, *, scale: float, say: Callable[[str], None]) -> list[Report]:
    """Ten days of the shop: one first load, then one small run a day; the reports in order."""
    connection = Connection(Wiring.of(target), Wiring.of(target).default_branch)
    with connection:
        say("starting Spark")
        spark = connection.spark
        shop = load_generator(target)
        say("making two million rows of a web shop" if scale == 1 else "making the rows of a web shop")
        shop.generate_history(spark, target, scale=scale)
        reports = []
        for number, day in enumerate(shop.DAYS):
            shop.generate_days(spark, target, days=[day], scale=scale)
            connection.wiring.clock = partial(_fixed, morning(day))
            first = number == 0
            start = datetime(2000, 1, 1, tzinfo=UTC) if first else datetime(day.year, day.month, day.day, tzinfo=UTC)
            began = time.monotonic()
            report = connection.run(
                *(() if first else DAILY),
                params={"day": day},
                start=start,
                end=datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1),
                message=f"{'First load and ' if first else ''}orders of {day:%d %B %Y}",
            )
            reports.append(report)
            say(f"{day:%d %b}  {_outcome(report)}  {time.monotonic() - began:.1f} s")
            if report.result.run.status is RunStatus.FAILED:
                break
    return reports


def _outcome(report: Report) -> str:
    run = report.result.run
    published = sum(o.status is OutputStatus.PUBLISHED for o in run.outputs)
    jobs = sum(o.spark_jobs for o in run.outputs)
    commit = report.commit.id[:8] if report.commit else "–"
    return f"{run.status}: commit {commit}, {published} tables, {jobs} Spark jobs"
