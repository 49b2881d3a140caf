"""Twenty checks on ten million rows: Forge beside one aggregation fused by hand (the floor), one job for each check,
Great Expectations, Soda, cuallee and DQX. All in one run, each in a process of its own with the same Spark; the ratios
are to the floor."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.quality.data import write_data
from bench.quality.task import TASKS, Places, right
from bench.quality.workers.worker import SMALL, session
from bench.table import aligned

ROOT = Path(__file__).resolve().parent.parent.parent
TARGETS = ("parquet", "view")
OURS = ("floor", "forge", "each")
PEERS = ("gx", "soda", "cuallee", "dqx")
NAMES = {
    "floor": "fused by hand",
    "forge": "Forge",
    "each": "one job each",
    "gx": "Great Expectations",
    "soda": "Soda",
    "cuallee": "cuallee",
    "dqx": "DQX",
}
BOUNDS = {"parquet": 0.65, "view": 1.1}


@dataclass(frozen=True, slots=True)
class Line:
    tool: str
    target: str
    seconds: float
    jobs: int
    rows_read: int
    right: int
    error: str = ""


def make_data(folder: Path, rows: int) -> None:
    spark = session(folder)
    for size in (SMALL, rows):
        write_data(spark, Places(folder, size))
    spark.stop()


def ask(tool: str, target: str, folder: Path, rows: int, repeats: int, peers: Path | None) -> Line:
    python = sys.executable if tool in OURS else str(peers / "bin" / "python") if peers else ""
    words = [python, "-m", f"bench.quality.workers.of_{tool}", str(folder), str(rows), target, str(repeats)]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": python}
    done = subprocess.run(words, cwd=ROOT, env=environ, capture_output=True, text=True)
    if done.returncode:
        return Line(tool, target, 0, 0, 0, 0, done.stderr.strip().splitlines()[-1][:120])
    runs = json.loads(done.stdout.strip().splitlines()[-1])
    middle = statistics.median(run["seconds"] for run in runs)
    last = runs[-1]
    return Line(tool, target, middle, last["jobs"], last["rows_read"], right(last["said"], rows))


def ask_lake(folder: Path, rows: int) -> list[dict[str, object]]:
    words = [sys.executable, "-m", "bench.quality.lake", str(folder), str(rows)]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    told: list[dict[str, object]] = json.loads(done.stdout.strip().splitlines()[-1])
    return told


def shown_lake(told: Sequence[dict[str, object]]) -> str:
    names = {
        "manifests": "completeness, volume, range, freshness",
        "whole": "all but uniqueness, first time",
        "grown": "the same after an append of 1%",
    }
    rows = [("Iceberg table", "checks", "seconds", "jobs", "rows read")]
    for one in told:
        seconds = one["seconds"]
        assert isinstance(seconds, float)
        words = (names[str(one["what"])], str(one["checks"]), f"{seconds:.2f}", str(one["jobs"]), f"{one['rows']:,}")
        rows.append(words)
    return aligned(rows, right={1, 2, 3, 4})


def shown(lines: Sequence[Line]) -> str:
    rows = [("target", "tool", "seconds", "to floor", "jobs", "rows read", "right")]
    for line in lines:
        if line.error:
            rows.append((line.target, NAMES[line.tool], "–", "–", "–", "–", line.error))
            continue
        floor = next(one.seconds for one in lines if one.target == line.target and one.tool == "floor")
        share = f"{line.seconds / floor:.2f}"
        said = f"{line.right} of {len(TASKS)}"
        read = f"{line.rows_read:,}"
        rows.append((line.target, NAMES[line.tool], f"{line.seconds:.2f}", share, str(line.jobs), read, said))
    return aligned(rows, right={2, 3, 4, 5})


def missed(lines: Sequence[Line]) -> list[str]:
    found = []
    for target, bound in BOUNDS.items():
        times = {line.tool: line for line in lines if line.target == target}
        forge, floor = times["forge"], times["floor"]
        if forge.right != len(TASKS):
            found.append(f"{target}: {forge.right} of {len(TASKS)} verdicts are right")
        if forge.seconds > bound * floor.seconds:
            found.append(f"{target}: {forge.seconds / floor.seconds:.2f} × the floor, {bound} is the bound")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--without-peers", action="store_true", help="only Forge, the floor and one job each")
    parser.add_argument("--limits", action="store_true", help="fail where a bound is missed")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    given = parser.parse_args()
    folder = ROOT / "build" / "bench" / "quality"
    folder.mkdir(parents=True, exist_ok=True)
    make_data(folder, given.rows)
    peers = None
    if not given.without_peers:
        made = subprocess.run(["scripts/peers.sh", "quality"], cwd=ROOT, check=True, capture_output=True, text=True)
        peers = Path(made.stdout.strip())
    lines: list[Line] = []
    for target in TARGETS:
        for tool in (*OURS, *(PEERS if peers else ())):
            print(f"{NAMES[tool]} on the {target} …", file=sys.stderr, flush=True)
            lines.append(ask(tool, target, folder, given.rows, given.repeats, peers))
    print(f"{len(TASKS)} checks on {given.rows:,} rows, median of {given.repeats}, 2 cores\n")
    print(shown(lines))
    print("Forge on Iceberg …", file=sys.stderr, flush=True)
    lake = ask_lake(folder, given.rows)
    print(f"\n{shown_lake(lake)}")
    if given.json:
        given.json.write_text(json.dumps({"lines": [asdict(line) for line in lines], "lake": lake}, indent=2))
    faults = missed(lines)
    if lake[0]["jobs"] != 0:
        faults.append(f"what manifests answer took {lake[0]['jobs']} jobs")
    for fault in faults:
        print(f"missed: {fault}")
    if given.limits and faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
