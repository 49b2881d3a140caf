"""Size limits of single values: a one-line query can make a text of a gigabyte, and a thousand rows of it."""

from __future__ import annotations

LONGEST = 1_000_000  # characters of a text, or bytes, in one cell
SHORTEST = 2_000  # so many are always there
MARK = 64  # more than a mark takes
WHOLE = 100_000_000  # of all cells of an answer together, as long as SHORTEST leaves room for it


def cell_limit(rows: int, columns: int) -> int:
    """The limit per cell for that number of rows: fewer rows allow longer values."""
    return max(SHORTEST, min(LONGEST, WHOLE // max(1, rows * columns)))


def cut_text(text: str, most: int = LONGEST) -> str:
    """A text that is too long, truncated and marked. Idempotent."""
    return text if len(text) <= most + MARK else f"{text[:most]}{cut_mark(len(text.encode('utf-8', 'replace')))}"


def cut_mark(size: int) -> str:
    return f"… (cut: {size} bytes)"
