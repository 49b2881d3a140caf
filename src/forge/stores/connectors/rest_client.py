"""GET of JSON from one API, within the limits of one read: time, pages and bytes. No request goes to another scheme,
host or port than that of the source, wherever a redirect or a link of the answer leads."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from forge.federation.address import ApiAddress
from forge.federation.rest_options import RestOptions
from forge.model.errors import ForgeError, SourceUnreachableError
from forge.model.retry import backoff
from forge.stores.connectors.cells import failed_query
from forge.stores.connectors.json_cells import parse_json

if TYPE_CHECKING:
    import httpx

_TRIES = 3
_AGAIN = frozenset({429, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5
_PAGE_BYTES = 32 * 1024**2  # of one answer, which is held in memory
_PAGE_VALUES = 3_000_000
_TOLD = 2_000  # bytes of a refusal that are read
_SILENCE = 30.0  # seconds between two parts of an answer


class RequestStoppedError(Exception):
    """`stop` was called."""


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """`link`: the address of the next page, as its header says."""

    url: str
    body: Any
    link: str | None


@dataclass(frozen=True, slots=True)
class _Response:
    status: int
    headers: httpx.Headers
    content: bytes
    link: str | None


@dataclass(eq=False, kw_only=True)
class RestClient:
    """Of one read: its budget is used up, not refilled. `hide` takes secrets out of a text."""

    source: str
    address: ApiAddress
    headers: dict[str, str] = field(repr=False)
    options: RestOptions
    hide: Callable[[str], str]
    _left: int = 0
    _pages: int = 0
    _stopped: bool = False
    _expired: bool = False
    _stream: Any = None
    _woken: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        import httpx

        self._left = self.options.bytes
        self._ends = time.monotonic() + self.options.seconds
        timeout = httpx.Timeout(min(_SILENCE, self.options.seconds), connect=self.options.connect_seconds)
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        # Without https there is nothing to verify: no other address is asked.
        verify = ssl.create_default_context() if self.address.scheme == "https" else False
        self._client = httpx.Client(
            timeout=timeout, limits=limits, follow_redirects=False, headers=self.headers, verify=verify
        )
        # The timeout of a socket begins anew with each byte.
        self._timer = threading.Timer(self.options.seconds, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def get(self, url: str) -> RestAnswer:
        """E308 where it cannot be reached or does not know the user, E309 for any other refusal."""
        self._pages += 1
        if self._pages > self.options.pages:
            raise self._refused(f"It has more than {self.options.pages:,} pages.", "max_pages")
        url, response = self._followed(self._own(url))
        if response.content.count(b",") > _PAGE_VALUES:  # {} takes thirty times its place once it is read
            why = f"One page has more than {_PAGE_VALUES:,} values."
            raise failed_query(self.source, why, "Ask for smaller pages by `size`.")
        try:
            return RestAnswer(url, parse_json(response.content), response.link)
        except (ValueError, RecursionError) as error:
            why = f"The answer of {self._path(url)} is no JSON: {str(error)[:200]}"
            raise failed_query(self.source, self.hide(why)) from error

    def next_url(self, url: str, link: str) -> str:
        """E309 where the link leads away."""
        return self._own(urljoin(url, link))

    def stop(self) -> None:
        """Ends the request that runs, and all later ones. From any thread."""
        self._stopped = True
        self._interrupt()

    def close(self) -> None:
        self._timer.cancel()
        self._client.close()

    def _followed(self, url: str) -> tuple[str, _Response]:
        for _ in range(_MOST_REDIRECTS + 1):
            response = self._tried(url)
            target = response.headers.get("location")
            if response.status not in _REDIRECTS or not target:
                self._refuse_status(url, response)
                return url, response
            url = self.next_url(url, target)
        raise failed_query(self.source, f"{self._path(url)} redirects again and again.")

    def _tried(self, url: str) -> _Response:
        """Once more where it may help: GET changes nothing."""
        import httpx

        for tried in range(1, _TRIES + 1):
            self._check()
            wait = backoff(tried, 0.5, 5.0)
            try:
                response = self._sent(url)
            except (httpx.HTTPError, OSError) as error:
                self._check()
                if tried == _TRIES:
                    raise self._unreachable(str(error) or type(error).__name__) from error
            except httpx.InvalidURL as error:
                raise failed_query(self.source, self.hide(f"{error}")) from error
            else:
                if response.status not in _AGAIN or tried == _TRIES:
                    return response
                said = response.headers.get("retry-after", "").strip()
                wait = max(wait, float(said)) if said.isascii() and said.isdecimal() else wait
            if time.monotonic() + wait >= self._ends:
                raise self._refused(f"It asks to wait {wait:g} s, longer than the read may take.", "timeout")
            self._woken.wait(wait)
        raise AssertionError("the last try returns or raises")

    def _sent(self, url: str) -> _Response:
        with self._client.stream("GET", url, extensions={"trace": self._trace}) as response:
            is_good = response.status_code == 200
            if response.headers.get("content-encoding", "identity").lower() != "identity" and is_good:
                raise failed_query(self.source, "The answer is compressed, which was not asked for.")
            content = self._content(response) if is_good else self._beginning(response)
            link = response.links.get("next", {}).get("url")
            return _Response(response.status_code, response.headers, content, link)

    def _content(self, response: httpx.Response) -> bytes:
        parts: list[bytes] = []
        size = 0
        for part in response.iter_raw():
            size += len(part)
            self._left -= len(part)
            if size > _PAGE_BYTES:
                why = f"One page has more than {_PAGE_BYTES // 1024**2} MiB."
                raise failed_query(self.source, why, "Ask for smaller pages by `size`.")
            if self._left < 0:
                raise self._refused(f"It has more than {self.options.bytes:,} bytes.", "max_bytes")
            self._check()
            parts.append(part)
        return b"".join(parts)

    @staticmethod
    def _beginning(response: httpx.Response) -> bytes:
        content = b""
        for part in response.iter_raw():
            content += part
            if len(content) >= _TOLD:
                break
        return content[:_TOLD]

    def _refuse_status(self, url: str, response: _Response) -> None:
        if response.status == 200:
            return
        said = " ".join(re.sub(r"[^\x20-\x7e\u00a0-\ud7ff]", " ", response.content.decode(errors="replace")).split())
        why = self.hide(f"{self._path(url)} answered {response.status}: {said[:200]}".rstrip(": "))
        if response.status in (401, 403):
            fix = "Check `user`, `password` and `options.header`."
            raise SourceUnreachableError(f"{self.source} cannot be reached", why=why, fix=fix)
        raise failed_query(self.source, why)

    def _own(self, url: str) -> str:
        """The address as the client itself reads it, if it is one of this API."""
        import httpx

        try:
            parsed = httpx.URL(url)
        except (httpx.InvalidURL, ValueError) as error:
            raise failed_query(self.source, "A link of the answer is no address.") from error
        port = parsed.port or {"https": 443, "http": 80}.get(parsed.scheme)
        if (parsed.scheme, parsed.host.lower(), port) != self.address.origin or parsed.userinfo:
            raise failed_query(
                self.source,
                "A redirect or a link of the answer leads to another host.",
                f"Forge only asks {self.address.base}. Correct `url`, or page in another way.",
            )
        return str(parsed.copy_with(fragment=None))

    def _path(self, url: str) -> str:
        return url.removeprefix(self.address.base).partition("?")[0]

    def _check(self) -> None:
        if self._stopped:
            raise RequestStoppedError
        if self._expired:
            raise self._refused(f"It took longer than {self.options.seconds:g} s.", "timeout")

    def _expire(self) -> None:
        self._expired = True
        self._interrupt()

    def _interrupt(self) -> None:
        self._woken.set()
        connection = self._stream.get_extra_info("socket") if self._stream is not None else None
        if connection is not None:
            with suppress(OSError):  # it has ended by itself
                connection.shutdown(socket.SHUT_RDWR)

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        """Of httpcore: the connection is known before there is an answer, so that waiting for one can be ended."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._stream = info["return_value"]
        if self._stopped or self._expired:
            self._interrupt()

    def _refused(self, why: str, option: str) -> ForgeError:
        fix = f"Ask for less, by columns that have filters or by a LIMIT; or set `options.{option}` of the source."
        return failed_query(self.source, why, fix)

    def _unreachable(self, why: str) -> ForgeError:
        fix = "Check its url, and that the server runs."
        return SourceUnreachableError(f"{self.source} cannot be reached", why=self.hide(why), fix=fix)
