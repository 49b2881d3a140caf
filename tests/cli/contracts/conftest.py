from __future__ import annotations

import socket
from typing import NoReturn

import pytest


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for a name or a connection fails the test."""

    def refused(*given: object, **more: object) -> NoReturn:
        raise AssertionError(f"the network was asked for: {given}")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)
