"""kill -9 at every step of a commit of data, a fast-forward and a merge, on both databases: heads, refs and rows are
all old or all new. `repair` clears up, and the same work done again succeeds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import forking_worker
import pytest
from branched_project import MAIN, BranchedProject, perform, write

from forge.flows.upkeep.maintenance import find_problems, repair
from forge.flows.upkeep.verify.history import VerifyLevel, verify
from forge.model.names import TableName
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.errors import NothingToDoError
from forge.wiring import Wiring

pytestmark = pytest.mark.services

NEW_STATE = ("published",)  # the transaction has committed; before it, nothing has happened
PUBLISH = ("prepared", "publish.pointers", "publish.records", "published")

Work = Mapping[str, Any]


@dataclass
class House:
    """A project, a process that does pieces of work in children of its own, and what the tables should hold."""

    project: BranchedProject
    worker: subprocess.Popen[str]
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    expected: dict[str, dict[int, str]] = field(default_factory=dict)  # of main, once the work is done

    def write(self, wiring: Wiring, table: str, branch: str, rows: dict[int, str]) -> None:
        mode = "merge" if TableName.parse(table) in wiring.metadata.tree(wiring.branch_head(MAIN)) else "append"
        write(wiring.versioning.ports(), table, branch, list(rows.items()), mode)
        self.note(table, rows)

    def note(self, table: str, rows: dict[int, str]) -> None:
        self.expected.setdefault(table, {}).update(rows)

    def die(self, work: Work, fault: str) -> int:
        assert self.worker.stdin is not None
        assert self.worker.stdout is not None
        self.worker.stdin.write(json.dumps({"work": work, "fault": fault}) + "\n")
        self.worker.stdin.flush()
        return int(self.worker.stdout.readline())


# Each gives the work to be killed. What it will have changed on main is noted as expected.


def commit(version_house: House, wiring: Wiring, number: int) -> Work:
    rows = {0: f"committed {number}", 100 + number: "new"}
    version_house.note("core.orders", rows)
    return {"table": "core.orders", "branch": "main", "rows": list(rows.items()), "mode": "merge"}


def fast_forward(version_house: House, wiring: Wiring, number: int) -> Work:
    """Of a table that main has, and of one that is new."""
    branch = f"ahead/{number}"
    version_house.project.branch(wiring, branch)
    version_house.write(wiring, "core.orders", branch, {1: f"ahead {number}"})
    version_house.write(wiring, f"core.ahead_{number}", branch, {1: "new table"})
    return {"source": branch, "target": "main"}


def three_way(version_house: House, wiring: Wiring, number: int) -> Work:
    """Both sides changed other rows of one file, so that its rows are rewritten; a second table only theirs changed."""
    branch = f"aside/{number}"
    version_house.project.branch(wiring, branch)
    version_house.write(wiring, "core.orders", branch, {2: f"theirs {number}"})
    version_house.write(wiring, "core.items", branch, {1: f"theirs {number}"})
    version_house.write(wiring, "core.orders", "main", {3: f"ours {number}"})
    return {"source": branch, "target": "main"}


def new_table(version_house: House, wiring: Wiring, number: int) -> Work:
    """It stands under a hidden name until the merge gives it its own."""
    branch = f"extra/{number}"
    version_house.project.branch(wiring, branch)
    version_house.write(wiring, f"core.extra_{number}", branch, {1: "new table"})
    version_house.write(wiring, "core.items", "main", {2: f"ours {number}"})
    return {"source": branch, "target": "main"}


Scenario = Callable[[House, Wiring, int], Work]
STEPS: dict[Scenario, tuple[str, ...]] = {
    commit: ("started", "staged", "checked", *PUBLISH),
    fast_forward: PUBLISH,  # it is no run: there is nothing to stage and nothing to check
    three_way: ("started", "staged", "checked", *PUBLISH),
    new_table: ("started", "checked", *PUBLISH),  # its snapshot is taken as it is
}
CASES = [
    pytest.param(scenario, step, id=f"{scenario.__name__}-{step}")
    for scenario, steps in STEPS.items()
    for step in steps
]


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def version_house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    root = tmp_path_factory.mktemp("house")
    url = f"sqlite:///{root}/forge.db"
    if request.param == "postgresql":
        make: Callable[[], str] = request.getfixturevalue("new_postgres")
        url = make()
    project = BranchedProject.make(root, url)
    worker = subprocess.Popen(
        [sys.executable, forking_worker.__file__, str(root), url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    made = House(project, worker)
    wiring = project.wiring()
    for table in ("core.orders", "core.items"):
        made.write(wiring, table, "main", dict.fromkeys(range(10), "first"))
    wiring.close()
    yield made
    assert worker.stdin is not None
    worker.stdin.close()
    worker.wait(60)


@pytest.mark.parametrize(("scenario", "step"), CASES)
def test_work_killed_at_a_step_leaves_all_old_or_all_new(version_house: House, scenario: Scenario, step: str) -> None:
    project, wiring = version_house.project, version_house.project.wiring()
    work = scenario(version_house, wiring, next(version_house.numbers))
    sides = ("main", work.get("source", "main"))
    before, shown = project.state(wiring, *sides), wiring.lake.tables()
    assert version_house.die(work, step) == -signal.SIGKILL
    after = project.state(wiring, *sides)
    if step in NEW_STATE:
        assert_done(version_house, wiring)
        assert after["main"][0] != before["main"][0]
    else:
        assert after == before
        assert wiring.lake.tables() == shown, "a table that is new on a branch is not on main"
    assert_mended(wiring, is_open=step not in NEW_STATE and scenario is not fast_forward)
    assert project.state(wiring, *sides) == after
    again = done_again(wiring, work)
    assert again == {True: "nothing", False: "done"}[step in NEW_STATE]
    assert_done(version_house, wiring)
    assert find_problems(wiring.metadata, wiring.lake, MAIN) == ()
    wiring.close()


def assert_done(version_house: House, wiring: Wiring) -> None:
    """Every table of main is as expected, at the snapshot that the head says."""
    _, held = version_house.project.state(wiring, "main")["main"]
    assert {table: rows for table, (_, rows) in held.items()} == {
        table: sorted(rows.items()) for table, rows in version_house.expected.items()
    }
    assert {table: snapshot for table, (snapshot, _) in held.items()} == version_house.project.recorded(wiring)["main"]
    assert {f"{name.namespace}.{name.name}" for name in wiring.lake.tables()} == set(version_house.expected)


def assert_mended(wiring: Wiring, *, is_open: bool) -> None:
    """`is_open`: the record of the work says that it runs."""
    kinds = {finding.kind for finding in find_problems(wiring.metadata, wiring.lake, MAIN)}
    assert kinds <= {"interrupted run", "leftover stage"}
    assert ("interrupted run" in kinds) == is_open
    mended = repair(wiring.metadata, wiring.lake, author=wiring.author, now=wiring.clock())
    assert len(mended.interrupted) == is_open
    assert find_problems(wiring.metadata, wiring.lake, MAIN) == ()
    assert wiring.lake.stages() == ()


def done_again(wiring: Wiring, work: Work) -> str:
    """`nothing`: all of it was there already."""
    try:
        done = perform(wiring.versioning.ports(), work)
    except NothingToDoError:
        return "nothing"
    return "nothing" if done == "up_to_date" else "done"


def test_after_all_crashes_the_history_holds(version_house: House) -> None:
    wiring = version_house.project.wiring()
    found = verify(
        SqlMetadata(wiring.database), wiring.lake, wiring.versioning.hasher, level=VerifyLevel.FULL, default=MAIN
    )
    assert found.is_good, found.broken[:3]
    assert found.unsealed == 0
    wiring.close()


def forge(version_house: House, *words: str, fault: str | None = None) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "FORGE_DATABASE_URL": version_house.project.url, "NO_COLOR": "1"}
    environ |= {"FORGE_FAULT": fault} if fault else {}
    command = [sys.executable, "-m", "forge.cli.main", *words]
    return subprocess.run(
        command, cwd=version_house.project.root, env=environ, capture_output=True, text=True, timeout=300
    )


def test_a_person_whose_merge_was_killed_repairs_and_merges_again(version_house: House) -> None:
    wiring = version_house.project.wiring()
    work = three_way(version_house, wiring, next(version_house.numbers))
    before = version_house.project.state(wiring)
    assert forge(version_house, "merge", work["source"], fault="publish.records").returncode == -signal.SIGKILL
    assert version_house.project.state(wiring) == before
    sick = forge(version_house, "doctor")
    assert sick.returncode == 1
    assert "forge repair" in sick.stdout
    assert forge(version_house, "repair").returncode == 0
    well = forge(version_house, "doctor")
    assert well.returncode == 0, well.stdout + well.stderr
    again = forge(version_house, "merge", work["source"])
    assert again.returncode == 0, again.stderr
    assert_done(version_house, wiring)
    wiring.close()
