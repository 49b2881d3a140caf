"""File paths as graph nodes."""

from __future__ import annotations

import posixpath
import re

_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:/*|@")


def plain_path(path: str) -> str:
    """Normalizes a path: `out//x`, `./out/x`, `out/x/` and `out/a/../x` are `out/x`. A scheme or stage prefix is
    kept, and so are web addresses."""
    found = _SCHEME.match(path)
    start = found[0] if found else ""
    rest = path[len(start) :]
    if not rest or "\\" in rest or start.lower().startswith("http"):
        return path
    plain = posixpath.normpath(rest)
    return start + (f"/{plain.lstrip('/')}" if plain.startswith("/") else plain)
