"""Wire models of findings of personal data."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from forge.api.wire import Wire
from forge.flows.catalog.pii.reviews import LONGEST_NOTE

StateWord = Literal["open", "confirmed", "rejected"]


class PiiFindingView(Wire):
    """What a scan or lineage says about one column, and what a person said to it. `path` leads from `source` to the
    column, where it is known by lineage."""

    id: str
    table: str
    column: str
    type: str | None
    score: float
    evidence: list[str]
    quasi: bool
    state: StateWord
    origin: Literal["scan", "lineage"]
    source: str | None
    path: list[str]
    reviewed_by: str | None
    reviewed_at: datetime | None
    note: str
    reason: str
    snapshot_id: str | None
    first_seen: datetime
    last_seen: datetime
    closed_at: datetime | None
    version: int


class PiiReview(Wire):
    """A decision. `expected_version` is the version that was looked at."""

    state: StateWord
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] | None = None
    expected_version: Annotated[int, Field(ge=1)]
