"""Questions to the request executor: apart from writes, limited by token and time, cancelled by who asked or left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from run_site import until
from version_site import ORDERS, VersionSite, problem

from forge.api.auth import Principal
from forge.api.executor import PendingTask, RequestExecutor
from forge.api.read_limits import ReadLimits
from forge.flows.runs.jobs import JobKind
from forge.flows.upkeep.access import Token, TokenKind, TokenScope
from forge.flows.versioning.ports import VersionPorts
from forge.model.errors import CancellationError, ForgeError

NOW = datetime(2026, 11, 14, tzinfo=UTC)


def caller(name: str) -> Principal:
    token = Token(
        id=f"t-{name}",
        kind=TokenKind.BEARER,
        name=name,
        scope=TokenScope.READ,
        digest="",
        created_by=f"{name}@x.org",
        created_at=NOW,
    )
    return Principal(f"{name}@x.org", "token", TokenScope.READ, None, token)


ANN, BEN = caller("ann"), caller("ben")


@pytest.fixture
def make_executor(versions: VersionSite) -> Iterator[Callable[..., RequestExecutor]]:
    made: list[RequestExecutor] = []

    def make(patience: float = 0.0, **limits: float) -> RequestExecutor:
        made.append(RequestExecutor(versions.wiring, patience=patience, workers=1, limits=ReadLimits(**limits)))  # type: ignore[arg-type]
        versions.site.executor = made[-1]
        return made[-1]

    yield make
    for one in made:
        one.stop()


def gate(opened: threading.Event) -> Callable[[VersionPorts], str]:
    def work(ports: VersionPorts) -> str:
        while not opened.wait(0.01):
            if ports.stopped() is not None:
                raise CancellationError("It was cancelled", fix="Try again.")
        return "done"

    return work


def ask(executor: RequestExecutor, who: Principal, work: Callable[[VersionPorts], str], kind: JobKind = "query") -> str:
    found = executor.do(kind, work, who, text="SELECT 1")
    assert isinstance(found, PendingTask)
    return found.run_id


def status(versions: VersionSite, run_id: str) -> str:
    return str(versions.client.get(f"/api/v1/runs/{run_id}").json()["status"])


def test_a_write_does_not_wait_behind_questions(make_executor: Callable[..., RequestExecutor]) -> None:
    executor, opened = make_executor(at_once=2, per_token=2, waiting=2), threading.Event()
    for _ in range(4):
        ask(executor, ANN, gate(opened))
    done = threading.Event()
    executor.do("merge", lambda ports: done.set(), ANN)
    assert done.wait(30)
    opened.set()


def test_one_more_than_a_token_may_have_is_refused_and_another_token_is_not(
    make_executor: Callable[..., RequestExecutor],
) -> None:
    executor, opened = make_executor(at_once=2, per_token=1, waiting=1), threading.Event()
    ask(executor, ANN, gate(opened)), ask(executor, ANN, gate(opened))
    with pytest.raises(ForgeError, match="2 queries of this token") as refused:
        ask(executor, ANN, gate(opened))
    assert refused.value.code == "E915"
    other = threading.Event()
    executor.do("query", lambda ports: other.set(), BEN)
    assert other.wait(30)
    opened.set()


def test_a_question_whose_time_is_over_is_stopped_with_the_reason(
    make_executor: Callable[..., RequestExecutor],
) -> None:
    executor = make_executor(patience=30.0, seconds=0.05)
    with pytest.raises(ForgeError, match=r"stopped after 0\.05 seconds") as stopped:
        executor.do("query", gate(threading.Event()), ANN)
    assert stopped.value.code == "E916"


def test_a_question_is_listed_with_who_asks_what_and_cancelled_by_its_owner_alone(
    make_executor: Callable[..., RequestExecutor], versions: VersionSite
) -> None:
    executor, opened = make_executor(at_once=1, per_token=1, waiting=2), threading.Event()
    first, second = ask(executor, ANN, gate(opened)), ask(executor, ANN, gate(opened))
    until(lambda: status(versions, first) == "running")
    shown = {one["run_id"]: one for one in versions.client.get("/api/v1/runs").json()["items"]}
    assert {shown[first]["status"], shown[second]["status"]} == {"running", "queued"}
    assert (shown[first]["user"], shown[first]["kind"], shown[first]["text"]) == ("ann@x.org", "query", "SELECT 1")
    reads = versions.client.get("/api/v1/system").json()["reads"]
    assert (reads["running"], reads["waiting"], reads["at_once"]) == (1, 1, 1)
    reader = versions.token_of("cleo@x.org", TokenScope.READ)
    problem(versions.client.delete(f"/api/v1/runs/{first}", headers=reader), 403, "E904")
    assert executor.cancel(second)
    assert status(versions, second) == "cancelled", "what waits ends at once"
    assert versions.client.delete(f"/api/v1/runs/{first}").status_code == 202
    until(lambda: status(versions, first) == "cancelled")


@pytest.mark.slow
def test_a_question_that_nobody_waits_for_is_cancelled(make_executor: Callable[..., RequestExecutor]) -> None:
    executor = make_executor(patience=30.0)
    with pytest.raises(ForgeError, match="cancelled"):
        executor.do("query", gate(threading.Event()), replace(ANN, gone=lambda: True))


def test_rows_of_an_answer_are_no_more_than_the_server_gives(
    make_executor: Callable[..., RequestExecutor], versions: VersionSite
) -> None:
    versions.commit(ORDERS)
    make_executor(rows=2)
    found = versions.client.get("/api/v1/branches/datasets/core.orders/commits/main/data").json()
    assert (len(found["rows"]), found["truncated"]) == (2, True)
