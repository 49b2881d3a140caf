"""The world of monitors: a table, a clock, and what was sent."""

from __future__ import annotations

import pytest
from monitor_world import MonitorWorld


@pytest.fixture
def monitor_world() -> MonitorWorld:
    return MonitorWorld()
