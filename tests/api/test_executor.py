"""Long work of requests: waited for, followed as a run, cancelled, stopped with the server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from version_site import API, ORDERS, VersionSite, open_version_site, problem

from forge.api.auth import Principal
from forge.api.executor import PendingTask, RequestExecutor
from forge.flows.upkeep.access import TokenScope
from forge.flows.versioning.ports import VersionPorts
from forge.model.errors import CancellationError, ForgeError
from forge.versioning.errors import IncomparableError

ADA = Principal("ada@example.com", "token", TokenScope.WRITE, None)
SECONDS = 30.0


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


@pytest.fixture
def executor(versions: VersionSite) -> Iterator[RequestExecutor]:
    """With two at work, that waits for nothing."""
    found = RequestExecutor(versions.wiring, patience=0.0, workers=2, limit=3)
    versions.site.executor = found
    yield found
    found.stop()


def gate(opened: threading.Event) -> Callable[[VersionPorts], str]:
    """Work that goes on until the gate opens or it is told to stop."""

    def work(ports: VersionPorts) -> str:
        while not opened.wait(0.01):
            if ports.stopped() is not None:
                raise CancellationError("It was cancelled", fix="Try again.")
        return "done"

    return work


def pending(outcome: object) -> str:
    assert isinstance(outcome, PendingTask)
    return outcome.run_id


def test_what_is_quick_is_answered_at_once(versions: VersionSite) -> None:
    assert versions.site.executor.do("merge", lambda ports: str(ports.author.email), ADA) == "ada@example.com"

    def refused(ports: VersionPorts) -> None:
        raise ForgeError("E105", "No")

    with pytest.raises(ForgeError, match="No"):
        versions.site.executor.do("merge", refused, ADA)


def test_what_takes_long_is_a_run_that_can_be_followed(versions: VersionSite, executor: RequestExecutor) -> None:
    opened = threading.Event()
    run_id = pending(executor.do("merge", gate(opened), ADA, branch="main"))
    path = f"/api/v1/runs/{run_id}"
    until(lambda: versions.client.get(path).json()["status"] == "running")
    view = versions.client.get(path).json()
    assert (view["kind"], view["branch"], view["user"], view["can_cancel"]) == (
        "merge",
        "main",
        "ada@example.com",
        True,
    )
    opened.set()
    until(lambda: versions.client.get(path).json()["status"] == "succeeded")
    assert versions.client.get(path).json()["can_cancel"] is False


@pytest.mark.slow
def test_a_route_answers_202_with_the_address_of_the_run(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("fix")
    versions.commit("id,name,amount\n4,d,40\n", branch="fix")
    versions.site.executor.patience = 0.0
    answer = versions.client.post(f"{API}/merge", json={"source_branch": "fix", "no_ff": True})
    assert answer.status_code == 202
    ticket = answer.json()
    assert (ticket["status"], ticket["kind"]) == ("running", "merge")
    assert answer.headers["location"] == f"/api/v1/runs/{ticket['run_id']}"
    until(lambda: versions.client.get(answer.headers["location"]).json()["status"] == "succeeded")
    run = versions.client.get(answer.headers["location"]).json()
    assert (run["kind"], run["commit"]) == ("merge", versions.head())


@pytest.mark.slow
def test_a_reading_request_that_is_sent_again_gets_what_was_found(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.commit("id,name,amount\n4,d,40\n")
    versions.site.executor.patience = 0.0
    answers: list[Any] = []

    def ask() -> bool:
        answers.append(versions.client.get(f"{API}/diff", params={"base_commit": "HEAD~1", "compare_commit": "HEAD"}))
        return bool(answers[-1].status_code == 200)

    until(ask)
    assert answers[-1].json()["summary"]["inserted"] == 1
    assert len({answer.json()["run_id"] for answer in answers[:-1]}) == 1


def test_work_is_cancelled_and_says_so(versions: VersionSite, executor: RequestExecutor) -> None:
    run_id = pending(executor.do("merge", gate(threading.Event()), ADA, branch="main"))
    path = f"/api/v1/runs/{run_id}"
    assert versions.client.delete(path).status_code == 202
    until(lambda: versions.client.get(path).json()["status"] == "cancelled")
    assert versions.client.get(path).json()["error"]["code"] == "FORGE-E901"
    assert versions.wiring.engine.cancelled == [run_id]  # type: ignore[attr-defined]
    assert versions.client.delete(path).status_code == 404


def test_work_that_waits_for_its_turn_can_be_cancelled_too(versions: VersionSite, executor: RequestExecutor) -> None:
    opened, ended = threading.Event(), threading.Event()
    for _ in range(2):
        pending(executor.do("merge", gate(opened), ADA))
    waiting = pending(executor.do("commit", gate(opened), ADA, after=ended.set))
    assert versions.client.get(f"/api/v1/runs/{waiting}").json()["status"] == "queued"
    with pytest.raises(ForgeError) as refused:
        executor.do("merge", gate(opened), ADA)
    assert refused.value.code == "E906"
    assert executor.cancel(waiting)
    opened.set()
    until(ended.is_set)
    until(lambda: versions.client.get(f"/api/v1/runs/{waiting}").json()["status"] == "cancelled")


def test_a_failure_after_the_answer_is_told_by_the_run(versions: VersionSite, executor: RequestExecutor) -> None:
    opened = threading.Event()

    def fail(ports: VersionPorts) -> None:
        opened.wait(SECONDS)
        raise IncomparableError("E611", "Keys occur more than once", fix="Keep one.")

    run_id = pending(executor.do("merge", fail, ADA))
    opened.set()
    until(lambda: versions.client.get(f"/api/v1/runs/{run_id}").json()["status"] == "failed")
    assert versions.client.get(f"/api/v1/runs/{run_id}").json()["error"]["code"] == "FORGE-E611"


def test_the_same_question_is_worked_out_once(executor: RequestExecutor) -> None:
    opened = threading.Event()
    first = pending(executor.do("diff", gate(opened), ADA, share=("diff", 1)))
    assert pending(executor.do("diff", gate(opened), ADA, share=("diff", 1))) == first
    assert pending(executor.do("diff", gate(opened), ADA, share=("diff", 2))) != first
    opened.set()
    until(lambda: executor.do("diff", gate(opened), ADA, share=("diff", 1)) == "done")


def test_the_end_of_the_server_stops_what_is_under_way(tmp_path: Path) -> None:
    ended = threading.Event()
    with open_version_site(tmp_path / "shop") as site:
        site.site.executor.patience = 0.0
        pending(site.site.executor.do("merge", gate(threading.Event()), ADA, after=ended.set))
    assert ended.is_set()
    with pytest.raises(ForgeError) as refused:
        site.site.executor.do("merge", gate(threading.Event()), ADA)
    assert refused.value.code == "E906"


def test_nothing_is_known_of_work_that_never_was(versions: VersionSite) -> None:
    problem(versions.client.delete("/api/v1/runs/r_nosuch"), 404, "E108")
