"""The port of usage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Protocol

from forge.catalog.discovery.usage import AssetUsage, UsageCell, UsageCount


class UsageStore(Protocol):
    """Every method is one transaction. Days are in UTC, both ends included."""

    def add(self, counts: Sequence[UsageCount]) -> None:
        """Adds to what is known of the same day, asset, actor and kind. An asset whose place in search results it can
        change is in the log of changes."""

    def totals(
        self, since: date, until: date, *, assets: Iterable[str] | None = None, limit: int = 1000
    ) -> tuple[AssetUsage, ...]:
        """Most used first; None: of all assets."""

    def counts(self, assets: Iterable[str], since: date, until: date) -> tuple[UsageCount, ...]:
        """By day, asset, actor and kind."""

    def cells(
        self, since: date, until: date, *, actor: str | None = None, limit: int = 100_000
    ) -> tuple[UsageCell, ...]:
        """Views and queries of each actor and asset, the most recently used first. Runs do not count."""

    def fade(self, since: date, until: date) -> int:
        """As the first of these days becomes the second, the month loses days: assets used in them come into the log
        of changes, as nothing else says that they are less popular. How many."""

    def forget(self, before: date) -> int:
        """Deletes what is older; the number of rows."""
