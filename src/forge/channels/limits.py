"""A limit on the whole of a try. A time-out of a socket begins anew with each byte, so that a slow receiver could hold
a channel for hours."""

from __future__ import annotations

import threading
from collections.abc import Callable

from forge.flows.quality.incidents.ports import NotSent


def within(seconds: float, send: Callable[[], str]) -> str:
    """What `send` gives, or raises; NotSent where it takes longer. It is left to itself then: what it still achieves is
    achieved twice, under the same id."""
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
    raise NotSent(f"no answer within {seconds:g} seconds")
