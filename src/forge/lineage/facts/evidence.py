"""Evidence and confidence of an edge. One rule:

1. Each producer's claim has the confidence of its best evidence (`CONFIDENCE`), or the one given with it.
2. Claims of different producers on one edge combine as 1 − Π(1 − cᵢ). Only a claim that is certain by itself makes an
   edge certain: else it stays at or below `ALMOST`.
3. Levels are anchors: a value has the level of the highest anchor that is not above it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import prod


class Basis(StrEnum):
    """The basis of an edge, most confident first."""

    DECLARED = "declared"  # by a person or by the code that makes the data
    OBSERVED = "observed"  # in the plan of a run
    RESOLVED = "resolved"  # from code, against known schemas
    POSITION = "position"  # from code, by the place in a list
    GUESSED = "guessed"  # from names alone
    MENTIONED = "mentioned"  # both appear in one statement


CONFIDENCE: Mapping[Basis, float] = {
    Basis.DECLARED: 1.0,
    Basis.OBSERVED: 1.0,
    Basis.RESOLVED: 0.95,
    Basis.POSITION: 0.8,
    Basis.GUESSED: 0.3,
    Basis.MENTIONED: 0.1,
}
ALMOST = 0.99
FROM_CODE = frozenset({Basis.RESOLVED, Basis.POSITION, Basis.GUESSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where and when an edge was seen."""

    basis: Basis
    extractor: str = ""
    file: str = ""
    line: int = 0
    statement: str = ""
    run_id: str = ""
    seen_at: datetime | None = None  # the last time
    times: int = 1

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.file and self.line else self.file

    def to_dict(self) -> dict[str, object]:
        return {
            "basis": str(self.basis),
            "extractor": self.extractor,
            "file": self.file,
            "line": self.line or None,
            "statement": self.statement,
            "run_id": self.run_id,
            "seen_at": self.seen_at.isoformat() if self.seen_at else None,
            "times": self.times,
        }


def confidence_of(evidence: Iterable[Evidence]) -> float:
    """Of one claim."""
    return max((CONFIDENCE[one.basis] for one in evidence), default=CONFIDENCE[Basis.GUESSED])


def combine(confidences: Iterable[float]) -> float:
    """Of one edge, from what its producers claim."""
    given = tuple(confidences)
    if len(given) == 1:
        return given[0]
    best = max(given)
    return best if best >= ALMOST else min(ALMOST, 1 - prod(1 - one for one in given))


def is_same_sighting(one: Evidence, other: Evidence) -> bool:
    """The same thing seen again."""
    return (one.basis, one.extractor, one.file, one.line, one.statement) == (
        (other.basis, other.extractor, other.file, other.line, other.statement)
    )
