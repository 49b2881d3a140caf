"""One column in three versions, and which of its types holds the other."""

from __future__ import annotations

import re
from dataclasses import dataclass

from forge.versioning.conflict import Take
from forge.versioning.field import Field

_WIDENINGS = (
    ("tinyint", "smallint", "int", "bigint"),
    ("uint8", "uint16", "uint32", "uint64"),
    ("halffloat", "float", "double"),
)
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")


def is_wider(before: str, after: str) -> bool:
    """Whether every value of the type `before` is, unchanged, one of `after`. A column of nothing but NULL may become
    anything."""
    if before == "void":
        return after != "void"
    left, right = _DECIMAL.fullmatch(before), _DECIMAL.fullmatch(after)
    if left and right:
        return left[2] == right[2] and int(right[1]) > int(left[1])
    return any(before in chain and after in chain and chain.index(before) < chain.index(after) for chain in _WIDENINGS)


@dataclass(frozen=True, slots=True)
class Line:
    """One column in three versions; None where it is not there."""

    base: Field | None
    ours: Field | None
    theirs: Field | None

    def of(self, take: Take) -> Field | None:
        return self.ours if take is Take.OURS else self.theirs
