"""Run ids: start time and a few random characters."""

from __future__ import annotations

import secrets as randomness
from datetime import datetime

from forge.model.names import RunId


def new_run_id(now: datetime) -> RunId:
    return RunId(f"r{now:%Y%m%d_%H%M%S}_{randomness.token_hex(3)}")
