"""The ports of profiles: where rows are measured, and where profiles are kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from forge.catalog.profile import ProfileMeasurement, TableProfile
from forge.flows.runs.pin import Pin
from forge.model.names import TableName

HELD = 200  # profiles of each table


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """`sample`: the share of rows to look at; None: all. `exact`: distinct values are counted at any number of rows.
    `hidden`: columns, in lower case, whose values may not leave the engine."""

    sample: float | None = None
    exact: bool = False
    hidden: frozenset[str] = frozenset()


class TableProfiler(Protocol):
    def profile(self, target: Pin, request: ProfileRequest) -> ProfileMeasurement:
        """Raises NeedsEngine where only an engine can read it."""


class ProfileStore(Protocol):
    """Profiles by table and state. One is never changed; the oldest of a table are forgotten."""

    def add(self, profile: TableProfile) -> None:
        """Nothing happens where the same rows were profiled in the same way already."""

    def of_state(self, table: TableName, state: str) -> tuple[TableProfile, ...]:
        """Those of all rows first, exact ones before others; then samples, the largest first."""

    def profiled(self, states: Collection[str]) -> frozenset[tuple[TableName, str]]:
        """Which tables have a profile of one of these states."""

    def history(self, table: TableName, *, limit: int = 100, offset: int = 0) -> tuple[TableProfile, ...]:
        """Newest first."""

    def newest(self, tables: Sequence[TableName]) -> dict[TableName, TableProfile]:
        """The newest profile of each of these that has one."""

    def mask(self, table: TableName, columns: Collection[str]) -> int:
        """Takes the values of these columns, in lower case, out of every profile of the table; how many had any."""


def detail_of(profile: TableProfile) -> str:
    """How the rows were profiled."""
    if profile.sample_fraction is not None:
        return f"sample {profile.sample_fraction!r}"
    return "exact" if profile.exact else "approximate"


def in_order(profiles: Iterable[TableProfile]) -> tuple[TableProfile, ...]:
    """Exact ones, then approximate ones of all rows, then samples, the largest first."""
    return tuple(sorted(profiles, key=lambda one: (one.sampled, not one.exact, -(one.sample_fraction or 0.0))))
