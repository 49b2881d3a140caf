"""Monitors on real servers: two keep the same schedules on PostgreSQL, one is killed in the middle of a run."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from live_forge import Live, start_forge

pytestmark = pytest.mark.services("postgres")

SECONDS = 60.0
CHECKS = [{"type": "row_count", "min": 1}, {"type": "not_null", "column": "id"}]


def until(is_so: Callable[[], object], why: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, why
        time.sleep(0.05)


@dataclass
class House:
    """One project on PostgreSQL, and any number of servers on it. No JVM: manifests answer these checks."""

    root: Path
    servers: list[Live] = field(default_factory=list)

    def serve(self) -> Live:
        live = start_forge(self.root, self.root / f"stderr-{len(self.servers)}")
        self.servers.append(live)
        return live

    def kill(self, live: Live) -> None:
        live.stop(signal.SIGKILL)
        self.servers.remove(live)

    def call(self, live: Live, method: str, path: str, **given: Any) -> Any:
        with live.api() as client:
            answer: httpx.Response = client.request(method, path, **given)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def commit(self, live: Live, number: int) -> str:
        files = {"file": ("rows.csv", f"id,name\n{number},a\n".encode())}
        made = self.call(live, "POST", "/branches/main/commits", data={"table": "core.orders"}, files=files)
        return str(made["commit"]["id"])

    def monitor(self, live: Live, **fields: object) -> str:
        body = {"name": "Orders", "dataset": "core.orders", "checks": CHECKS, **fields}
        return str(self.call(live, "POST", "/quality/monitors", json=body)["id"])

    def runs(self, live: Live, monitor_id: str) -> list[dict[str, Any]]:
        """Oldest first."""
        found = self.call(live, "GET", f"/quality/monitors/{monitor_id}/runs", params={"limit": 500})["items"]
        return list(reversed(found))

    def judged(self, live: Live, monitor_id: str) -> str | None:
        """The commit that it judged last."""
        found = self.runs(live, monitor_id)
        return str(found[-1]["commit"]) if found else None

    @property
    def fifo(self) -> Path:
        """Who reads the project waits for someone who writes here."""
        return self.root / "checks" / "slow.yaml"

    def hold_up(self) -> None:
        self.fifo.parent.mkdir(exist_ok=True)
        os.mkfifo(self.fifo)


@pytest.fixture
def monitored_house(tmp_path: Path, new_postgres: Callable[[], str]) -> Iterator[House]:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "forge.yaml").write_text(
        f"project: shop\ndatabase: {new_postgres()}\nuser: {{name: Ada, email: ada@example.com}}\n"
        "quality: {scheduler_seconds: 0.1}\n"
    )
    monitored_house = House(root)
    yield monitored_house
    for live in monitored_house.servers:
        live.stop(signal.SIGKILL)


def test_two_servers_make_each_run_once(monitored_house: House) -> None:
    """Four monitors follow four commits, and four have a first run of their interval: no claim is taken twice."""
    first, second = monitored_house.serve(), monitored_house.serve()
    monitored_house.commit(first, 0)
    by_change = [monitored_house.monitor(first, schedule={"type": "on_change"}) for _ in range(4)]
    by_time = [monitored_house.monitor(second, schedule={"type": "interval", "interval_minutes": 60}) for _ in range(4)]
    commits: list[str] = []
    for number in range(1, 5):
        commits.append(monitored_house.commit((first, second)[number % 2], number))
        until(
            lambda: {monitored_house.judged(first, one) for one in by_change} == {commits[-1]},
            f"not all judged {number}",
        )
    for one in by_change:
        judged = Counter(run["commit"] for run in monitored_house.runs(first, one))
        assert set(commits) <= set(judged)
        assert max(judged.values()) == 1
    for one in by_time:
        assert [run["status"] for run in monitored_house.runs(first, one)] == ["passed"]


def test_a_run_whose_server_is_killed_is_made_again_by_the_other(monitored_house: House) -> None:
    first = monitored_house.serve()
    monitored_house.commit(first, 0)
    monitored_house.hold_up()
    monitor = monitored_house.monitor(first, schedule={"type": "interval", "interval_minutes": 60})
    until(lambda: [run["status"] for run in monitored_house.runs(first, monitor)] == ["running"], "it did not begin")
    second = monitored_house.serve()
    time.sleep(1)  # ten looks of the second: the run of the first, which lives, is left alone
    assert [run["status"] for run in monitored_house.runs(second, monitor)] == ["running"]
    monitored_house.fifo.unlink()  # who waits there goes on waiting
    monitored_house.kill(first)
    until(
        lambda: [run["status"] for run in monitored_house.runs(second, monitor)] == ["interrupted", "passed"],
        "the other did not make it again",
    )
    dead, again = monitored_house.runs(second, monitor)
    assert dead["error"]["why"] == "its process died"
    assert (again["due"], again["notes"]) == (dead["due"], [f"run {dead['id']} was cut off"])
    found = monitored_house.call(second, "GET", f"/quality/monitors/{monitor}/results")["items"]
    assert {(result["monitor_run_id"], result["verdict"]) for result in found} == {(again["id"], "passed")}


def test_a_restart_goes_on_where_the_server_was_killed(monitored_house: House) -> None:
    first = monitored_house.serve()
    monitored_house.commit(first, 0)
    monitored_house.hold_up()
    monitor = monitored_house.monitor(first, schedule={"type": "on_change"})
    until(lambda: [run["status"] for run in monitored_house.runs(first, monitor)] == ["running"], "it did not begin")
    monitored_house.fifo.unlink()
    monitored_house.kill(first)
    second = monitored_house.serve()
    until(
        lambda: [run["status"] for run in monitored_house.runs(second, monitor)] == ["interrupted", "passed"],
        "not again",
    )
    monitored_house.commit(second, 1)
    until(lambda: len(monitored_house.runs(second, monitor)) == 3, "the next change was not judged")


def test_a_server_that_is_stopped_leaves_no_run_open(monitored_house: House) -> None:
    first = monitored_house.serve()
    monitored_house.commit(first, 0)
    monitored_house.hold_up()
    monitor = monitored_house.monitor(first)
    ids = [monitored_house.call(first, "POST", f"/quality/monitors/{monitor}/run")["run_id"] for _ in range(2)]
    until(
        lambda: [run["status"] for run in monitored_house.runs(first, monitor)] == ["running", "queued"],
        "it did not begin",
    )
    first.stop(signal.SIGTERM)
    monitored_house.servers.remove(first)
    monitored_house.fifo.unlink()
    second = monitored_house.serve()
    assert [run["status"] for run in monitored_house.runs(second, monitor)] == ["interrupted", "interrupted"]
    assert {monitored_house.call(second, "GET", f"/runs/{run_id}")["status"] for run_id in ids} == {"interrupted"}


def test_a_file_that_changes_under_a_server_changes_its_monitors(monitored_house: House) -> None:
    live = monitored_house.serve()
    monitored_house.commit(live, 0)
    file = monitored_house.root / "quality" / "orders.yaml"
    file.parent.mkdir()

    def listed() -> list[tuple[str, bool]]:
        return [(one["id"], one["enabled"]) for one in monitored_house.call(live, "GET", "/quality/monitors")["items"]]

    text = "monitors:\n  - name: Daily\n    dataset: core.orders\n    checks: [{type: row_count, min: 1}]\n"
    file.write_text(text + "    schedule: {type: on_change}\n")
    until(lambda: listed() == [("daily", True)], "it did not come")
    until(lambda: [run["status"] for run in monitored_house.runs(live, "daily")] == ["passed"], "it did not run")
    file.write_text(text + "    enabled: false\n")
    until(lambda: listed() == [("daily", False)], "it did not change")
    file.write_text("monitors: [")  # broken for a while
    time.sleep(0.5)
    assert listed() == [("daily", False)]
    file.unlink()
    until(lambda: listed() == [], "it did not go")
    assert (
        len(monitored_house.call(live, "GET", "/quality/results", params={"dataset_id": "core.orders"})["items"]) == 1
    )
