"""The logical checksum of a table: the sum of its row hashes. It identifies content independent of files, and the
checksums of parts add up to that of the whole."""

from __future__ import annotations

_SIZE = 1 << 128
NOTHING = "0" * 32  # of no rows


def checksum_of(total: int) -> str:
    """A sum of row hashes as text: 32 hex digits."""
    return f"{total % _SIZE:032x}"


def add_checksums(left: str, right: str) -> str:
    """The checksum of the multiset union."""
    return checksum_of(int(left, 16) + int(right, 16))


def subtract_checksums(whole: str, part: str) -> str:
    """The checksum of the remaining rows."""
    return checksum_of(int(whole, 16) - int(part, 16))
