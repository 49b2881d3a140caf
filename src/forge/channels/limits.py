"""A deadline for a whole attempt. The timeout of a socket restarts with each byte, so that a slow receiver could hold a
channel for hours."""

from __future__ import annotations

import threading
from collections.abc import Callable

from forge.flows.quality.incidents.ports import SendError


def send_within(seconds: float, send: Callable[[], str]) -> str:
    """The result of `send`, or its exception; raises on timeout. The attempt is then abandoned: if it still succeeds,
    the message arrives twice, under the same id."""
    done: list[str] = []
    failed: list[Exception] = []

    def work() -> None:
        try:
            done.append(send())
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="forge-alert-try", daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if done:
        return done[0]
    raise SendError(f"no answer within {seconds:g} seconds")
