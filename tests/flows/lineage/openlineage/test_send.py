"""Telling others of a run: to a file, over HTTP, and what happens when nobody answers."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from memory_world import MAIN, MemoryWorld

from forge.channels.openlineage import OpenLineageSink
from forge.flows.lineage.openlineage.send import EventEmitter
from forge.flows.runs.events import RunEnded, on
from forge.flows.runs.run import RunRequest, RunResult, run
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.transforms.transform import PythonFunction


@dataclass
class Receiver:
    """A server that keeps what it is sent, and answers with `status`."""

    url: str = ""
    status: int = 201
    waits: float = 0
    taken: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            time.sleep(kept.waits)
            kept.keys.append(self.headers["authorization"])
            if kept.status < 300:
                kept.taken.append(json.loads(body))
            self.send_response(kept.status)
            self.send_header("location", "/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_port}/api/v1/lineage"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield kept
    server.shutdown()
    server.server_close()


def run_told(sink: OpenLineageSink, world: MemoryWorld | None = None) -> RunResult:
    world = world or MemoryWorld()
    world.gate.open.set()
    emitter = EventEmitter(world.metadata, sink, "shop", "forge", "0.1.0")
    ports = replace(world.ports(lambda event: None), events=on(RunEnded, emitter))
    return run(RunRequest(branch=MAIN, force=True), world.project(), ports)


def jobs(told: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["job"]["name"], one["eventType"]) for one in told]


WHOLE = [
    ("shop", "START"),
    ("raw.orders", "START"),
    ("core.orders", "START"),
    ("raw.orders", "COMPLETE"),
    ("core.orders", "COMPLETE"),
    ("shop", "COMPLETE"),
]


def test_every_run_is_added_to_the_file(tmp_path: Path) -> None:
    file = tmp_path / "events" / "openlineage.ndjson"
    sink, world = OpenLineageSink(tmp_path / "outbox", file=file), MemoryWorld()
    assert run_told(sink, world).run.commit_id
    run_told(sink, world)
    told = [json.loads(line) for line in file.read_text().splitlines()]
    assert jobs(told) == WHOLE * 2
    core = next(one for one in told if jobs([one]) == [("core.orders", "COMPLETE")])
    assert [one["name"] for one in core["inputs"]] == ["raw.orders"]
    assert core["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 1


def test_a_run_is_sent_with_the_key(tmp_path: Path, receiver: Receiver) -> None:
    run_told(OpenLineageSink(tmp_path, url=receiver.url, key=lambda: "secret"))
    assert jobs(receiver.taken) == WHOLE
    assert set(receiver.keys) == {"Bearer secret"}
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_is_told_of(tmp_path: Path, receiver: Receiver) -> None:
    world = MemoryWorld()
    project = world.project()

    def broken() -> list[dict[str, object]]:
        raise ForgeError("E203", "The file is gone")

    table = TableName.parse("raw.orders")
    body = PythonFunction(broken, {}, False)
    transforms = {**project.transforms, table: replace(project.transforms[table], body=body)}
    world.project = lambda: replace(project, transforms=transforms)  # type: ignore[method-assign]
    run_told(OpenLineageSink(tmp_path, url=receiver.url), world)
    assert jobs(receiver.taken) == [
        ("shop", "START"),
        ("raw.orders", "START"),
        ("raw.orders", "FAIL"),
        ("shop", "FAIL"),
    ]
    assert "gone" in receiver.taken[2]["run"]["facets"]["errorMessage"]["message"]


@pytest.mark.slow
@pytest.mark.parametrize("status", [500, 503, 429, 401])
def test_what_is_not_taken_is_sent_after_the_next_run(tmp_path: Path, receiver: Receiver, status: int) -> None:
    sink, world = OpenLineageSink(tmp_path, url=receiver.url, seconds=60), MemoryWorld()
    receiver.status = status
    assert run_told(sink, world).run.commit_id
    assert (receiver.taken, len(list(tmp_path.iterdir()))) == ([], 1)
    receiver.status = 201
    run_told(sink, world)
    assert jobs(receiver.taken) == WHOLE * 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_is_refused_for_good_is_told_in_the_log_and_holds_up_nothing(
    tmp_path: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.status = 422
    with caplog.at_level(logging.WARNING):
        run_told(OpenLineageSink(tmp_path, url=receiver.url))
    assert "refused an OpenLineage event with 422" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_redirect_is_not_followed_with_the_key(tmp_path: Path, receiver: Receiver) -> None:
    receiver.status = 307
    run_told(OpenLineageSink(tmp_path, url=receiver.url, key=lambda: "secret"))
    assert receiver.taken == []


def test_a_server_that_does_not_answer_holds_up_a_run_only_so_long(
    tmp_path: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.waits = 2
    began = time.monotonic()
    assert run_told(OpenLineageSink(tmp_path, url=receiver.url, seconds=0.1)).run.commit_id
    assert time.monotonic() - began < 1.5
    assert "wait in" in caplog.text


def test_nobody_there_and_a_key_that_is_missing_are_told_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def missing() -> str:
        raise ForgeError("E107", "the environment variable KEY is not set")

    for sink in (
        OpenLineageSink(tmp_path, url="http://127.0.0.1:1/api"),
        OpenLineageSink(tmp_path, url="http://127.0.0.1:1/api", key=missing),
    ):
        assert run_told(sink).run.commit_id
    assert "http://127.0.0.1:1/api" in caplog.text
    assert "KEY is not set" in caplog.text


def test_a_file_that_cannot_be_written_stops_no_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "taken").write_text("")
    assert run_told(OpenLineageSink(tmp_path, file=tmp_path / "taken" / "events")).run.commit_id
    assert "not written" in caplog.text


@pytest.mark.slow
def test_the_rest_of_a_run_is_sent_where_it_was_left(tmp_path: Path, receiver: Receiver) -> None:
    receiver.waits = 0.05
    run_told(OpenLineageSink(tmp_path, url=receiver.url, seconds=0.12))
    time.sleep(0.1)
    first = len(receiver.taken)
    receiver.waits = 0
    OpenLineageSink(tmp_path, url=receiver.url).send("zzz", ())
    assert 0 < first < len(WHOLE)
    assert list(dict.fromkeys(jobs(receiver.taken))) == WHOLE
