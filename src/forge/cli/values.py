"""Values given on the command line: parameters, times, numbers or `all`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.time import as_utc

if TYPE_CHECKING:
    from forge.flows.runs.time_range import TimeRange
    from forge.wiring import Wiring


def read_params(texts: Sequence[str] | None) -> dict[str, str]:
    given: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ForgeError("E105", f"'{text}' is not a parameter", fix="Write it like --param day=2026-11-15.")
        given[name.strip()] = value
    return given


def read_named_values(texts: Sequence[str], option: str) -> dict[str, str]:
    """`--column id=long`, repeated; a value may hold any character."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ForgeError("E105", f"{option}: '{text}' has no name", fix=f"Write it like {option} NAME=VALUE.")
        found[name.strip()] = value
    return found


def bind(wiring: Wiring, texts: Sequence[str] | None, time_range: TimeRange | None) -> dict[str, object]:
    """The parameters of a run, typed as they are declared."""
    from forge.transforms.params import bind_params

    bound = bind_params(wiring.settings.params, read_params(texts))
    return {**bound, "start": time_range.start, "end": time_range.end} if time_range else bound


def read_time(text: str, option: str) -> datetime:
    try:
        return as_utc(datetime.fromisoformat(text))
    except ValueError as error:
        raise ForgeError(
            "E105", f"{option}: '{text}' is not a time", fix="Write 2026-11-14 or 2026-11-14T06:00."
        ) from error


def read_range(start: str | None, end: str | None) -> TimeRange | None:
    from forge.flows.runs.time_range import TimeRange

    if start is None and end is None:
        return None
    if start is None or end is None:
        raise ForgeError("E105", "--start and --end go together", fix="Give both: --start 2026-11-14 --end 2026-11-15")
    begin, stop = read_time(start, "--start"), read_time(end, "--end")
    if begin >= stop:
        raise ForgeError("E105", "--start is not before --end", fix="The range is [start, end).")
    return TimeRange(begin, stop)


def read_pairs(text: str, option: str) -> dict[str, object]:
    """`order_id=10017,line=2`: values of columns, as texts."""
    found: dict[str, object] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise ForgeError("E105", f"'{part}' is no column=value", fix=f"Write it like {option} order_id=10017")
        found[name.strip()] = value.strip()
    return found


def read_number(text: str, option: str) -> int | None:
    """A number, or None for `all`."""
    if text.strip().lower() == "all":
        return None
    if not text.strip().isdecimal() or int(text) < 1:
        raise ForgeError(
            "E105", f"{option}: '{text}' is not a number from 1", fix=f"Write {option} 10 or {option} all."
        )
    return int(text)


def read_age(text: str, option: str) -> timedelta:
    """`24h`, `90m`, `7d`; at most a century."""
    from forge.model.duration import parse_duration

    found = parse_duration(text)
    if found is None or found.months or found.seconds > 36_525 * 86_400:
        raise ForgeError("E105", f"{option}: '{text}' is not a length of time", fix="Write it like 24h, 90m or 7d.")
    return timedelta(seconds=float(found.seconds))


def read_seconds(text: str, option: str) -> float:
    """`30` is seconds; `90s`, `5m`."""
    with suppress(ValueError):
        return float(text)
    return read_age(text, option).total_seconds()
