"""The profile of five million rows with eight columns: Forge beside one aggregation written by hand with the same
statistics, and beside a loop over the columns. All in one process and on the same Parquet files, in turns."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame

from bench.profile.by_hand import column_by_column, in_one_aggregation
from bench.profile.data import table
from bench.quality.workers.worker import session
from bench.table import aligned
from forge.engines.spark.profile.profiler import measure_frame
from forge.flows.catalog.profiling.ports import ProfileRequest

ROOT = Path(__file__).resolve().parent.parent.parent
FORGE, HAND, LOOP = "Forge", "one aggregation by hand", "a loop over columns"
MOST_OF_HAND = 1.3  # times of the aggregation by hand
LEAST_OF_LOOP = 3.0  # times faster than the loop
WARM = 200_000  # rows


def _forge(frame: DataFrame) -> int:
    measured = measure_frame(frame.sparkSession, frame, ProfileRequest())
    return len(measured.columns)


TOOLS: Mapping[str, Callable[[DataFrame], int]] = {FORGE: _forge, HAND: in_one_aggregation, LOOP: column_by_column}


def measure(frame: DataFrame, repeats: int) -> dict[str, list[float]]:
    """In turns, so that what the machine does besides meets all of them."""
    found: dict[str, list[float]] = {tool: [] for tool in TOOLS}
    for _ in range(repeats):
        for tool, run in TOOLS.items():
            began = time.perf_counter()
            run(frame)
            found[tool].append(time.perf_counter() - began)
            print(f"{tool}: {found[tool][-1]:.2f} s", file=sys.stderr, flush=True)
    return found


def missed(middle: Mapping[str, float]) -> list[str]:
    by_hand, by_loop = middle[FORGE] / middle[HAND], middle[LOOP] / middle[FORGE]
    found = []
    if by_hand > MOST_OF_HAND:
        found.append(f"{by_hand:.2f} × the aggregation by hand, {MOST_OF_HAND} is the bound")
    if by_loop < LEAST_OF_LOOP:
        found.append(f"{by_loop:.2f} × faster than the loop, {LEAST_OF_LOOP:g} is the bound")
    return found


def shown(middle: Mapping[str, float]) -> str:
    rows: list[Sequence[str]] = [("profile by", "seconds", "to Forge")]
    rows += [(tool, f"{seconds:.2f}", f"{seconds / middle[FORGE]:.2f}") for tool, seconds in middle.items()]
    return aligned(rows, right={1, 2})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limits", action="store_true", help="fail where a bound is missed")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    given = parser.parse_args()
    folder = ROOT / "build" / "bench" / "profile"
    folder.mkdir(parents=True, exist_ok=True)
    spark = session(folder)
    for run in TOOLS.values():
        run(table(spark, folder, WARM))
    found = measure(table(spark, folder, given.rows), given.repeats)
    spark.stop()
    middle = {tool: statistics.median(times) for tool, times in found.items()}
    print(f"{given.rows:,} rows × 8 columns, median of {given.repeats}, 2 cores\n\n{shown(middle)}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=2))
    faults = missed(middle)
    for fault in faults:
        print(f"missed: {fault}")
    if given.limits and faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
