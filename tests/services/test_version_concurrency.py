"""Eight processes commit to four branches of two tables while a ninth merges: nothing is lost, nothing is doubled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import branch_writer
import pytest
from branched_project import MAIN, BranchedProject, write

from forge.flows.runs.input_pins import find_base, pin_branch
from forge.flows.upkeep.maintenance import find_problems
from forge.flows.upkeep.verify.history import VerifyLevel, verify
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.model.names import BranchName, CommitId
from forge.stores.sql.metadata import SqlMetadata
from forge.wiring import Wiring

pytestmark = pytest.mark.services

SECONDS = float(os.environ.get("FORGE_TEST_SOAK_SECONDS", "15"))
TABLES = ("core.orders", "core.items")
BRANCHES = ("main", "feature/prices", "fix-2", "team/ada.x")  # names that Spark has to quote, too
WRITERS = 8


@dataclass
class Acknowledged:
    """What the processes were told: commits by branch, and the rows that each left, the last value of each key."""

    commits: dict[str, set[str]] = field(default_factory=lambda: {branch: set() for branch in BRANCHES})
    rows: dict[str, dict[str, dict[int, str]]] = field(
        default_factory=lambda: {branch: {table: {} for table in TABLES} for branch in BRANCHES}
    )
    retries: int = 0
    refused: int = 0
    merges: int = 0

    def read(self, notes: Path) -> None:
        for told in map(json.loads, notes.read_text().splitlines()):
            if "commit" not in told:
                self.retries += told["retries"]
                self.refused += told["refused"]
                continue
            self.commits[told["branch"]].add(told["commit"])
            self.merges += "rows" not in told
            if "rows" in told:  # in the order of the one writer that has these keys
                self.rows[told["branch"]][told["table"]].update(dict(told["rows"]))

    @property
    def writes(self) -> int:
        return sum(map(len, self.commits.values())) - self.merges


def start(project: BranchedProject, what: str, notes: Path, seconds: float, *words: str) -> subprocess.Popen[str]:
    script = [sys.executable, branch_writer.__file__, what, str(project.root), project.url, str(notes), str(seconds)]
    return subprocess.Popen([*script, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def race(project: BranchedProject, seconds: float) -> Acknowledged:
    """All at once, each in a process of its own."""
    notes = [project.root / f"notes-{number}" for number in range(WRITERS + 1)]
    processes = [
        start(project, "write", notes[number], seconds, str(number + 1), BRANCHES[number % len(BRANCHES)], *TABLES)
        for number in range(WRITERS)
    ]
    processes.append(start(project, "merge", notes[-1], seconds, *BRANCHES[1:]))
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            process.communicate(timeout=seconds + 300)
            assert process.returncode == 0
    finally:
        for process in processes:
            process.kill()
            process.wait()
    found = Acknowledged()
    for one in notes:
        found.read(one)
    return found


def log_of(wiring: Wiring, branch: str) -> list[CommitId]:
    head = wiring.branch_head(BranchName(branch))
    assert head is not None
    return [commit.id for commit in wiring.metadata.log(head, limit=1_000_000)]


def check_logs(wiring: Wiring, first: Iterable[str], told: Acknowledged) -> None:
    """Every commit that was acknowledged, once, and nothing else."""
    common = set(first)
    for branch in BRANCHES[1:]:
        log = log_of(wiring, branch)
        assert len(set(log)) == len(log)
        assert set(log) == told.commits[branch] | common, branch
    everything = set().union(*told.commits.values()) | common
    assert told.commits["main"] <= set(log_of(wiring, "main")) <= everything


def check_rows(project: BranchedProject, wiring: Wiring, told: Acknowledged) -> None:
    """Every row of a branch, once; the refs of Iceberg stand where the commits say."""
    state, recorded = project.state(wiring), project.recorded(wiring)
    for branch in BRANCHES[1:]:
        _, held = state[branch]
        for table in TABLES:
            snapshot, rows = held[table]
            assert snapshot == recorded[branch][table]
            assert rows == sorted({0: "first", **told.rows[branch][table]}.items()), (branch, table)
    for one in wiring.metadata.branches():
        line = pin_branch(wiring.metadata, one.name, MAIN)
        assert not any(find_base(table, line, wiring.lake).is_foreign for table in line.tree)


def check_main(project: BranchedProject, wiring: Wiring, told: Acknowledged) -> None:
    """After the last merges main has the rows of all branches, each once."""
    _, held = project.state(wiring)["main"]
    for table in TABLES:
        expected = {0: "first"}
        for branch in BRANCHES:
            expected |= told.rows[branch][table]
        snapshot, rows = held[table]
        assert rows == sorted(expected.items()), table
        assert snapshot == project.recorded(wiring)["main"][table]


def check_they_met(told: Acknowledged) -> None:
    """Else nothing was shown."""
    assert told.retries > 0
    assert told.merges > 0
    for branch in BRANCHES:
        before = WRITERS // len(BRANCHES) * len(TABLES)  # what each wrote before the others were there
        assert len(told.commits[branch]) > before, f"{branch} was kept out"


def soak(project: BranchedProject, seconds: float) -> None:
    wiring = project.wiring()
    first = [write(wiring.versioning.ports(), table, "main", [(0, "first")]).commit for table in TABLES]
    for branch in BRANCHES[1:]:
        project.branch(wiring, branch)
    told = race(project, seconds)
    check_they_met(told)
    common = [commit.id for commit in first if commit is not None]
    check_logs(wiring, common, told)
    check_rows(project, wiring, told)
    for branch in BRANCHES[1:]:
        merge(MergeRequest(source=branch, target="main"), wiring.versioning.ports())
    check_main(project, wiring, told)
    assert set(log_of(wiring, "main")) >= set().union(*told.commits.values())
    verified = verify(
        SqlMetadata(wiring.database), wiring.lake, wiring.versioning.hasher, level=VerifyLevel.TREE, default=MAIN
    )
    assert verified.is_good, verified.broken[:3]
    assert verified.unsealed == 0
    assert find_problems(wiring.metadata, wiring.lake, MAIN) == ()
    assert wiring.lake.stages() == ()
    wiring.close()
    print(f"{told.writes} commits and {told.merges} merges in {seconds:g} s; lost to others and tried again:", end=" ")
    print(f"{told.retries}, given up: {told.refused}; {verified.commits} commits and {verified.files} files verified")


def test_eight_processes_on_four_branches_lose_no_commit_and_no_row(tmp_path: Path) -> None:
    soak(BranchedProject.make(tmp_path, f"sqlite:///{tmp_path}/forge.db"), SECONDS)


@pytest.mark.services("postgres")
def test_the_same_holds_on_postgresql(tmp_path: Path, new_postgres: Callable[[], str]) -> None:
    soak(BranchedProject.make(tmp_path, new_postgres()), SECONDS / 2)
