"""Limits of bodies: known before anything is parsed, for every route, also where nobody says how long a body is."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from forge.api.auth import QUESTIONS
from forge.api.bodies import BULK, DEEPEST, LARGE, STREAMED, Body, BodyLimits, refuse_deep, refuse_lone_surrogates
from forge.model.errors import ForgeError

MB = 2**20


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    document: dict[str, Any] = response.json()
    assert (response.status_code, document["code"]) == (status, f"FORGE-{code}"), document
    return document


def scope(method: str = "POST", path: str = "/api/v1/runs", **headers: str) -> dict[str, Any]:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
    }


@pytest.mark.parametrize("path", QUESTIONS)
@pytest.mark.parametrize("announced", [True, False])
def test_a_reader_cannot_send_more_than_the_limit(client: TestClient, path: str, announced: bool) -> None:
    size = 11 * MB if path.endswith("/lint") else MB + 1

    def pieces() -> Iterator[bytes]:
        yield from (b" " * 65_536 for _ in range(size // 65_536 + 1))

    content = b" " * size if announced else pieces()
    response = client.post(path, content=content, headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.slow
def test_every_route_that_takes_json_has_the_limit(client: TestClient, app: FastAPI) -> None:
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            address = path.replace("{", "").replace("}", "")
            if STREAMED.fullmatch(f"{method.upper()} {address}"):
                continue
            large = BULK.fullmatch(f"{method.upper()} {address}")
            response = client.request(method.upper(), address, content=b" " * ((LARGE if large else MB) + 1))
            assert_problem(response, 413, "E911")


def test_what_is_at_the_limit_is_taken(client: TestClient) -> None:
    padded = json.dumps({"selection": ["nothing.here"]}).encode().ljust(MB)
    response = client.post("/api/v1/runs", content=padded, headers={"content-type": "application/json"})
    assert response.status_code not in (408, 413)


def test_who_is_not_signed_in_is_told_that_and_nothing_of_the_body(anonymous: TestClient) -> None:
    assert_problem(anonymous.post("/api/v1/runs", content=b"[" * (MB + 1)), 401, "E903")


@pytest.mark.parametrize("path", [*QUESTIONS, "/api/v1/runs", "/api/v1/lineage", "/api/v1/lineage/edges"])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_json_is_refused_before_it_is_parsed(client: TestClient, path: str, opening: str) -> None:
    body = opening * 500 + "1" + {"[": "]", '{"a":': "}"}[opening] * 500
    response = client.post(path, content=body, headers={"content-type": "application/json"})
    assert "nested" in assert_problem(response, 422, "E105")["detail"]


@pytest.mark.parametrize(
    ("body", "deep"),
    [
        (b"[" * DEEPEST + b"]" * DEEPEST, False),
        (b"[" * (DEEPEST + 1), True),
        (b"[]" * 5000, False),
        (b'"' + b"[" * 5000 + b'"', False),
        (b'"\\"' + b"[" * 5000 + b'"', False),
        (b'"a\\\\"' + b"[" * 5000, True),
        (b"", False),
        (b'"unended' + b"[" * 5000, False),
    ],
)
def test_depth_counts_brackets_outside_of_strings(body: bytes, deep: bool) -> None:
    if not deep:
        return refuse_deep(body)
    with pytest.raises(ForgeError) as refused:
        refuse_deep(body)
    assert refused.value.code == "E105"
    return None


@pytest.mark.parametrize("path", QUESTIONS)
@pytest.mark.parametrize("half", [b"\\ud800", b"\xed\xa0\x80", b"\xff"])
def test_half_a_character_is_refused_and_trips_nobody(client: TestClient, path: str, half: bytes) -> None:
    bodies = (b'{"name":"%s"}', b'{"%s":1}', b'{"dataset":"core.orders","checks":[{"type":"expression","sql":"%s"}]}')
    for body in bodies:
        response = client.post(path, content=body % half, headers={"content-type": "application/json"})
        assert response.status_code < 500, response.text


@pytest.mark.parametrize(
    ("body", "is_text"),
    [
        (b'"\\ud83d\\ude00 \\u00e9 \xc3\xa9 \\n"', True),
        (b'"\\\\ud800"', True),
        (b'"\\\\\\ud800"', False),
        (b'"\\ud83d"', False),
        (b'"\\ud83d \\ude00"', False),
        (b'"\\ud83d\\ud83d\\ude00"', False),
        (b'"\\uDE00"', False),
        (b'"\\ud83d\\n\\ude00"', False),
        ('{"a": "\U0001f600"}'.encode("utf-16"), False),
        ('{"a": "b"}'.encode("utf-16-le"), False),
        (b"", True),
    ],
)
def test_both_halves_of_a_character_are_text_and_one_is_none(body: bytes, is_text: bool) -> None:
    if is_text:
        return refuse_lone_surrogates(body)
    with pytest.raises(ForgeError) as refused:
        refuse_lone_surrogates(body)
    assert refused.value.code == "E105"
    return None


def test_a_sender_who_stops_is_not_waited_for() -> None:
    async def never() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    body = Body(scope(content_length="10"), never, BodyLimits(seconds=0.01))
    with pytest.raises(ForgeError) as refused:
        asyncio.run(asyncio.wait_for(body.checked(), 30))
    assert refused.value.code == "E912"
    assert not body.is_read


@pytest.mark.slow
def test_a_large_body_that_keeps_coming_earns_time() -> None:
    pieces = 40

    async def steadily() -> dict[str, Any]:
        nonlocal pieces
        pieces -= 1
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x" * 65_536, "more_body": pieces > 0}

    async def read() -> int:
        path = "/api/v1/branches/main/commits"
        body = Body(scope(path=path, transfer_encoding="chunked"), steadily, BodyLimits(1024, 0.2))
        receive, size = await body.checked(), 0
        while not body.is_read:
            size += len((await receive())["body"])
        return size

    assert asyncio.run(read()) == 40 * 65_536


def test_who_is_refused_may_finish_sending_for_a_moment() -> None:
    async def drained(pieces: int, said: str | None) -> bool:
        async def receive() -> dict[str, Any]:
            nonlocal pieces
            pieces -= 1
            if pieces < 0:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": b"x" * MB, "more_body": pieces > 0}

        headers = {"content_length": said} if said else {"transfer_encoding": "chunked"}
        body = Body(scope(**headers), receive, BodyLimits())
        await asyncio.wait_for(body.drain(), 30)
        return body.is_read

    assert asyncio.run(drained(3, str(3 * MB)))
    assert asyncio.run(drained(3, None))
    assert not asyncio.run(drained(10**9, None))
    assert not asyncio.run(drained(10**9, str(10**15)))


# a real server


class Caller:
    """A raw connection, for requests that no client library would send."""

    def __init__(self, address: str) -> None:
        host, _, port = address.removeprefix("http://").partition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=30)

    def answer(self) -> bytes:
        """All that comes until the server hangs up."""
        parts = []
        try:
            while part := self.socket.recv(65_536):
                parts.append(part)
        except ConnectionResetError:
            pass
        finally:
            self.socket.close()
        return b"".join(parts)

    def trickle(self, beginning: bytes, piece: bytes) -> bytes:
        """Send `piece` again and again, until the server hangs up."""
        self.socket.sendall(beginning)
        deadline = time.monotonic() + 30
        try:
            while time.monotonic() < deadline:
                self.socket.sendall(piece)
                time.sleep(0.05)
        except OSError:
            return self.answer()
        raise AssertionError("the server went on listening")


QUICK = {"FORGE_SERVER__HEADER_SECONDS": "0.5", "FORGE_SERVER__BODY_SECONDS": "0.5"}


def memory_of(process: int) -> int:
    """The most that it ever held, in bytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


@pytest.mark.services
def test_slow_senders_are_cut_off(start_server: Any, site_project: Path) -> None:
    live = start_server(site_project, **QUICK)
    host = live.address.removeprefix("http://")
    signed_in = f"Host: {host}\r\nAuthorization: Bearer {live.token}\r\n"
    assert Caller(live.address).answer().startswith(b"HTTP/1.1 408")  # says nothing at all
    half = Caller(live.address)
    half.socket.sendall(b"GET / HTTP/1.1\r\nHos")
    assert half.answer().startswith(b"HTTP/1.1 408")
    assert b" 200 " not in Caller(live.address).trickle(b"GET / HTTP/1.1\r\n", b"x")
    assert b" 200 " not in Caller(live.address).trickle(b"", b"\r\n")
    again = Caller(live.address)  # the second request of a connection, too
    again.socket.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\nGET /hea".encode())
    assert again.answer().count(b"HTTP/1.1") == 2
    begun = f"POST /api/v1/quality/monitors/preview HTTP/1.1\r\n{signed_in}Content-Length: 100000\r\n\r\n".encode()
    assert Caller(live.address).trickle(begun, b" ").startswith(b"HTTP/1.1 408")
    upload = f"POST /api/v1/branches/main/commits HTTP/1.1\r\n{signed_in}Content-Length: 100000\r\n"
    form = (upload + "Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n").encode()
    form += b'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    assert Caller(live.address).trickle(form, b" ").startswith(b"HTTP/1.1 408")
    chunked = f"POST /api/v1/runs HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    assert Caller(live.address).trickle(chunked, b"1\r\nx\r\n").startswith(b"HTTP/1.1 401")
    with live.client() as client:
        assert client.get("/api/v1/session").status_code == 200


@pytest.mark.services
def test_an_address_with_a_host_is_taken_only_where_both_agree(start_server: Any, site_project: Path) -> None:
    live = start_server(site_project)
    host = live.address.removeprefix("http://")

    def status(address: str, *hosts: str) -> bytes:
        caller = Caller(live.address)
        named = "".join(f"Host: {one}\r\n" for one in hosts)
        caller.socket.sendall(f"GET {address} HTTP/1.1\r\n{named}Connection: close\r\n\r\n".encode())
        return caller.answer()[9:12]

    assert status("/healthz", host) == status(f"http://{host}/healthz", host) == b"200"
    assert status(f"http://{host}/healthz", "evil.example") == b"400"
    assert status("http://evil.example/healthz", host) == b"400"
    assert status(f"http://user@{host}/healthz", host) == b"400"
    assert status(f"http://{host}/healthz") == b"400"
    assert status("evil.example:443", host) == b"400"
    assert status("/healthz", host, host) == b"400"


@pytest.mark.services
def test_a_flood_does_not_fill_the_memory_of_the_server(start_server: Any, site_project: Path) -> None:
    live = start_server(site_project)
    with live.client() as client:
        reader = client.post("/api/v1/tokens", json={"name": f"flood {time.time_ns()}", "scope": "read"}).json()
    before = memory_of(live.process.pid)
    piece = b'"' + b"x" * 1_000_000

    def pieces() -> Iterator[bytes]:
        yield from (piece for _ in range(300))

    header = {"authorization": f"Bearer {reader['token']}", "content-type": "application/json"}
    for path in ("/api/v1/quality/monitors/preview", "/api/v1/lineage/impact/column", "/api/v1/contracts/lint"):
        with httpx.Client(base_url=live.address, headers=header, timeout=60) as client:
            for content in (piece * 300, pieces()):
                with suppress(httpx.TransportError):  # hung up on while still sending
                    assert client.post(path, content=content).status_code == 413
    for beginning, endless in (
        (b"GET /", b"x" * 65_536),
        (b"GET / HTTP/1.1\r\n", b"x: " + b"y" * 65_536),
        (b"GET / HTTP/1.1\r\n", b"x: y\r\n" * 10_000),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"x: " + b"y" * 65_536 + b"\r\n"),
    ):
        Caller(live.address).trickle(beginning, endless)
    assert memory_of(live.process.pid) - before < 64 * MB
    with live.client() as client:
        assert client.get("/api/v1/session").status_code == 200
