"""What it costs to start: processor time of short commands on the demo, beside a bare Python and one that imports
SQLAlchemy, without which no record can be read."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.table import aligned

DEMO = Path(__file__).resolve().parents[1] / "build" / "startup-demo"
BARE, RECORDS = "python -c pass", "python -c 'import sqlalchemy'"
FLOORS = {BARE: ("-c", "pass"), RECORDS: ("-c", "import sqlalchemy")}
FORGE = ("-m", "forge.cli.main")


@dataclass(frozen=True)
class Command:
    words: tuple[str, ...]
    limit: float  # CPU seconds

    @property
    def what(self) -> str:
        words = ("a filter and a join" if word == JOIN else word for word in self.words)
        return " ".join(("forge", *words))


JOIN = (
    "SELECT c.country, count(*) AS n, sum(o.amount) AS total FROM core.orders o JOIN core.customers c "
    "ON o.customer_id = c.customer_id WHERE o.status = 'paid' GROUP BY c.country ORDER BY c.country"
)
COMMANDS = (
    Command(("--help",), 0.2),
    Command(("log",), 0.5),
    Command(("upstream", "marts.daily_revenue.revenue"), 0.5),
    Command(("lineage", "extract", "transforms/core/orders.sql"), 0.5),
    Command(("plan",), 0.8),
    Command(("query", JOIN, "--engine", "in-process", "--no-cache"), 2.0),
)


@dataclass(frozen=True)
class Line:
    """`modules`: how many the command imports, its child processes included."""

    what: str
    seconds: float
    limit: float | None = None
    modules: int = 0

    @property
    def is_missed(self) -> bool:
        return self.limit is not None and self.seconds > self.limit


def cpu_of(words: Sequence[str], folder: Path) -> float:
    """User and system time of one process and its children. One that fails throws the times away."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {ended.returncode}: {ended.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def modules_of(words: Sequence[str], folder: Path) -> int:
    environ = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    ended = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, env=environ)
    lines = [line for line in ended.stderr.splitlines() if line.startswith("import time:")]
    return len({line.rpartition("|")[2].strip() for line in lines[1:]})  # the first is the head of the table


def measure(folder: Path, times: int, commands: Sequence[Command]) -> list[Line]:
    """The best of some rounds, all commands in each round: what else the machine does meets them all."""
    asked = {**FLOORS, **{one.what: (*FORGE, *one.words) for one in commands}}
    found: dict[str, list[float]] = {what: [] for what in asked}
    for _ in range(times):
        for what, words in asked.items():
            found[what].append(cpu_of(words, folder))
    limits = {one.what: one.limit for one in commands}
    return [Line(what, min(found[what]), limits.get(what), modules_of(asked[what], folder)) for what in asked]


def shown(lines: Sequence[Line]) -> str:
    floor = {line.what: line.seconds for line in lines}
    rows = [["", "CPU s", "bound", "× bare Python", "× with SQLAlchemy", "modules", ""]]
    for line in lines:
        bound = f"{line.limit:.2f}" if line.limit is not None else ""
        ratios = [f"{line.seconds / floor[what]:.1f}" for what in (BARE, RECORDS)]
        missed = "missed" if line.is_missed else ""
        rows.append([line.what, f"{line.seconds:.3f}", bound, *ratios, f"{line.modules:,}", missed])
    return aligned(rows, right={1, 2, 3, 4, 5})


def demo_folder(given: Path | None, make: Callable[[Path], object] | None = None) -> Path:
    """The project that is measured; without one, a small demo is made once, which takes Spark some minutes."""
    folder = given or DEMO
    if given is None and not (folder / ".forge").is_dir():
        (make or _make_demo)(folder)
    return folder


def _make_demo(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, *FORGE, "demo", str(folder), "--no-serve", "--scale", "0.01"]
    subprocess.run(words, check=True)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.startup", description=__doc__)
    parser.add_argument("--project", type=Path, help="a demo that was made before; default: one in build/")
    parser.add_argument("--times", type=int, default=10, help="the best of so many counts")
    parser.add_argument("--limits", action="store_true", help="exit 1 when a bound is missed")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> int:
    lines = measure(demo_folder(options.project), options.times, COMMANDS)
    print(shown(lines))
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=2), encoding="utf-8")
    return int(options.limits and any(line.is_missed for line in lines))


if __name__ == "__main__":
    sys.exit(run(parse(sys.argv[1:])))
