"""Usage as the wiring records it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

from migrated import lay_database

from forge.catalog.discovery.usage import UsageKind
from forge.settings import load_settings
from forge.wiring import Wiring


def test_usage_is_of_the_day_that_the_clock_says_when_it_happens(tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("project: shop\n")
    settings = load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"})
    lay_database(Path(settings.database_url().removeprefix("sqlite:///")))
    wiring = Wiring(settings)
    for day in (13, 14):
        wiring.clock = lambda day=day: datetime(2026, 11, day, 6, 10, tzinfo=UTC)  # type: ignore[misc]
        wiring.catalog.discovery.recorder.record(UsageKind.QUERY, ["core.orders"], "ada@example.com")
    found = wiring.catalog.discovery.usage.counts(["core.orders"], date(2026, 11, 1), date(2026, 11, 30))
    assert sorted(one.day for one in found) == [date(2026, 11, 13), date(2026, 11, 14)]
    wiring.close()
