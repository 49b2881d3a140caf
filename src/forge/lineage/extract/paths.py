"""Paths as nodes of the graph."""

from __future__ import annotations

import posixpath
import re

_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:/*|@")


def plain_path(path: str) -> str:
    """One spelling for a path: `out//x`, `./out/x`, `out/x/` and `out/a/../x` are `out/x`. What stands before it, a
    scheme or the sign of a stage, stays as it is; so does an address of the web."""
    found = _SCHEME.match(path)
    start = found[0] if found else ""
    rest = path[len(start) :]
    if not rest or "\\" in rest or start.lower().startswith("http"):
        return path
    plain = posixpath.normpath(rest)
    return start + (f"/{plain.lstrip('/')}" if plain.startswith("/") else plain)
