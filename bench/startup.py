"""What it costs to start: processor time and wall time of short commands on the demo, beside a bare Python and one that
imports SQLAlchemy, without which no record can be read; and the same query asked of a server that runs already."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from urllib.parse import parse_qs, urlsplit

import httpx

from bench.table import aligned

DEMO = Path(__file__).resolve().parents[1] / "build" / "startup-demo"
BARE, RECORDS = "python -c pass", "python -c 'import sqlalchemy'"
FLOORS = {BARE: ("-c", "pass"), RECORDS: ("-c", "import sqlalchemy")}
FORGE = ("-m", "forge.cli.main")


@dataclass(frozen=True)
class Command:
    words: tuple[str, ...]
    limit: float  # CPU seconds
    wall_limit: float | None = None

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
    Command(("query", JOIN, "--engine", "in-process", "--no-cache"), 2.0, 2.0),
)
SERVED, SERVED_LIMIT, REQUESTS = "POST /api/v1/federation/query, a filter and a join", 0.1, 20


@dataclass(frozen=True)
class Line:
    """`modules`: how many the command imports, its child processes included."""

    what: str
    seconds: float
    limit: float | None = None
    modules: int = 0
    wall: float = 0.0
    wall_limit: float | None = None

    @property
    def is_missed(self) -> bool:
        cpu_missed = self.limit is not None and self.seconds > self.limit
        return cpu_missed or (self.wall_limit is not None and self.wall > self.wall_limit)


def times_of(words: Sequence[str], folder: Path) -> tuple[float, float]:
    """User and system time of one process and its children, and how long it took. One that fails throws the times
    away."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {ended.returncode}: {ended.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def modules_of(words: Sequence[str], folder: Path) -> int:
    environ = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    ended = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, env=environ)
    lines = [line for line in ended.stderr.splitlines() if line.startswith("import time:")]
    return len({line.rpartition("|")[2].strip() for line in lines[1:]})  # the first is the head of the table


def measure(folder: Path, times: int, commands: Sequence[Command]) -> list[Line]:
    """The best of some rounds, all commands in each round: what else the machine does meets them all."""
    asked = {**FLOORS, **{one.what: (*FORGE, *one.words) for one in commands}}
    found: dict[str, list[tuple[float, float]]] = {what: [] for what in asked}
    for _ in range(times):
        for what, words in asked.items():
            found[what].append(times_of(words, folder))
    known = {one.what: one for one in commands}
    return [_line(what, found[what], modules_of(asked[what], folder), known.get(what)) for what in asked]


def _line(what: str, found: Sequence[tuple[float, float]], modules: int, command: Command | None) -> Line:
    cpu, wall = (min(times) for times in zip(*found, strict=True))
    limits = (command.limit, command.wall_limit) if command else (None, None)
    return Line(what, cpu, limits[0], modules, wall, limits[1])


def served(folder: Path) -> list[float]:
    """How long each request took that a server of this project was sent, once it had answered one; nothing is kept."""
    order = {"sql": JOIN, "engine": "in-process", "cache": False, "form": "rows"}
    found: list[float] = []
    with serving(folder) as client:
        for _ in range(REQUESTS + 1):
            began = time.perf_counter()
            client.post("/api/v1/federation/query", json=order).raise_for_status()
            found.append(time.perf_counter() - began)
    return found[1:]


@contextmanager
def serving(folder: Path) -> Iterator[httpx.Client]:
    """A client of a fresh server, signed in by the printed link."""
    words = [sys.executable, *FORGE, "serve", "--port", "0"]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        link = next((word for line in process.stdout for word in line.split() if "?token=" in word), None)
        if link is None:
            raise SystemExit(f"forge serve ended with {process.wait()}")
        parts = urlsplit(link)
        headers = {"Authorization": f"Bearer {parse_qs(parts.query)['token'][0]}"}
        with httpx.Client(base_url=f"{parts.scheme}://{parts.netloc}", headers=headers, timeout=60) as client:
            yield client
    finally:
        process.terminate()
        process.wait(timeout=60)


def shown(lines: Sequence[Line]) -> str:
    floor = {line.what: line.seconds for line in lines}
    rows = [["", "CPU s", "bound", "× bare Python", "× with SQLAlchemy", "wall s", "bound", "modules", ""]]
    for line in lines:
        bound, wall_bound = ("" if one is None else f"{one:.2f}" for one in (line.limit, line.wall_limit))
        ratios = [f"{line.seconds / floor[what]:.1f}" for what in (BARE, RECORDS)]
        missed = "missed" if line.is_missed else ""
        wall = f"{line.wall:.3f}"
        rows.append([line.what, f"{line.seconds:.3f}", bound, *ratios, wall, wall_bound, f"{line.modules:,}", missed])
    return aligned(rows, right={1, 2, 3, 4, 5, 6, 7})


def shown_served(seconds: Sequence[float]) -> str:
    best, middle = min(seconds) * 1000, median(seconds) * 1000
    missed = " missed" if is_slow(seconds) else ""
    bound = f"bound {SERVED_LIMIT * 1000:.0f}{missed}"
    return f"{SERVED}: best {best:.0f} ms, median {middle:.0f} ms of {len(seconds)}, {bound}"


def is_slow(seconds: Sequence[float]) -> bool:
    return median(seconds) > SERVED_LIMIT


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
    parser.add_argument("--served", action="store_true", help="also the query asked of a server that runs")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> int:
    folder = demo_folder(options.project)
    lines = measure(folder, options.times, COMMANDS)
    print(shown(lines))
    answered = served(folder) if options.served else []
    if answered:
        print(shown_served(answered))
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=2), encoding="utf-8")
    is_missed = any(line.is_missed for line in lines) or (bool(answered) and is_slow(answered))
    return int(options.limits and is_missed)


if __name__ == "__main__":
    sys.exit(run(parse(sys.argv[1:])))
