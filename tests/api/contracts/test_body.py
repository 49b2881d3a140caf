"""A contract in JSON is read beside the other requests, not before them."""

from __future__ import annotations

import asyncio
import json

import pytest
from starlette.requests import Request
from starlette.types import Message

from forge.api.contracts.body import read_text


def request_of(body: bytes) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", b"application/json")]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive)


@pytest.mark.slow
def test_others_are_answered_while_a_large_json_is_read() -> None:
    body = json.dumps({"values": [0] * 60_000}).encode()

    async def read() -> int:
        """How often others had their turn meanwhile."""
        turns = 0
        reading = asyncio.create_task(read_text(request_of(body)))
        while not reading.done():
            await asyncio.sleep(0.002)
            turns += 1
        assert (await reading).startswith("values:")
        return turns

    assert asyncio.run(read()) > 5
