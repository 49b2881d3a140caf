"""Calls to the server, with its refusals as errors of Forge."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    import httpx

_SHOWN_CHARS = 300


class SearchServer:
    """Plain HTTP: the clients of the two projects refuse each other's servers."""

    def __init__(
        self,
        url: str,
        *,
        user: str | None = None,
        password: str = "",
        api_key: str | None = None,
        timeout: float = 10.0,
        ca_file: str | None = None,
    ) -> None:
        import ssl

        import httpx

        headers = {"authorization": f"ApiKey {api_key}"} if api_key else {}
        verify: ssl.SSLContext | bool = ssl.create_default_context(cafile=ca_file) if ca_file else True
        self._url = url.rstrip("/")
        self._client: httpx.Client = httpx.Client(
            base_url=self._url,
            auth=(user, password) if user else None,
            headers=headers,
            timeout=timeout,
            verify=verify,
            follow_redirects=False,
        )

    def call(self, method: str, path: str, body: object = None, *, allowed: tuple[int, ...] = ()) -> tuple[int, Any]:
        """`allowed`: answers beside 2xx that mean something to whoever asks."""
        content = None if body is None else json.dumps(body)
        return self._send(method, path, content, "application/json", allowed)

    def bulk(self, path: str, lines: Iterable[object]) -> Any:
        content = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        return self._send("POST", path, content, "application/x-ndjson", ())[1]

    def close(self) -> None:
        self._client.close()

    def _send(
        self, method: str, path: str, content: str | None, kind: str, allowed: tuple[int, ...]
    ) -> tuple[int, Any]:
        import httpx

        try:
            answer = self._client.request(
                method, path, content=None if content is None else content.encode(), headers={"content-type": kind}
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ForgeError(
                "E859", f"The search server does not answer: {type(error).__name__}", where=self._url, why=str(error)
            ) from error
        if not (answer.is_success or answer.status_code in allowed):
            raise ForgeError(
                "E859",
                f"The search server refused: {answer.status_code}",
                where=self._url,
                why=answer.text[:_SHOWN_CHARS],
            )
        try:
            return answer.status_code, answer.json() if answer.content else {}
        except ValueError as error:
            raise ForgeError("E859", "The search server answered with no JSON", where=self._url) from error
