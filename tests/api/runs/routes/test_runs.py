"""Runs over HTTP, on a real server: started, listed, followed, cancelled. Without Spark."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from run_site import RunSite, events, serve_runs, until

from forge.flows.runs.processes import process_started
from forge.flows.runs.records import OutputRecord, OutputStatus, RunRecord, RunStatus
from forge.model.names import BranchName, RunId, SnapshotId, TableName

NOW = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[RunSite]:
    with serve_runs(tmp_path) as made:
        yield made


def of_the_terminal(name: str, status: RunStatus = RunStatus.RUNNING, **params: object) -> RunRecord:
    """A run of another process that lives: this one's parent."""
    pid = os.getppid()
    finished = NOW + timedelta(seconds=4) if status is not RunStatus.RUNNING else None
    output = OutputRecord(
        table=TableName("raw", "orders"),
        status=OutputStatus.PUBLISHED,
        rows=2,
        snapshot_id=SnapshotId(2**62 + 1),
        inputs={},
    )
    return RunRecord(
        id=RunId(name),
        branch=BranchName("main"),
        status=status,
        started_at=NOW,
        user="bob@example.com",
        host=socket.gethostname(),
        pid=pid,
        process_started=process_started(pid),
        selection=("+raw.orders",),
        params=params,
        step="staged",
        finished_at=finished,
        outputs=(output,) if finished else (),
    )


@pytest.mark.slow
def test_a_run_is_queued_works_and_ends_with_all_that_is_known_of_it(site: RunSite) -> None:
    begun = site.start(selection=["core.orders", "raw.orders"], message="Load the day")
    assert begun["status"] in ("queued", "running")
    assert begun["request"]["selection"] == ["core.orders", "raw.orders"]
    assert begun["request"]["branch"] == begun["branch"] == "main"
    assert (begun["can_cancel"], begun["can_rerun"]) == (True, False)
    site.wait_for_work()
    working = site.run(begun["run_id"])
    assert working["status"] == "running"
    assert [(t["table"], t["step"]) for t in working["progress"]["tables"]] == [
        ("raw.orders", "started"),
        ("core.orders", "waiting"),
    ]
    site.open()
    done = site.end(begun["run_id"])
    assert done["status"] == "succeeded"
    assert done["commit"]
    assert [(t["table"], t["step"]) for t in done["progress"]["tables"]] == [
        ("raw.orders", "published"),
        ("core.orders", "published"),
    ]
    assert [e["step"] for e in done["progress"]["events"] if e["table"] is None] == ["publishing", "published"]
    assert [v["outcome"] for v in done["verdicts"]] == ["passed"]
    assert done["queued_at"] <= done["started_at"] <= done["finished_at"]
    assert (done["can_cancel"], done["can_rerun"]) == (False, True)


@pytest.mark.slow
def test_what_ended_is_started_again_by_sending_its_request(site: RunSite) -> None:
    site.open()
    first = site.end(site.start(selection=["raw.orders"], params={"day": "2026-11-14"})["run_id"])
    again = site.start(**first["request"])
    assert again["run_id"] != first["run_id"]
    second = site.end(again["run_id"])
    assert (second["status"], second["request"]) == ("succeeded", first["request"])


@pytest.mark.slow
def test_all_that_is_wrong_with_a_request_is_one_problem_and_nothing_is_queued(site: RunSite) -> None:
    response = site.client.post(
        "/api/v1/runs", json={"selection": ["core.oders"], "branch": "mian", "params": {"day": "monday"}}
    )
    assert response.status_code == 404
    problem = response.json()
    assert [error["code"] for error in problem["errors"]] == ["FORGE-E602", "FORGE-E105", "FORGE-E108"]
    assert site.list() == []


@pytest.mark.slow
def test_a_broken_file_is_told_with_its_place(site: RunSite) -> None:
    (site.root / "transforms" / "core" / "bad.sql").write_text("SELECT FROM WHERE")
    response = site.client.post("/api/v1/runs", json={})
    assert response.status_code == 422
    assert response.json()["where"].startswith("transforms/core/bad.sql:1")


@pytest.mark.slow
def test_an_unknown_run_answers_with_the_nearest(site: RunSite) -> None:
    site.metadata.start_run(of_the_terminal("r20261115_061000_abcdef"))
    for path in ("r20261115_061000_abcdee", "r20261115_061000_abcdee/events"):
        response = site.client.get(f"/api/v1/runs/{path}")
        assert response.status_code == 404
        assert response.json()["code"] == "FORGE-E108"
        assert "r20261115_061000_abcdef" in response.json()["why"]


@pytest.mark.slow
def test_one_that_waits_can_be_cancelled_and_started_again(site: RunSite) -> None:
    first = site.start()
    site.wait_for_work()
    second, third = site.start(selection=["raw.orders"]), site.start()
    assert [site.run(run["run_id"])["progress"]["queue_position"] for run in (second, third)] == [0, 1]
    response = site.client.delete(f"/api/v1/runs/{second['run_id']}")
    assert (response.status_code, response.json()["status"]) == (202, "cancelled")
    gone = site.run(second["run_id"])
    assert gone["error"]["code"] == "FORGE-E901"
    assert (gone["can_cancel"], gone["can_rerun"]) == (False, True)
    assert [t["step"] for t in gone["progress"]["tables"]] == ["skipped"]
    site.open()
    assert site.end(third["run_id"])["status"] == "succeeded"
    assert site.run(first["run_id"])["status"] == "succeeded"


@pytest.mark.slow
def test_one_that_works_is_cancelled_and_nothing_of_it_is_published(site: RunSite) -> None:
    run_id = site.start()["run_id"]
    site.wait_for_work()
    response = site.client.delete(f"/api/v1/runs/{run_id}")
    assert response.status_code == 202
    assert (response.json()["step"], response.json()["can_cancel"]) == ("cancelling", False)
    site.open()
    ended = site.end(run_id)
    assert (ended["status"], ended["commit"], ended["can_rerun"]) == ("cancelled", None, True)
    assert ended["error"]["code"] == "FORGE-E901"
    response = site.client.delete(f"/api/v1/runs/{run_id}")
    assert response.status_code == 409
    assert response.json()["code"] == "FORGE-E909"
    assert "cancelled" in response.json()["detail"]


@pytest.mark.slow
def test_a_run_of_the_terminal_is_shown_but_not_cancelled_from_here(site: RunSite) -> None:
    site.metadata.start_run(of_the_terminal("r-terminal"))
    shown = site.run("r-terminal")
    assert (shown["status"], shown["step"], shown["can_cancel"]) == ("running", "staged", False)
    response = site.client.delete("/api/v1/runs/r-terminal")
    assert response.status_code == 409
    assert response.json()["code"] == "FORGE-E907"
    assert str(os.getppid()) in response.json()["where"]
    assert "Ctrl-C" in response.json()["fix"]


@pytest.mark.slow
def test_a_run_of_the_terminal_that_ended_can_be_started_here(site: RunSite) -> None:
    params = {"day": "2026-11-14", "start": NOW, "end": NOW + timedelta(days=1)}
    done = of_the_terminal("r-terminal", RunStatus.SUCCEEDED, **{key: str(value) for key, value in params.items()})
    site.metadata.finish_run(done, (), ())
    shown = site.run("r-terminal")
    assert shown["can_rerun"]
    assert shown["request"] == {
        "selection": ["+raw.orders"],
        "branch": "main",
        "params": {"day": "2026-11-14"},
        "start": "2026-11-15T06:10:00Z",
        "end": "2026-11-16T06:10:00Z",
        "message": None,
        "force": False,
    }
    assert shown["outputs"][0]["snapshot_id"] == str(2**62 + 1)
    assert [(t["table"], t["step"]) for t in shown["progress"]["tables"]] == [("raw.orders", "published")]
    site.open()
    assert site.end(site.start(**shown["request"])["run_id"])["status"] == "succeeded"


@pytest.mark.slow
def test_a_run_whose_range_is_in_its_record_only_is_started_again_with_it(site: RunSite) -> None:
    done = of_the_terminal("r-demo", RunStatus.SUCCEEDED)
    site.metadata.finish_run(replace(done, start=NOW, end=NOW + timedelta(days=1)), (), ())
    request = site.run("r-demo")["request"]
    assert (request["start"], request["end"]) == ("2026-11-15T06:10:00Z", "2026-11-16T06:10:00Z")
    site.open()
    again = site.end(site.start(**request)["run_id"])
    assert (again["status"], again["request"]) == ("succeeded", request | {"force": again["request"]["force"]})


DAILY = """
from forge import transform

@transform(
    output="core.daily", inputs={"raw": "raw.orders"}, kind="incremental_by_time_range", time_column="id"
)
def daily(raw):
    return raw
"""


@pytest.mark.slow
def test_a_missing_time_range_is_told_before_anything_is_queued(site: RunSite) -> None:
    (site.root / "transforms" / "core" / "daily.py").write_text(DAILY)
    site.open()
    first = site.end(site.start(selection=["raw.orders", "core.daily"])["run_id"])
    assert first["status"] == "succeeded"
    response = site.client.post("/api/v1/runs", json={"selection": ["core.daily"], "force": True})
    assert response.status_code == 422
    problem = response.json()
    assert problem["code"] == "FORGE-E206"
    assert "`start` and `end`" in problem["fix"]
    assert len(site.list()) == 1
    assert site.end(site.start(selection=["core.daily"], force=False)["run_id"])["status"] == "nothing to do"
    given = {"start": NOW.isoformat(), "end": (NOW + timedelta(days=1)).isoformat()}
    assert site.end(site.start(selection=["core.daily"], **given)["run_id"])["status"] == "succeeded"


@pytest.mark.slow
def test_the_list_has_those_that_wait_among_those_that_ran_newest_first(site: RunSite) -> None:
    site.metadata.finish_run(of_the_terminal("r-terminal", RunStatus.FAILED), (), ())
    first = site.start(selection=["raw.orders"])["run_id"]
    site.wait_for_work()
    second = site.start()["run_id"]
    third = site.start(selection=["raw.orders"])["run_id"]
    site.client.delete(f"/api/v1/runs/{second}")
    listed = [(run["run_id"], run["status"]) for run in site.list()]
    assert listed == [(third, "queued"), (second, "cancelled"), (first, "running"), ("r-terminal", "failed")]
    assert [run["run_id"] for run in site.list(status="queued")] == [third]
    assert [run["run_id"] for run in site.list(status="cancelled")] == [second]
    assert [run["run_id"] for run in site.list(status="failed")] == ["r-terminal"]
    assert [run["run_id"] for run in site.list(table="core.orders")] == [second]
    assert site.list(branch="dev") == []
    assert site.client.get("/api/v1/runs", params={"status": "fialed"}).status_code == 404


@pytest.mark.slow
def test_the_list_is_given_in_pages(site: RunSite) -> None:
    ids = [f"r-{number}" for number in range(5)]
    for name in ids:
        site.metadata.finish_run(of_the_terminal(name, RunStatus.SUCCEEDED), (), ())
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        query = {"limit": "2", **({"cursor": cursor} if cursor else {})}
        page = site.client.get("/api/v1/runs", params=query).json()
        seen += [run["run_id"] for run in page["items"]]
        cursor = page["next_cursor"]
    assert seen == ids[::-1]
    assert cursor is None


@pytest.mark.slow
def test_a_full_queue_answers_429_and_takes_nothing(site: RunSite) -> None:
    site.start()
    site.wait_for_work()
    site.app.state.site.jobs.limit = 2
    for _ in range(2):
        site.start()
    response = site.client.post("/api/v1/runs", json={})
    assert response.status_code == 429
    assert response.json()["code"] == "FORGE-E906"
    assert len(site.list(status="queued")) == 2


@pytest.mark.slow
def test_the_stream_begins_at_once_tells_every_change_and_ends(site: RunSite) -> None:
    run_id = site.start()["run_id"]
    site.wait_for_work()
    with site.client.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-accel-buffering"] == "no"
        stream = events(response)
        name, number, first = next(stream)
        assert (name, number, first["status"]) == ("run", "1", "running")
        site.open()
        rest = list(stream)
    assert [name for name, _, _ in rest][-1] == "end"
    last = [data for name, _, data in rest if name == "run"][-1]
    assert last == site.run(run_id)
    assert last["status"] == "succeeded"
    numbers = [int(number) for name, number, _ in rest if name == "run"]
    assert numbers == sorted(set(numbers))


@pytest.mark.slow
def test_a_reconnect_gets_the_whole_state_again(site: RunSite) -> None:
    site.open()
    run_id = site.start()["run_id"]
    done = site.end(run_id)
    headers = {"last-event-id": "7"}
    with site.client.stream("GET", f"/api/v1/runs/{run_id}/events", headers=headers) as response:
        assert [(name, data) for name, _, data in events(response)] == [("run", done), ("end", {})]


@pytest.mark.slow
def test_a_stream_ends_when_the_server_stops(site: RunSite) -> None:
    run_id = site.start()["run_id"]
    site.wait_for_work()
    with site.client.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
        stream = events(response)
        next(stream)
        site.server.handle_exit(15, None)
        assert [name for name, _, _ in stream if name == "end"] == []
    site.open()
    site.thread.join(30)
    assert not site.thread.is_alive()


@pytest.mark.slow
def test_the_server_tells_of_itself(site: RunSite) -> None:
    site.start()
    site.wait_for_work()
    site.start()
    seen = site.client.get("/api/v1/system").json()
    assert (seen["jobs_running"], seen["jobs_queued"], seen["jobs_limit"]) == (1, 1, 20)
    assert (seen["spark"]["state"], seen["spark"]["error"]) == ("stopped", None)
    assert (seen["database"], seen["interrupted"], seen["project"]) == ("sqlite", [], "shop")
    site.open()
    until(lambda: site.client.get("/api/v1/system").json()["jobs_running"] == 0)
