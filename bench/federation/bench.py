"""One category of twenty, joined to five million line items. They are in a PostgreSQL, the categories in a file: Forge
beside PostgreSQL with all data in it, DuckDB's extension for PostgreSQL, and Spark over JDBC as it is and tuned. In
turns, each in a process of its own, with peak memory; all must give the same rows.

With --corpus: are the rows of many queries those of one PostgreSQL that holds all data (`bench.federation.corpus`)?"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.crawl.postgres import running_postgres
from bench.federation.corpus import run_corpus, told
from bench.federation.data import QUERIES, make_project, make_tables
from bench.table import aligned

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE, FORGE, DUCKDB = "in the source", "forge", "duckdb"
PEERS = (DUCKDB, "spark jdbc", "spark jdbc, tuned")
MOST_OF_SOURCE = 1.2  # times what PostgreSQL takes with all data in it
MOST_MEGABYTES = 512
# The extension is of one version of DuckDB; all three are on PyPI, so nothing is downloaded while it runs.
DUCKDB_PACKAGES = ("duckdb==1.5.5", "duckdb-extensions==1.5.5", "duckdb-extension-postgres-scanner==1.5.5")


@dataclass(frozen=True)
class Measured:
    seconds: float  # median
    megabytes: float  # the peak so far, of all queries that were asked
    rows: int
    digest: str


class Worker:
    """A tool that waits for queries."""

    def __init__(self, tool: str, folder: Path, url: str) -> None:
        python = [str(_duckdb_python()), "-I"] if tool == DUCKDB else [sys.executable]
        script = [str(Path(__file__).with_name("worker.py"))] if tool == DUCKDB else ["-m", "bench.federation.worker"]
        self._process = subprocess.Popen(
            [*python, *script, tool, str(folder), url], stdin=-1, stdout=-1, text=True, cwd=ROOT
        )
        self._wait_for("ready")

    def ask(self, query: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(query + "\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._wait_for("{"))
        return found

    def end(self) -> None:
        self._process.communicate(timeout=60)

    def _wait_for(self, beginning: str) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(beginning):
                return line
        raise SystemExit(f"a worker ended with {self._process.wait()}")


def _duckdb_python() -> Path:
    """Made once: its packages do not go together with Forge's."""
    folder = ROOT / "build" / "envs" / "bench-duckdb"
    python = folder / "bin" / "python"
    if not (folder / ".ready").is_file():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--only-binary", ":all:", *DUCKDB_PACKAGES], check=True)
        (folder / ".ready").touch()
    return python


def measure(folder: Path, url: str, tools: Sequence[str], repeats: int) -> dict[str, dict[str, Measured]]:
    """By query and tool. In turns, so that what the machine does besides meets all of them."""
    told: dict[str, dict[str, list[dict[str, Any]]]] = {name: {tool: [] for tool in tools} for name in QUERIES}
    with ExitStack() as ending:
        workers = {tool: Worker(tool, folder, url) for tool in tools}
        for worker in workers.values():
            ending.callback(worker.end)
        for name, query in QUERIES.items():
            for number in range(repeats + 1):
                for tool, worker in workers.items():
                    found = worker.ask(query)
                    print(f"{name}, {tool}: {found['seconds']:.3f} s", file=sys.stderr, flush=True)
                    if number:  # the first is to get warm
                        told[name][tool].append(found)
    return {name: {tool: _summed_up(all_) for tool, all_ in by.items()} for name, by in told.items()}


def _summed_up(told: Sequence[Mapping[str, Any]]) -> Measured:
    last = told[-1]
    seconds = statistics.median(one["seconds"] for one in told)
    return Measured(seconds, last["megabytes"], last["rows"], last["digest"])


def missed(found: Mapping[str, Mapping[str, Measured]]) -> list[str]:
    faults = []
    for name, by in found.items():
        ours, source = by[FORGE], by[SOURCE]
        faults += [f"{name}: {tool} has other rows" for tool, one in by.items() if one.digest != source.digest]
        if ours.seconds > MOST_OF_SOURCE * source.seconds:
            faults.append(f"{name}: {ours.seconds / source.seconds:.2f} × the source, {MOST_OF_SOURCE} is the bound")
        faults += [
            f"{name}: {tool} is faster" for tool, one in by.items() if tool in PEERS and one.seconds <= ours.seconds
        ]
        if ours.megabytes > MOST_MEGABYTES:
            faults.append(f"{name}: {ours.megabytes:.0f} MB at the peak, {MOST_MEGABYTES} is the bound")
    return faults


def shown(found: Mapping[str, Mapping[str, Measured]]) -> str:
    rows: list[Sequence[str]] = [("query", "asked by", "rows", "seconds", "to the source", "peak MB")]
    for name, by in found.items():
        for tool, one in by.items():
            ratio = f"{one.seconds / by[SOURCE].seconds:.2f}"
            rows.append((name, tool, f"{one.rows:,}", f"{one.seconds:.3f}", ratio, f"{one.megabytes:.0f}"))
    return aligned(rows, right={2, 3, 4, 5})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--without", action="append", default=[], choices=PEERS, help="leave a peer out")
    parser.add_argument("--limits", action="store_true", help="exit 1 where a bound is missed")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--out", type=Path, help="write what is printed here, too")
    parser.add_argument("--corpus", action="store_true", help="compare the rows of many queries; takes hours")
    parser.add_argument("--queries", type=int, default=320, help="of the corpus")
    parser.add_argument("--engine", action="append", choices=("in-process", "spark"), help="of the corpus: this alone")
    given = parser.parse_args()
    folder = ROOT / "build" / "bench" / "federation"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if given.corpus:
        _compare_corpus(folder, given)
        return
    with running_postgres() as url:
        make_tables(url, given.rows)
        make_project(folder, url)
        tools = [tool for tool in (SOURCE, FORGE, *PEERS) if tool not in given.without]
        found = measure(folder, url, tools, given.repeats)
    _say(f"{given.rows:,} line items, 20 categories, median of {given.repeats}\n\n{shown(found)}", given.out)
    if given.json:
        told = {name: {tool: vars(one) for tool, one in by.items()} for name, by in found.items()}
        given.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    faults = missed(found)
    for fault in faults:
        print(f"missed: {fault}")
    if given.limits and faults:
        raise SystemExit(1)


def _compare_corpus(folder: Path, given: argparse.Namespace) -> None:
    with running_postgres() as url:
        legs = run_corpus(folder, url, given.rows, given.queries, given.engine or ("in-process", "spark"))
    head = f"{given.queries} queries over {given.rows:,} line items, beside one PostgreSQL with all data"
    _say(f"{head}\n\n{told(legs, given.queries)}", given.out)
    if any(leg.equal < given.queries for leg in legs):
        raise SystemExit(1)


def _say(text: str, out: Path | None) -> None:
    print(text)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
