"""A version of a Delta table that an engine may read by itself, and which files a log may name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class DeltaVersion:
    """`folder`: of this machine. `table`: the id that its log gives it. `only_spark`: why Spark alone can read it;
    empty: its files say its rows."""

    folder: str
    table: str
    version: int
    only_spark: str = ""


def own_file(path: str) -> str | None:
    """A file of the table, whose log spells it as a URL. None for one of others, as a shallow clone names. Hidden ones
    hold no rows."""
    plain = unquote(path)
    pure = PurePosixPath(plain)
    is_hidden = any(part.startswith(".") for part in pure.parts)
    is_odd = any(_SCHEME.match(text) for text in (path, plain)) or "://" in plain or "\x00" in plain
    return None if pure.is_absolute() or is_hidden or is_odd else plain
