"""Branches, diffs, merges and `verify`, each beside what one would use without Forge, measured in the same run.

Peers: the full three-way join of whole tables on Spark, Iceberg's own statements and procedures, DoltLite, and a plain
read of the files. What is bounded has a bound; the rest is there to be seen."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from bench.table import aligned
from bench.versioning.full_join import full_diff, full_merge
from bench.versioning.shelf import Big, Shelf, in_turns, median_of, timed
from bench.versioning.verify import LEAST, read_speed
from bench.versioning.verify import Bench as Noise
from forge.flows.versioning.diff import diff
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.result import MergeResult
from forge.flows.versioning.ports import VersionPorts
from forge.model.names import TableName
from forge.versioning.merge import MergeType

HERE = Path(__file__).resolve().parent
NOISE = 1.25  # medians of the same thing, taken in turns, may differ by so much
SAME = f"≤ {NOISE}"
FULL_JOIN = "full join on Spark"
LARGE, MEDIUM = TableName("core", "large"), TableName("core", "medium")
TEN = tuple(TableName("core", f"ten_{number}") for number in range(10))


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement beside its peer. `ratio` is that of the two; `bound` in words, where there is one."""

    what: str
    forge: float
    unit: str
    peer: float | None = None
    beside: str = ""
    bound: str = ""
    ok: bool | None = None

    @property
    def ratio(self) -> float | None:
        return self.forge / self.peer if self.peer else None


# --- what is measured ------------------------------------------------------------------------------------------------


def branches(folder: Path, shelf: Shelf, options: argparse.Namespace) -> list[Line]:
    """In a project with a small table and in one with a large one, in turns. No data is written."""
    rows, turns = options.rows, options.turns
    other = Shelf(folder / "small", options.master, options.memory, options.partitions)
    other.commit(TableName("core", "small"), "main", pa.table({"id": pa.array(range(1000))}), "append")
    shelf.make("wide", rows, max(1, rows // 8), columns=2)
    before = shelf.written()
    small, large = in_turns(turns, lambda turn: other.branch(f"b/{turn}"), lambda turn: shelf.branch(f"b/{turn}"))
    written = shelf.written() - before
    other.close()
    made = [f"ALTER TABLE core.wide CREATE BRANCH native_{turn}" for turn in range(turns + 1)]
    shelf.spark.sql(made[-1])
    native = median_of(turns, lambda turn: shelf.spark.sql(made[turn]))
    return [
        Line("create a branch, 1k rows", 1000 * small, "ms", None, "", "< 100 ms", small < 0.1),
        Line(f"create a branch, {rows:,} rows", 1000 * large, "ms", 1000 * native, "Iceberg", "< 100 ms", large < 0.1),
        Line("  the same", 1000 * large, "ms", 1000 * small, "1k rows", SAME, large <= NOISE * small),
        Line("files written by it", written, "", None, "", "none", written == 0),
    ]


def make_big(shelf: Shelf, options: argparse.Namespace) -> tuple[Big, Big]:
    found = []
    for table, rows in ((MEDIUM, options.medium), (LARGE, options.large)):
        shelf.make(table.name, rows, options.per_file)
        big = Big(table, rows, options.per_file, options.edits)
        shelf.edit(big)
        found.append(big)
    return found[0], found[1]


def diff_once(ports: VersionPorts, big: Big, turn: int = 0) -> None:
    (found,) = diff(ports, "main", big.theirs, tables=[big.table], limit=100)
    assert found.rows.updated == big.edits, found.rows


def merge_once(ports: VersionPorts, big: Big, name: str) -> MergeResult:
    result = merge(MergeRequest(source=big.theirs, target=name), ports)
    assert result.type is MergeType.THREE_WAY, result.type
    assert [tally.how for tally in result.tables] == ["rows"], "it must not be easier than said"
    return result


def merge_times(shelf: Shelf, medium: Big, large: Big, repeats: int) -> tuple[float, float]:
    """Each into a branch of its own that stands where ours does."""
    for big in (medium, large):
        for turn in range(repeats):
            shelf.branch(into(big, turn), big.ours)
    return in_turns(
        repeats,
        lambda turn: merge_once(shelf.ports, medium, into(medium, turn)),
        lambda turn: merge_once(shelf.ports, large, into(large, turn)),
    )


def into(big: Big, turn: int) -> str:
    return f"driver/{big.table.name}/{turn}"


def diffs_and_merges(shelf: Shelf, medium: Big, large: Big, repeats: int) -> list[Line]:
    diff_once(shelf.ports, medium)  # so that loading modules is no part of the first
    diffs = in_turns(repeats, partial(diff_once, shelf.ports, medium), partial(diff_once, shelf.ports, large))
    merges = merge_times(shelf, medium, large, repeats)
    joined = by_full_join(shelf, medium, large)
    check_same_rows(shelf, large)
    lines = []
    for word, (small, took), join in (("diff", diffs, joined[0]), ("merge", merges, joined[1])):
        what = f"{word} of {large.edits:,} edited rows in {large.rows:,}"
        lines.append(Line(what, took, "s", join, FULL_JOIN, "≤ 1/10", took <= join / 10))
        lines.append(Line("  not slower", took, "s", small, f"in {medium.rows:,}", SAME, took <= NOISE * small))
    return lines


def by_full_join(shelf: Shelf, medium: Big, large: Big) -> tuple[float, float]:
    """Seconds of the diff and of the merge. The smaller table goes first, so that the JVM is warm."""
    times = (0.0, 0.0)
    for big in (medium, large):
        base, ours, theirs = (shelf.frame(big.table, branch) for branch in ("main", big.ours, big.theirs))
        took, counted = timed(partial(full_diff, base, theirs, "id"))
        assert counted == {"updated": big.edits}, counted
        again, conflicts = timed(partial(full_merge, base, ours, theirs, "id", "core.joined"))
        assert conflicts == 0
        times = (took, again)
    return times


def check_same_rows(shelf: Shelf, big: Big) -> None:
    """Times of different results mean nothing."""
    sums = [
        frame.selectExpr("count(*) AS n", f"bit_xor(xxhash64({', '.join(sorted(frame.columns))})) AS sum").first()
        for frame in (shelf.spark.table("core.joined"), shelf.frame(big.table, f"driver/{big.table.name}/0"))
    ]
    assert sums[0] == sums[1], f"the two merges differ: {sums}"


def on_spark(shelf: Shelf, big: Big, beside: Sequence[Line]) -> list[Line]:
    """The same work forced onto Spark, and what its scans read beside the files that differ. Here Spark's own costs
    prevail: it is not what Forge does with so few bytes, and no bound is set for it."""
    joined = {line.what.split()[0]: line.peer for line in beside if line.beside == FULL_JOIN}
    forced, mib = replace(shelf.ports, small_bytes=0), 2**20
    lines = []
    shelf.branch("warm/0", big.ours)
    merge_once(forced, big, "warm/0")
    shelf.branch("spark/0", big.ours)
    for word, sides, work in (
        ("diff", ("main", big.theirs), partial(diff_once, forced, big)),
        ("merge", ("main", big.theirs, big.ours), partial(merge_once, forced, big, "spark/0")),
    ):
        before, changed = shelf.read_bytes(), shelf.changed_bytes(big, *sides)
        took, _ = timed(work)
        read = shelf.read_bytes() - before
        assert read > 0, "Spark told of no scan"
        lines.append(Line(f"{word} forced onto Spark", took, "s", joined[word], FULL_JOIN))
        enough = read <= 1.2 * changed
        lines.append(Line("  bytes read", read / mib, "MiB", changed / mib, "changed files", "≤ 1.2", enough))
    return lines


def in_dolt(rows: int, edits: int, beside: Sequence[Line]) -> list[Line]:
    """DoltLite's own storage knows where two trees of rows differ; it is what a diff can cost at best."""
    command = [sys.executable, str(HERE / "dolt.py"), str(rows), str(edits)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert told["changed"] == edits, told
    ours = {line.what.split()[0]: line.forge for line in beside if line.beside == FULL_JOIN}
    return [
        Line(f"{word}, above", ours[word], "s", told[word], f"DoltLite, {rows:,} rows") for word in ("diff", "merge")
    ]


def fast_forwards(shelf: Shelf, repeats: int) -> list[Line]:
    def ahead(branch: str, key: int) -> None:
        shelf.branch(branch)
        for table in TEN:
            shelf.commit(table, branch, pa.table({"id": pa.array([key])}), "append")

    for table in TEN:
        shelf.commit(table, "main", pa.table({"id": pa.array([0])}), "append")
    times = []
    for turn in range(repeats):
        ahead(f"ahead/{turn}", turn + 1)
        took, result = timed(partial(merge, MergeRequest(source=f"ahead/{turn}", target="main"), shelf.ports))
        assert (result.type, len(result.tables)) == (MergeType.FAST_FORWARD, len(TEN))
        times.append(took)
    ahead("native", -1)
    calls = [f"CALL forge.system.fast_forward('{table}', 'main', 'native')" for table in TEN]
    native = timed(lambda: [shelf.spark.sql(call).collect() for call in calls])[0]
    took = sorted(times)[len(times) // 2]
    return [Line("fast-forward of ten tables", took, "s", native, "Iceberg, ten calls", "< 0.5 s", took < 0.5)]


def verified(folder: Path, mib: int) -> list[Line]:
    """All of `verify` on one core: chain, manifests and bytes. The files are in memory for both."""
    folder.mkdir()
    bench = Noise(folder)
    try:
        paths = bench.commit(mib, max(1, mib // 64))
        read_speed(paths, 1)
        plain, found = read_speed(paths, 1), bench.verify(1)
    finally:
        bench.close()
    speed = found.bytes / 2**20 / found.seconds
    bound = f"≥ {LEAST} MiB/s"
    return [Line("verify --full, one core", speed, "MiB/s", plain, "plain read", bound, speed >= LEAST)]


# --- the driver ------------------------------------------------------------------------------------------------------


def measure(folder: Path, options: argparse.Namespace) -> list[Line]:
    shelf = Shelf(folder / "project", options.master, options.memory, options.partitions)
    try:
        lines = told(branches(folder, shelf, options))
        lines += told(fast_forwards(shelf, options.repeats))
        medium, large = make_big(shelf, options)
        merged = told(diffs_and_merges(shelf, medium, large, options.repeats))
        lines += merged + told(on_spark(shelf, large, merged))
        lines += told(in_dolt(options.dolt, options.edits, merged))
    finally:
        shelf.close()
    return lines + told(verified(folder / "noise", options.mib))


def told(lines: list[Line]) -> list[Line]:
    """Said at once to whoever waits."""
    for line in lines:
        print(f"  {line.what}: {line.forge:.3g} {line.unit}", file=sys.stderr, flush=True)
    return lines


def table_of(lines: Sequence[Line]) -> str:
    rows = [("", "Forge", "peer", "beside", "ratio", "bound", "")]
    for line in lines:
        ratio = "" if line.ratio is None else f"{line.ratio:.3f}"
        peer = "" if line.peer is None else f"{line.peer:,.3g} {line.unit}"
        verdict = {True: "ok", False: "MISSED", None: ""}[line.ok]
        rows.append((line.what, f"{line.forge:,.3g} {line.unit}", peer, line.beside, ratio, line.bound, verdict))
    return aligned(rows, right=(1, 2, 4))


def conclude(lines: Sequence[Line], options: argparse.Namespace) -> int:
    print(f"{os.cpu_count()} cores\n\n{table_of(lines)}")
    if options.json:
        options.json.write_text(json.dumps([asdict(line) | {"ratio": line.ratio} for line in lines], indent=2))
    missed = [line.what.strip() for line in lines if line.ok is False]
    if missed:
        print(f"\nmissed: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed and options.limits else 0


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=int, default=4_000_000, help="rows of the large table, of ten columns")
    parser.add_argument("--medium", type=int, default=1_000_000, help="rows of the one it is held against")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows below a branch that is created")
    parser.add_argument("--edits", type=int, default=20_000, help="rows that theirs changed, in one file")
    parser.add_argument("--per-file", type=int, default=250_000, help="rows of a file")
    parser.add_argument("--dolt", type=int, default=1_000_000, help="rows of the table in DoltLite")
    parser.add_argument("--mib", type=int, default=1024, help="size of the table that is verified")
    parser.add_argument(
        "--repeats", type=int, default=5, help="of each diff, merge and fast-forward; the median counts"
    )
    parser.add_argument("--turns", type=int, default=20, help="branches that are created; the median counts")
    parser.add_argument("--folder", type=Path, help="where the project is made (default: a temporary one)")
    parser.add_argument("--master", default="local[*]")
    parser.add_argument("--memory", default="3g", help="memory of the driver")
    parser.add_argument("--partitions", type=int, default=8, help="spark.sql.shuffle.partitions")
    parser.add_argument("--limits", action="store_true", help="exit 1 when a bound is missed")
    parser.add_argument("--json", type=Path, help="write the measurements there too")
    return parser.parse_args(arguments)


def main(options: argparse.Namespace) -> int:
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="forge-bench-", dir=options.folder) as name:
        return conclude(measure(Path(name), options), options)


if __name__ == "__main__":
    sys.exit(main(parse()))
