"""Retries: how often, and how long to wait in between."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator


def attempts(most: int = 200, first: float = 0.002, longest: float = 0.2) -> Iterator[int]:
    """The numbers of up to `most` attempts, from 0. Between two it waits a random part of `backoff`, in seconds, so
    that competitors do not collide again."""
    for number in range(most):
        if number:
            time.sleep(random.uniform(0, backoff(number, first, longest)))  # noqa: S311, no secret
        yield number


def backoff(failed: int, first: float, longest: float) -> float:
    """How long to wait after that many failed attempts: doubled each time."""
    return min(first * 2.0 ** min(failed - 1, 60), longest)
