"""Times as integers: microseconds since the epoch, exact, unlike float seconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

OPEN = (1 << 63) - 1  # no end

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(time: datetime | None) -> int:
    return OPEN if time is None else (time - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime | None:
    return None if micros == OPEN else time_of(micros)


def time_of(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
