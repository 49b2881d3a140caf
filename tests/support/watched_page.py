"""What a browser complains about while a person uses the pages: all of it is a fault, unless a test expects it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebError


class Served(Protocol):
    """A server that a browser can go to."""

    @property
    def address(self) -> str: ...
    @property
    def token(self) -> str: ...


class Watch:
    """Collects console errors (Content-Security-Policy violations are among them), errors that no script caught,
    requests that failed, and requests to any other server."""

    def __init__(self, place: BrowserContext | Page, origin: str) -> None:
        self.origin = origin
        self.requests: list[str] = []
        self._complaints: list[str] = []
        self._expected: list[str] = []
        place.on("console", self._console)
        place.on("request", self._request)
        place.on("requestfailed", self._failed)
        if isinstance(place, BrowserContext):
            place.on("weberror", self._uncaught)
        else:
            place.on("pageerror", lambda error: self._complaints.append(f"uncaught: {error}"))

    def expect(self, *patterns: str) -> None:
        """These complaints belong to the test, whenever they come."""
        self._expected += patterns

    def complaints(self) -> list[str]:
        return [one for one in self._complaints if not any(re.search(pattern, one) for pattern in self._expected)]

    def strangers(self) -> list[str]:
        """Requests that went to another server than the one of the page."""
        return [url for url in self.requests if not url.startswith((f"{self.origin}/", "data:", "blob:"))]

    def judge(self) -> None:
        assert not self.complaints(), "the browser complained:\n" + "\n".join(self.complaints())
        assert not self.strangers(), f"requests left {self.origin}: {self.strangers()}"

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._complaints.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _uncaught(self, error: WebError) -> None:
        self._complaints.append(f"uncaught: {error.error}")

    def _request(self, request: Request) -> None:
        self.requests.append(request.url)

    def _failed(self, request: Request) -> None:
        # A page that is left ends its own requests.
        if request.failure != "net::ERR_ABORTED":
            self._complaints.append(f"failed: {request.method} {request.url} {request.failure}")


@dataclass(frozen=True)
class Visitor:
    """A person in front of a page."""

    page: Page
    watch: Watch


Visit = Callable[..., Visitor]


def new_profile(
    browser: Browser, live: Served, *, dark: bool = False, width: int = 1280, bypass_csp: bool = False
) -> BrowserContext:
    context = browser.new_context(
        base_url=live.address,
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        locale="en-GB",
        timezone_id="UTC",
        bypass_csp=bypass_csp,
    )
    context.set_default_timeout(30_000)  # for a loaded machine; a test that passes never waits so long
    return context


def signed_in_at(live: Served, path: str = "/") -> str:
    """The address that the server printed, with the page that is wanted in it."""
    return f"{path}{'&' if '?' in path else '?'}token={live.token}"
