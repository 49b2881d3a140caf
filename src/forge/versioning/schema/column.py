"""One column in three versions."""

from __future__ import annotations

from dataclasses import dataclass

from forge.versioning.conflict import Take
from forge.versioning.field import Field


@dataclass(frozen=True, slots=True)
class Line:
    """One column in three versions; None where it is not there."""

    base: Field | None
    ours: Field | None
    theirs: Field | None

    def of(self, take: Take) -> Field | None:
        return self.ours if take is Take.OURS else self.theirs
