"""Options of an API: how to sign in, and how much may be read at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forge.model.duration import parse_duration
from forge.model.errors import ForgeError
from forge.model.file_options import Where
from forge.model.name_suggestions import did_you_mean

SIGN_IN = frozenset({"header"})
_DURATIONS: Mapping[str, tuple[float, float]] = {"timeout": (60.0, 86_400.0), "connect_timeout": (10.0, 300.0)}
_COUNTS: Mapping[str, tuple[int, int]] = {
    "max_pages": (1_000, 1_000_000),
    "max_rows": (1_000_000, 1_000_000_000),
    "max_bytes": (256 * 1024**2, 1024**4),
}
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
# Of the connection and the request itself; a secret in one of them would change where or what is asked.
_NOT_HEADERS = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "upgrade", "te", "trailer", "expect", "accept",
     "accept-encoding", "keep-alive", "proxy-authorization", "proxy-connection", "range", "cookie"}
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RestOptions:
    """Of one read: `seconds` until its last row, its pages, their bytes, and rows."""

    header: str  # which has the secret; empty: Authorization, as Basic with a user and as Bearer without
    seconds: float
    connect_seconds: float
    pages: int
    rows: int
    bytes: int


def rest_options_of(options: Mapping[str, str]) -> RestOptions:
    """Of what was validated before."""
    return RestOptions(
        header=options.get("header", ""),
        seconds=_duration(options.get("timeout")) or _DURATIONS["timeout"][0],
        connect_seconds=_duration(options.get("connect_timeout")) or _DURATIONS["connect_timeout"][0],
        **{name.removeprefix("max_"): int(options.get(name, usual)) for name, (usual, _) in _COUNTS.items()},
    )


def find_bad_options(
    options: Mapping[str, str], where: Where, code: str, *, has_user: bool, has_password: bool
) -> Iterator[ForgeError]:
    known = (*sorted(SIGN_IN), *_DURATIONS, *_COUNTS)
    for name, value in options.items():
        place = where(("options", name))
        if name not in known:
            fix = did_you_mean(name, known) or f"Known: {', '.join(known)}."
            yield ForgeError(code, f"an API has no option {name}", where=place, fix=fix)
        elif name in _DURATIONS:
            seconds = _duration(value)
            if seconds is None or not 0 < seconds <= _DURATIONS[name][1]:
                yield ForgeError(code, f"{name} is no duration: {value}", where=place, fix="Write 30 s.")
        elif name in _COUNTS and not (value.isascii() and value.isdecimal() and 0 < int(value) <= _COUNTS[name][1]):
            fix = f"Write a number up to {_COUNTS[name][1]:,}, without commas."
            yield ForgeError(code, f"{name} is no such number: {value[:40]}", where=place, fix=fix)
    yield from _find_bad_sign_in(options, where, code, has_user=has_user, has_password=has_password)


def _find_bad_sign_in(
    options: Mapping[str, str], where: Where, code: str, *, has_user: bool, has_password: bool
) -> Iterator[ForgeError]:
    header = options.get("header")
    if header is not None and (not _TOKEN.fullmatch(header) or header.lower() in _NOT_HEADERS):
        fix = "Write a name like X-Api-Key."
        yield ForgeError(code, "this header cannot have the secret", where=where(("options", "header")), fix=fix)
    if (has_user or header) and not has_password:
        fix = "Add `password: env:NAME`."
        yield ForgeError(code, "the sign-in of the API has no secret", where=where(()), fix=fix)
    if has_user and header:
        fix = "Remove `user`: the header has the password alone."
        yield ForgeError(code, "a header has no user", where=where(("options", "header")), fix=fix)


def _duration(text: str | None) -> float | None:
    if text is None:
        return None
    found = parse_duration(text, "s" if text.strip().isdecimal() else None)
    return float(found.seconds) if found is not None and not found.months and found.seconds else None
