"""A process that commits to a branch, or merges branches into main, until its time is up. It notes what was
acknowledged, after it was and not before.

    branch_writer.py write ROOT URL NOTES SECONDS NUMBER BRANCH TABLE...
    branch_writer.py merge ROOT URL NOTES SECONDS BRANCH..."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO

from branched_project import BranchedProject, write

from forge.flows.ports import FaultPoint
from forge.flows.runs.records import PointerConflict, Publication, PublishedCommit
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.result import Merged
from forge.flows.versioning.ports import VersionPorts
from forge.model.errors import DatabaseBusyError
from forge.stores.sql.metadata import SqlMetadata
from forge.wiring import Wiring

APART = 1_000_000  # keys of one writer; no two writers have one in common


class CountingMetadata(SqlMetadata):
    """It counts the publishes that found a pointer or the branch moved by someone else."""

    lost = 0

    def publish(self, publication: Publication, fault_point: FaultPoint) -> PublishedCommit | PointerConflict:
        outcome = super().publish(publication, fault_point)
        self.lost += isinstance(outcome, PointerConflict)
        return outcome


def note(notes: IO[str], told: Mapping[str, object]) -> None:
    notes.write(json.dumps(told) + "\n")
    notes.flush()
    os.fsync(notes.fileno())


def begin(wiring: Wiring) -> tuple[VersionPorts, CountingMetadata]:
    metadata = CountingMetadata(wiring.database)
    return replace(wiring.versioning.ports(), metadata=metadata), metadata


def await_others(seconds: float) -> float:
    """Returns when everyone is ready: when to stop."""
    print("ready", flush=True)
    sys.stdin.readline()
    return time.monotonic() + seconds


def keep_writing(wiring: Wiring, notes: IO[str], seconds: float, number: int, branch: str, tables: list[str]) -> None:
    """Appends of new rows, and merges by key that change an own row and add one, in turns on every table. Each table
    is written once before the others are waited for, so that loading modules is no part of the time."""
    ports, metadata = begin(wiring)
    deadline, turn, refused = float("inf"), 0, 0
    keys: dict[str, list[int]] = {table: [] for table in tables}
    while time.monotonic() < deadline:
        if turn == len(tables):
            deadline = await_others(seconds)
        table = tables[turn % len(tables)]
        new = number * APART + 2 * turn
        rows, mode = [(new, f"{turn} new"), (new + 1, f"{turn} new")], "append"
        if keys[table] and turn % 4 >= 2:
            rows, mode = [(random.choice(keys[table]), f"{turn} changed"), (new, f"{turn} new")], "merge"
        turn += 1
        try:
            done = write(ports, table, branch, rows, mode)
        except DatabaseBusyError:  # someone else was faster each time: nothing was acknowledged
            refused += 1
            continue
        assert done.commit is not None
        note(notes, {"commit": done.commit.id, "branch": branch, "table": table, "rows": rows})
        keys[table] += [key for key, value in rows if value.endswith("new")]
    note(notes, {"retries": metadata.lost, "refused": refused})


def keep_merging(wiring: Wiring, notes: IO[str], seconds: float, branches: list[str]) -> None:
    ports, metadata = begin(wiring)
    deadline, turn, refused = await_others(seconds), 0, 0
    while time.monotonic() < deadline:
        source = branches[turn % len(branches)]
        turn += 1
        try:
            done = merge(MergeRequest(source=source, target="main", no_ff=True), ports)
        except DatabaseBusyError:
            refused += 1
            continue
        assert str(done.type) in ("three_way", "up_to_date"), done
        if isinstance(done, Merged):
            note(notes, {"commit": done.commit.id, "branch": "main"})
        time.sleep(random.uniform(0, 0.5))
    note(notes, {"retries": metadata.lost, "refused": refused})


def main(words: list[str]) -> None:
    what, root, url, notes, seconds, *rest = words
    wiring = BranchedProject(Path(root), url).wiring()
    work: Callable[[IO[str]], None]
    if what == "write":
        number, branch, *tables = rest
        work = lambda stream: keep_writing(wiring, stream, float(seconds), int(number), branch, tables)  # noqa: E731
    else:
        work = lambda stream: keep_merging(wiring, stream, float(seconds), rest)  # noqa: E731
    with open(notes, "w") as stream:
        work(stream)
    wiring.close()


if __name__ == "__main__":
    main(sys.argv[1:])
