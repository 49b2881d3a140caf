from __future__ import annotations

import pytest

from forge.model import retry


def test_it_waits_between_attempts_and_longer_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    monkeypatch.setattr("random.uniform", lambda low, high: high)
    assert list(retry.attempts(5, 0.1, 0.5)) == [0, 1, 2, 3, 4]
    assert waits == [0.1, 0.2, 0.4, 0.5]


def test_the_one_that_gets_through_is_not_followed_by_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("there is nothing to wait for"))
    assert next(retry.attempts()) == 0


def test_many_failures_do_not_overflow() -> None:
    assert retry.backoff(100_000, 30, 900) == 900
