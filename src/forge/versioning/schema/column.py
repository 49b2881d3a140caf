"""One column in three versions."""

from __future__ import annotations

from dataclasses import dataclass

from forge.versioning.conflict import ResolutionChoice
from forge.versioning.field import TableField


@dataclass(frozen=True, slots=True)
class ColumnVersions:
    """One column in three versions; None where it is missing."""

    base: TableField | None
    ours: TableField | None
    theirs: TableField | None

    def of(self, take: ResolutionChoice) -> TableField | None:
        return self.ours if take is ResolutionChoice.OURS else self.theirs
