"""Deliveries while processes are killed and while two of them work: nothing is lost, and no message is sent twice
but that of a process that died before it could write down that it was taken, and then under the same id."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alert_world import judged, verdict
from migrated import lay_database
from receivers import HttpReceiver, http_receiver

from forge.flows.quality.incidents.alerts import AlertSource, observe_alerts
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope
from forge.quality.alerts.delivery import DeliveryStatus
from forge.wiring import Wiring

pytestmark = pytest.mark.services
WORKER = Path(__file__).parents[1] / "support" / "alert_worker.py"
SECONDS = 30.0


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


class Site:
    """A project with one webhook, and processes that deliver."""

    def __init__(self, root: Path, url: str, database: str) -> None:
        self.root = root
        settings = (
            f"user: {{name: Ada, email: ada@example.com}}\ndatabase: {database}\n"
            f"alerts:\n  group_seconds: 0\n  channels: {{hook: {{type: webhook, url: '{url}', timeout_seconds: 10}}}}\n"
        )
        (root / "forge.yaml").write_text(settings)
        if database == "sqlite":
            lay_database(root / ".forge" / "forge.db")
        self.wiring = Wiring.of(root)
        self.started: list[subprocess.Popen[str]] = []

    def fail(self, number: int = 0) -> None:
        table = f"core.t{number}"
        judging = AlertSource(AlertScope(AlertOrigin.MONITOR, f"m{number}"), AlertPolicy(("hook",)))
        observe_alerts(
            judged(verdict(table=table), at=datetime.now(UTC), table=table), self.wiring.quality.alerts, judging
        )

    def start(self, ahead: float = 0, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(WORKER), str(self.root), str(ahead), *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def statuses(self) -> Counter[str]:
        return Counter(str(one.status) for one in self.wiring.quality.alerts.store.deliveries())

    def close(self) -> None:
        for process in self.started:
            process.kill()
            process.wait()
        self.wiring.close()


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as found:
        yield found


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def site(request: pytest.FixtureRequest, tmp_path: Path, receiver: HttpReceiver) -> Iterator[Site]:
    database = "sqlite" if request.param == "sqlite" else request.getfixturevalue("new_postgres")()
    found = Site(tmp_path, receiver.url, database)
    yield found
    found.close()


def ids(receiver: HttpReceiver) -> list[str]:
    return [taken.headers["x-forge-delivery"] for taken in receiver.taken]


def test_a_process_killed_while_it_sends_is_followed_by_one_that_sends_under_the_same_id(
    site: Site, receiver: HttpReceiver
) -> None:
    receiver.stall = 5.0
    site.fail()
    process = site.start()
    until(lambda: receiver.taken)
    process.send_signal(signal.SIGKILL)
    process.wait()
    receiver.stall = 0.0
    site.start().wait()  # the dead one holds it still
    assert len(receiver.taken) == 1
    site.start(60).wait()
    first, second = ids(receiver)
    assert first == second
    assert json.loads(receiver.taken[0].body) == json.loads(receiver.taken[1].body)
    assert site.statuses() == {DeliveryStatus.SENT: 1}


def test_a_process_killed_between_two_tries_loses_nothing(site: Site, receiver: HttpReceiver) -> None:
    receiver.answers = [(503, {}), (503, {})]
    site.fail()
    store = site.wiring.quality.alerts.store
    tries = []
    for ahead in (0, 60):
        process = site.start(ahead, "forever")
        tries.append(ahead)
        until(lambda: store.deliveries()[0].attempts == len(tries))
        process.send_signal(signal.SIGKILL)
        process.wait()
    site.start(600).wait()
    assert len(set(ids(receiver))) == 1
    assert len(receiver.taken) == 3
    (one,) = store.deliveries()
    assert one.status is DeliveryStatus.SENT
    assert [attempt.ok for attempt in store.attempts([one.id])[one.id]] == [False, False, True]


def test_two_processes_send_each_message_once(site: Site, receiver: HttpReceiver) -> None:
    for _ in range(2):
        site.start(0, "forever")
    for number in range(20):
        site.fail(number)
    until(lambda: site.statuses() == {DeliveryStatus.SENT: 20})
    assert max(Counter(ids(receiver)).values()) == 1
    told = [notice["table"] for taken in receiver.taken for notice in json.loads(taken.body)["notices"]]
    assert Counter(told) == Counter(f"core.t{number}" for number in range(20))
