"""A crawl of 20,000 tables of a PostgreSQL and of an Iceberg catalog: time and peak memory of the first, of one that
finds nothing new, and of one that finds ten changed tables; beside one plain read of the same in the same run."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.crawl.lake import change_lake, make_lake
from bench.crawl.postgres import change_tables, make_tables, running_postgres
from bench.table import aligned
from forge.stores.sql.database import migrate, open_database

ROOT = Path(__file__).resolve().parent.parent.parent
CHANGED = 10
MOST_OF_FIRST = 0.25  # of the processor time of the first crawl, for one that finds ten changed tables
MOST_MEGABYTES = 500


def measured(what: str, source: str, folder: Path, url: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.crawl.worker", what, source, str(folder), url]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{source}, {what}: {found}", file=sys.stderr, flush=True)
    return found


def of_postgres(folder: Path, number: int) -> dict[str, dict[str, Any]]:
    folder.mkdir()
    with running_postgres() as url:
        make_tables(url, number)
        return _rounds("postgresql", folder, url, lambda: change_tables(url, CHANGED))


def of_lake(folder: Path, number: int) -> dict[str, dict[str, Any]]:
    folder.mkdir()
    engine = open_database(f"sqlite:///{folder}/forge.db")
    migrate(engine)
    make_lake(engine, folder, number)
    found = _rounds("iceberg", folder, "", lambda: change_lake(engine, folder, CHANGED))
    engine.dispose()
    return found


def _rounds(source: str, folder: Path, url: str, change: Any) -> dict[str, dict[str, Any]]:
    found = {"plain read": measured("read", source, folder, url), "first crawl": measured("crawl", source, folder, url)}
    found["nothing new"] = measured("crawl", source, folder, url)
    change()
    found["ten changed"] = measured("crawl", source, folder, url)
    return found


def missed(found: dict[str, dict[str, dict[str, Any]]], number: int) -> list[str]:
    wrong = []
    for source, rounds in found.items():
        first, last = rounds["first crawl"], rounds["ten changed"]
        if first["new"] != number or (last["changed"], last["unchanged"]) != (CHANGED, number - CHANGED):
            wrong.append(f"{source}: not all tables were taken in")
        if last["processor"] > MOST_OF_FIRST * first["processor"]:
            wrong.append(f"{source}: ten changed tables cost more than {MOST_OF_FIRST:g} of a first crawl")
        if first["megabytes"] > MOST_MEGABYTES:
            wrong.append(f"{source}: more than {MOST_MEGABYTES} MB")
    return wrong


def shown(found: dict[str, dict[str, dict[str, Any]]]) -> str:
    rows: list[Sequence[str]] = [("source", "what", "seconds", "processor", "to a plain read", "peak MB")]
    for source, rounds in found.items():
        floor = rounds["plain read"]["seconds"]
        for what, one in rounds.items():
            times = (one["seconds"], one["processor"], one["seconds"] / floor)
            rows.append((source, what, *(f"{value:.2f}" for value in times), f"{one['megabytes']:.0f}"))
    return aligned(rows, right={2, 3, 4, 5})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20_000)
    parser.add_argument("--limits", action="store_true", help="fail where a bound is missed")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    given = parser.parse_args()
    folder = ROOT / "build" / "bench" / "crawl"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    found = {
        "iceberg": of_lake(folder / "iceberg", given.tables),
        "postgresql": of_postgres(folder / "postgresql", given.tables),
    }
    print(shown(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    wrong = missed(found, given.tables)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong and given.limits:
        sys.exit(1)


if __name__ == "__main__":
    main()
