"""uvicorn's HTTP protocol with limits on the time and size of request heads: nobody has signed in at that point, so
nobody may hold a connection or fill memory."""

from __future__ import annotations

import asyncio
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 10.0
HEAD_BYTES = 64 * 1024
# Overhead of chunked encoding: chunks of a single byte take five more. Trailers are not read.
_FRAMES = 8


class GuardedHttp(HttpToolsProtocol):
    head_seconds = HEAD_SECONDS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._in_message = self._in_body = False
        self._received = self._delivered = 0  # bytes of this message, on the line and of its body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            self._stop_timer()
        elif self._in_body:
            if self._received - self._delivered > HEAD_BYTES + _FRAMES * self._delivered + len(data):
                self._refuse()
        elif self._received > HEAD_BYTES:
            self._refuse()
        elif self._in_message or self._is_idle():  # empty lines between requests are no request
            self._start_timer()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_message, self._in_body = True, False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_body:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._stop_timer()
        self._in_body, self._received, self._delivered = True, 0, 0
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            self._refuse()
        elif not self.url.startswith(b"/") and not self._names_its_host():
            self._answer(b"400 Bad Request", b"The address of the request and its Host header differ.\n")
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._delivered += len(body)
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_message = self._in_body = False
        self._received = 0
        if not self.transport.is_closing():
            super().on_message_complete()

    def _names_its_host(self) -> bool:
        """Whether the host of an absolute request target, as proxies get them, equals the Host header: programs
        differ in which of the two they trust."""
        try:
            parsed = httptools.parse_url(self.url)
        except httptools.HttpParserInvalidURLError:
            return False
        host = (parsed.host or b"") if parsed.port is None else b"%b:%d" % (parsed.host or b"", parsed.port)
        named = [value.lower() for name, value in self.headers if name == b"host"]
        return host != b"" and not parsed.userinfo and [host.lower()] == named

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.head_seconds, self._give_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self._answer(b"408 Request Timeout", b"The request took too long to come.\n")

    def _refuse(self) -> None:
        self._stop_timer()
        if not self.transport.is_closing():
            self._answer(b"431 Request Header Fields Too Large", b"The head of the request is too large.\n")

    def _answer(self, status: bytes, text: bytes) -> None:
        """A response without the application, which never sees the request. Not sent once another response has
        begun."""
        if self._is_idle():
            head = b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\ncontent-length: %d\r\n" % len(text)
            self.transport.write(b"HTTP/1.1 " + status + b"\r\n" + head + b"\r\n" + text)
        self.transport.close()


def guarded_http(head_seconds: float) -> type[GuardedHttp]:
    return type("GuardedHttp", (GuardedHttp,), {"head_seconds": head_seconds})
