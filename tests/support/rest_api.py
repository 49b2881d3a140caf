"""A real HTTP server whose answers a test writes: an API of JSON, its pages, refusals, stalls and tricks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Asked:
    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass
class Answer:
    """`body` is sent as JSON, or as it is where it is bytes. `stall`: nothing is sent until the API is closed or the
    client has gone; `drip`: so are the headers, a byte at a time."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stall: bool = False
    drip: bool = False
    hang_up: bool = False


Endpoint = Callable[[Asked], Answer]


@dataclass
class RestApi:
    """`endpoints`: by path. `left` is set once a client has gone while it was waiting."""

    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    reached: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def serve(self, path: str, *answers: Answer) -> None:
        """In turn; the last for ever."""
        waiting = list(answers)
        self.endpoints[path] = lambda asked: waiting.pop(0) if len(waiting) > 1 else waiting[0]

    def serve_list(self, path: str, records: list[Any]) -> None:
        self.serve(path, Answer(records))


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        api: RestApi = self.server.api  # type: ignore[attr-defined]
        parts = urlsplit(self.path)
        asked = Asked(parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)), dict(self.headers.items()))
        asked.headers = {name.lower(): value for name, value in asked.headers.items()}
        api.asked.append(asked)
        found = api.endpoints.get(parts.path)
        answer = found(asked) if found else Answer({"error": "no such endpoint"}, 404)
        api.reached.set()
        if answer.stall or answer.drip:
            self._wait(api, answer)
        elif not answer.hang_up:
            self._send(answer)
        self.close_connection = True

    def _send(self, answer: Answer) -> None:
        content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(content)

    def _wait(self, api: RestApi, answer: Answer) -> None:
        self.connection.settimeout(0.02)
        while not api.closing.is_set():
            try:
                if answer.drip:
                    self.wfile.write(b"x")
                if self.connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        api.left.set()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some tests are about."""


@contextmanager
def rest_api() -> Iterator[RestApi]:
    api = RestApi()
    server = _Quiet(("127.0.0.1", 0), _Handler)
    server.api = api  # type: ignore[attr-defined]
    api.port = server.server_port
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield api
    finally:
        api.closing.set()
        server.shutdown()
        server.server_close()
